import type { AgentOptions, RunningAgent } from '../../agent/index.ts';
import type { Config } from '../../config/index.ts';
import { type Identifiers, wireNames } from '../../contract/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import {
  type Forwarded,
  openPlatform,
  type Platform,
  placeOf,
  platformCredentials,
  type ReadDelay,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
} from '../../tracing/index.ts';
import type { TraceSource } from '../records/extension-points.ts';
import type { TracingSum } from '../records/journal-format.ts';
import { Started } from './started.ts';

/** The source of traces during a run. Disposing of it closes it, after forwarding what is left. */
export interface OpenTraces extends AsyncDisposable {
  readonly source: TraceSource;
  readonly secrets: readonly string[];
  /** Undefined if all traces are read from a platform, where they are at rest. */
  readonly receiver: Receiver | undefined;
  /** Variables that the agent's environment needs to send its traces there, given its own environment. */
  environment(theirs: NodeJS.ProcessEnv): Record<string, string>;
  /** What reading and forwarding took; complete once disposed of. */
  effort(): Promise<TracingEffort>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Called while reads wait for a limit of the platform. */
  readonly onDelay?: (delay: ReadDelay) => void;
  readonly onSpan?: ReceiverOptions['onSpan'];
  readonly onDefect?: ReceiverOptions['onDefect'];
  readonly onLost?: ReceiverOptions['onLost'];
}

/** What reading and forwarding traces took. */
export interface TracingEffort {
  /** Reads of a platform, and how many replays they were for. */
  readonly reads?: { readonly made: number; readonly replays: number };
  readonly forwarded?: Forwarded;
}

export function tracingSum({ reads, forwarded }: TracingEffort): TracingSum {
  return {
    ...(reads && { reads: reads.made, awaited: reads.replays }),
    ...(forwarded && { forwarded: forwarded.delivered, undelivered: forwarded.undelivered }),
  };
}

/**
 * Opens the source of traces: the embedded receiver, the platform named by the environment, files, or nothing if only
 * responses are compared.
 * @throws AgentReplayError `PLATFORM_*`, `RECEIVER_UNREACHABLE`, `INPUT_INVALID`
 */
export async function openTraces(
  config: Config,
  environment: NodeJS.ProcessEnv,
  options: OpenOptions = {},
): Promise<OpenTraces | undefined> {
  const { source } = config.tracing;
  if (source === 'none') return undefined;
  await using starting = new Started();
  const platform =
    source === 'embedded' ? undefined : starting.use(await openSource(source, config, environment, options));
  const receiver = platform === undefined ? starting.use(await openReceiver(config, environment, options)) : undefined;
  const started = starting.move();
  return {
    source: (platform ?? receiver) as TraceSource,
    secrets: [receiver?.secretKey, platform?.secretKey].filter((secret) => secret !== undefined),
    receiver,
    environment: (theirs) =>
      receiver ? withoutLogs(receiver.environment(theirs), theirs) : (platform?.environment() ?? {}),
    effort: async () => {
      const { reads: made, replays } = platform?.stats() ?? {};
      const forwarded = await receiver?.forwarded;
      return {
        ...(made !== undefined && replays !== undefined && { reads: { made, replays } }),
        ...(forwarded && { forwarded }),
      };
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

function openSource(
  source: Exclude<Config['tracing']['source'], 'none' | 'embedded'>,
  config: Config,
  environment: NodeJS.ProcessEnv,
  { signal, onDelay }: OpenOptions,
): Promise<Platform> {
  const { identifiers, timeouts, tracing } = config;
  const place = placeOf(source, { ...tracing, ...config, environment });
  return openPlatform({ ...place, identifiers, signal, onDelay, openingMs: timeouts.trace });
}

/** `TRACES_NOT_FORWARDED`; undefined if everything was forwarded. */
export function notForwarded({ delivered, undelivered, reasons }: Forwarded): AgentReplayError | undefined {
  if (undelivered === 0) return undefined;
  return new AgentReplayError(
    'TRACES_NOT_FORWARDED',
    `${undelivered} of ${delivered + undelivered} exports could not be passed on to the platform.`,
    { evidence: reasons, hint: 'Check host and keys of the platform. The comparison does not depend on them.' },
  );
}

/**
 * The keys of an agent that runs elsewhere are the configured ones, or those of our own environment, under the names that
 * the agent uses.
 */
async function openReceiver(
  config: Config,
  environment: NodeJS.ProcessEnv,
  { signal, onSpan, onDefect, onLost }: OpenOptions,
): Promise<Receiver> {
  const { host, port, publicKey, secretKey } = config.tracing.receiver;
  const known = port === undefined ? undefined : keysIn(environment, config.identifiers);
  return startReceiver({
    identifiers: config.identifiers,
    host,
    port,
    publicKey: publicKey ?? known?.publicKey,
    secretKey: secretKey ?? known?.secretKey,
    onSpan,
    onDefect,
    onLost,
    readsFrom: readsFrom(config, environment),
    forward: config.tracing.forward ? { ...platformCredentials(environment, config), signal } : undefined,
  });
}

/** The platform that the environment names, if any: an agent may get its prompts from there. */
export function readsFrom(
  { identifiers, tracing }: Config,
  environment: NodeJS.ProcessEnv,
): ReceiverOptions['readsFrom'] {
  // In this case the environment names the receiver itself.
  if (tracing.receiver.port !== undefined && !tracing.forward) return undefined;
  try {
    return platformCredentials(environment, { identifiers });
  } catch (error) {
    if (asAgentReplayError(error).code !== 'PLATFORM_NOT_CONFIGURED') throw error;
    return undefined;
  }
}

function keysIn(environment: NodeJS.ProcessEnv, identifiers: Identifiers) {
  const { env } = wireNames(identifiers);
  return { publicKey: environment[env.publicKey], secretKey: environment[env.secretKey] };
}

/**
 * Fails early for a receiver on a free port that the agent cannot know because we did not start it, and for an unnamed
 * platform.
 * @throws AgentReplayError `RECEIVER_UNREACHABLE` or `PLATFORM_NOT_CONFIGURED`, before anything is sent
 */
export function checkReachable(config: Config, agent: AgentOptions, running?: RunningAgent): void {
  const { tracing } = config;
  if (tracing.forward) platformCredentials(process.env, config);
  if (tracing.source !== 'none' && tracing.source !== 'embedded') {
    placeOf(tracing.source, { ...tracing, ...config, environment: process.env });
  }
  const isElsewhere = running === undefined ? agent.command === undefined : running.pid === undefined;
  const isReceived = tracing.source === 'embedded';
  if (!isElsewhere || !isReceived || tracing.receiver.port !== undefined) return;
  throw new AgentReplayError(
    'RECEIVER_UNREACHABLE',
    'The agent is not started by agent-replay, so it cannot know where to send its traces.',
    {
      evidence: ['tracing: embedded, with a port that is free when the run starts'],
      hint: 'Set agent.command (--start); or tracing.receiver.port and the keys, and point the agent there; or tracing: platform, if it traces to one; or tracing: none to compare responses only.',
    },
  );
}

/** The receiver's variables, except those for logs if the user sends logs elsewhere: that continues. */
export function withoutLogs(ours: Record<string, string>, theirs: NodeJS.ProcessEnv): Record<string, string> {
  if (theirs.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT === undefined) return ours;
  return Object.fromEntries(Object.entries(ours).filter(([name]) => !name.startsWith('OTEL_EXPORTER_OTLP_LOGS_')));
}
