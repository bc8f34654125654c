import type { Trace } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { assembleTrace } from './assemble.ts';
import { progressOf } from './complete.ts';
import { type Traffic, traceIncomplete, traceMissing, traceTooLarge } from './explain.ts';
import type { Arrival, TraceRecord } from './record.ts';

/** Bounds of what the receiver holds. Sizes are of the decoded exports, in bytes. */
export interface StoreLimits {
  /** Of one trace. An agent's turn has tens of spans; beyond this it is a runaway loop. */
  readonly spansPerTrace: number;
  /** Of all traces that wait to be complete or to be asked for. The oldest that nobody waits for goes first. */
  readonly bytes: number;
  /** Of the traces that were handed over and are kept for those who read them. The oldest goes first. */
  readonly keptBytes: number;
}

export interface Patience {
  /** Silence after the last span that makes a complete trace final, when its root came after the response. */
  readonly quietMs: number;
  /**
   * Silence after which what is still awaited is taken to be never coming. It is longer than 5 s, the flush interval
   * that every SDK has by default: a customer may have kept it, or a tool may run in a service of its own.
   */
  readonly settleMs: number;
}

interface StoredTrace {
  readonly id: string;
  readonly arrivals: Map<string, { readonly arrival: Arrival; readonly bytes: number }>;
  readonly runIds: Set<string>;
  bytes: number;
  isOverLimit: boolean;
}

interface Waiter {
  readonly runId: string;
  /** What is known of the call: still running, answered, or ended without an answer. */
  call: 'running' | 'answered' | 'broken';
  timer: NodeJS.Timeout | undefined;
  readonly deliver: (trace: Trace) => void;
  readonly fail: (error: AgentReplayError) => void;
}

/** Ids of traces that were handed over are remembered, so that their late spans are known as such and not kept. */
const REMEMBERED_TRACES = 10_000;
/** Run ids of other and of late spans that are kept to explain an error. */
const REMEMBERED_RUN_IDS = 1_000;
/** Reasons can hold a path from outside, so there is no end to them. */
const REMEMBERED_REASONS = 20;

