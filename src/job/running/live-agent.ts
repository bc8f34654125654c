import { randomBytes } from 'node:crypto';
import {
  agentCrashed,
  CANCELLED_GRACE_MS,
  endedBySignal,
  LAST_WORDS_MS,
  type ProcessExit,
  type RunningAgent,
  startAgent,
} from '../../agent/index.ts';
import { within } from '../../bounded/index.ts';
import type { Config } from '../../config/index.ts';
import { startProof, wireNames } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import {
  type ReplayCall,
  ReplayLimits,
  type ReplayMeans,
  type ReplayOptions,
  type ReplaySide,
} from '../../replay/index.ts';
import { nameOfPin } from '../../report/index.ts';
import { habitsOf } from '../../tracing/index.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import { type ModelStandIn, openLiveModel } from './live-model.ts';
import { checkTools, LiveTools, type Unproved } from './live-tools.ts';
import { OfflineModel } from './offline-model.ts';
import { type ConfiguredAgent, recordingsIn } from './plan.ts';
import { Started } from './started.ts';
import { checkReachable, type OpenOptions, type OpenTraces, openTraces, type TracingEffort } from './tracing.ts';

/** A running agent and the source of its traces. Disposing of it ends both. */
export interface LiveAgent extends AsyncDisposable, Pick<RunningAgent, 'url' | 'knownBy'> {
  /** Headers of every call, by name. For an agent that we started, they carry the run's token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if only responses are compared. */
  readonly traces: OpenTraces | undefined;
  /** Aborted when it ends by itself. */
  readonly crashed: AbortSignal;
  /** Spans of it could not be taken, so it may have done more than its traces show. */
  readonly lost: AgentReplayError | undefined;
  /** May be called repeatedly, and several times at once. */
  means(sessions: readonly PlannedSession[], options: LiveReplayOptions): ReplayMeans;
  /**
   * Proves that tools are wrapped which must not run, once, before they are asked for anything else.
   * @returns which sessions may not be replayed, and why
   * @throws AgentReplayError what is the same for every session
   */
  prove(sessions: readonly PlannedSession[], means: ReplayMeans): Promise<Unproved[]>;
  /** Waits until no more spans are expected, after all calls. */
  settle(side: ReplaySide | undefined, settling: Settling): Promise<void>;
  /** What answers for its model where no model is asked. */
  readonly offline: OfflineModel | undefined;
  /** Names of its wrapped tools so far; undefined if all tools are live. */
  readonly wrappedTools: ReadonlySet<string> | undefined;
  log(): string[];
}

export type LiveReplayOptions = Partial<
  Pick<ReplayMeans, 'settings' | 'signal' | 'limits' | 'onAnswered' | 'redact' | 'side'>
>;

export interface Settling {
  /**
   * Set for the last replays: once all are answered and the receiver is quiet, the agent is stopped so that it flushes its
   * last spans. Called when that begins.
   */
  readonly onStopping?: () => void;
  /** Whether anything seen so far would fail the run. If so, the receiver waits longer for late spans. */
  readonly isInDoubt?: () => boolean | Promise<boolean>;
}

/** Its `signal` gives up: the agent gets less time to end. */
export interface LiveAgentOptions extends Omit<OpenOptions, 'onDefect' | 'onLost'> {
  /** Default: the recording if `offline` is set, else nothing. */
  readonly model?: ModelStandIn;
  /** The agent is asked something that was not recorded: tools run, except those that must not. Default false. */
  readonly isAsking?: boolean;
  /** Takes each secret of the receiver and the platform before any output could contain it. */
  readonly onSecret: (secret: string) => void;
  /** Takes lines that are not redacted. */
  readonly onOutput: (line: string) => void;
  /** Called at the end with the number of reads and of forwarded exports. */
  readonly onTraces?: (effort: TracingEffort) => void;
  /** Called once everything that can be checked before the start is right. */
  readonly onStarting?: () => void;
  /** Called each second, if it takes long. */
  readonly onAwaited?: (missing: string) => void;
  /** Takes the full story of a crash, or of a defect of our servers, once. The replays that it broke only mention it. */
  readonly onCrash: (crash: AgentReplayError) => void;
}

