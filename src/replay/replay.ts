import { randomInt } from 'node:crypto';
import { Deadline } from './deadline.ts';
import { ReplayLimits } from './limits.ts';
import type { ReplayRequests } from './plan.ts';
import type { ReplayMeans } from './replay-means.ts';
import type { ReplayResult } from './replay-result.ts';
import { lanesOf, Schedule, type Slot } from './schedule.ts';
import { type CallOfSide, Side } from './side.ts';
import { isSpoiled } from './take.ts';

/** Results per worker that may wait to be taken. Beyond it no further call is made. */
const UNTAKEN_PER_WORKER = 2;
/** Calls that wait for their traces; each holds its response. Only traces that come seconds late lead to more. */
const MAX_UNFINISHED = 1_000;

/** One agent's part of the replays. */
export type ReplaySide = Pick<Side, 'replayRunIds' | 'signal'>;

/**
 * Opens replays against one agent, or against two. Then each call is made of both, of which one, by chance, goes first and
 * the other right after it, so that events of that minute affect both.
 * @param sides they differ in nothing but their agents
 * @throws AgentReplayError `TARGET_INVALID`
 */
export function openReplays(...sides: readonly [ReplayMeans, ...ReplayMeans[]]): Replays {
  return new Replays(sides);
}

/** One round, and what came late. @throws AgentReplayError `TARGET_INVALID` */
export function replaySessions(sessions: readonly ReplayRequests[], means: ReplayMeans): AsyncIterable<ReplayResult> {
  const replays = openReplays(means);
  return {
    async *[Symbol.asyncIterator]() {
      await using _ = replays;
      yield* replays.round(sessions);
      yield* replays.revised();
    },
  };
}

/** Calls that are sent together: one of each side. */
type Together = readonly CallOfSide[];

/** Replays in rounds: what one shows can ask for another. Disposing of it ends all calls in flight. */
class Replays implements AsyncDisposable {
  readonly #settings: ReplayMeans['settings'];
  readonly sides: readonly Side[];
  readonly #total: Deadline;
  #schedule!: Schedule<Together>;
  readonly #finished: ReplayResult[] = [];
  #sending = 0;
  #unfinished = 0;
  #news = Promise.withResolvers<void>();
  #defect: { readonly error: unknown } | undefined;
  #isOver = false;

  constructor(sides: readonly [ReplayMeans, ...ReplayMeans[]]) {
    const [{ settings, limits = new ReplayLimits(settings) }] = sides;
    this.#settings = settings;
    this.#total = new Deadline(settings.timeouts.total);
    this.sides = sides.map((means) => new Side(means, limits, this.#total.signal));
  }

  /**
   * Makes all turns of these sessions as often as they say, with `workers` calls at once. Every call gives a result as it
   * finishes, also a failed one.
   * @param byRound the first run of every session, then the second; default: all runs of a session, then the next session
   */
  async *round(sessions: readonly ReplayRequests[], byRound = false): AsyncGenerator<ReplayResult, void, undefined> {
    this.#total.start();
    this.#schedule = new Schedule(
      lanesOf(sessions, { ...this.#settings, byRound }, (session) => {
        const planned = this.sides.map((side) => side.planned(session));
        return (call) => shuffled(planned.map((plan) => plan(call)));
      }),
    );
    for (;;) {
      this.#fill();
      if (this.#defect !== undefined) throw this.#defect.error;
      const result = this.#finished.shift();
      if (result !== undefined) {
        this.#forget(result);
        yield result;
      } else if (this.#unfinished === 0) {
        return;
      } else {
        await this.#news.promise;
        this.#news = Promise.withResolvers();
      }
    }
  }

  /** No more calls: closes the connections, because an agent that shuts down gracefully waits for open ones. */
  async close(): Promise<void> {
    await Promise.all(this.sides.map((side) => side.close()));
  }

  /** After the last round: replays of which spans arrived later are given once more (`late`), and that result counts. */
  async *revised(): AsyncGenerator<ReplayResult, void, undefined> {
    for (const side of this.sides) yield* side.revised();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#total[Symbol.dispose]();
    for (const side of this.sides) await side[Symbol.asyncDispose]();
  }

  /** Traces of replaced calls count for nothing. */
  #forget(result: ReplayResult): void {
    for (const { replayRunId } of result.replaced ?? []) for (const side of this.sides) side.forget(replayRunId);
    if (isSpoiled(result)) for (const side of this.sides) side.forget(result.replayRunId);
  }

  /** Sends calls while workers are free and results are being taken. */
  #fill(): void {
    const { workers } = this.#settings;
    const isFull = () =>
      this.#isOver ||
      this.#sending >= workers ||
      this.#unfinished >= MAX_UNFINISHED ||
      this.#finished.length >= workers * UNTAKEN_PER_WORKER;
    while (!isFull()) {
      const slot = this.#schedule.next();
      if (slot === undefined) return;
      let left = slot.call.length;
      // The lane goes on when all sides are answered.
      const release = () => {
        if (--left === 0) this.#schedule.release(slot);
      };
      for (const call of slot.call) void this.#start(call, slot, release);
    }
  }

  async #start(call: CallOfSide, slot: Slot<Together>, release: () => void): Promise<void> {
    this.#sending++;
    this.#unfinished++;
    const { side, take } = call;
    try {
      const attempted = await side.attempt(call, (ms) => this.#pause(side, ms));
      this.#sending--;
      release();
      this.#fill();
      take.add(call, await side.conclude(call, attempted));
      if (take.isWhole) await this.#settle(call, slot);
    } catch (error) {
      // Not a failed call: what the caller handed over threw, or this is a defect.
      this.#defect ??= { error };
    }
    this.#unfinished--;
    this.#news.resolve();
  }

  /** Other calls are sent while one waits for its next attempt. */
  async #pause(side: Side, ms: number): Promise<boolean> {
    this.#sending--;
    this.#fill();
    const goesOn = await side.pause(ms);
    this.#sending++;
    return goesOn;
  }

  async #settle({ side, take }: CallOfSide, slot: Slot<Together>): Promise<void> {
    const [first] = take.calls as readonly CallOfSide[];
    if (first !== undefined && take.hadHiccup && (await side.mayReplace(first))) {
      this.#schedule.append(
        slot,
        take.calls.map((call) => [{ ...call.again(take), side }]),
      );
      this.#fill();
    } else this.#finished.push(...take.results());
  }
}

/** One or two, in any order. */
function shuffled<T>(values: readonly T[]): readonly T[] {
  return values.length > 1 && randomInt(2) === 0 ? values.toReversed() : values;
}
