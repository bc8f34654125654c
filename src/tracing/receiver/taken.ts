import type { Arrival, TraceRecord } from '../mapping/trace-record.ts';
import type { Revision } from '../waiting/source.ts';
import type { Delivery } from './delivery.ts';

/** A replay whose trace was taken or given up. */
interface TakenRun {
  readonly traceIds: Set<string>;
  readonly deliveries: Set<Delivery>;
  /** What came after it was taken. */
  readonly late: Set<Delivery>;
  /** The part of that which came only when the agent was stopped. */
  readonly last: Set<Delivery>;
  /** Time of its last arrival, by the clock. */
  lastAt: number;
  /** Its endpoint gave the number of spans, so nothing more is expected. */
  isCounted: boolean;
}

/** The changes of a trace since it was taken. */
export interface Change extends Pick<Revision, 'lateSpans' | 'lastSpans'>, Pick<TakenRun, 'lastAt'> {
  /** All of it; undefined if the earlier part had to be released. */
  readonly records: readonly TraceRecord[] | undefined;
}

/** One short entry per run. Beyond this the oldest is dropped, and its late spans count as foreign. */
const REMEMBERED_RUNS = 100_000;

/**
 * Taken traces, compressed, as long as there is room, so that late data can reopen one. The oldest are released first; late
 * spans of those cannot be joined any more, and the error says so.
 */
export class TakenRuns {
  readonly #keptBytes: number;
  readonly #runs = new Map<string, TakenRun>();
  readonly #byTrace = new Map<string, string>();
  /** Oldest first. */
  readonly #kept = new Set<Delivery>();
  #bytes = 0;

  constructor(keptBytes: number) {
    this.#keptBytes = keptBytes;
  }

  /** The run of a trace id, or of a run id. */
  runOf(traceId: string, replayRunId: string | undefined): string | undefined {
    const run = this.#byTrace.get(traceId);
    if (run !== undefined) return run;
    return replayRunId !== undefined && this.#runs.has(replayRunId) ? replayRunId : undefined;
  }

  /** A run is over, with its exports; without any if its trace was given up. */
  add(
    runId: string,
    traces: readonly { readonly id: string; readonly deliveries: Iterable<Delivery> }[],
    last: Pick<TakenRun, 'lastAt' | 'isCounted'>,
  ): void {
    const run: TakenRun = { traceIds: new Set(), deliveries: new Set(), late: new Set(), last: new Set(), ...last };
    this.#runs.set(runId, run);
    for (const { id, deliveries } of traces) {
      this.#own(runId, id);
      for (const each of deliveries) this.#keep(each, run.deliveries);
    }
    for (const [oldest, { traceIds }] of this.#runs) {
      if (this.#runs.size <= REMEMBERED_RUNS) break;
      this.#runs.delete(oldest);
      for (const id of traceIds) this.#byTrace.delete(id);
    }
  }

  /** @returns milliseconds since its previous arrival */
  addLate(runId: string, traceId: string, deliveries: Iterable<Delivery>, now: number, isAgentEnding: boolean): number {
    const run = this.#runs.get(runId) as TakenRun;
    this.#own(runId, traceId);
    for (const each of deliveries) {
      this.#keep(each, run.late);
      if (isAgentEnding) run.last.add(each);
    }
    const gapMs = now - run.lastAt;
    run.lastAt = now;
    return gapMs;
  }

  /** Time of the last arrival among runs that may get more; long ago if there are none. */
  lastAt(runIds: readonly string[]): number {
    const runs = runIds.flatMap((runId) => this.#runs.get(runId) ?? []).filter(({ isCounted }) => !isCounted);
    return runs.reduce((last, { lastAt }) => Math.max(last, lastAt), Number.NEGATIVE_INFINITY);
  }

  /** What has changed since the run was taken or last asked about; undefined if nothing has. */
  change(runId: string): Change | undefined {
    const run = this.#runs.get(runId);
    if (run === undefined || run.late.size === 0) return undefined;
    const { traceIds, deliveries, late, last, lastAt } = run;
    const before = recordsIn(deliveries, traceIds);
    const [lateKeys, lastKeys] = [late, last].map((some) => keysIn(some, traceIds)) as [Set<string>, Set<string>];
    for (const each of late) deliveries.add(each);
    late.clear();
    last.clear();
    const now = recordsIn(deliveries, traceIds);
    const count = (keys: Iterable<string>) => ({
      lastAt,
      lateSpans: [...keys].length,
      lastSpans: [...keys].filter((key) => lastKeys.has(key)).length,
    });
    if (before === undefined || now === undefined) return { records: undefined, ...count(lateKeys) };
    // Exporters repeat what they think was lost.
    const changed = [...lateKeys].filter((key) => JSON.stringify(before.get(key)) !== JSON.stringify(now.get(key)));
    return changed.length === 0 ? undefined : { records: [...now.values()], ...count(changed) };
  }

  /** The exports of one trace; undefined if released. */
  recordsOf(traceId: string): TraceRecord[] | undefined {
    const run = this.#runs.get(this.#byTrace.get(traceId) ?? '');
    const records = run && recordsIn([...run.deliveries, ...run.late], new Set([traceId]));
    return records && [...records.values()];
  }

  #own(runId: string, traceId: string): void {
    this.#runs.get(runId)?.traceIds.add(traceId);
    this.#byTrace.set(traceId, runId);
  }

  #keep(delivery: Delivery, among: Set<Delivery>): void {
    among.add(delivery);
    if (!this.#kept.has(delivery)) {
      this.#kept.add(delivery);
      this.#bytes += delivery.keptBytes;
    }
    for (const oldest of this.#kept) {
      if (this.#bytes <= this.#keptBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= oldest.keptBytes;
      oldest.letGo();
    }
  }
}

/** Undefined if a part of it was released. */
function recordsIn(
  deliveries: Iterable<Delivery>,
  traceIds: ReadonlySet<string>,
): Map<string, TraceRecord> | undefined {
  const arrivals = new Map<string, Arrival>();
  for (const delivery of deliveries) {
    const own = ownArrivals(delivery, traceIds);
    if (own === undefined) return undefined;
    for (const arrival of own) {
      const key = keyOf(arrival);
      arrivals.set(key, joinArrivals(arrivals.get(key), arrival));
    }
  }
  return new Map([...arrivals].map(([key, arrival]) => [key, arrival.record()]));
}

function keysIn(deliveries: Iterable<Delivery>, traceIds: ReadonlySet<string>): Set<string> {
  return new Set([...deliveries].flatMap((each) => ownArrivals(each, traceIds) ?? []).map(keyOf));
}

function keyOf({ traceId, id }: Arrival): string {
  return `${traceId} ${id}`;
}

function ownArrivals(delivery: Delivery, traceIds: ReadonlySet<string>): Arrival[] | undefined {
  return delivery.arrivals()?.filter(({ traceId }) => traceIds.has(traceId));
}

/** A record after more of it has come. */
export function joinArrivals(earlier: Arrival | undefined, later: Arrival): Arrival {
  return earlier === undefined || later.join === undefined ? later : later.join(earlier);
}
