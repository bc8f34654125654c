import { byChannel, CHANNELS, type Channel, relabelingsOf, runsOf, type View, varies, viewsOf } from './channels.ts';
import type { JointP } from './joint-p.ts';
import { combinedP, rarities } from './rarity.ts';
import { MAX_RELABELINGS, waysToChoose } from './relabelings.ts';
import type { RunTable } from './table.ts';

/** Whether a turn's replays behave as its recordings do, as far as this many runs can show. */
export interface TurnTest {
  /** The share of all relabelings under which the groups are at least as far apart. */
  readonly p: number;
  /** Some runs differ. If none do, labels make no difference. */
  readonly varies: boolean;
  /** The p of each channel, not corrected for the others; {@link p} is. */
  readonly channels: Readonly<Record<Channel, number>>;
  /** The most extreme channel. */
  readonly speaks: Channel;
  readonly recordings: number;
  readonly replays: number;
  readonly relabelings: number;
  /** All ways were examined, not a sample. */
  readonly isExact: boolean;
}

/**
 * The exact permutation test of a turn over all channels. Valid for any agent, if runs of both sides would be alike without
 * a change.
 * @param options.limit ways to relabel the runs; if there are more, they are sampled
 * @returns null if one side has no run
 */
export function turnTest(table: RunTable, { limit = MAX_RELABELINGS } = {}): TurnTest | null {
  const [recordings, replays] = [runsOf(table.runs, 'recording').length, runsOf(table.runs, 'replay').length];
  if (recordings === 0 || replays === 0) return null;
  const ways = waysToChoose(recordings + replays, recordings);
  const isVaried = varies(table);
  const { p, each } = isVaried ? ranked(viewsOf(table, relabelingsOf(table, limit))) : ALIKE;
  return {
    p,
    varies: isVaried,
    channels: byChannel(each),
    speaks: CHANNELS[each.indexOf(Math.min(...each))] as Channel,
    recordings,
    replays,
    relabelings: Math.min(ways, limit),
    isExact: ways <= limit,
  };
}

/** Over all views, and over those of each channel. */
function ranked(views: readonly View[]): JointP {
  const rare = views.map(({ channel, statistics }) => ({ channel, rarity: rarities(statistics) }));
  const pOf = (channels: readonly Channel[]) =>
    combinedP(rare.flatMap(({ channel, rarity }) => (channels.includes(channel) ? [rarity] : [])));
  return { p: pOf(CHANNELS), each: CHANNELS.map((channel) => pOf([channel])) };
}

const ALIKE: JointP = { p: 1, each: CHANNELS.map(() => 1) };
