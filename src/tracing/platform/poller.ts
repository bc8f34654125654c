import { createHash } from 'node:crypto';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import type { Trace } from '../../trace/index.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';
import type { Clock } from '../waiting/clock.ts';
import { turnHabits } from '../waiting/habits.ts';
import type { ReviseOptions, Revision, WaitOptions } from '../waiting/source.ts';
import { type Waiter, Waiting } from '../waiting/waiting.ts';
import type { Patience, Seen } from '../waiting/whole.ts';
import type { ReadApi, Reading, Sighting } from './api.ts';
import type { ReadCount } from './budget.ts';
import {
  incompleteOnPlatform,
  missingOnPlatform,
  type Search,
  unreadOnPlatform,
  unstableOnPlatform,
} from './platform-errors.ts';

/** How long data must stay unchanged, in milliseconds. Measured on real servers. */
export interface PlatformPatience extends Patience {
  /** A span that was sent twice: its copies may alternate, each for seconds. */
  readonly duplicatesMs: number;
  /** Between polls, at first and at most. */
  readonly firstPollMs: number;
  readonly maxPollMs: number;
}

/** Model calls became visible up to 3 s after their root, so an unlikely trace takes longer than with the receiver. */
export const PATIENCE: PlatformPatience = {
  quietMs: 3_000,
  settleMs: 10_000,
  duplicatesMs: 30_000,
  firstPollMs: 500,
  maxPollMs: 4_000,
};

/** The sender's clock may be behind ours, so traces that seem to start before their call are found too. */
const CLOCK_SKEW_MS = 10 * 60_000;
const BACK_OFF = 1.5;
const JITTER = 0.2;

/** The state of something that is read repeatedly. */
interface Watched<Value> {
  readonly value: Value;
  readonly digest: string;
  readonly changedAt: number;
  /** After it was first seen. */
  readonly changes: number;
}

interface Whole {
  readonly records: readonly TraceRecord[];
  readonly hasDuplicates: boolean;
  readonly readAt: number;
}

/** What has been read for one replay. */
interface Looked {
  readonly since: string;
  /** How long the server's limit had delayed reads when its call was over. */
  delayedMs: number;
  polls: number;
  /** Time of the last look, by the clock, and of the last one at which some of what is there now was not. */
  lookedAt: number;
  absentAt: number;
  sightings: Watched<readonly Sighting[]> | undefined;
  whole: Watched<Whole> | undefined;
}

/** One poller for all waiting replays: each round is one bulk read, plus one read for each trace that seems complete. */
export class Poller {
  readonly #api: ReadApi;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #patience: PlatformPatience;
  readonly #budget: ReadCount;
  readonly #random: () => number;
  readonly #waiting: Waiting;
  readonly #looked = new WeakMap<Waiter, Looked>();
  /** Replays whose traces were taken without a step. */
  readonly #short = new Map<string, Looked>();
  /** By the head of run ids. */
  readonly #lastLooks = new Map<string, Promise<Sighting[]>>();
  readonly #closed = new AbortController();
  #isRunning = false;
  #intervalMs: number;
  #lastFailure: AgentReplayError | undefined;
  #otherRunIds = new Set<string>();
  /** From this many traces on, it tries to read them all at once. */
  #manyFrom = MANY_FROM;

