/** Digits of a p-value: the same bytes on every machine, and never a rounded 0. */
const DIGITS = 6;

/**
 * Holm's step-down adjustment (1979): p-values of several tests made together, in the order given. Each may be read
 * as if it were alone.
 */
export function holm(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let largest = 0;
  for (const [rank, index] of ps
    .map((_, index) => index)
    .toSorted((a, b) => (ps[a] ?? 0) - (ps[b] ?? 0))
    .entries()) {
    largest = Math.max(largest, Math.min(1, (ps.length - rank) * (ps[index] ?? 0)));
    adjusted[index] = Number(largest.toPrecision(DIGITS));
  }
  return adjusted;
}
