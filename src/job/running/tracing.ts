import type { AgentOptions, RunningAgent } from '../../agent/index.ts';
import type { Config } from '../../config/index.ts';
import { type Identifiers, wireNames } from '../../contract/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import type { TracingSum } from '../../report/index.ts';
import {
  type AgentReads,
  type Forwarded,
  forwardingSource,
  openPlatform,
  type Platform,
  placeOf,
  platformCredentials,
  type ReadDelay,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
  type TraceSource,
} from '../../tracing/index.ts';
import { Started } from './started.ts';

/** What traces are read from, while a run goes on. Disposing of it ends it, and passes on what is still to be passed on. */
export interface OpenTraces extends AsyncDisposable {
  readonly source: TraceSource;
  readonly secrets: readonly string[];
  /** Of the embedded receiver, when there is one. */
  readonly receiverUrl: string | undefined;
  /** What the agent's environment needs for its traces to come there, given what it has by itself. */
  environment(theirs: NodeJS.ProcessEnv): Record<string, string>;
  /** Requests with other keys; a platform does not say. */
  refused(): number;
  /** What the agent has read through the receiver besides; undefined where it reads from the platform itself. */
  reads(): AgentReads | undefined;
  /** See {@link Receiver.holdExports}; undefined for a platform. */
  readonly holdExports?: ((ms: number) => void) | undefined;
  /** See {@link Receiver.untilSilent}; traces of a platform are read when they are at rest. */
  untilSilent(replayRunIds: readonly string[], ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves when an agent has ended and all that it had sent until then is there. */
  takeLast(ending: Promise<unknown>): Promise<void>;
  /** What it took; whole once it is disposed of. */
  effort(): Promise<TracingEffort>;
}

interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Takes what could not be passed on. */
  readonly undelivered?: string | undefined;
  /** Called while reads wait for a limit of the platform. */
  readonly onDelay?: ((delay: ReadDelay) => void) | undefined;
  /** Sees every span that comes to the receiver. */
  readonly onSpan?: ReceiverOptions['onSpan'];
}

/** What reading and passing on traces took. */
export interface TracingEffort {
  /** Reads of a platform, and the replays that they were for. */
  readonly reads?: { readonly made: number; readonly replays: number };
  readonly forwarded?: Forwarded;
}

/** The same, as a report sums it up over agents. */
export function tracingSum({ reads, forwarded }: TracingEffort): TracingSum {
  return {
    ...(reads && { reads: reads.made, awaited: reads.replays }),
    ...(forwarded && { forwarded: forwarded.delivered, undelivered: forwarded.undelivered }),
  };
}

/**
 * Opens what traces are read from: the embedded receiver, the platform that the environment names, files, or nothing
 * when responses only are compared.
 * @throws AgentReplayError `PLATFORM_*`, `RECEIVER_UNREACHABLE`, `INPUT_INVALID`
 */
