import type { Relabelings } from './relabelings.ts';

/**
 * The energy distance of the two groups under each relabeling (Székely and Rizzo 2013): twice the mean distance between
 * them, minus the mean distances within them over distinct pairs, in units that depend only on the sizes of the groups. The
 * time is proportional to the relabelings and to the square of the smaller group. Exact up to some hundreds of runs per
 * side; beyond that, ties may be lost.
 * @param distances of all pairs of runs, row by row, as whole numbers: sums are exact, and equal sums are ties
 */
export function energyDistances(distances: Int32Array, { runs, chosen, count, members }: Relabelings): Float64Array {
  const found = new Float64Array(count);
  if (distances.every((distance) => distance === 0)) return found;
  const [between, inside, outside] = weights(chosen, runs - chosen);
  const rows = Float64Array.from({ length: runs }, (_, run) =>
    distances.subarray(run * runs, (run + 1) * runs).reduce((sum, distance) => sum + distance, 0),
  );
  const total = rows.reduce((sum, row) => sum + row, 0) / 2;
  for (let way = 0, at = 0; way < count; way++, at += chosen) {
    let [within, touching] = [0, 0];
    for (let i = at; i < at + chosen; i++) {
      const run = members[i]!;
      touching += rows[run]!;
      for (let j = at; j < i; j++) within += distances[run * runs + members[j]!]!;
    }
    const across = touching - 2 * within;
    found[way] = between * across - inside * within - outside * (total - across - within);
  }
  return found;
}

/** Whole numbers in the ratio of 2 / pairs between, 2 / ordered pairs within each group. A single run has no pair. */
function weights(chosen: number, rest: number): [between: number, inside: number, outside: number] {
  const [between, inside, outside] = [
    chosen * rest,
    Math.max(1, chosen * (chosen - 1)),
    Math.max(1, rest * (rest - 1)),
  ];
  const common = leastCommonMultiple(leastCommonMultiple(between, inside), outside);
  return [(2 * common) / between, (2 * common) / inside, (2 * common) / outside];
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return (a / x) * b;
}

/**
 * The largest difference over all features between the groups' shares, under each relabeling, multiplied by both sizes to
 * give a whole number. Features with the largest possible difference come first, so that most need not be examined.
 * @param features for each the runs that have it
 */
export function shareDifferences(
  features: readonly { readonly runs: readonly number[] }[],
  ways: Relabelings,
): Float64Array {
  const { runs, chosen, count } = ways;
  if (features.length === 0) return new Float64Array(count);
  const words = Math.ceil(runs / 32);
  const masks = masksOf(ways);
  const ordered = features
    .map(({ runs: having }) => {
      const [least, most] = [Math.max(0, having.length - (runs - chosen)), Math.min(having.length, chosen)];
      const expected = having.length * chosen;
      return { having, expected, reach: Math.max(most * runs - expected, expected - least * runs) };
    })
    .sort((a, b) => b.reach - a.reach);
  const bits = new Int32Array(features.length * words);
  for (const [feature, { having }] of ordered.entries()) {
    for (const run of having) bits[feature * words + (run >>> 5)]! |= 1 << (run & 31);
  }
  const inOrder = {
    bits,
    expected: Int32Array.from(ordered, ({ expected }) => expected),
    reach: Int32Array.from(ordered, ({ reach }) => reach),
  };
  return Float64Array.from({ length: count }, (_, way) =>
    largestOf(inOrder, masks.subarray(way * words, (way + 1) * words), runs),
  );
}

interface InOrder {
  readonly bits: Int32Array;
  /** Runs with the feature, multiplied by the size of the smaller group. */
  readonly expected: Int32Array;
  /** The largest difference of it under any relabeling. */
  readonly reach: Int32Array;
}

function largestOf({ bits, expected, reach }: InOrder, mask: Int32Array, runs: number): number {
  const first = mask[0]!;
  let largest = 0;
  for (let feature = 0; feature < reach.length && reach[feature]! > largest; feature++) {
    let having = ones(bits[feature * mask.length]! & first);
    for (let word = 1; word < mask.length; word++) having += ones(bits[feature * mask.length + word]! & mask[word]!);
    largest = Math.max(largest, Math.abs(having * runs - expected[feature]!));
  }
  return largest;
}

const known = new WeakMap<Relabelings, Int32Array>();

/** The smaller group under each relabeling, as bits in words of 32. Made once. */
function masksOf(ways: Relabelings): Int32Array {
  const { runs, chosen, count, members } = ways;
  const words = Math.ceil(runs / 32);
  const masks = known.get(ways) ?? new Int32Array(count * words);
  if (known.has(ways)) return masks;
  for (let way = 0, at = 0; way < count; way++) {
    for (const end = at + chosen; at < end; at++)
      masks[way * words + (members[at]! >>> 5)]! |= 1 << (members[at]! & 31);
  }
  known.set(ways, masks);
  return masks;
}

/** Bits that are set in a word of 32 (Warren, Hacker's Delight). */
function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
