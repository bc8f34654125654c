import { randomBytes } from 'node:crypto';
import { endedInError, type Identifiers, identifiers as identifierSettings, type Trace } from '../contract/index.ts';
import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import type { Json } from '../json/index.ts';
import type { TraceSource, TracingHabits } from '../tracing/index.ts';
import { pause, Replacements, retryDelay } from './attempts.ts';
import { Connections, type Exchange } from './call.ts';
import { totalTimeout } from './deadline.ts';
import { Excerpts } from './excerpt.ts';
import { ReplayLimits } from './limits.ts';
import type { ReplayOptions } from './options.ts';
import type { PayloadOptions, PreparedRequest } from './payload.ts';
import { type PlannedCall, planSession, type ReplaySession } from './plan.ts';
import { providerFailed } from './provider-error.ts';
import { providerFailure } from './provider-failure.ts';
import type { ReplayCall } from './replay-call.ts';
import { type Reading, ResponseReader } from './response.ts';
import type { ReplayOutcome, ReplayResult } from './result.ts';
import { lanesOf, Schedule, type Slot } from './schedule.ts';
import type { ToolStandIn, ToolUse } from './stand-in.ts';
import { isSpoiled } from './take.ts';
import { parseTarget, Route, type Target } from './target.ts';
import { TraceWatch } from './trace-watch.ts';