export async function openTraces(
  config: Config,
  environment: NodeJS.ProcessEnv,
  options: OpenOptions = {},
): Promise<OpenTraces | undefined> {
  const { source, forward } = config.tracing;
  if (source === 'none') return undefined;
  if (source === 'embedded') return fromReceiver(await openReceiver(config, environment, options));
  const { identifiers } = config;
  const { signal, onDelay } = options;
  const place = placeOf(source, { ...config.tracing, ...config, environment });
  const platform = await openPlatform({ ...place, identifiers, signal, onDelay });
  if (!forward) return fromPlatform(platform);
  await using starting = new Started();
  starting.use(platform);
  const receiver = starting.use(await openReceiver(config, environment, options));
  const started = starting.move();
  return {
    ...fromReceiver(receiver),
    source: forwardingSource(receiver, platform),
    secrets: [receiver.secretKey, ...secretsOf(platform)],
    effort: async () => ({ ...readsOf(platform), ...(await forwardedBy(receiver)) }),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

function fromReceiver(receiver: Receiver): OpenTraces {
  return {
    source: receiver,
    secrets: [receiver.secretKey],
    receiverUrl: receiver.url,
    environment: (theirs) => withoutLogs(receiver.environment(theirs), theirs),
    refused: () => receiver.stats().unauthorized,
    reads: () => receiver.stats().reads,
    holdExports: (ms) => receiver.holdExports(ms),
    untilSilent: (runIds, ms, signal) => receiver.untilSilent(runIds, ms, signal),
    takeLast: (ending) => receiver.takeLast(ending),
    effort: () => forwardedBy(receiver),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

function fromPlatform(platform: Platform): OpenTraces {
  return {
    source: platform,
    secrets: secretsOf(platform),
    receiverUrl: undefined,
    environment: () => platform.environment(),
    refused: () => 0,
    reads: () => undefined,
    untilSilent: async () => {},
    takeLast: async (ending) => void (await ending),
    effort: async () => readsOf(platform),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

function secretsOf({ secretKey }: Platform): string[] {
  return secretKey === undefined ? [] : [secretKey];
}

function readsOf(platform: Platform): TracingEffort {
  const { reads, replays } = platform.stats();
  return { reads: { made: reads, replays } };
}

async function forwardedBy({ forwarded }: Receiver): Promise<TracingEffort> {
  return forwarded === undefined ? {} : { forwarded: await forwarded };
}

/**
 * The keys of an agent that runs elsewhere are the configured ones, or those of our own environment, under the names
 * that the agent has them under.
 */
async function openReceiver(config: Config, environment: NodeJS.ProcessEnv, options: OpenOptions): Promise<Receiver> {
  const { host, port, publicKey, secretKey } = config.tracing.receiver;
  const known = port === undefined ? {} : keysIn(environment, config.identifiers);
  return startReceiver({
    identifiers: config.identifiers,
    host,
    port,
    publicKey: publicKey ?? known.publicKey,
    secretKey: secretKey ?? known.secretKey,
    onSpan: options.onSpan,
    readsFrom: readsFrom(config, environment),
    forward: config.tracing.forward ? { ...platformCredentials(environment, config), ...options } : undefined,
  });
}

/** The platform that the environment names, if it does: an agent has its prompts from there. */
export function readsFrom(
  { identifiers, tracing }: Config,
  environment: NodeJS.ProcessEnv,
): ReceiverOptions['readsFrom'] {
  // What it names then is the receiver itself.
  if (tracing.receiver.port !== undefined && !tracing.forward) return undefined;
  try {
    return platformCredentials(environment, { identifiers });
  } catch (error) {
    if (asAgentReplayError(error).code !== 'PLATFORM_NOT_CONFIGURED') throw error;
    return undefined;
  }
}

function keysIn(
  environment: NodeJS.ProcessEnv,
  identifiers: Identifiers,
): { publicKey?: string | undefined; secretKey?: string | undefined } {
  const { env } = wireNames(identifiers);
  return { publicKey: environment[env.publicKey], secretKey: environment[env.secretKey] };
}

/**
 * An agent that we do not start cannot know the free port of a receiver, and a platform has to be named.
 * @throws AgentReplayError `RECEIVER_UNREACHABLE` or `PLATFORM_NOT_CONFIGURED`, before anything is sent
 */
export function checkReachable(config: Config, agent: AgentOptions, running?: RunningAgent): void {
  const { tracing } = config;
  if (tracing.forward) platformCredentials(process.env, config);
  if (tracing.source !== 'none' && tracing.source !== 'embedded') {
    placeOf(tracing.source, { ...tracing, ...config, environment: process.env });
  }
  const isElsewhere = running === undefined ? agent.command === undefined : running.pid === undefined;
  const isReceived = tracing.source === 'embedded' || tracing.forward;
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

/** What a receiver's environment needs, but for logs where somebody sends them elsewhere: that goes on. */
export function withoutLogs(ours: Record<string, string>, theirs: NodeJS.ProcessEnv): Record<string, string> {
  if (theirs.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT === undefined) return ours;
  return Object.fromEntries(Object.entries(ours).filter(([name]) => !name.startsWith('OTEL_EXPORTER_OTLP_LOGS_')));
}
