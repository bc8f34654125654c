import { relabelingPartsOf, type View, varies, viewsOf } from './channels.ts';
import { combinedP, rarities } from './rarity.ts';
import { MAX_RELABELINGS, waysToChoose } from './relabelings.ts';
import { CHANNELS, type Channel } from './shift-result.ts';
import type { RunTable } from './table.ts';

/** Whether a turn's replays behave as its recordings do, as far as this many runs can show. */
export interface TurnTest {
  /** The share of all relabelings under which the groups are at least as far apart. */
  readonly p: number;
  /** Some runs differ. If none do, labels make no difference. */
  readonly varies: boolean;
  /** The most extreme channel. */
  readonly speaks: Channel;
  /** Fewer relabelings than there are show only that p is small. */
  readonly isAtFloor: boolean;
}

/** Of a sample, so many relabelings that are as extreme show only that p is small. */
export const AT_FLOOR = 10;

/**
 * The exact permutation test of a turn over all channels. Valid for any agent, if runs of both sides would be alike without
 * a change.
 * @param options.limit ways to relabel the runs; if there are more, they are sampled
 * @param options.most drawn in all, where the sample shows only that p is small
 * @returns null if one side has no run
 */
export function turnTest(
  table: RunTable,
  { limit = MAX_RELABELINGS, most = 0 }: { readonly limit?: number; readonly most?: number } = {},
): TurnTest | null {
  if (table.recordings === 0 || table.replays === 0) return null;
  const isVaried = varies(table);
  const ways = waysToChoose(table.runs.length, table.recordings);
  const sample = isVaried ? ranked(table, limit) : ALIKE;
  const isAtFloor = ways > limit && sample.p * limit <= AT_FLOOR;
  const drawn = isAtFloor ? Math.max(limit, most) : limit;
  const { p, each } = drawn > limit ? ranked(table, drawn) : sample;
  return { p, varies: isVaried, speaks: CHANNELS[each.indexOf(Math.min(...each))]!, isAtFloor };
}

interface Ranked {
  /** Over all views. */
  readonly p: number;
  /** Over those of each channel. */
  readonly each: readonly number[];
}

const ALIKE: Ranked = { p: 1, each: CHANNELS.map(() => 1) };

function ranked(table: RunTable, limit: number): Ranked {
  const rare = viewsOver(table, limit).map(({ channel, statistics }) => ({ channel, rarity: rarities(statistics) }));
  const pOf = (channels: readonly Channel[]) =>
    combinedP(rare.flatMap(({ channel, rarity }) => (channels.includes(channel) ? [rarity] : [])));
  return { p: pOf(CHANNELS), each: CHANNELS.map((channel) => pOf([channel])) };
}

/** The views of a table under so many relabelings, of which only a part is in memory at any time. */
function viewsOver(table: RunTable, limit: number): View[] {
  const count = Math.min(limit, waysToChoose(table.runs.length, table.recordings));
  const all: View[] = [];
  let at = 0;
  for (const ways of relabelingPartsOf(table, limit)) {
    for (const [index, { channel, statistics }] of viewsOf(table, ways).entries()) {
      all[index] ??= { channel, statistics: new Float64Array(count) };
      all[index].statistics.set(statistics, at);
    }
    at += ways.count;
  }
  return all;
}
