import type { AgentOptions, RunningAgent } from '../agent/index.ts';
import type { Config } from '../config/index.ts';
import { type Identifiers, wireNames } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { type Receiver, startReceiver } from '../tracing/index.ts';

/**
 * Opens the embedded receiver, or nothing when responses only are compared. The keys of an agent that runs elsewhere
 * are the configured ones, or those of our own environment, under the names that the agent has them under.
 */
export async function openReceiver(config: Config, environment: NodeJS.ProcessEnv): Promise<Receiver | undefined> {
  if (config.tracing.source === 'none') return undefined;
  const { host, port, publicKey, secretKey } = config.tracing.receiver;
  const known = port === undefined ? {} : keysIn(environment, config.identifiers);
  return startReceiver({
    identifiers: config.identifiers,
    host,
    port,
    publicKey: publicKey ?? known.publicKey,
    secretKey: secretKey ?? known.secretKey,
  });
}

function keysIn(
  environment: NodeJS.ProcessEnv,
  identifiers: Identifiers,
): { publicKey?: string | undefined; secretKey?: string | undefined } {
  const { env } = wireNames(identifiers);
  return { publicKey: environment[env.publicKey], secretKey: environment[env.secretKey] };
}

/**
 * An agent that we do not start cannot be told where a receiver with a free port is.
 * @throws AgentReplayError `RECEIVER_UNREACHABLE`, before anything is sent
 */
export function checkReachable({ tracing }: Config, agent: AgentOptions, running?: RunningAgent): void {
  const isElsewhere = running === undefined ? agent.command === undefined : running.pid === undefined;
  if (!isElsewhere || tracing.source === 'none' || tracing.receiver.port !== undefined) return;
  throw new AgentReplayError(
    'RECEIVER_UNREACHABLE',
    'The agent is not started by agent-replay, so it cannot know where to send its traces.',
    {
      evidence: ['tracing: embedded, with a port that is free when the run starts'],
      hint: 'Set agent.command (--start); or tracing.receiver.port and the keys, and point the agent there; or tracing: none to compare responses only.',
    },
  );
}
