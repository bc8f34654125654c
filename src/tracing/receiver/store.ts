import { AgentReplayError } from '../../errors.ts';
import type { Trace } from '../../trace/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import type { Arrival, TraceRecord } from '../mapping/trace-record.ts';
import type { ReviseOptions, Revision, WaitOptions } from '../source.ts';
import { type Progress, progressOf } from './complete.ts';
import type { Delivery } from './delivery.ts';
import type { TracingHabits } from './habits.ts';
import { type Patience, Quiet } from './quiet.ts';
import {
  type Traffic,
  traceBroken,
  traceIncomplete,
  traceLetGo,
  traceMissing,
  traceTooLarge,
  traceUnreadable,
} from './receiver-errors.ts';
import type { StoreLimits } from './store-limits.ts';
import { joined, TakenRuns } from './taken.ts';
import { RestedTraces, type SeenTurn } from './turns.ts';

interface StoredTrace {
  readonly id: string;
  readonly arrivals: Map<string, { readonly arrival: Arrival; readonly bytes: number }>;
  readonly deliveries: Set<Delivery>;
  readonly runIds: Set<string>;
  bytes: number;
  isOverLimit: boolean;
}

interface Waiter {
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly habits: TracingHabits | undefined;
  readonly announced: () => number | undefined;
  /** The state of the call: running, answered, or ended without an answer. */
  call: 'running' | 'answered' | 'broken';
  /** Time of its last span or its response, by `performance`. */
  lastAt: number;
  /** It lacks nothing, so only the quiet time is left to wait. */
  isResting: boolean;
  isPastDeadline: boolean;
  /** All spans that its endpoint counted have arrived. */
  isCounted: boolean;
  callOff: () => void;
  readonly deliver: (trace: Trace) => void;
  readonly fail: (error: AgentReplayError) => void;
}

/** Run ids of other replays and of late spans, kept for explanations. */
const REMEMBERED_RUN_IDS = 1_000;
/** Reasons may contain a path from outside, so their number is limited. */
const REMEMBERED_REASONS = 20;
/** A record's memory beyond the bytes it came in, so that many small ones are limited too. */
const SPAN_BYTES = 1_000;

/** Traces by id until they are taken, and the waiting replays. Independent of HTTP and encodings. */
export class TraceStore {
  /** What was received, to explain what is missing. */
  readonly traffic: Traffic = {
    exports: 0,
    spans: 0,
    unreadable: 0,
    late: 0,
    lateRunIds: new Set(),
    withoutRunId: 0,
    otherRunIds: new Set(),
    unauthorized: 0,
    refused: new Map(),
    lost: new Set(),
  };
  readonly quiet: Quiet;
  readonly #limits: StoreLimits;
  readonly #traces = new Map<string, StoredTrace>();
  readonly #byRun = new Map<string, Set<StoredTrace>>();
  readonly #waiters = new Map<string, Waiter>();
  readonly #taken: TakenRuns;
  readonly #rested: RestedTraces | undefined;
  #bytes = 0;
  #isAgentEnding = false;

  /** @param onTurn see {@link ReceiverOptions.onTurn} */
  constructor(limits: StoreLimits, patience: Patience, onTurn?: (turn: SeenTurn) => void) {
    this.#limits = limits;
    this.quiet = new Quiet(patience);
    this.#taken = new TakenRuns(limits.keptBytes);
    this.#rested = onTurn && new RestedTraces((traceId) => this.#readable(traceId), this.quiet, onTurn);
  }

  /** Number of traces that are held now. */
  get size(): number {
    return this.#traces.size;
  }

  /** One trace as it is now, taken or not; undefined if unknown. */
  recordsOf(traceId: string): TraceRecord[] | undefined {
    const stored = this.#traces.get(traceId);
    if (stored === undefined) return this.#taken.recordsOf(traceId);
    return stored.isOverLimit ? undefined : recordsIn(stored);
  }

