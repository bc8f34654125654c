/** How extreme the observation is, in each channel and in all together, as shares of the relabelings. */
export interface JointP {
  /** For each channel: relabelings with a statistic at least as large as the observed one. */
  readonly each: readonly number[];
  /** Relabelings whose smallest such share is at most the observed one. */
  readonly p: number;
}

/**
 * The smallest rank p over channels, ranked among those of all relabelings (Westfall and Young 1993). It is an exact p
 * however the channels depend on each other, and a channel that never varies changes nothing.
 * @param channels for each the statistic under every relabeling, the observed one first
 */
export function jointP(channels: readonly Float64Array[]): JointP {
  const total = channels[0]?.length ?? 1;
  const asLarge = channels.map((statistics) => statistics.filter((value) => value >= (statistics[0] as number)));
  const smallest = Math.min(total, ...asLarge.map(({ length }) => length));
  const extreme = new Uint8Array(total);
  for (const [channel, statistics] of channels.entries()) {
    const bar = smallestOfRank(asLarge[channel] as Float64Array, smallest);
    for (let way = 0; way < total; way++) if ((statistics[way] as number) >= bar) extreme[way] = 1;
  }
  return {
    each: asLarge.map(({ length }) => length / total),
    p: channels.length === 0 ? 1 : extreme.reduce((sum, each) => sum + each, 0) / total,
  };
}

/**
 * The smallest statistic that at most `rank` relabelings reach; infinite if more than that share the largest one.
 * @param asLarge the statistics that are at least as large as the observed one
 */
function smallestOfRank(asLarge: Float64Array, rank: number): number {
  if (asLarge.length === rank) return asLarge.reduce((least, value) => Math.min(least, value));
  const sorted = asLarge.toSorted();
  let at = sorted.length - rank;
  const isTied = sorted[at] === sorted[at - 1];
  const value = sorted[at] as number;
  while (isTied && sorted[at] === value) at++;
  return sorted[at] ?? Number.POSITIVE_INFINITY;
}
