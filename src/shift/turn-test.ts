import { byChannel, CHANNELS, type Channel, relabelingsOf, runsOf, type View, varies, viewsOf } from './channels.ts';
import type { JointP } from './joint-p.ts';
import { combinedP, rarities } from './rarity.ts';
import { MAX_RELABELINGS, waysToChoose } from './relabelings.ts';
import type { RunTable } from './table.ts';

/** Whether the replays of a turn behave as its recordings do, as far as so many runs can tell. */
export interface TurnTest {
  /** The share of all ways to relabel the runs under which the groups are at least as far apart. */
  readonly p: number;
  /** Some runs differ from others. Where none do, no label could make a difference. */
  readonly varies: boolean;
  /** For each channel its own p. They are not corrected for each other: {@link p} is. */
  readonly channels: Readonly<Record<Channel, number>>;
  /** The channel that is most extreme. */
  readonly speaks: Channel;
  readonly recordings: number;
  readonly replays: number;
  readonly relabelings: number;
  /** Every way was looked at, and not a sample. */
  readonly isExact: boolean;
}

export interface TestOptions {
  /** Ways to relabel the runs, beyond which they are sampled. */
  readonly limit?: number;
}

/**
 * The exact permutation test of a turn over all channels. Holds whatever the agent is like, if only the runs of both sides
 * would be of one kind when nothing had changed.
 * @returns null where one side has no run
 */
export function turnTest(table: RunTable, { limit = MAX_RELABELINGS }: TestOptions = {}): TurnTest | null {
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
