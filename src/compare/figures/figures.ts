import type { Figures } from '../shapes/result.ts';

/** For larger k the estimates say little, and nobody reads them. */
const MAX_K = 10;
/** Normal quantile of a 95 % interval. */
const Z = 1.959964;

/**
 * Figures over the conclusive runs. TAR@k is the unbiased estimate sum C(n_c,k)/C(n,k) (total agreement rate, Atil et al.
 * 2024); pass^k is C(c,k)/C(n,k) (tau-bench, Yao et al. 2024); the interval is Wilson's (1927).
 * @param of.clusterSizes runs of each behaviour among the replays
 * @param of.asRecorded runs as recorded
 * @param of.minor those of them with minor differences
 * @param of.inOtherWords those of them in other words
 */
export function figuresOf(
  of: Pick<Figures, 'asRecorded' | 'minor' | 'inOtherWords'> & { readonly clusterSizes: readonly number[] },
): Figures {
  const { clusterSizes, asRecorded, minor, inOtherWords } = of;
  const n = clusterSizes.reduce((sum, size) => sum + size, 0);
  const ks = Array.from({ length: Math.min(n, MAX_K) }, (_, index) => index + 1);
  const tarAtK = ks.map((k) => rounded(clusterSizes.reduce((sum, size) => sum + chosenShare(size, n, k), 0)));
  return {
    n,
    asRecorded,
    minor,
    inOtherWords,
    behaviours: clusterSizes.length,
    agreement: tarAtK[1] ?? null,
    tarAtK,
    passHatK: ks.map((k) => rounded(chosenShare(asRecorded, n, k))),
    interval: n === 0 ? null : wilson(asRecorded, n),
  };
}

/** C(c,k)/C(n,k), multiplied step by step so that nothing overflows. */
function chosenShare(c: number, n: number, k: number): number {
  let share = 1;
  for (let i = 0; i < k; i++) share *= Math.max(0, c - i) / (n - i);
  return share;
}

/** The score interval of a share, 95 % (Wilson 1927). */
export function wilson(successes: number, n: number): [number, number] {
  const p = successes / n;
  const scale = 1 + Z ** 2 / n;
  const centre = p + Z ** 2 / (2 * n);
  const spread = Z * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n ** 2));
  return [rounded(Math.max(0, (centre - spread) / scale)), rounded(Math.min(1, (centre + spread) / scale))];
}

/** Six decimals: the same text on every machine. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