/** Traces by id until they are handed over, and those who wait for them. Knows nothing of HTTP or of encodings. */
export class TraceStore {
  /** What has come in, for the explanation of what has not. */
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
  };
  readonly #limits: StoreLimits;
  readonly #patience: Patience;
  readonly #traces = new Map<string, StoredTrace>();
  readonly #byRun = new Map<string, Set<StoredTrace>>();
  readonly #waiters = new Map<string, Waiter>();
  readonly #handedOver = new Set<string>();
  /** Those of the traces handed over that are still there, oldest first. */
  readonly #kept = new Map<string, StoredTrace>();
  #keptBytes = 0;
  #bytes = 0;

  constructor(limits: StoreLimits, patience: Patience) {
    this.#limits = limits;
    this.#patience = patience;
  }

  /** Number of traces that are held now. */
  get size(): number {
    return this.#traces.size;
  }

  /** What is known of one trace now, handed over or not; undefined when nothing is. */
  recordsOf(traceId: string): TraceRecord[] | undefined {
    const stored = this.#traces.get(traceId) ?? this.#kept.get(traceId);
    return stored === undefined || stored.isOverLimit ? undefined : recordsIn(stored);
  }

  /** The same of all traces. */
  *all(): Iterable<TraceRecord[]> {
    for (const stored of [...this.#kept.values(), ...this.#traces.values()]) {
      if (!stored.isOverLimit) yield recordsIn(stored);
    }
  }

  /** Takes in what one export brought. What has a known id replaces the earlier: exporters send again. */
  add(arrivals: readonly Arrival[], bytes: number): void {
    this.traffic.exports++;
    this.traffic.spans += arrivals.length;
    const bytesEach = bytes / Math.max(arrivals.length, 1);
    const touched = new Set<StoredTrace>();
    for (const arrival of arrivals) {
      const { traceId, replayRunId } = arrival;
      if (replayRunId === undefined) this.traffic.withoutRunId++;
      if (this.#handedOver.has(traceId)) {
        this.traffic.late++;
        remember(this.traffic.lateRunIds, replayRunId);
        this.#addLate(arrival, bytesEach);
        continue;
      }
      if (!this.#waiters.has(replayRunId ?? '')) remember(this.traffic.otherRunIds, replayRunId);
      touched.add(this.#put(arrival, bytesEach));
    }
    this.#evict();
    const waiting = new Set([...touched].flatMap(({ runIds }) => [...runIds]));
    for (const runId of waiting) {
      const waiter = this.#waiters.get(runId);
      if (waiter !== undefined) this.#review(waiter);
    }
  }

  /** Remembers that a request was refused, for the explanation of a trace that never came. */
  noteRefusal(status: number, reason: string): void {
    const { refused } = this.traffic;
    if (status === 401) this.traffic.unauthorized++;
    if (refused.has(reason) || refused.size < REMEMBERED_REASONS) refused.set(reason, (refused.get(reason) ?? 0) + 1);
  }

  /** See {@link TraceSource.waitFor}. */
  async waitFor(runId: string, options: { signal: AbortSignal; responded?: Promise<unknown> }): Promise<Trace> {
    if (this.#waiters.has(runId)) {
      throw new AgentReplayError('USAGE', `The trace of replay ${runId} is already being waited for.`);
    }
    const { signal, responded } = options;
    const { promise, resolve, reject } = Promise.withResolvers<Trace>();
    const waiter: Waiter = {
      runId,
      call: responded === undefined ? 'answered' : 'running',
      timer: undefined,
      deliver: resolve,
      fail: reject,
    };
    const onAbort = (): void => waiter.fail(this.#explain(runId, signal));
    this.#waiters.set(runId, waiter);
    this.traffic.otherRunIds.delete(runId);
    signal.addEventListener('abort', onAbort, { once: true });
    responded?.then(
      () => this.#review(waiter, 'answered'),
      () => this.#review(waiter, 'broken'),
    );
    if (signal.aborted) onAbort();
    else this.#review(waiter);
    return promise.finally(() => {
      clearTimeout(waiter.timer);
      signal.removeEventListener('abort', onAbort);
      this.#waiters.delete(runId);
      this.#handOver(runId);
    });
  }

  /** Ends all waiting. */
  close(): void {
    for (const waiter of this.#waiters.values()) {
      waiter.fail(new AgentReplayError('INTERRUPTED', 'The trace receiver was closed while a trace was awaited.'));
    }
  }

  #put(arrival: Arrival, bytes: number): StoredTrace {
    const { traceId, replayRunId } = arrival;
    let stored = this.#traces.get(traceId);
    if (stored === undefined) {
      stored = { id: traceId, arrivals: new Map(), runIds: new Set(), bytes: 0, isOverLimit: false };
      this.#traces.set(traceId, stored);
    }
    if (replayRunId !== undefined && !stored.runIds.has(replayRunId)) {
      stored.runIds.add(replayRunId);
      const traces = this.#byRun.get(replayRunId) ?? new Set();
      this.#byRun.set(replayRunId, traces.add(stored));
    }
    if (stored.isOverLimit) return stored;
    this.#bytes += grow(stored, arrival, bytes);
    if (stored.arrivals.size > this.#limits.spansPerTrace) this.#empty(stored);
    return stored;
  }

  /** Keeps that there was a trace, not its content. */
  #empty(stored: StoredTrace): void {
    stored.isOverLimit = true;
    stored.arrivals.clear();
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

  #handOver(runId: string): void {
    for (const stored of this.#byRun.get(runId) ?? []) {
      this.#remove(stored);
      this.#handedOver.add(stored.id);
      this.#kept.set(stored.id, stored);
      this.#keptBytes += stored.bytes;
    }
    this.#letGo();
    for (const id of this.#handedOver) {
      if (this.#handedOver.size <= REMEMBERED_TRACES) break;
      this.#handedOver.delete(id);
    }
  }

  #addLate(arrival: Arrival, bytes: number): void {
    const kept = this.#kept.get(arrival.traceId);
    if (kept === undefined || kept.arrivals.size >= this.#limits.spansPerTrace) return;
    this.#keptBytes += grow(kept, arrival, bytes);
    this.#letGo();
  }

  #letGo(): void {
    for (const [id, { bytes }] of this.#kept) {
      if (this.#keptBytes <= this.#limits.keptBytes) return;
      this.#kept.delete(id);
      this.#keptBytes -= bytes;
    }
  }

  /** Decides after every span and when the call ends: deliver now, deliver after a silence, or wait on. */
  #review(waiter: Waiter, call = waiter.call): void {
    // The call may end after its trace was given up.
    if (this.#waiters.get(waiter.runId) !== waiter) return;
    const hasJustEnded = waiter.call === 'running' && call !== 'running';
    waiter.call = call;
    clearTimeout(waiter.timer);
    const traces = [...(this.#byRun.get(waiter.runId) ?? [])];
    if (traces.some(({ isOverLimit }) => isOverLimit)) {
      waiter.fail(traceTooLarge(waiter.runId, this.#limits));
      return;
    }
    if (call === 'running' || traces.length === 0) return;
    const { missing, isWholeTurn } = progressOf(this.#records(waiter.runId));
    const isComplete = missing.length === 0;
    // A call that broke off may have left its trace broken off too.
    if (!isComplete && call === 'broken') return;
    const deliver = (): void => waiter.deliver(assembleTrace(this.#records(waiter.runId)));
    if (isComplete && hasJustEnded && call === 'answered' && isWholeTurn) deliver();
    else waiter.timer = setTimeout(deliver, isComplete ? this.#patience.quietMs : this.#patience.settleMs);
  }

  #records(runId: string): TraceRecord[] {
    return [...(this.#byRun.get(runId) ?? [])].flatMap(recordsIn);
  }

  #explain(runId: string, signal: AbortSignal): AgentReplayError {
    if (signal.reason instanceof AgentReplayError) return signal.reason;
    const records = this.#records(runId);
    return records.length === 0
      ? traceMissing(runId, this.traffic)
      : traceIncomplete(runId, records, progressOf(records).missing);
  }
}

/** Puts what arrived into its trace. @returns by how many bytes it grew */
function grow(stored: StoredTrace, arrival: Arrival, bytes: number): number {
  const earlier = stored.arrivals.get(arrival.id);
  const kept =
    earlier === undefined || arrival.join === undefined
      ? { arrival, bytes }
      : { arrival: arrival.join(earlier.arrival), bytes: earlier.bytes + bytes };
  const growth = kept.bytes - (earlier?.bytes ?? 0);
  stored.arrivals.set(arrival.id, kept);
  stored.bytes += growth;
  return growth;
}

function recordsIn({ arrivals }: StoredTrace): TraceRecord[] {
  return [...arrivals.values()].map(({ arrival }) => arrival.record());
}

function remember(runIds: Set<string>, runId: string | undefined): void {
  if (runId !== undefined && runIds.size < REMEMBERED_RUN_IDS) runIds.add(runId);
}