/** Lines of an agent's log kept for the report. */
const KEPT_LOG_LINES = 200;
/** The share of `timeouts.late` for a run that would pass: unannounced spans may still arrive. */
const PASSING_SHARE = 1 / 4;

/**
 * Opens the trace source, starts the agent with its address, and waits until the agent is ready.
 * @throws AgentReplayError why the agent did not become ready; nothing is left running then
 */
export async function startLiveAgent(
  planned: ConfiguredAgent,
  config: Config,
  given: LiveAgentOptions,
): Promise<LiveAgent> {
  const { signal, isAsking = false, onSecret, onOutput, onAwaited, onCrash } = given;
  checkReachable(config, planned.options);
  const offline = config.offline && !isAsking ? new OfflineModel(planned.options, config, process.env) : undefined;
  given.onStarting?.();
  await using starting = new Started();
  const defect = new AbortController();
  const onDefect = (error: AgentReplayError) => {
    if (defect.signal.aborted) return;
    onCrash(error);
    defect.abort(inShort(error, 'The defect itself is described once, with its stack.'));
  };
  let lost: AgentReplayError | undefined;
  const onLost = (error: AgentReplayError) => {
    lost = error;
    onCrash(error);
  };
  const traces = await openTraces(config, process.env, { ...given, onDefect, onLost });
  if (traces !== undefined) {
    starting.use(ended(traces, given.onTraces));
    for (const secret of traces.secrets) onSecret(secret);
  }
  const token = runToken(planned, config);
  for (const secret of Object.values(token.headers)) onSecret(secret);
  checkTools(config, process.env, { isElsewhere: planned.options.command === undefined });
  const tools = await LiveTools.open(config, process.env, { isAsking, onDefect });
  if (tools !== undefined) {
    starting.use(tools);
    onSecret(tools.endpoint.token);
  }
  const standIn = given.model ?? offline;
  const model = standIn && starting.use(await openLiveModel(standIn, { tools: tools?.endpoint, onDefect }));
  const options = { ...planned.options, env: { ...planned.options.env, ...model?.environment } };
  const agent = await startAgent(options, {
    env: {
      ...traces?.environment({ ...process.env, ...planned.options.env }),
      ...tools?.endpoint.environment(),
      ...identityOf(planned, config),
      ...token.env,
    },
    proof: token.proof,
    log: onOutput,
    signal,
    ...(onAwaited && { onAwaited }),
  });
  starting.use(endedInTime(agent, signal));
  checkReachable(config, planned.options, agent);
  checkTools(config, process.env, { isElsewhere: agent.pid === undefined });
  const inFlight = new Set<ReplayCall>();
  const names = new Map<string, string>();
  const crash = starting.use(watchForCrash(agent, { tell: onCrash, cancelled: signal, inFlight, names }));
  const crashed = AbortSignal.any([crash.signal, defect.signal]);
  const started = starting.move();
  const settle: LiveAgent['settle'] = async (side, { onStopping, isInDoubt }) => {
    if (side === undefined || side.signal.aborted) return;
    const quietMs = config.timeouts.late * ((await isInDoubt?.()) ? 1 : PASSING_SHARE);
    await traces?.receiver?.untilSilent(side.replayRunIds, quietMs, side.signal);
    if (onStopping === undefined || side.signal.aborted) return;
    onStopping();
    // From here on the agent ends because we end it.
    await crash[Symbol.asyncDispose]();
    const ending = agent.stop();
    await (traces?.receiver?.takeLast(ending) ?? ending);
  };
  return {
    url: agent.url,
    knownBy: agent.knownBy,
    headers: token.headers,
    traces,
    crashed,
    get lost() {
      return lost;
    },
    offline,
    wrappedTools: tools?.endpoint.wrapped,
    means: (sessions, options) => {
      const { settings = config, redact = (text: string) => text } = options;
      tools?.expect(sessions, redact);
      offline?.expect(sessions, redact);
      for (const { pin } of sessions) names.set(pin.session.id, nameOfPin(pin.path));
      return {
        ...options,
        target: agent.url,
        source: traces?.source ?? null,
        habits: traces && (planned.habits ?? habitsOf(recordingsIn(planned.pins ?? sessions.map(({ pin }) => pin)))),
        settings: withHeaders(settings, token.headers),
        identifiers: config.identifiers,
        language: config.language,
        signal: options.signal ?? signal,
        crashed,
        inFlight,
        limits: options.limits ?? new ReplayLimits(settings),
        tools: model ?? tools?.endpoint,
        agentLog: (lines) => agent.output.tail(lines),
      };
    },
    prove: async (sessions, means) => tools?.prove(sessions, means) ?? [],
    settle,
    log: () => agent.output.tail(KEPT_LOG_LINES),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/** Closes the trace source and then reports what it took. */
function ended(traces: OpenTraces, tell: LiveAgentOptions['onTraces']): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      await traces[Symbol.asyncDispose]();
      tell?.(await traces.effort());
    },
  };
}

