import { AgentReplayError } from '../../errors.ts';
import type { Trace } from '../../trace/index.ts';
import type { Arrival, TraceRecord } from '../mapping/trace-record.ts';
import { type Clock, systemClock } from '../waiting/clock.ts';
import { turnHabits } from '../waiting/habits.ts';
import { Quiet } from '../waiting/quiet.ts';
import type { ReviseOptions, Revision, WaitOptions } from '../waiting/source.ts';
import {
  type Traffic,
  traceIncomplete,
  traceLetGo,
  traceMissing,
  traceTooLarge,
  traceUnreadable,
} from '../waiting/trace-errors.ts';
import { type Waiter, Waiting } from '../waiting/waiting.ts';
import type { Patience, Seen } from '../waiting/whole.ts';
import type { Delivery } from './delivery.ts';
import { joinArrivals, TakenRuns } from './taken.ts';
import { RestedTraces, type SeenTurn } from './turns.ts';

/** Limits of what the receiver holds, in bytes. */
export interface StoreLimits {
  /** For one trace. An agent's turn has tens of spans; more than this is a runaway loop. */
  readonly spansPerTrace: number;
  /**
   * For all traces that are incomplete or not yet asked for, as decoded exports. The oldest one that no replay waits for is
   * dropped first.
   */
  readonly bytes: number;
  /** For taken traces, compressed, kept in case more of them comes. The oldest is dropped first. */
  readonly keptBytes: number;
}

interface StoredTrace {
  readonly id: string;
  readonly arrivals: Map<string, { readonly arrival: Arrival; readonly bytes: number }>;
  readonly deliveries: Set<Delivery>;
  readonly runIds: Set<string>;
  bytes: number;
  isOverLimit: boolean;
}

/** Run ids of other replays and of late spans, kept for explanations. */
const REMEMBERED_RUN_IDS = 1_000;
/** Reasons may contain a path from outside, so their number is limited. */
const REMEMBERED_REASONS = 20;
/** A record's memory beyond the bytes it came in, so that many small ones are limited too. */
const SPAN_BYTES = 1_000;

/** Traces by id until they are taken, and the waiting replays. Independent of HTTP and encodings. */
export class TraceStore {
  /** To explain what is missing. */
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
  readonly #clock: Clock;
  readonly #waiting: Waiting;
  readonly #taken: TakenRuns;
  readonly #rested: RestedTraces | undefined;
  #bytes = 0;
  #isAgentEnding = false;

  constructor(
    limits: StoreLimits,
    patience: Patience,
    { onTurn, clock = systemClock }: { onTurn?: (turn: SeenTurn) => void; clock?: Clock } = {},
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.quiet = new Quiet(patience, clock, () => this.#waiting.seenMs);
    this.#waiting = new Waiting(
      {
        seen: (waiter) => this.#seen(waiter),
        after: (ms, over) => this.quiet.after(ms, over),
        explain: ({ runId, options }, records, lacks) =>
          records.length === 0
            ? traceMissing(runId, this.traffic, options.announced?.())
            : traceIncomplete(runId, records, lacks, this.traffic.lost),
      },
      this.quiet,
      clock,
    );
    this.#taken = new TakenRuns(limits.keptBytes);
    this.#rested = onTurn && new RestedTraces((traceId) => this.#readable(traceId), this.quiet, onTurn);
  }

  get size(): number {
    return this.#traces.size;
  }

  /** One trace as it is now, taken or not; undefined if it is unknown or cannot be read. */
  #readable(traceId: string): TraceRecord[] | undefined {
    try {
      const stored = this.#traces.get(traceId);
      if (stored === undefined) return this.#taken.recordsOf(traceId);
      return stored.isOverLimit ? undefined : recordsIn(stored);
    } catch {
      return undefined;
    }
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
      if (this.#waiting.get(replayRunId) === undefined) remember(this.traffic.otherRunIds, replayRunId);
      touched.add(this.#put(arrival, bytesEach, delivery));
    }
    for (const [traceId, runId] of late) this.#addLate(runId, traceId, delivery);
    this.#evict();
    for (const { id, runIds } of touched) if (runIds.size === 0) this.#rested?.touched(id);
    const waiting = new Set([...touched].flatMap(({ runIds }) => [...runIds]));
    for (const runId of waiting) {
      const waiter = this.#waiting.get(runId);
      if (waiter === undefined) continue;
      this.#waiting.changed(waiter);
      this.#waiting.review(waiter);
    }
  }

  /** Whether a span has arrived, or its trace has been taken. */
  knows(traceId: string, id: string): boolean {
    return this.#traces.get(traceId)?.arrivals.has(id) === true || this.#taken.runOf(traceId, undefined) !== undefined;
  }

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
  waitFor(runId: string, options: WaitOptions): Promise<Trace> {
    this.traffic.otherRunIds.delete(runId);
    return this.#waiting.waitFor(runId, options, (waiter) => this.#take(waiter));
  }

  /** See {@link TraceSource.revised}. */
  revised(runId: string, options: ReviseOptions): Revision | undefined {
    try {
      return this.#revised(runId, options);
    } catch (error) {
      return { trace: traceUnreadable(runId, error), lateSpans: 0, lastSpans: 0 };
    }
  }

  #revised(runId: string, { habits, recordings = [], answers }: ReviseOptions): Revision | undefined {
    const change = this.#taken.change(runId);
    if (change === undefined) return undefined;
    const { records, lastAt, ...late } = change;
    if (records === undefined) return { trace: traceLetGo(runId), ...late };
    if (records.length > this.#limits.spansPerTrace) return { trace: traceTooLarge(runId, this.#limits), ...late };
    const seen = { records, answers: answers?.(), marksRoots: true, isLossy: this.traffic.lost.size > 0 };
    const silentMs = this.#isAgentEnding ? null : this.#clock.now() - lastAt;
    const judged = this.#waiting.judged(runId, seen, { habits, turn: turnHabits(recordings) }, silentMs, 'answered');
    const trace = 'lacks' in judged ? traceIncomplete(runId, records, judged.lacks, this.traffic.lost) : judged;
    return { trace, ...late };
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

  close(): void {
    this.#rested?.callOff();
    const message = 'The trace receiver was closed while a trace was awaited.';
    this.#waiting.failAll(new AgentReplayError('INTERRUPTED', message));
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
      if ([...stored.runIds].some((runId) => this.#waiting.get(runId) !== undefined)) continue;
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
    this.#waiting.seenGap(this.#taken.addLate(runId, traceId, deliveries, this.#clock.now(), this.#isAgentEnding));
  }

  #seen({ runId, options: { announced, answers } }: Waiter): Seen | AgentReplayError | undefined {
    const traces = [...(this.#byRun.get(runId) ?? [])];
    if (traces.length === 0) return undefined;
    if (traces.some(({ isOverLimit }) => isOverLimit)) return traceTooLarge(runId, this.#limits);
    const records = traces.flatMap(recordsIn);
    const isLossy = this.traffic.lost.size > 0;
    const counts = { said: announced?.(), named: countOf(runId, traces), answers: answers?.() };
    return { records, ...counts, isLossy, marksRoots: true };
  }
}

/** Adds arrivals to their trace. @returns its growth in bytes */
function grow(stored: StoredTrace, arrival: Arrival, bytes: number): number {
  const earlier = stored.arrivals.get(arrival.id);
  const isPiece = earlier !== undefined && arrival.join !== undefined;
  const kept = { arrival: joinArrivals(earlier?.arrival, arrival), bytes: isPiece ? earlier.bytes + bytes : bytes };
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
