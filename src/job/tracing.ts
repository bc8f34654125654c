import type { AgentOptions, RunningAgent } from '../agent/index.ts';
import type { Config } from '../config/index.ts';
import { type Identifiers, wireNames } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import {
  openPlatform,
  type Platform,
  placeOf,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
} from '../tracing/index.ts';

/**
 * Opens what traces are read from: the embedded receiver, the platform that the environment names, or nothing when
 * responses only are compared.
 * @throws AgentReplayError `PLATFORM_*`, `RECEIVER_UNREACHABLE`
 */
export async function openTraces(
  config: Config,
  environment: NodeJS.ProcessEnv,
  options: { signal?: AbortSignal | undefined; onSpan?: ReceiverOptions['onSpan'] } = {},
): Promise<Receiver | Platform | undefined> {
  const { source } = config.tracing;
  const { signal, onSpan } = options;
  if (source === 'none') return undefined;
  if (source === 'embedded') return openReceiver(config, environment, onSpan);
  const place = placeOf(source, { ...config.tracing, ...config, environment });
  return openPlatform({ ...place, identifiers: config.identifiers, signal });
}

/**
 * The keys of an agent that runs elsewhere are the configured ones, or those of our own environment, under the names
 * that the agent has them under.
 */
async function openReceiver(
  config: Config,
  environment: NodeJS.ProcessEnv,
  onSpan: ReceiverOptions['onSpan'],
): Promise<Receiver> {
  const { host, port, publicKey, secretKey } = config.tracing.receiver;
  const known = port === undefined ? {} : keysIn(environment, config.identifiers);
  return startReceiver({
    identifiers: config.identifiers,
    host,
    port,
    publicKey: publicKey ?? known.publicKey,
    secretKey: secretKey ?? known.secretKey,
    onSpan,
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
 * An agent that we do not start cannot be told where a receiver with a free port is, and a platform has to be named.
 * @throws AgentReplayError `RECEIVER_UNREACHABLE` or `PLATFORM_NOT_CONFIGURED`, before anything is sent
 */
export function checkReachable(config: Config, agent: AgentOptions, running?: RunningAgent): void {
  const { tracing } = config;
  if (tracing.source !== 'none' && tracing.source !== 'embedded') {
    placeOf(tracing.source, { ...tracing, ...config, environment: process.env });
  }
  const isElsewhere = running === undefined ? agent.command === undefined : running.pid === undefined;
  if (!isElsewhere || tracing.source !== 'embedded' || tracing.receiver.port !== undefined) return;
  throw new AgentReplayError(
    'RECEIVER_UNREACHABLE',
    'The agent is not started by agent-replay, so it cannot know where to send its traces.',
    {
      evidence: ['tracing: embedded, with a port that is free when the run starts'],
      hint: 'Set agent.command (--start); or tracing.receiver.port and the keys, and point the agent there; or tracing: platform, if it traces to one; or tracing: none to compare responses only.',
    },
  );
}