export interface ReplaySessionsOptions {
  /** The target URL. */
  readonly target: string;
  /** Where replay traces come from; null: only responses count. */
  readonly source: TraceSource | null;
  /** What the agent's recordings show of the way it traces. */
  readonly habits?: TracingHabits | undefined;
  readonly settings: ReplayOptions;
  readonly identifiers?: Identifiers | undefined;
  /** Ends it: what is not finished fails with `INTERRUPTED`, or with the signal's reason if that is an AgentReplayError. */
  readonly signal?: AbortSignal | undefined;
  /** Tells that the agent has ended, with an `AGENT_CRASHED` error as reason: what is not finished fails with it. */
  readonly crashed?: AbortSignal | undefined;
  /** Shared by several replays that go on at once. Default: `workers` and `maxCalls` are this replay's own. */
  readonly limits?: ReplayLimits | undefined;
  /** First part of all run ids; letters, digits and `-`. Default: random. */
  readonly uid?: string | undefined;
  /** The last lines of the agent's output, at most so many: quoted where a call failed. */
  readonly agentLog?: ((lines: number) => readonly string[]) | undefined;
  /** Replaces secrets in what is quoted of a response. Those of the target and of the headers are replaced anyway. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Only these turns. Default: all. */
  readonly turns?: ((turn: number) => boolean) | undefined;
  /** Asked right before a call is sent; a call that is skipped has no result. */
  readonly skip?: ((call: ReplayCall) => boolean) | undefined;
  /** Told when a call is over, before its trace is there. */
  readonly onAnswered?: ((call: ReplayCall) => void) | undefined;
  /**
   * The first run of every session, then the second one: what a run shows can make later ones of its session needless.
   * Default: all runs of a session, then the next session.
   */
  readonly byRound?: boolean | undefined;
  /**
   * Asked once every call is over and its result was taken, until it names no more: further runs of some turns, because
   * of what the first ones have shown.
   */
  readonly further?: (() => readonly FurtherRuns[] | Promise<readonly FurtherRuns[]>) | undefined;
  /** Awaited before a call is sent for the first time: it may have to go after another one. */
  readonly inTurn?: ((call: ReplayCall, signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Awaited once every call is over, and before replays are given again whose traces have changed since: resolves when
   * no more spans are expected.
   */
  readonly settle?: ((replayRunIds: readonly string[], signal: AbortSignal) => Promise<void>) | undefined;
  /** Whether replays whose provider had a hiccup are made again, at most `retries` of each session. Default true. */
  readonly replaces?: boolean | undefined;
  /** Answers for the agent's tools. */
  readonly tools?: ToolStandIn | undefined;
  /** Sees what came of each request, at once. */
  readonly onExchange?: ((seen: SeenExchange) => void) | undefined;
}

/** Runs of some turns of a session, besides those that were made. */
export interface FurtherRuns {
  readonly session: string;
  readonly turns: readonly number[];
  /** Numbers of the first and the last of them. */
  readonly from: number;
  readonly to: number;
}

/** What came of one request, and where it went: a base URL can take two. */
export interface SeenExchange extends Exchange {
  readonly replayRunId: string;
  readonly path: string;
}

/** Results that nobody has taken yet hold back further calls, for each worker. */
const UNTAKEN_PER_WORKER = 2;
/** Calls that wait for their traces; each holds its response. More are only met when traces come seconds late. */
const MAX_UNFINISHED = 1_000;
/** After a refusal a trace is not likely; one that is there comes soon. */
const REFUSAL_TRACE_MS = 1_000;
/** Of the agent's output, beside what a failed call was answered. */
const QUOTED_LOG_LINES = 5;
/** What an agent prints of a call that fails may come a moment after its answer: two pipes, one reader. */
const LAST_WORDS_MS = 200;

/**
 * Replays sessions: all turns, `runs` times, over `workers` calls at once. Every call has a result, failures too, given
 * as it finishes. A replay of which spans came after that is given once more when all calls are over (`late`): what its
 * trace has become counts. A consumer that leaves early ends what is in flight.
 * @throws AgentReplayError `TARGET_INVALID`
 */
export function replaySessions(
  sessions: readonly ReplaySession[],
  options: ReplaySessionsOptions,
): AsyncIterable<ReplayResult> {
  const target = parseTarget(options.target);
  return { [Symbol.asyncIterator]: () => new Replay(target, options).results(sessions) };
}

/** How many calls a replay makes, without retries. */
export function callCount(
  sessions: readonly ReplaySession[],
  { settings, turns = () => true }: Pick<ReplaySessionsOptions, 'settings' | 'turns'>,
): number {
  return sessions.reduce(
    (sum, session) => sum + session.turns.filter(({ turn }) => turns(turn)).length * (session.runs ?? settings.runs),
    0,
  );
}

/** A call after its last attempt. */
interface Attempted {
  readonly replayRunId: string;
  readonly attempts: number;
  readonly status?: number | undefined;
  readonly callMs?: number;
  /** The reading and the trace that goes with it, or why nothing was sent. */
  readonly came: { readonly reading: Reading; readonly watch: TraceWatch | undefined } | AgentReplayError;
}

/** What is kept of a replay in case its trace changes: one short entry each. */
interface Told {
  readonly result: Omit<ReplayResult, 'outcome' | 'replaced'>;
  readonly reading: Pick<Reading, 'response' | 'error'>;
  readonly recorded: Pick<PlannedCall, 'endedInError' | 'providerFailed'>;
  readonly use: ToolUse | undefined;
}

/** What came of one attempt. */
interface Sent {
  readonly exchange: Exchange;
  readonly watch: TraceWatch | undefined;
}

/** Waits for so many milliseconds, with no worker; false when it was stopped meanwhile. */
type Patience = (ms: number) => Promise<boolean>;

class Replay {
  readonly #options: ReplaySessionsOptions;
  readonly #settings: ReplayOptions;
  readonly #identifiers: Identifiers;
  readonly #connections: Connections;
  readonly #route: Route;
  readonly #reader: ResponseReader;
  readonly #excerpts: Excerpts;
  readonly #limits: ReplayLimits;
  readonly #replacements: Replacements;
  readonly #payload: PayloadOptions;
  readonly #uid: string;
  readonly #stop = new AbortController();
  readonly #watches = new Set<TraceWatch>();
  /** By replay run id. */
  readonly #told = new Map<string, Told>();

  constructor(target: Target, options: ReplaySessionsOptions) {
    const { settings, source } = options;
    const { timeouts, maxResponse, workers } = settings;
    this.#options = options;
    this.#settings = settings;
    this.#identifiers = options.identifiers ?? identifierSettings.parse({});
    this.#connections = new Connections(target, { timeoutMs: timeouts.call, maxResponse, workers });
    this.#route = new Route(target);
    this.#excerpts = new Excerpts([...target.secrets, ...Object.values(settings.headers)], options.redact);
    this.#reader = new ResponseReader({
      outputPointer: settings.outputPointer,
      identifiers: this.#identifiers,
      needsOutput: source === null,
      excerpts: this.#excerpts,
      target: target.shown,
    });
    this.#limits = options.limits ?? new ReplayLimits(settings);
    this.#replacements = new Replacements(options.replaces === false ? 0 : settings.retries);
    this.#payload = {
      carrier: settings.carrier,
      identifiers: this.#identifiers,
      headers: ownHeaders(target, settings.headers),
    };
    // The letter keeps it from looking like a number, which platforms turn into one.
    this.#uid = options.uid ?? `r${randomBytes(6).toString('hex')}`;
  }

  async *results(sessions: readonly ReplaySession[]): AsyncGenerator<ReplayResult, void, undefined> {
    const { runs, order, context, workers } = this.#settings;
    const { skip = () => false, turns = () => true, byRound = false } = this.#options;
    const chosen = sessions.map((session, index) => ({
      ...session,
      index,
      runs: session.runs ?? runs,
      turns: session.turns.filter(({ turn }) => turns(turn)),
    }));
    const planned = (session: (typeof chosen)[number]) =>
      planSession(session, { context, payload: this.#payload, uid: `${this.#uid}-${session.index + 1}` });
    let schedule = new Schedule<PlannedCall>(lanesOf(chosen, { order, context, byRound }, planned));
    const scheduleFurther = async (): Promise<boolean> => {
      const further = this.#stopped === undefined ? ((await this.#options.further?.()) ?? []) : [];
      const lanes = further.map(({ session: id, turns: wanted, from, to }) => {
        const meant = chosen
          .filter((session) => session.id === id)
          .map((session) => ({
            ...session,
            runs: to,
            turns: session.turns.filter(({ turn }) => wanted.includes(turn)),
          }));
        return lanesOf(meant, { from, order, context }, planned);
      });
      schedule = new Schedule<PlannedCall>(oneAfterAnother(lanes));
      return further.length > 0;
    };
    const finished: ReplayResult[] = [];
    let sending = 0;
    let unfinished = 0;
    let news = Promise.withResolvers<void>();
    let defect: { readonly error: unknown } | undefined;
    let isOver = false;

    const start = async (slot: Slot<PlannedCall>): Promise<void> => {
      sending++;
      unfinished++;
      try {
        const attempted = await this.#attempt(slot.call, patience);
        release(slot);
        const { session, turn, run, take } = slot.call;
        const isFirst = take.before.length === 0;
        if (isFirst && attempted.callMs !== undefined) this.#options.onAnswered?.({ session, turn, run });
        take.add(slot.call, await this.#conclude(slot.call, attempted));
        if (take.isWhole) await settle(slot);
      } catch (error) {
        // Not a call's failure: the caller's own `skip` or a defect.
        defect ??= { error };
      }
      unfinished--;
      news.resolve();
    };
    // Others are sent while a call waits to be tried again.
    const patience: Patience = async (ms) => {
      sending--;
      fill();
      const goesOn = await pause(ms, this.#stop.signal);
      sending++;
      return goesOn;
    };
    const settle = async (slot: Slot<PlannedCall>): Promise<void> => {
      const { take } = slot.call;
      if (take.hadHiccup && (await this.#mayReplace(slot.call))) {
        schedule.append(
          slot,
          take.calls.map((call) => call.again(take)),
        );
        fill();
      } else finished.push(...take.results());
    };
    const release = (slot: Slot<PlannedCall>): void => {
      sending--;
      schedule.release(slot);
      fill();
    };
    const fill = (): void => {
      if (isOver) return;
      while (sending < workers && unfinished < MAX_UNFINISHED && finished.length < workers * UNTAKEN_PER_WORKER) {
        const slot = schedule.next();
        if (slot === undefined) return;
        if (skip(slot.call)) {
          const { take } = slot.call;
          take.drop();
          if (take.isWhole) finished.push(...take.results());
          schedule.release(slot);
        } else void start(slot);
      }
    };

    using _ = this.#endings();
    try {
      for (;;) {
        fill();
        if (defect !== undefined) throw defect.error;
        const result = finished.shift();
        if (result !== undefined) {
          for (const { replayRunId } of result.replaced ?? []) this.#told.delete(replayRunId);
          if (isSpoiled(result)) this.#told.delete(result.replayRunId);
          yield result;
        } else if (unfinished === 0) {
          if (await scheduleFurther()) continue;
          yield* this.#revised();
          return;
        } else {
          await news.promise;
          news = Promise.withResolvers();
        }
      }
    } finally {
      // Also when the consumer leaves: nothing stays in flight.
      isOver = true;
      this.#end(interrupted());
      await this.#connections.destroy(this.#stop.signal.reason as AgentReplayError);
    }
  }

  /** Sends a call until it is answered or must not be tried again. */
  async #attempt(call: PlannedCall, wait: Patience): Promise<Attempted> {
    const { retries, idempotent, timeouts } = this.#settings;
    const request = call.prepare();
    if (call.take.before.length === 0) await this.#options.inTurn?.(call, this.#stop.signal);
    let failed: { readonly exchange: Exchange; readonly replayRunId: string } | undefined;
    for (let attempt = 1; ; attempt++) {
      const replayRunId = attempt === 1 ? call.runId : `${call.runId}.a${attempt}`;
      const sent = await this.#limits.work(async () => this.#stopped ?? this.#send(call, request, replayRunId));
      if (sent instanceof AgentReplayError) {
        if (failed !== undefined) return this.#answered(call, attempt - 1, { ...failed, watch: undefined });
        call.answered(undefined);
        return { replayRunId, attempts: 1, came: sent };
      }
      const { exchange, watch } = sent;
      const delay = retryDelay(exchange, attempt, { retries, idempotent, maxDelayMs: timeouts.call });
      if (delay === undefined || this.#limits.budget.refusal(call) !== undefined || !(await wait(delay))) {
        return this.#answered(call, attempt, { ...sent, replayRunId });
      }
      this.#unwatch(watch);
      this.#options.tools?.end(replayRunId);
      failed = { exchange, replayRunId };
    }
  }

  #answered(
    call: PlannedCall,
    attempts: number,
    { exchange, watch, replayRunId }: Sent & { readonly replayRunId: string },
  ): Attempted {
    const reading = this.#reader.read(exchange);
    call.answered(reading.error === undefined ? reading.response?.output : undefined);
    const { status, callMs } = exchange;
    return { replayRunId, attempts, status, callMs, came: { reading, watch } };
  }

  /** One call as one of the workers, or why it is not made. */
  async #send(
    call: PlannedCall,
    request: PreparedRequest | undefined,
    replayRunId: string,
  ): Promise<Sent | AgentReplayError> {
    const refusal = request === undefined ? withoutContext() : this.#limits.budget.refusal(call);
    if (refusal !== undefined || request === undefined) return refusal ?? withoutContext();
    this.#limits.budget.take(call);
    const watch = this.#watch(replayRunId);
    await this.#options.tools?.begin(replayRunId, call);
    const exchange = await this.#route.send(async (path) => {
      const came = await this.#connections.post(path, request.payload(replayRunId));
      this.#options.onExchange?.({ ...came, replayRunId, path });
      return came;
    });
    return { exchange, watch };
  }

  /** Waits until a take of the session may be made anew, with no worker; false when what came of it counts. */
  async #mayReplace(call: ReplayCall): Promise<boolean> {
    if (this.#stopped !== undefined || this.#limits.budget.refusal(call) !== undefined) return false;
    const delay = this.#replacements.delay(call.session);
    return delay !== undefined && pause(delay, this.#stop.signal);
  }

  async #conclude(call: PlannedCall, attempted: Attempted): Promise<ReplayResult> {
    const { session, turn, run } = call;
    const { came, ...rest } = attempted;
    const startedAt = performance.now();
    const use = this.#options.tools?.use(rest.replayRunId);
    const known: ReplayOutcome =
      came instanceof AgentReplayError ? { kind: 'inconclusive', error: came } : await this.#outcome(came, call, use);
    this.#options.tools?.end(rest.replayRunId);
    if (!(came instanceof AgentReplayError)) {
      for (let attempt = 1; attempt < rest.attempts; attempt++) this.#limits.budget.settle(call, undefined);
      this.#limits.budget.settle(call, known.trace);
    }
    const outcome: ReplayOutcome =
      known.kind === 'inconclusive' && rest.attempts > 1
        ? { ...known, error: withEvidence(known.error, `attempts: ${rest.attempts}`) }
        : known;
    this.#replacements.saw(outcome);
    const callError = came instanceof AgentReplayError ? undefined : came.reading.error;
    const result = {
      ...{ session, turn, run, ...rest },
      ...(callError && { callError }),
      ...(outcome.trace && { traceMs: performance.now() - startedAt }),
      ...(use && { tools: use.counts }),
    };
    if (!(came instanceof AgentReplayError) && came.watch !== undefined && came.reading.traced !== 'never') {
      const { response, error } = came.reading;
      const { endedInError, providerFailed } = call;
      const reading = { error, response: response && { ...response, output: shortened(response.output) } };
      this.#told.set(rest.replayRunId, { result, reading, recorded: { endedInError, providerFailed }, use });
    }
    return { ...result, outcome };
  }

  /** Replays whose traces have changed since they were given. */
  async *#revised(): AsyncGenerator<ReplayResult, void, undefined> {
    const { source, habits, settle } = this.#options;
    const { signal } = this.#stop;
    // An agent that ends in good order waits for its connections.
    await this.#connections.destroy(interrupted());
    if (!signal.aborted) await settle?.([...this.#told.keys()], signal);
    if (source?.revised === undefined) return;
    for (const [replayRunId, { result, reading, recorded, use }] of this.#told) {
      const revision = await source.revised(replayRunId, { signal, habits });
      if (revision === undefined) continue;
      const { trace, lateSpans: spans, lastSpans: last } = revision;
      const outcome: ReplayOutcome =
        trace instanceof AgentReplayError
          ? { kind: 'inconclusive', error: reading.error ?? trace }
          : await this.#judged(trace, reading, recorded, use, undefined);
      // Of a call that failed, that was told in full.
      if (outcome.kind === 'inconclusive' && outcome.error.code === reading.error?.code) continue;
      yield { ...result, outcome, late: { spans, last } };
    }
  }

  async #outcome(
    { reading, watch }: { reading: Reading; watch: TraceWatch | undefined },
    recorded: PlannedCall,
    use: ToolUse | undefined,
  ): Promise<ReplayOutcome> {
    const { error, traced, spans } = reading;
    // What it answers then is no failed call.
    const isEnded = use !== undefined && use.missed.length > 0;
    const failed = isEnded ? undefined : error;
    const lastWords = failed === undefined ? undefined : this.#lastWords();
    try {
      if (failed !== undefined && (watch === undefined || traced === 'never')) throw failed;
      if (watch === undefined) return { kind: 'replayed', response: reading.response, trace: null };
      const { trace: traceMs } = this.#settings.timeouts;
      const limitMs = traced === 'seldom' && !isEnded ? Math.min(REFUSAL_TRACE_MS, traceMs) : traceMs;
      const trace = await watch.complete(error === undefined ? 'answered' : 'broken', limitMs, spans);
      return await this.#judged(trace, reading, recorded, use, lastWords);
    } catch (failure) {
      // Whatever broke while everything was being ended broke for that reason.
      const missing = this.#stopped ?? asAgentReplayError(failure);
      if (failed === undefined || missing === this.#stopped) return { kind: 'inconclusive', error: missing };
      const why = missing === failed ? [] : [`trace: ${missing.message}`];
      return { kind: 'inconclusive', error: withEvidence(failed, ...((await lastWords) ?? []), ...why) };
    } finally {
      this.#unwatch(watch);
    }
  }

  /** What a replay comes to that has a trace. */
  async #judged(
    trace: Trace,
    { response, error }: Pick<Reading, 'response' | 'error'>,
    recorded: Pick<PlannedCall, 'endedInError' | 'providerFailed'>,
    use: ToolUse | undefined,
    lastWords: Promise<string[]> | undefined,
  ): Promise<ReplayOutcome> {
    const breach = use?.breach(trace);
    if (breach !== undefined) this.#end(breach);
    const doubt = breach ?? use?.doubt;
    if (doubt !== undefined) return { kind: 'inconclusive', error: doubt, trace };
    const answered = use && { resultClocks: use.resultClocks, missed: [...use.missed] };
    if (answered !== undefined && answered.missed.length > 0) return { kind: 'replayed', response, trace, answered };
    const provider = recorded.providerFailed ? undefined : providerFailure(trace.observations);
    if (provider !== undefined) {
      const call = error === undefined ? [] : [`the call: ${error.message}`, ...error.evidence];
      const seen = [...call, ...(await (lastWords ?? this.#lastWords()))];
      return { kind: 'inconclusive', error: providerFailed(provider, seen, this.#excerpts), trace, provider };
    }
    if (error === undefined || (recorded.endedInError && endedInError(trace))) {
      return { kind: 'replayed', response, trace, ...(answered && { answered }) };
    }
    return { kind: 'inconclusive', error: withEvidence(error, ...((await lastWords) ?? [])), trace };
  }

  /** What the agent has printed last, a moment after a call failed: what comes later is of other calls. */
  async #lastWords(): Promise<string[]> {
    const { agentLog } = this.#options;
    if (agentLog === undefined) return [];
    await pause(LAST_WORDS_MS, this.#stop.signal);
    return agentLog(QUOTED_LOG_LINES).map((line) => `agent: ${this.#excerpts.of(line)}`);
  }

  /** Why everything was ended, once it was. */
  get #stopped(): AgentReplayError | undefined {
    const { signal } = this.#stop;
    return signal.aborted ? (signal.reason as AgentReplayError) : undefined;
  }

  #watch(replayRunId: string): TraceWatch | undefined {
    const { source, habits } = this.#options;
    if (source === null) return undefined;
    const watch = new TraceWatch(source, replayRunId, { habits });
    this.#watches.add(watch);
    return watch;
  }

  #unwatch(watch: TraceWatch | undefined): void {
    if (watch === undefined) return;
    this.#watches.delete(watch);
    watch.abandon();
  }

  /** Everything that can end the replay before its time. */
  #endings(): Disposable {
    const { signal, crashed } = this.#options;
    const { total } = this.#settings.timeouts;
    const listeners = [signal, crashed].flatMap((one) => {
      if (one === undefined) return [];
      const onAbort = (): void =>
        this.#end(one.reason instanceof AgentReplayError ? one.reason : interrupted(one.reason));
      if (one.aborted) onAbort();
      one.addEventListener('abort', onAbort, { once: true });
      return [() => one.removeEventListener('abort', onAbort)];
    });
    const timer = total === undefined ? undefined : setTimeout(() => this.#end(totalTimeout(total)), total);
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        for (const remove of listeners) remove();
      },
    };
  }

  /** Ends everything that is in flight; what was not sent yet fails with the same reason. The first reason stays. */
  #end(reason: AgentReplayError): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(reason);
    void this.#connections.destroy(reason);
    for (const watch of this.#watches) watch.stop(reason);
  }
}

