/** Digits of a p-value: the same text on every machine, and never a rounded 0. */
const DIGITS = 6;

/**
 * Holm's step-down adjustment (1979) of the p-values of several tests, in the given order. Each may then be read as if it
 * were alone.
 */
export function holm(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let largest = 0;
  const order = [...ps.keys()].sort((a, b) => (ps[a] ?? 0) - (ps[b] ?? 0));
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (ps.length - rank) * (ps[index] ?? 0)));
    adjusted[index] = Number(largest.toPrecision(DIGITS));
  }
  return adjusted;
}
