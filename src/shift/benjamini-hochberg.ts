/** Digits of a p-value: the same text on every machine, and never a rounded 0. */
const DIGITS = 6;

/**
 * The step-up adjustment of the p-values of several tests (Benjamini and Hochberg 1995), in the given order. Of the tests
 * whose adjusted p is at most alpha, at most a share of alpha is false in the mean; if nothing has changed, one is false at
 * most so often.
 */
export function benjaminiHochberg(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let least = 1;
  const order = [...ps.keys()].sort((a, b) => (ps[b] ?? 0) - (ps[a] ?? 0));
  for (const [place, index] of order.entries()) {
    least = Math.min(least, ((ps[index] ?? 0) * ps.length) / (ps.length - place));
    adjusted[index] = Number(least.toPrecision(DIGITS));
  }
  return adjusted;
}