  constructor(
    api: ReadApi,
    options: {
      host: string;
      clock: Clock;
      patience: PlatformPatience;
      budget: ReadCount;
      random: () => number;
    },
  ) {
    this.#api = api;
    this.#host = options.host;
    this.#clock = options.clock;
    this.#patience = options.patience;
    this.#budget = options.budget;
    this.#random = options.random;
    this.#intervalMs = options.patience.firstPollMs;
    this.#waiting = new Waiting(
      {
        answered: (waiter) => this.#answered(waiter),
        seen: (waiter) => this.#seen(waiter),
        notBefore: (waiter) => this.#notBefore(waiter),
        explain: (waiter, records, lacks) => this.#explain(waiter, records, lacks),
      },
      options.patience,
      options.clock,
    );
  }

  /** See {@link TraceSource.waitFor}. A trace is not searched before its call is over. */
  async waitFor(runId: string, options: WaitOptions): Promise<Trace> {
    this.#lastLooks.clear();
    const ended: Waiter[] = [];
    const trace = await this.#waiting.waitFor(runId, options, (waiter) => ended.push(waiter));
    if (trace.ended !== undefined) for (const waiter of ended) this.#short.set(runId, this.#lookedFor(waiter));
    return trace;
  }

  /**
   * See {@link TraceSource.revised}. One more read shows whether anything came of all traces that were taken without a step:
   * the others cost nothing. If it fails, they stay as they were taken, with their proof.
   */
  async revised(runId: string, options: ReviseOptions): Promise<Revision | undefined> {
    const looked = this.#short.get(runId);
    if (looked === undefined) return undefined;
    return this.#lookAgain(runId, looked, options).catch(() => undefined);
  }

  async #lookAgain(
    runId: string,
    { since, polls, sightings: before, whole }: Looked,
    { signal, habits, recordings = [] }: ReviseOptions,
  ): Promise<Revision | undefined> {
    const head = headOf(runId);
    const earliest = [...this.#short.values()].map((each) => each.since).sort()[0] as string;
    const look = this.#lastLooks.get(head) ?? this.#api.sightings({ runIdPrefix: head, since: earliest }, signal);
    this.#lastLooks.set(head, look);
    const sightings = inOrder((await look).filter(({ replayRunId }) => replayRunId === runId));
    if (digestOfAll(sightings) === before?.digest) return undefined;
    const { records } = (await this.#wholeOf(sightings, since, signal)) ?? {};
    const lateSpans = (records?.length ?? 0) - (whole?.value.records.length ?? 0);
    if (records === undefined || lateSpans <= 0) return undefined;
    const seen = { records, isDelayed: true, marksRoots: this.#api.marksRoots };
    // It has only now been seen, so that more may follow.
    const judged = this.#waiting.judged(runId, seen, { habits, turn: turnHabits(recordings) }, 0, 'answered');
    const search = this.#searchFor(runId, since, polls);
    const traceIds = sightings.map(({ traceId }) => traceId);
    const trace = 'lacks' in judged ? incompleteOnPlatform(search, traceIds, records, judged.lacks) : judged;
    return { trace, lateSpans, lastSpans: 0 };
  }

  /** Ends all waiting and all pending reads. */
  close(): void {
    this.#closed.abort();
    const message = 'The tracing platform was closed while a trace was awaited.';
    this.#waiting.failAll(new AgentReplayError('INTERRUPTED', message));
  }

  #lookedFor(waiter: Waiter): Looked {
    const since = new Date(waiter.startedAt - CLOCK_SKEW_MS).toISOString();
    const known = this.#looked.get(waiter) ?? {
      since,
      delayedMs: this.#budget.delayedMs,
      polls: 0,
      lookedAt: Number.NEGATIVE_INFINITY,
      absentAt: Number.NEGATIVE_INFINITY,
      sightings: undefined,
      whole: undefined,
    };
    this.#looked.set(waiter, known);
    return known;
  }

  #answered(waiter: Waiter): void {
    this.#lookedFor(waiter).delayedMs = this.#budget.delayedMs;
    this.#intervalMs = this.#patience.firstPollMs;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#closed;
    let [roundMs, gatherMs] = [0, 0];
    const { firstPollMs, quietMs, maxPollMs } = this.#patience;
    const longestMs = Math.max(quietMs, 4 * firstPollMs);
    try {
      while (this.#waiting.due().length > 0) {
        const jitter = 1 + JITTER * (2 * this.#random() - 1);
        // After a long round of many pages it pauses as long: the server is idle half of the time.
        const pauseMs = Math.max(this.#intervalMs * jitter, this.#budget.paceMs, roundMs);
        await this.#clock.sleep(this.#waiting.isCalling() ? Math.max(pauseMs, gatherMs) : pauseMs, signal);
        this.#intervalMs = Math.min(this.#intervalMs * BACK_OFF, maxPollMs);
        const startedAt = this.#clock.now();
        const shared = await this.#round(signal);
        // While calls go on, traces arrive all the time. The more reads a round takes, the longer the next one waits, so
        // that each read collects more; but not longer than until what was seen can be taken. After the last call
        // nothing more comes together, and somebody waits for the end.
        gatherMs = Math.min(2 * shared * firstPollMs, longestMs);
        roundMs = Math.min(this.#clock.now() - startedAt, maxPollMs);
      }
    } catch (error) {
      if (!signal.aborted) this.#waiting.failAll(asAgentReplayError(error), this.#waiting.due());
    } finally {
      this.#isRunning = false;
    }
  }

  /** @returns the number of shared reads, whether they found anything or not */
  async #round(signal: AbortSignal): Promise<number> {
    const before = this.#budget.made;
    const due = this.#waiting.due();
    for (const group of Map.groupBy(due, ({ runId }) => headOf(runId)).values()) {
      await this.#tolerant(() => this.#look(group, signal), signal);
    }
    const worth = due.filter((waiter) => this.#isWorthReading(waiter));
    const many = await this.#readMany(worth, signal);
    const shared = this.#budget.made - before;
    await Promise.all(
      worth.map(async (waiter) => {
        try {
          await this.#tolerant(() => this.#readWhole(waiter, many, signal), signal);
        } catch (error) {
          // A problem of one trace, such as its size, does not concern the others.
          const failure = asAgentReplayError(error);
          if (signal.aborted || failure.code === 'PLATFORM_UNAUTHORIZED') throw error;
          waiter.fail(failure);
        }
      }),
    );
    for (const waiter of due) this.#waiting.review(waiter);
    return shared;
  }

  /** Temporary failures are tried again in the next round; permanent ones end all waiting. */
  async #tolerant(read: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await read();
      this.#lastFailure = undefined;
    } catch (error) {
      signal.throwIfAborted();
      const failure = asAgentReplayError(error);
      if (!PASSING.has(failure.code)) throw failure;
      this.#lastFailure = failure;
    }
  }

  async #look(group: readonly Waiter[], signal: AbortSignal): Promise<void> {
    const runIdPrefix = headOf(group[0]?.runId ?? '');
    const now = this.#clock.now();
    const seen = Map.groupBy(
      await this.#api.sightings({ runIdPrefix, since: this.#since(group) }, signal),
      ({ replayRunId }) => replayRunId,
    );
    for (const runId of seen.keys()) {
      const isOther = this.#waiting.get(runId) === undefined && this.#otherRunIds.size < MAX_OTHERS;
      if (isOther) this.#otherRunIds.add(runId);
    }
    for (const waiter of group) {
      const looked = this.#lookedFor(waiter);
      looked.polls++;
      const sightings = inOrder(seen.get(waiter.runId) ?? []);
      if (countIn(sightings) > countIn(looked.sightings?.value ?? [])) looked.absentAt = looked.lookedAt;
      looked.lookedAt = now;
      if (sightings.length === 0 && looked.sightings === undefined) continue;
      const digest = digestOfAll(sightings);
      if (looked.sightings?.digest !== digest) this.#waiting.changed(waiter);
      looked.sightings = this.#watch(looked.sightings, sightings, digest);
    }
  }

  #since(waiters: readonly Waiter[]): string {
    return waiters.map((waiter) => this.#lookedFor(waiter).since).sort()[0] as string;
  }

  #isWorthReading(waiter: Waiter): boolean {
    const { sightings, whole } = this.#lookedFor(waiter);
    if (sightings === undefined || sightings.value.length === 0) return false;
    const now = this.#clock.now();
    const { quietMs } = this.#patience;
    if (now - sightings.changedAt < quietMs) return false;
    if (whole === undefined || whole.value.readAt < sightings.changedAt || whole.value.hasDuplicates) return true;
    // The bulk read does not show everything that can still change.
    return now - whole.value.readAt >= Math.max(quietMs, this.#budget.paceMs);
  }

  /** Nothing if single reads are fewer, or if it fails. */
  async #readMany(worth: readonly Waiter[], signal: AbortSignal): Promise<ReadonlyMap<string, Reading>> {
    const nothing = new Map<string, Reading>();
    const sightings = worth.flatMap((waiter) => this.#lookedFor(waiter).sightings?.value ?? []);
    const seen = new Map(sightings.map((each) => [each.traceId, each]));
    if (this.#api.readMany === undefined || seen.size < this.#manyFrom) return nothing;
    const since = this.#since(worth);
    const maxReads = Math.floor(seen.size / MANY_GAIN);
    try {
      const readings = await this.#api.readMany([...seen.values()], { since, maxReads }, signal);
      if (readings !== undefined) return readings;
      // Too much other data was made since then. It is tried again only with enough traces that it costs little beside
      // them.
      this.#manyFrom = seen.size * 2;
    } catch {
      signal.throwIfAborted();
      this.#manyFrom = Number.POSITIVE_INFINITY;
    }
    return nothing;
  }

  async #readWhole(waiter: Waiter, many: ReadonlyMap<string, Reading>, signal: AbortSignal): Promise<void> {
    const looked = this.#lookedFor(waiter);
    const { value: sightings } = looked.sightings as Watched<readonly Sighting[]>;
    const found = await this.#wholeOf(sightings, looked.since, signal, many);
    if (found === undefined) return;
    const { records, hasDuplicates } = found;
    const readAt = this.#clock.now();
    // Alternating copies can only be noticed by frequent reads.
    if (hasDuplicates) this.#intervalMs = this.#patience.firstPollMs;
    looked.whole = this.#watch(looked.whole, { records, hasDuplicates, readAt }, digestOf(records));
    this.#waiting.seenGap(looked.absentAt - lastEndOf(records, waiter.startedAt));
  }

  /** Undefined if one of them is not there. */
  async #wholeOf(
    sightings: readonly Sighting[],
    since: string,
    signal: AbortSignal,
    many: ReadonlyMap<string, Reading> = new Map(),
  ): Promise<Reading | undefined> {
    const readings = [];
    for (const { traceId } of sightings) {
      readings.push(many.get(traceId) ?? (await this.#api.read(traceId, since, signal)));
    }
    const found = readings.filter((reading) => reading !== undefined);
    if (found.length < sightings.length) return undefined;
    const records = found.flatMap((reading) => reading.records);
    return { records, hasDuplicates: found.some((reading) => reading.hasDuplicates) };
  }

  #watch<Value>(before: Watched<Value> | undefined, value: Value, digest: string): Watched<Value> {
    if (before?.digest === digest) return { ...before, value };
    this.#intervalMs = this.#patience.firstPollMs;
    return { value, digest, changedAt: this.#clock.now(), changes: before === undefined ? 0 : before.changes + 1 };
  }

  /** What was read since it last changed. */
  #seen(waiter: Waiter): Seen | undefined {
    const { sightings, whole } = this.#lookedFor(waiter);
    if (sightings === undefined || whole === undefined) return undefined;
    return { records: whole.value.records, isDelayed: true, marksRoots: this.#api.marksRoots };
  }

  #notBefore(waiter: Waiter): number {
    const { sightings, whole } = this.#lookedFor(waiter) as Required<Looked>;
    if (whole === undefined || sightings === undefined) return Number.POSITIVE_INFINITY;
    const { records, hasDuplicates, readAt } = whole.value;
    if (readAt < sightings.changedAt) return Number.POSITIVE_INFINITY;
    // Data that the bulk read does not show must be read whole twice.
    const isShown = records.every(
      ({ observation }) => !observation || sightings.value.some((seen) => seen.observationIds.has(observation.id)),
    );
    const { duplicatesMs, quietMs } = this.#patience;
    return whole.changedAt + (hasDuplicates ? duplicatesMs : isShown ? 0 : quietMs);
  }

  #searchFor(runId: string, since: string, polls: number): Search {
    return {
      runId,
      since,
      polls,
      host: this.#host,
      api: this.#api.name,
      lastFailure: this.#lastFailure,
      otherRunIds: [...this.#otherRunIds],
    };
  }

  #explain(waiter: Waiter, records: readonly TraceRecord[], lacks: readonly string[]): AgentReplayError {
    const { since, polls, sightings, whole, ...looked } = this.#lookedFor(waiter);
    const search = this.#searchFor(waiter.runId, since, polls);
    const delayedMs = this.#budget.delayedMs - looked.delayedMs;
    if (
      delayedMs > 0 &&
      (polls === 0 || (sightings !== undefined && (whole?.value.readAt ?? 0) < sightings.changedAt))
    ) {
      return unreadOnPlatform(search, sightings?.value ?? [], { perMinute: this.#budget.perMinute, delayedMs });
    }
    if (sightings === undefined) return missingOnPlatform(search);
    const traceIds = sightings.value.map(({ traceId }) => traceId);
    const hasChanged = (whole?.changes ?? 0) > 0 || whole?.value.hasDuplicates === true;
    return whole !== undefined && lacks.length === 0 && hasChanged
      ? unstableOnPlatform(search, traceIds, records, whole.changes)
      : incompleteOnPlatform(search, traceIds, records, lacks);
  }
}

function inOrder(sightings: readonly Sighting[]): Sighting[] {
  return sightings.toSorted((a, b) => (a.traceId < b.traceId ? -1 : 1));
}

function countIn(sightings: readonly Sighting[]): number {
  return sightings.reduce((sum, { observationIds }) => sum + observationIds.size, 0);
}

/** When the last of them ended, in milliseconds since 1970: what begins before its call has a clock that is behind. */
function lastEndOf(records: readonly TraceRecord[], calledAt: number): number {
  let [begin, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { observation } of records) {
    if (observation === undefined) continue;
    begin = Math.min(begin, Date.parse(observation.startTime));
    end = Math.max(end, Date.parse(observation.endTime ?? observation.startTime));
  }
  return begin === Number.POSITIVE_INFINITY ? begin : end + Math.max(0, calledAt - begin);
}

function digestOfAll(sightings: readonly Sighting[]): string {
  return sightings.map(({ traceId, fingerprint }) => `${traceId} ${fingerprint}`).join('\n');
}

/** For fewer traces, single reads are as fast. */
const MANY_FROM = 3;
/** The bulk read must save this factor, or it is abandoned. */
const MANY_GAIN = 2;

/** Failures that may be temporary. */
const PASSING = new Set<string>(['PLATFORM_UNREACHABLE', 'PLATFORM_RATE_LIMITED', 'SOURCE_FAILED', 'SOURCE_TIMEOUT']);
const MAX_OTHERS = 20;

/** Run ids of one job share a prefix, whatever the session: `<uid>-<session>.t<turn>.r<run>.<its own>`. */
function headOf(runId: string): string {
  return runId.split(/[.-]/, 1)[0] as string;
}

/** Rows come in any order. */
function digestOf(records: readonly TraceRecord[]): string {
  const lines = records.map((record) => JSON.stringify(record)).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
