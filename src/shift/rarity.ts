/** The unit of 1: sums of whole numbers are exact, and equal sums are ties. */
const PARTS = 2 ** 44;

/** The rarity of a statistic under each relabeling: one divided by the number of relabelings with at least as large a one. */
export function rarities(statistics: Float64Array): Float64Array {
  const ascending = statistics.toSorted();
  return statistics.map((value) => Math.floor(PARTS / (ascending.length - firstAt(ascending, value))));
}

/** The share of statistics that are at least as large as the observed one, which comes first. */
export function rankP(statistics: Float64Array): number {
  return statistics.filter((value) => value >= (statistics[0] as number)).length / statistics.length;
}

/** The index of the first of equal values in an ascending list. */
function firstAt(ascending: Float64Array, value: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ascending[middle] as number) < value) from = middle + 1;
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
  for (const rarity of each) for (const [way, value] of rarity.entries()) sums[way] = (sums[way] as number) + value;
  return rankP(sums);
}
