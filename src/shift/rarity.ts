/** What 1 is counted in: sums of whole numbers are exact, and equal sums are ties. */
const PARTS = 2 ** 44;

/** How rare a statistic is under each relabeling: one over how many relabelings have one at least as large. */
export function rarities(statistics: Float64Array): Float64Array {
  const ascending = statistics.toSorted();
  return statistics.map((value) => Math.floor(PARTS / (ascending.length - firstAt(ascending, value))));
}

/** The place of the first of equal values, in ascending ones. */
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
 * The share of relabelings under which the rarities of several statistics add up to as much as those observed, which come
 * first. The rarest of them weighs most, and the others decide between equal ones: the harmonic mean of ranks (Good 1958,
 * Wilson 2019), ranked itself. That makes an exact p of it whatever the statistics have to do with each other, and one that
 * never varies changes nothing.
 */
export function combinedP(each: readonly Float64Array[]): number {
  const sums = new Float64Array(each[0]?.length ?? 1);
  for (const rarity of each) for (const [way, value] of rarity.entries()) sums[way] = (sums[way] as number) + value;
  return sums.filter((sum) => sum >= (sums[0] as number)).length / sums.length;
}
