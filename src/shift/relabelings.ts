import type { Random } from './random.ts';

/** If there are more ways to relabel, they are sampled. 5 recordings and 20 replays have 53,130. */
export const MAX_RELABELINGS = 60_000;

/** Ways to divide the runs of a turn into two groups of the given sizes. */
export interface Relabelings {
  /** Runs of both sides. */
  readonly runs: number;
  /** Size of the smaller group, which is listed; if both are equal, the recordings. */
  readonly chosen: number;
  readonly count: number;
  /** Runs of the smaller group, `chosen` of them per way. The observed way comes first. */
  readonly members: Uint16Array;
  /** All ways are there, each once. */
  readonly isExact: boolean;
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
  const chosen = observed.length;
  const ways = waysToChoose(runs, chosen);
  const isExact = ways <= limit;
  const count = isExact ? ways : limit;
  const members = new Uint16Array(count * chosen);
  members.set(observed);
  if (isExact) listOthers(members, runs, observed);
  else sampleOthers(members, runs, chosen, random());
  return { runs, chosen, count, members, isExact };
}

/** Exact up to 2^53, then to about 15 digits. */
export function waysToChoose(runs: number, chosen: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(chosen, runs - chosen); i++) ways = (ways * (runs - i + 1)) / i;
  return ways;
}

/** In lexicographic order, behind the observed one. */
function listOthers(members: Uint16Array, runs: number, observed: readonly number[]): void {
  const chosen = observed.length;
  const current = Array.from({ length: chosen }, (_, index) => index);
  for (let at = chosen; at < members.length; ) {
    if (current.some((run, index) => run !== observed[index])) {
      members.set(current, at);
      at += chosen;
    }
    let last = chosen - 1;
    while (last >= 0 && current[last] === runs - chosen + last) last--;
    if (last < 0) return;
    let run = current[last] as number;
    for (; last < chosen; last++) current[last] = ++run;
  }
}

function sampleOthers(members: Uint16Array, runs: number, chosen: number, random: Random): void {
  const pool = Uint16Array.from({ length: runs }, (_, index) => index);
  for (let at = chosen; at < members.length; at += chosen) {
    // Shuffles the first places. Their start makes no difference, so the pool is never reset.
    for (let i = 0; i < chosen; i++) {
      const j = i + random(runs - i);
      const run = pool[j] as number;
      pool[j] = pool[i] as number;
      pool[i] = run;
      members[at + i] = run;
    }
  }
}