  /** The same; undefined for an unreadable one. */
  #readable(traceId: string): TraceRecord[] | undefined {
    try {
      return this.recordsOf(traceId);
    } catch {
      return undefined;
    }
  }

  /** The same of all traces. */
  *all(): Iterable<TraceRecord[]> {
    yield* this.#taken.newest();
    for (const stored of this.#traces.values()) if (!stored.isOverLimit) yield recordsIn(stored);
  }

  /** Takes the content of one export. A known id replaces the earlier record, because exporters send again. */
  add(arrivals: readonly Arrival[], delivery: Delivery): void {
    this.traffic.exports++;
    this.traffic.spans += arrivals.length;
    const bytesEach = SPAN_BYTES + delivery.bytes / Math.max(arrivals.length, 1);
    const touched = new Set<StoredTrace>();
    const late = new Map<string, string>();
    for (const arrival of arrivals) {
      const { traceId, replayRunId } = arrival;
      if (replayRunId === undefined) this.traffic.withoutRunId++;
      const takenRun = this.#taken.runOf(traceId, replayRunId);
      if (takenRun !== undefined) {
        this.traffic.late++;
        remember(this.traffic.lateRunIds, replayRunId);
        // Records of another replay in this trace do not count for this one.
        if (replayRunId === undefined || replayRunId === takenRun) late.set(traceId, takenRun);
        continue;
      }
      if (!this.#waiters.has(replayRunId ?? '')) remember(this.traffic.otherRunIds, replayRunId);
      touched.add(this.#put(arrival, bytesEach, delivery));
    }
    for (const [traceId, runId] of late) this.#addLate(runId, traceId, delivery);
    this.#evict();
    for (const { id, runIds } of touched) if (runIds.size === 0) this.#rested?.touched(id);
    const waiting = new Set([...touched].flatMap(({ runIds }) => [...runIds]));
    for (const runId of waiting) {
      const waiter = this.#waiters.get(runId);
      if (waiter === undefined) continue;
      if (waiter.call !== 'running') this.quiet.seenGap(performance.now() - waiter.lastAt);
      waiter.lastAt = performance.now();
      this.#review(waiter);
    }
  }

  /** Whether a span has arrived, or its trace has been taken. */
  knows(traceId: string, id: string): boolean {
    return this.#traces.get(traceId)?.arrivals.has(id) === true || this.#taken.runOf(traceId, undefined) !== undefined;
  }

  /** Notes a refused request, to explain a trace that never came. */
  noteRefusal(status: number, reason: string): void {
    const { refused } = this.traffic;
    if (status === 401) this.traffic.unauthorized++;
    if (refused.has(reason) || refused.size < REMEMBERED_REASONS) refused.set(reason, (refused.get(reason) ?? 0) + 1);
  }

  /** Notes a lost export: what a trace seems to lack may have been in it. */
  noteLost(reason: string): void {
    if (this.traffic.lost.size < REMEMBERED_REASONS) this.traffic.lost.add(reason);
  }

  /** See {@link TraceSource.waitFor}. */
  async waitFor(runId: string, options: WaitOptions): Promise<Trace> {
    if (this.#waiters.has(runId)) {
      throw new AgentReplayError('USAGE', `The trace of replay ${runId} is already being waited for.`);
    }
    const { signal, responded, announced, habits } = options;
    const { promise, resolve, reject } = Promise.withResolvers<Trace>();
    const waiter: Waiter = {
      runId,
      signal,
      habits,
      announced: () => announced?.(),
      call: responded === undefined ? 'answered' : 'running',
      lastAt: performance.now(),
      isResting: false,
      isPastDeadline: false,
      isCounted: false,
      callOff: () => {},
      deliver: resolve,
      fail: reject,
    };
    const onAbort = (): void => {
      waiter.isPastDeadline = true;
      guarded(waiter, () => {
        if (!waiter.isResting) waiter.fail(this.#explain(waiter));
        else if (isReason(signal)) this.#conclude(waiter);
      });
    };
    this.#waiters.set(runId, waiter);
    this.traffic.otherRunIds.delete(runId);
    signal.addEventListener('abort', onAbort, { once: true });
    responded?.then(
      () => this.#callEnded(waiter, 'answered'),
      () => this.#callEnded(waiter, 'broken'),
    );
    if (signal.aborted) onAbort();
    else this.#review(waiter);
    return promise.finally(() => {
      waiter.callOff();
      signal.removeEventListener('abort', onAbort);
      this.#waiters.delete(runId);
      this.#take(waiter);
    });
  }

  /** See {@link TraceSource.revised}. */
  revised(runId: string, options: Pick<ReviseOptions, 'habits'>): Revision | undefined {
    try {
      return this.#revised(runId, options);
    } catch (error) {
      return { trace: traceUnreadable(runId, error), lateSpans: 0, lastSpans: 0 };
    }
  }

  #revised(runId: string, { habits }: Pick<ReviseOptions, 'habits'>): Revision | undefined {
    const change = this.#taken.change(runId);
    if (change === undefined) return undefined;
    const { records, ...late } = change;
    if (records === undefined) return { trace: traceLetGo(runId), ...late };
    const isTooLarge = records.length > this.#limits.spansPerTrace;
    return {
      trace: isTooLarge ? traceTooLarge(runId, this.#limits) : judged(runId, records, habits, this.traffic.lost),
      ...late,
    };
  }

  /** See {@link Receiver.untilSilent}. */
  untilSilent(runIds: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
    return this.quiet.untilSilent(() => this.#taken.lastAt(runIds), ms, signal);
  }

  /** The agent is being stopped, so later data is its last. */
  agentEnds(): void {
    this.#isAgentEnding = true;
  }

  /** Traces of no replay are complete now. */
  endTurns(): void {
    this.#rested?.end();
  }

  /** Ends all waiting. */
  close(): void {
    this.#rested?.callOff();
    for (const waiter of this.#waiters.values()) {
      waiter.fail(new AgentReplayError('INTERRUPTED', 'The trace receiver was closed while a trace was awaited.'));
    }
  }

  #put(arrival: Arrival, bytes: number, delivery: Delivery): StoredTrace {
    const { traceId, replayRunId } = arrival;
    let stored = this.#traces.get(traceId);
    if (stored === undefined) {
      stored = {
        id: traceId,
        arrivals: new Map(),
        deliveries: new Set(),
        runIds: new Set(),
        bytes: 0,
        isOverLimit: false,
      };
      this.#traces.set(traceId, stored);
    }
    if (replayRunId !== undefined && !stored.runIds.has(replayRunId)) {
      stored.runIds.add(replayRunId);
      const traces = this.#byRun.get(replayRunId) ?? new Set();
      this.#byRun.set(replayRunId, traces.add(stored));
    }
    if (stored.isOverLimit) return stored;
    stored.deliveries.add(delivery);
    this.#bytes += grow(stored, arrival, bytes);
    if (stored.arrivals.size > this.#limits.spansPerTrace) this.#empty(stored);
    return stored;
  }

  /** Keeps only that there was a trace. */
  #empty(stored: StoredTrace): void {
    stored.isOverLimit = true;
    stored.arrivals.clear();
    stored.deliveries.clear();
    this.#bytes -= stored.bytes;
    stored.bytes = 0;
  }

  #evict(): void {
    if (this.#bytes <= this.#limits.bytes) return;
    for (const stored of this.#traces.values()) {
      if ([...stored.runIds].some((runId) => this.#waiters.has(runId))) continue;
      this.#remove(stored);
      if (this.#bytes <= this.#limits.bytes) return;
    }
    for (const stored of this.#traces.values()) {
      this.#empty(stored);
      if (this.#bytes <= this.#limits.bytes) return;
    }
  }

  #remove(stored: StoredTrace): void {
    this.#traces.delete(stored.id);
    this.#bytes -= stored.bytes;
    for (const runId of stored.runIds) {
      const traces = this.#byRun.get(runId);
      traces?.delete(stored);
      if (traces?.size === 0) this.#byRun.delete(runId);
    }
  }

  #take({ runId, lastAt, isCounted }: Waiter): void {
    const traces = [...(this.#byRun.get(runId) ?? [])];
    for (const stored of traces) this.#remove(stored);
    this.#taken.add(runId, traces, { lastAt, isCounted });
  }

  /** The run of this trace is only known now; some of its spans may have arrived before. */
  #addLate(runId: string, traceId: string, delivery: Delivery): void {
    const stored = this.#traces.get(traceId);
    if (stored !== undefined) this.#remove(stored);
    const deliveries = [...(stored?.deliveries ?? []), delivery];
    this.quiet.seenGap(this.#taken.addLate(runId, traceId, deliveries, { isAgentEnding: this.#isAgentEnding }));
  }

  #callEnded(waiter: Waiter, call: 'answered' | 'broken'): void {
    waiter.call = call;
    waiter.lastAt = performance.now();
    this.#review(waiter);
  }

  /** Decides after every span and when the call ends: deliver now, after a silence, or keep waiting. */
  #review(waiter: Waiter): void {
    guarded(waiter, () => this.#reviewed(waiter));
  }

  #reviewed(waiter: Waiter): void {
    const { runId, call } = waiter;
    // The call may end after its trace was given up.
    if (this.#waiters.get(runId) !== waiter) return;
    waiter.callOff();
    const traces = [...(this.#byRun.get(runId) ?? [])];
    if (traces.some(({ isOverLimit }) => isOverLimit)) {
      waiter.fail(traceTooLarge(runId, this.#limits));
      return;
    }
    if (call === 'running') return;
    const records = this.#records(runId);
    const progress = progressOf(records, waiter.habits);
    const isOpen = progress.open.length > 0;
    const isAwaited = traces.length === 0 || lackingIn(progress, waiter.habits).length > 0;
    waiter.isResting = !isAwaited && !isOpen;
    // A trace that still changes at the deadline is not at rest.
    if (waiter.isPastDeadline) waiter.fail(this.#explain(waiter));
    // If the call broke off, its trace may be broken off too.
    if (waiter.isPastDeadline || isAwaited || (isOpen && call === 'broken')) return;
    const announced = waiter.announced();
    if (announced !== undefined && countOf(runId, traces) >= announced) {
      waiter.isCounted = true;
      this.#conclude(waiter);
      return;
    }
    const silenceMs = isOpen ? this.quiet.settleMs : this.quiet.quietMs;
    const passedMs = performance.now() - waiter.lastAt;
    waiter.callOff = this.quiet.after(silenceMs - passedMs, () => guarded(waiter, () => this.#conclude(waiter)));
  }

  #conclude({ runId, habits, fail, deliver }: Waiter): void {
    const trace = judged(runId, this.#records(runId), habits, this.traffic.lost);
    if (trace instanceof AgentReplayError) fail(trace);
    else deliver(trace);
  }

  #records(runId: string): TraceRecord[] {
    return [...(this.#byRun.get(runId) ?? [])].flatMap(recordsIn);
  }

  #explain({ runId, habits, signal, announced }: Waiter): AgentReplayError {
    if (isReason(signal)) return signal.reason;
    const records = this.#records(runId);
    if (records.length === 0) return traceMissing(runId, this.traffic, announced());
    const progress = progressOf(records, habits);
    return traceIncomplete(runId, records, [...lackingIn(progress, habits), ...progress.open], this.traffic.lost);
  }
}

/** A trace that cannot be read costs only its own replay. */
function guarded(waiter: Waiter, work: () => void): void {
  try {
    work();
  } catch (error) {
    waiter.fail(traceUnreadable(waiter.runId, error));
  }
}

/** Whether it ended for a reason other than the deadline. */
function isReason(signal: AbortSignal): signal is AbortSignal & { readonly reason: AgentReplayError } {
  return signal.reason instanceof AgentReplayError;
}

/** What a trace cannot be judged without, in words. */
function lackingIn({ missing, hiddenTop }: Progress, habits: TracingHabits | undefined): readonly string[] {
  if (hiddenTop === undefined || habits?.hidesTop) return missing;
  return ['the root span', `the parent span ${hiddenTop}`, ...missing];
}

/** A replay's trace as it is, or why it shows nothing. */
function judged(
  runId: string,
  records: readonly TraceRecord[],
  habits: TracingHabits | undefined,
  lost: ReadonlySet<string>,
): Trace | AgentReplayError {
  const progress = progressOf(records, habits);
  const faults = [...progress.circles, ...progress.tops];
  if (faults.length > 0) return traceBroken(runId, faults);
  // A missing span means that the agent did not act, unless it may have been in a lost export.
  const lacking = [...lackingIn(progress, habits), ...(lost.size > 0 ? progress.open : [])];
  return lacking.length > 0 ? traceIncomplete(runId, records, lacking, lost) : assembleTrace(records);
}

/** Adds arrivals to their trace. @returns its growth in bytes */
function grow(stored: StoredTrace, arrival: Arrival, bytes: number): number {
  const earlier = stored.arrivals.get(arrival.id);
  const isPiece = earlier !== undefined && arrival.join !== undefined;
  const kept = { arrival: joined(earlier?.arrival, arrival), bytes: isPiece ? earlier.bytes + bytes : bytes };
  const growth = kept.bytes - (earlier?.bytes ?? 0);
  stored.arrivals.set(arrival.id, kept);
  stored.bytes += growth;
  return growth;
}

function recordsIn({ arrivals }: StoredTrace): TraceRecord[] {
  return [...arrivals.values()].map(({ arrival }) => arrival.record());
}

/** Spans that name this replay themselves, as all counted ones do. */
function countOf(runId: string, traces: readonly StoredTrace[]): number {
  const arrivals = traces.flatMap((stored) => [...stored.arrivals.values()]);
  return arrivals.filter(({ arrival }) => arrival.replayRunId === runId).length;
}

function remember(runIds: Set<string>, runId: string | undefined): void {
  if (runId !== undefined && runIds.size < REMEMBERED_RUN_IDS) runIds.add(runId);
}
