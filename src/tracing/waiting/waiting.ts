import { AgentReplayError } from '../../errors.ts';
import type { Recording, Trace } from '../../trace/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';
import type { Clock } from './clock.ts';
import { turnHabits } from './habits.ts';
import type { WaitOptions } from './source.ts';
import { traceBroken, traceUnreadable } from './trace-errors.ts';
import { type Call, type Known, type Patience, type Seen, type Wholeness, wholenessOf } from './whole.ts';

/** A replay whose trace is awaited. */
export interface Waiter extends Known {
  readonly runId: string;
  readonly options: WaitOptions;
  /** By the clock. */
  readonly startedAt: number;
  call: Call;
  /** Time of its last change or its response, by the clock. */
  lastAt: number;
  /** All spans that were counted have come. */
  isCounted: boolean;
  wholeness: Wholeness | undefined;
  callOff: () => void;
  readonly deliver: (trace: Trace) => void;
  readonly fail: (error: AgentReplayError) => void;
}

/** All that differs between traces that are sent to us and those that are looked up. */
interface Arrivals {
  /** What is known of a replay's trace; undefined if there is nothing. May throw. */
  seen(waiter: Waiter): Seen | AgentReplayError | undefined;
  /** The trace is not taken before this time, by the clock. */
  notBefore?(waiter: Waiter): number;
  /** Calls back after a silence; absent if the source reviews by itself. @returns cancels it */
  after?(ms: number, over: () => void): () => void;
  answered?(waiter: Waiter): void;
  /** Nothing came, or what came lacks something; nothing: it kept changing. */
  explain(waiter: Waiter, records: readonly TraceRecord[], lacks: readonly string[]): AgentReplayError;
}

/** All replays whose traces are awaited from one source, and the one place that decides when a trace is taken. */
export class Waiting {
  readonly #arrivals: Arrivals;
  readonly #patience: Patience;
  readonly #clock: Clock;
  readonly #waiters = new Map<string, Waiter>();
  /** The longest time from an answer or a change to the next change: how late this agent's traces come. */
  #seenMs = 0;

  constructor(arrivals: Arrivals, patience: Patience, clock: Clock) {
    this.#arrivals = arrivals;
    this.#patience = patience;
    this.#clock = clock;
  }

  get(runId: string | undefined): Waiter | undefined {
    return this.#waiters.get(runId ?? '');
  }

