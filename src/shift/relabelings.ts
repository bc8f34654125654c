import type { Random } from './random.ts';

/** If there are more ways to relabel, they are sampled. 5 recordings and 20 replays have 53,130. */
export const MAX_RELABELINGS = 60_000;
/** Drawn at most, where fewer cannot show how small a p is. */
export const MOST_DRAWS = 3_000_000;

/** Ways to divide the runs of a turn into two groups of the given sizes. */
export interface Relabelings {
  /** Runs of both sides. */
  readonly runs: number;
  /** Size of the smaller group, which is listed; if both are equal, the recordings. */
  readonly chosen: number;
  readonly count: number;
  /** Runs of the smaller group, `chosen` of them per way. The observed way comes first. */
  readonly members: Uint16Array;
}

/**
 * All ways to choose the smaller group, or, if there are more than `limit`, a sample of them with replacement that includes
 * the observed one.
 * @param observed runs of the smaller group, ascending
 * @param random called only for a sample
 */
export function relabelings(
  runs: number,
  observed: readonly number[],
  limit: number,
  random: () => Random,
): Relabelings {
  const [all] = relabelingParts(runs, observed, limit, random, limit);
  return all as Relabelings;
}

/** The same in parts of at most `part` ways, the observed one first in the first part. */
export function* relabelingParts(
  runs: number,
  observed: readonly number[],
  limit: number,
  random: () => Random,
  part = MAX_RELABELINGS,
): Generator<Relabelings> {
  const chosen = observed.length;
  const ways = waysToChoose(runs, chosen);
  const total = Math.min(ways, limit);
  const others = ways <= limit ? listOthers(runs, observed) : samples(runs, chosen, random());
  for (let made = 0; made < total; made += part) {
    const count = Math.min(part, total - made);
    const members = new Uint16Array(count * chosen);
    if (made === 0) members.set(observed);
    for (let at = made === 0 ? chosen : 0; at < members.length; at += chosen) {
      members.set(others.next().value as Uint16Array, at);
    }
    yield { runs, chosen, count, members };
  }
}

/** Exact up to 2^53, then to about 15 digits. */
export function waysToChoose(runs: number, chosen: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(chosen, runs - chosen); i++) ways = (ways * (runs - i + 1)) / i;
  return ways;
}

/** In lexicographic order, without the observed one. The same array every time. */
function* listOthers(runs: number, observed: readonly number[]): Generator<Uint16Array> {
  const chosen = observed.length;
  const current = Uint16Array.from({ length: chosen }, (_, index) => index);
  while (true) {
    if (current.some((run, index) => run !== observed[index])) yield current;
    let last = chosen - 1;
    while (last >= 0 && current[last] === runs - chosen + last) last--;
    if (last < 0) return;
    let run = current[last]!;
    for (; last < chosen; last++) current[last] = ++run;
  }
}

/** Any groups of so many runs, drawn again and again. The same array every time. */
export function* samples(runs: number, chosen: number, random: Random): Generator<Uint16Array> {
  const pool = Uint16Array.from({ length: runs }, (_, index) => index);
  const start = pool.subarray(0, chosen);
  while (true) {
    // Shuffles the first places. Their start makes no difference, so the pool is never reset.
    for (let i = 0; i < chosen; i++) {
      const j = i + random(runs - i);
      const run = pool[j]!;
      pool[j] = pool[i]!;
      pool[i] = run;
    }
    yield start;
  }
}

/** The least p that so many runs can have: one relabeling, or two if groups of equal size can be swapped. */
export function leastP(recordings: number, replays: number): number {
  if (recordings === 0 || replays === 0) return 1;
  const ways = waysToChoose(recordings + replays, recordings);
  return ways > MOST_DRAWS ? 1 / MOST_DRAWS : (recordings === replays ? 2 : 1) / ways;
}
