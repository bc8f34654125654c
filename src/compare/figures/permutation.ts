import type { Permutation } from '../shapes/result.ts';

const SIGNIFICANT = 0.05;
/** Limit of counting steps, about 0.2 s. Tens of runs need thousands; a few recordings and 1,000 replays still fit. */
const MAX_WORK = 1_000_000;
/** Digits of a p-value: the same text on every machine, and never a rounded 0. */
const DIGITS = 6;

/**
 * The exact permutation test of recordings against replays. The statistic is the mean distance between the groups minus the
 * mean distance within them; two runs in one cluster have distance 0, others 1. p is the share of all ways to relabel the
 * runs in which the statistic is at least as large (one-sided; Good 2005, Permutation, Parametric, and Bootstrap Tests).
 * Printed, never a gate.
 * @param baselines cluster of each recording
 * @param replays cluster of each conclusive replay
 * @returns null if a group is empty or the exact count would take too long
 */
export function permutationTest(baselines: readonly number[], replays: readonly number[]): Permutation | null {
  const [m, r] = [baselines.length, replays.length];
  if (m === 0 || r === 0) return null;
  const counts = new Map<number, { all: number; baselines: number }>();
  for (const [group, own] of [
    [baselines, 1],
    [replays, 0],
  ] as const) {
    for (const cluster of group) {
      const count = counts.get(cluster) ?? { all: 0, baselines: 0 };
      counts.set(cluster, { all: count.all + 1, baselines: count.baselines + own });
    }
  }
  // The number of pairs within clusters is the same for every labelling, so the statistic strictly falls with the number of
  // them that lie between the groups. Counting those integers instead of means keeps ties exact.
  const clusters = [...counts.values()].toSorted((a, b) => b.all - a.all);
  const seen = clusters.reduce((sum, { all, baselines: own }) => sum + own * (all - own), 0);
  const ways = waysByAgreement(
    clusters.map(({ all }) => all),
    m,
  );
  if (ways === undefined) return null;
  let extreme = 0;
  let total = 0;
  for (const [agreeing, count] of [...ways].toSorted(([a], [b]) => a - b)) {
    total += count;
    if (agreeing <= seen) extreme += count;
  }
  return { p: inDigits(extreme / total), smallest: inDigits(smallestP(m, r)), baselines: m, replays: r };
}

/**
 * The number of ways to draw `drawn` runs from clusters of these sizes, by the number of agreeing pairs between drawn and
 * remaining runs. It counts cluster by cluster, weighted with binomials, so the work grows with the number of states, not
 * of ways. Undefined beyond {@link MAX_WORK}.
 */
function waysByAgreement(sizes: readonly number[], drawn: number): Map<number, number> | undefined {
  let states = new Map<number, Map<number, number>>([[0, new Map([[0, 1]])]]);
  let left = sizes.reduce((sum, size) => sum + size, 0);
  let work = 0;
  for (const size of sizes) {
    left -= size;
    const next = new Map<number, Map<number, number>>();
    for (const [taken, byAgreement] of states) {
      const least = Math.max(0, drawn - taken - left);
      const most = Math.min(size, drawn - taken);
      for (let here = least; here <= most; here++) {
        work += byAgreement.size;
        if (work > MAX_WORK) return undefined;
        const ways = binomial(size, here);
        const target = next.get(taken + here) ?? new Map<number, number>();
        next.set(taken + here, target);
        for (const [agreeing, count] of byAgreement) {
          const sum = agreeing + here * (size - here);
          target.set(sum, (target.get(sum) ?? 0) + count * ways);
        }
      }
    }
    states = next;
  }
  return states.get(drawn);
}

/**
 * All recordings alike, all replays alike, and different from each other: one labelling, or two if the sides can be
 * swapped.
 */
function smallestP(baselines: number, replays: number): number {
  return (baselines === replays ? 2 : 1) / binomial(baselines + replays, baselines);
}

/** Exact up to 2^53, then to about 15 digits; infinite beyond 1e308, which gives a p of 0. */
function binomial(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) result = (result * (n - i + 1)) / i;
  return result;
}

/**
 * The smallest number of recordings with which one of this many tests, each with this many replays, could reach .05 after
 * Holm's adjustment. Null without replays.
 */
export function baselinesNeeded(replays: number, tests: number): number | null {
  if (replays < 1) return null;
  let baselines = 1;
  // Rounded as printed, so that nobody is promised .05 and then shown .0500001.
  while (inDigits(inDigits(smallestP(baselines, replays)) * Math.max(1, tests)) > SIGNIFICANT) baselines++;
  return baselines;
}

function inDigits(p: number): number {
  return Number(p.toPrecision(DIGITS));
}