  /** Those whose calls are over. */
  due(): Waiter[] {
    return [...this.#waiters.values()].filter(({ call }) => call !== 'running');
  }

  isCalling(): boolean {
    return [...this.#waiters.values()].some(({ call }) => call === 'running');
  }

  /** See {@link TraceSource.waitFor}. @param over called when it has been taken or given up */
  async waitFor(runId: string, options: WaitOptions, over: (waiter: Waiter) => void = () => {}): Promise<Trace> {
    if (this.#waiters.has(runId)) {
      throw new AgentReplayError('USAGE', `The trace of replay ${runId} is already being waited for.`);
    }
    const { signal, responded, habits, recordings = NONE } = options;
    const { promise, resolve, reject } = Promise.withResolvers<Trace>();
    const waiter: Waiter = {
      runId,
      options,
      habits,
      turn: turnHabits(recordings),
      startedAt: this.#clock.now(),
      call: 'running',
      lastAt: this.#clock.now(),
      isCounted: false,
      wholeness: undefined,
      callOff: () => {},
      deliver: resolve,
      fail: reject,
    };
    const onAbort = (): void => guarded(waiter, () => this.#giveUp(waiter));
    this.#waiters.set(runId, waiter);
    signal.addEventListener('abort', onAbort, { once: true });
    responded?.then(
      () => this.#callEnded(waiter, 'answered'),
      () => this.#callEnded(waiter, 'broken'),
    );
    if (responded === undefined) this.#callEnded(waiter, 'answered');
    if (signal.aborted) onAbort();
    return promise.finally(() => {
      waiter.callOff();
      signal.removeEventListener('abort', onAbort);
      this.#waiters.delete(runId);
      over(waiter);
    });
  }

  /** More of a trace has come. */
  changed(waiter: Waiter): void {
    const now = this.#clock.now();
    if (waiter.call !== 'running') this.seenGap(now - waiter.lastAt);
    waiter.lastAt = now;
  }

  /** Also of a trace that was taken: the next ones are given as long. */
  seenGap(ms: number): void {
    this.#seenMs = Math.max(this.#seenMs, ms);
  }

  get seenMs(): number {
    return this.#seenMs;
  }

  /** Decides after every change and when the call ends: now, after a silence, or not yet. */
  review(waiter: Waiter): void {
    guarded(waiter, () => this.#review(waiter));
  }

  /**
   * The trace of a call that is over, as it stands, or what it lacks: a step counts as missing only after its silence.
   * @param silentMs since anything of it came; null: nothing more can
   * @param call whether its response came: a turn that broke off goes through no further steps
   */
  judged(runId: string, seen: Seen, { habits, turn }: Known, silentMs: number | null, call: Call) {
    const { is, lacks, waitMs } = this.#wholenessOf(seen, call, { habits, turn });
    if (is === 'broken') return traceBroken(runId, lacks);
    const isEarly = is === 'short' && silentMs !== null && silentMs + TIMER_MS < waitMs;
    if (is === 'lacking' || isEarly) return { lacks, waitMs };
    const trace = assembleTrace(seen.records);
    if (is !== 'short') return trace;
    const seenMs = Math.round(this.#seenMs);
    const silence = silentMs === null ? null : Math.round(silentMs);
    return { ...trace, ended: { without: [...lacks], silentMs: silence, recordedMs: turn.endsWithinMs, seenMs } };
  }

  failAll(error: AgentReplayError, among: Iterable<Waiter> = this.#waiters.values()): void {
    for (const waiter of among) waiter.fail(error);
  }

  #wholenessOf(seen: Seen, call: Call, known: Known): Wholeness {
    const { quietMs, settleMs } = this.#patience;
    return wholenessOf(seen, call, known, { quietMs, settleMs, seenMs: this.#seenMs });
  }

  #callEnded(waiter: Waiter, call: 'answered' | 'broken'): void {
    // The call may end after its trace was given up.
    if (this.#waiters.get(waiter.runId) !== waiter) return;
    waiter.call = call;
    waiter.lastAt = this.#clock.now();
    this.#arrivals.answered?.(waiter);
    this.review(waiter);
  }

  #review(waiter: Waiter): void {
    waiter.callOff();
    if (this.#waiters.get(waiter.runId) !== waiter) return;
    const seen = this.#arrivals.seen(waiter);
    if (seen instanceof AgentReplayError) waiter.fail(seen);
    else if (seen !== undefined && waiter.call !== 'running') this.#rest(waiter, seen, waiter.call);
  }

  #rest(waiter: Waiter, seen: Seen, call: Call): void {
    const wholeness = this.#wholenessOf(seen, call, waiter);
    waiter.wholeness = wholeness;
    const { waitMs } = wholeness;
    waiter.isCounted = waitMs === Number.NEGATIVE_INFINITY;
    if (waiter.isCounted) this.#conclude(waiter);
    if (!Number.isFinite(waitMs)) return;
    const dueAt = Math.max(waiter.lastAt + waitMs, this.#arrivals.notBefore?.(waiter) ?? 0);
    const leftMs = dueAt - this.#clock.now();
    if (this.#arrivals.after !== undefined) {
      waiter.callOff = this.#arrivals.after(leftMs, () => guarded(waiter, () => this.#conclude(waiter)));
    } else if (leftMs <= 0) this.#conclude(waiter);
  }

  #conclude(waiter: Waiter): void {
    const seen = this.#arrivals.seen(waiter) as Seen;
    const judged = this.judged(waiter.runId, seen, waiter, this.#clock.now() - waiter.lastAt, waiter.call);
    if (judged instanceof AgentReplayError) waiter.fail(judged);
    else if (!('lacks' in judged)) waiter.deliver(judged);
    // Others of this agent have come later than was known when this silence began.
    else if (waiter.wholeness?.is === 'short') this.review(waiter);
    else waiter.fail(this.#arrivals.explain(waiter, seen.records, judged.lacks));
  }

  /** At the deadline: a trace that lacks nothing is taken, if what came is all that could be seen. */
  #giveUp(waiter: Waiter): void {
    const { options } = waiter;
    const seen = this.#arrivals.seen(waiter);
    const error = seen instanceof AgentReplayError ? seen : options.signal.reason;
    const isTaken = waiter.wholeness?.is === 'whole' && seen !== undefined && !('code' in seen) && !seen.isDelayed;
    if (isTaken) this.#conclude(waiter);
    else if (error instanceof AgentReplayError) waiter.fail(error);
    else {
      const came = seen as Seen | undefined;
      const wholeness = came && this.#wholenessOf(came, waiter.call, waiter);
      waiter.fail(this.#arrivals.explain(waiter, came?.records ?? [], wholeness?.lacks ?? []));
    }
  }
}

const NONE: readonly Recording[] = [];
/** Timers may be early by a part of a millisecond. */
const TIMER_MS = 1;

/** A trace that cannot be read costs only its own replay. */
function guarded(waiter: Waiter, work: () => void): void {
  try {
    work();
  } catch (error) {
    waiter.fail(traceUnreadable(waiter.runId, error));
  }
}
