/** The unit of 1: sums of whole numbers are exact, and equal sums are ties. */
const PARTS = 2 ** 44;

/** The rarity of a statistic under each relabeling: one divided by the number of relabelings with at least as large a one. */
export function rarities(statistics: Float64Array): Float64Array {
  const ascending = statistics.toSorted();
  return statistics.map((value) => Math.floor(PARTS / (ascending.length - firstAt(ascending, value))));
}

/** The share of statistics that are at least as large as the observed one, which comes first. */
export function rankP(statistics: Float64Array): number {
  return statistics.filter((value) => value >= statistics[0]!).length / statistics.length;
}

/** The index of the first of equal values in an ascending list. */
function firstAt(ascending: Float64Array, value: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (ascending[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * The share of relabelings under which the rarities of several statistics sum to at least the observed sum, which comes
 * first. The rarest weighs most, and the others decide between equals: the harmonic mean of ranks (Good 1958, Wilson 2019),
 * itself ranked. That makes it an exact p however the statistics depend on each other, and a constant one changes nothing.
 */
export function combinedP(each: readonly Float64Array[]): number {
  const sums = new Float64Array(each[0]?.length ?? 1);
  for (const rarity of each) for (const [way, value] of rarity.entries()) sums[way] = sums[way]! + value;
  return rankP(sums);
}

/**
 * By mean and deviation over the relabelings, so that statistics can be summed.
 * @param parts of a deviation, as whole numbers: sums are exact, and equal sums are ties
 * @returns null if it is constant
 */
export function standardised(statistics: Float64Array, parts: number): Float64Array | null {
  if (statistics.every((value) => value === statistics[0])) return null;
  const mean = statistics.reduce((sum, value) => sum + value, 0) / statistics.length;
  const variance = statistics.reduce((sum, value) => sum + (value - mean) ** 2, 0) / statistics.length;
  const scale = parts / Math.sqrt(variance);
  return statistics.map((value) => Math.round((value - mean) * scale));
}
