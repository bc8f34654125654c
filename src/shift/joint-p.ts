/** How extreme what was observed is, in each channel and in all of them together. Shares of the relabelings. */
export interface JointP {
  /** For each channel: relabelings whose statistic is at least as large as the observed one. */
  readonly each: readonly number[];
  /** Relabelings of which the smallest of those shares is at most the observed one. */
  readonly p: number;
  /** The smallest p that any of these relabelings would have had. */
  readonly least: number;
}

/**
 * The smallest rank p over channels, ranked among those of all relabelings (Westfall and Young 1993). It is an exact p
 * whatever the channels have to do with each other, and a channel that never varies changes nothing.
 * @param channels for each the statistic under every relabeling, the observed one first
 */
export function jointP(channels: readonly Float64Array[]): JointP {
  const sorted = channels.map((statistics) => statistics.toSorted());
  const ranks = sorted.map((statistics, channel) => atLeast(statistics, channels[channel]?.[0] as number));
  const leastRanks = sorted.map((statistics) => atLeast(statistics, statistics.at(-1) as number));
  const total = channels[0]?.length ?? 1;
  const share = (rank: number) => withRankAtMost(rank, channels, sorted) / total;
  return {
    each: ranks.map((rank) => rank / total),
    p: channels.length === 0 ? 1 : share(Math.min(...ranks)),
    least: channels.length === 0 ? 1 : share(Math.min(...leastRanks)),
  };
}

/** Relabelings that have at most this rank in one channel or another. */
function withRankAtMost(rank: number, channels: readonly Float64Array[], sorted: readonly Float64Array[]): number {
  const bars = sorted.map((statistics) => smallestOfRank(statistics, rank));
  const total = channels[0]?.length ?? 0;
  let found = 0;
  for (let way = 0; way < total; way++) {
    for (let channel = 0; channel < channels.length; channel++) {
      if (((channels[channel] as Float64Array)[way] as number) >= (bars[channel] as number)) {
        found++;
        break;
      }
    }
  }
  return found;
}

/** The smallest statistic that at most `rank` of them reach. */
function smallestOfRank(sorted: Float64Array, rank: number): number {
  const value = sorted[sorted.length - rank] as number;
  const isTied = atLeast(sorted, value) > rank;
  return isTied ? (sorted[above(sorted, value)] ?? Number.POSITIVE_INFINITY) : value;
}

/** How many are at least as large. */
function atLeast(sorted: Float64Array, value: number): number {
  return sorted.length - firstWhere(sorted, (other) => other >= value);
}

function above(sorted: Float64Array, value: number): number {
  return firstWhere(sorted, (other) => other > value);
}

function firstWhere(sorted: Float64Array, isMet: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isMet(sorted[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}