/** Of an answer, kept of every call: enough to find it in a trace again. */
const KEPT_ANSWER_CHARS = 1_000;

function shortened(output: Json | undefined): Json | undefined {
  if (typeof output === 'string') return output.slice(0, KEPT_ANSWER_CHARS);
  return output !== undefined && JSON.stringify(output).length <= KEPT_ANSWER_CHARS ? output : undefined;
}

function* oneAfterAnother<T>(all: readonly Iterable<T>[]): Generator<T> {
  for (const each of all) yield* each;
}

/** Headers of every call, alternating with their values; the customer's own win. */
function ownHeaders(target: Target, extra: Readonly<Record<string, string>>): string[] {
  const headers = new Map([
    ['content-type', 'application/json'],
    ['accept', 'application/json'],
    // Nothing to unpack: a small response cannot become a large one.
    ['accept-encoding', 'identity'],
  ]);
  if (target.authorization !== undefined) headers.set('authorization', target.authorization);
  for (const [name, value] of Object.entries(extra)) headers.set(name.toLowerCase(), value);
  return [...headers].flat();
}

function interrupted(cause?: unknown): AgentReplayError {
  return new AgentReplayError('INTERRUPTED', 'The replay was ended before it was over.', { cause });
}

function withoutContext(): AgentReplayError {
  return new AgentReplayError('CALL_FAILED', 'The turn was not sent: the one before it has no answer to go on from.', {
    hint: 'See why the earlier turn failed, or replay with context: "recorded".',
  });
}

function withEvidence(error: AgentReplayError, ...lines: readonly string[]): AgentReplayError {
  const { code, message, hint, location, cause } = error;
  return new AgentReplayError(code, message, { hint, location, cause, evidence: [...error.evidence, ...lines] });
}