/** Once the run is cancelled the agent gets less time, even if it is already ending. */
function endedInTime(agent: RunningAgent, signal: AbortSignal | undefined): AsyncDisposable {
  const hasten = () => void agent.stop({ graceMs: CANCELLED_GRACE_MS });
  signal?.addEventListener('abort', hasten, { once: true });
  return {
    [Symbol.asyncDispose]: async () => {
      await agent.stop(signal?.aborted ? { graceMs: CANCELLED_GRACE_MS } : {});
      signal?.removeEventListener('abort', hasten);
    },
  };
}

/**
 * Its signal is aborted when the agent ends by itself.
 * @param options.tell takes the full story, once; the replays that the crash broke only mention it
 * @param options.cancelled aborted when the run is given up: then the agent is ended, and has not crashed
 */
function watchForCrash(
  agent: RunningAgent,
  {
    tell,
    cancelled,
    inFlight,
    names,
  }: {
    tell: (crash: AgentReplayError) => void;
    cancelled: AbortSignal | undefined;
    inFlight: ReadonlySet<ReplayCall>;
    /** Of sessions, by their ids. */
    names: ReadonlyMap<string, string>;
  },
): AsyncDisposable & { signal: AbortSignal } {
  const controller = new AbortController();
  let isOver = false;
  let telling: Promise<void> | undefined;
  const tellStory = async (exit: ProcessExit) => {
    const asked = [...inFlight].map(({ session, turn, run }) => `${names.get(session)}, turn ${turn}, run ${run}`);
    await within(LAST_WORDS_MS, agent.output.ended);
    // The signal that ended us may have reached the agent first.
    if (cancelled?.aborted && endedBySignal(exit)) return;
    const crash = agentCrashed(exit, agent.output, asked);
    tell(crash);
    controller.abort(inShort(crash, "The crash itself is described once, with the agent's last lines."));
  };
  void agent.exited.then((exit) => {
    // Afterwards, and once the run is given up, we end the agent ourselves.
    if (!isOver && !agent.isStopping() && !cancelled?.aborted) telling = tellStory(exit);
  });
  return {
    signal: controller.signal,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await telling;
    },
  };
}

function inShort({ code, message }: AgentReplayError, hint: string): AgentReplayError {
  return new AgentReplayError(code, message, { hint });
}

/** Turns on the endpoint of an agent that runs as in production, for this run only. */
function runToken({ options }: ConfiguredAgent, { identifiers }: Config) {
  if (options.command === undefined) return { env: {}, headers: {} };
  const { env, headers } = wireNames(identifiers);
  const token = randomBytes(24).toString('base64url');
  const proof = { header: headers.start, of: (nonce: string) => startProof(nonce, token) };
  return { env: { [env.runToken]: token }, headers: { [headers.runToken]: token }, proof };
}

/** The user's own win. */
function withHeaders(settings: ReplayOptions, headers: Readonly<Record<string, string>>): ReplayOptions {
  return { ...settings, headers: { ...headers, ...settings.headers } };
}

/** The environment variable that tells the agent its own id. */
export function identityOf({ id }: { readonly id?: string }, { identifiers }: Config): Record<string, string> {
  return id === undefined ? {} : { [wireNames(identifiers).env.agentId]: id };
}
