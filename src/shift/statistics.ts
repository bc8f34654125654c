import type { Relabelings } from './relabelings.ts';

/** Distances between a turn's runs as whole numbers: sums are exact, and equal sums are ties. */
export interface Distances {
  readonly runs: number;
  /** Row by row, all of them. */
  readonly values: Int32Array;
}

/**
 * The energy distance of the two groups under each relabeling (Székely and Rizzo 2013): twice the mean distance between
 * them, minus the mean distances within them over distinct pairs, in units that depend only on the sizes of the groups. The
 * time is proportional to the relabelings and to the square of the smaller group. Exact up to some hundreds of runs per
 * side; beyond that, ties may be lost.
 */
export function energyDistances({ runs, values }: Distances, { chosen, count, members }: Relabelings): Float64Array {
  const rest = runs - chosen;
  const [between, inside, outside] = weights(chosen, rest);
  const rows = Float64Array.from({ length: runs }, (_, run) => {
    let sum = 0;
    for (let other = 0; other < runs; other++) sum += values[run * runs + other] as number;
    return sum;
  });
  const total = rows.reduce((sum, row) => sum + row, 0) / 2;
  const found = new Float64Array(count);
  for (let way = 0, at = 0; way < count; way++, at += chosen) {
    let [within, touching] = [0, 0];
    for (let i = at; i < at + chosen; i++) {
      const run = members[i] as number;
      touching += rows[run] as number;
      const row = run * runs;
      for (let j = at; j < i; j++) within += values[row + (members[j] as number)] as number;
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

/** What runs have or lack, as bits: per feature, `words` of 32 runs each. */
export interface Columns {
  readonly runs: number;
  readonly count: number;
  readonly words: number;
  readonly bits: Int32Array;
}

/** @param features for each the runs that have it */
export function columnsOf(runs: number, features: readonly (readonly number[])[]): Columns {
  const words = Math.ceil(runs / 32);
  const bits = new Int32Array(features.length * words);
  for (const [feature, having] of features.entries()) {
    for (const run of having) {
      const word = feature * words + (run >>> 5);
      bits[word] = (bits[word] as number) | (1 << (run & 31));
    }
  }
  return { runs, count: features.length, words, bits };
}

/** The runs in the smaller group under each relabeling, as bits: `words` of 32 runs each. */
export function masksOf({ runs, chosen, count, members }: Relabelings): Int32Array {
  const words = Math.ceil(runs / 32);
  const masks = new Int32Array(count * words);
  for (let way = 0, at = 0; way < count; way++) {
    for (const end = at + chosen; at < end; at++) {
      const run = members[at] as number;
      const word = way * words + (run >>> 5);
      masks[word] = (masks[word] as number) | (1 << (run & 31));
    }
  }
  return masks;
}

/**
 * The largest difference over all features between the groups' shares, under each relabeling, multiplied by both sizes to
 * give a whole number. Features with the largest possible difference come first, so that most need not be examined.
 * @param masks of the relabelings: {@link masksOf}
 */
export function shareDifferences(columns: Columns, masks: Int32Array, chosen: number): Float64Array {
  const { runs, words } = columns;
  const ordered = byReach(columns, chosen);
  const found = new Float64Array(masks.length / words);
  for (let way = 0; way < found.length; way++) {
    found[way] = words === 1 ? inOneWord(ordered, masks[way] as number, runs) : inWords(ordered, masks, way, runs);
  }
  return found;
}

interface Ordered {
  readonly words: number;
  readonly bits: Int32Array;
  /** Runs with the feature, multiplied by the size of the smaller group. */
  readonly expected: Int32Array;
  /** The largest difference of it under any relabeling. */
  readonly reach: Int32Array;
}

function inOneWord({ bits, expected, reach }: Ordered, mask: number, runs: number): number {
  let largest = 0;
  for (let feature = 0; feature < reach.length && (reach[feature] as number) > largest; feature++) {
    const having = ones((bits[feature] as number) & mask);
    largest = Math.max(largest, Math.abs(having * runs - (expected[feature] as number)));
  }
  return largest;
}

function inWords({ words, bits, expected, reach }: Ordered, masks: Int32Array, way: number, runs: number): number {
  let largest = 0;
  for (let feature = 0; feature < reach.length && (reach[feature] as number) > largest; feature++) {
    let having = 0;
    for (let word = 0; word < words; word++) {
      having += ones((bits[feature * words + word] as number) & (masks[way * words + word] as number));
    }
    largest = Math.max(largest, Math.abs(having * runs - (expected[feature] as number)));
  }
  return largest;
}

function byReach({ runs, count, words, bits }: Columns, chosen: number): Ordered {
  const features = Array.from({ length: count }, (_, feature) => {
    let having = 0;
    for (let word = 0; word < words; word++) having += ones(bits[feature * words + word] as number);
    const [least, most] = [Math.max(0, having - (runs - chosen)), Math.min(having, chosen)];
    const expected = having * chosen;
    return { feature, expected, reach: Math.max(most * runs - expected, expected - least * runs) };
  }).sort((a, b) => b.reach - a.reach || a.feature - b.feature);
  const ordered = new Int32Array(count * words);
  for (const [index, { feature }] of features.entries()) {
    ordered.set(bits.subarray(feature * words, (feature + 1) * words), index * words);
  }
  return {
    words,
    bits: ordered,
    expected: Int32Array.from(features, ({ expected }) => expected),
    reach: Int32Array.from(features, ({ reach }) => reach),
  };
}

/** Bits that are set in a word of 32 (Warren, Hacker's Delight). */
function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
