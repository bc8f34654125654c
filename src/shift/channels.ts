import type { Feature, Trait } from './features.ts';
import { randomFrom } from './random.ts';
import { type Relabelings, relabelingParts, relabelings } from './relabelings.ts';
import { CHANNELS, type Channel } from './shift-result.ts';
import { energyDistances, shareDifferences } from './statistics.ts';
import type { RunTable } from './table.ts';

export type Distance = Extract<Channel, 'calls' | 'answer'>;

/** The features counted in each of the other channels. */
const KINDS_OF: Readonly<Record<Exclude<Channel, Distance>, readonly Trait['kind'][]>> = {
  tools: ['tool', 'failure'],
  arguments: ['argument'],
  words: ['value', 'word', 'pair'],
};

/** The statistic of each channel, in the order of {@link CHANNELS}, under every relabeling; 0 if nothing varies. */
export function channelStatistics(table: RunTable, ways: Relabelings): Float64Array[] {
  return CHANNELS.map((channel) =>
    channel === 'calls' || channel === 'answer'
      ? energyDistances(table[channel], ways)
      : shareDifferences(withKind(table.features, KINDS_OF[channel]), ways),
  );
}

/** One statistic of a channel under every relabeling. */
export interface View {
  readonly channel: Channel;
  readonly statistics: Float64Array;
}

/**
 * All views by which a turn is tested: each channel as a whole, and features that the many others of a channel would hide.
 * These are: values that any tool is given anywhere; single words without neighbours; and words that replace each other, so
 * that every run has one of two and none has both, which is rare by chance however many words vary.
 */
export function viewsOf(table: RunTable, ways: Relabelings): View[] {
  const whole = channelStatistics(table, ways);
  const among = (features: readonly Feature[]) => shareDifferences(features, ways);
  return [
    ...CHANNELS.map((channel, index) => ({ channel, statistics: whole[index]! })),
    { channel: 'arguments', statistics: among(withKind(table.features, ['given'])) },
    { channel: 'words', statistics: among(withKind(table.features, ['value', 'word'])) },
    { channel: 'words', statistics: among(replacing(table)) },
  ];
}

function withKind(features: readonly Feature[], kinds: readonly Trait['kind'][]): Feature[] {
  return features.filter((feature) => feature.kinds.some((kind) => kinds.includes(kind)));
}

/** Words and pairs with a counterpart in exactly the other runs. */
function replacing({ runs, features }: RunTable): Feature[] {
  const words = withKind(features, KINDS_OF.words);
  const known = new Set(words.map((feature) => feature.runs.join()));
  return words.filter((feature) => {
    const has = new Set(feature.runs);
    return known.has([...runs.keys()].filter((run) => !has.has(run)).join());
  });
}

export function relabelingsOf(table: RunTable, limit: number): Relabelings {
  return relabelings(...relabeled(table, limit));
}

/** The same in parts, for more of them than should be in memory at once. */
export function relabelingPartsOf(table: RunTable, limit: number): Iterable<Relabelings> {
  return relabelingParts(...relabeled(table, limit));
}

function relabeled({ runs, recordings, replays, digest }: RunTable, limit: number): Parameters<typeof relabelings> {
  const smaller = recordings <= replays ? 'recording' : 'replay';
  const observed = runs.flatMap(({ side }, row) => (side === smaller ? row : []));
  return [runs.length, observed, limit, () => randomFrom(`relabelings ${digest}`)];
}

/**
 * The mean distance of two runs of different sides, and of two runs of one side, in millionths. Both sides count alike,
 * however many runs they have; otherwise a side that varies more would hide its distance from the other.
 */
export function meanDistances({ runs, ...of }: RunTable, channel: Distance): { between: number; within: number } {
  const sums = { between: 0, recording: 0, replay: 0 };
  const pairs = { between: 0, recording: 0, replay: 0 };
  for (const [one, { side }] of runs.entries()) {
    for (let other = 0; other < one; other++) {
      const part = runs[other]?.side === side ? side : 'between';
      sums[part] += of[channel][one * runs.length + other]!;
      pairs[part]++;
    }
  }
  const sides = (['recording', 'replay'] as const).filter((side) => pairs[side] > 0);
  // With one run per side there is nothing to compare their distance with.
  if (sides.length === 0) return { between: 0, within: 0 };
  const within = sides.reduce((sum, side) => sum + sums[side] / pairs[side], 0) / sides.length;
  return { between: sums.between / Math.max(1, pairs.between), within };
}

/** Whether any two runs differ. If none do, labels make no difference. */
export function varies({ calls, answer, features }: RunTable): boolean {
  return features.length > 0 || calls.some((distance) => distance > 0) || answer.some((distance) => distance > 0);
}
