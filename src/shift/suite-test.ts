import { byCodeUnit } from '../json/index.ts';
import { channelStatistics, type Distance, meanDistances, relabelingsOf, varies } from './channels.ts';
import { randomFrom } from './random.ts';
import { combinedP, rankP, rarities, standardised } from './rarity.ts';
import { MAX_RELABELINGS, type Relabelings, relabelings } from './relabelings.ts';
import { CHANNELS, type Channel } from './shift-result.ts';
import { energyDistances } from './statistics.ts';
import type { RunTable } from './table.ts';

export interface SuiteTurn {
  /** Unique in the suite. */
  readonly id: string;
  /** Of as many replays as every other turn: none was added because a turn looked odd. */
  readonly table: RunTable;
}

/** Whether all turns together behave as recorded. */
export interface SuiteTest {
  readonly p: number;
  /** The most extreme channel. */
  readonly speaks: Channel;
  readonly shift: Shift;
  /** Turns tested, and those in which some runs differ; the others say nothing. */
  readonly turns: number;
  readonly varying: number;
}

/**
 * How much further a replay is from a recording than two runs of one side are from each other: .03 is 3 % further. In calls
 * or in answers, depending on the most telling channel; the larger for both. Null if no two runs of one side differ, but
 * the sides do.
 */
type Shift = number | null;

const DRAWS = 20_000;
/** Passes that each side needs for relabelling whole passes: 5 and 5 reach p = 2 / 252. */
export const LEAST_PASSES = 5;
/** The unit of standardised statistics, as part of a deviation: sums of whole numbers are exact. */
const PARTS = 2 ** 20;

/**
 * Sums the statistics of all turns, each standardised by its own relabelings, and ranks the observation among joint
 * relabelings by seven sums together: one a channel, of the distance of calls and answers together, and of all channels. One
 * recording per turn is enough.
 * @param options.draws number of joint relabelings drawn
 * @param options.passes runs of equal index were made together, in one pass over the suite
 * @returns null if no turn has runs of both sides
 */
export function suiteTest(turns: readonly SuiteTurn[], { draws = DRAWS, passes = false } = {}): SuiteTest | null {
  const both = turns
    .filter(({ table }) => table.recordings > 0 && table.replays > 0)
    .sort((a, b) => byCodeUnit(a.id, b.id));
  if (both.length === 0) return null;
  const { tested, sums } = (passes ? sumOfPasses(both) : undefined) ?? sumOfTurns(both, draws);
  const each = sums.slice(0, CHANNELS.length).map(rankP);
  const loudest = CHANNELS.filter((_, channel) => each[channel] === Math.min(...each));
  return {
    p: combinedP([...sums, sumOfAll(sums.slice(0, CHANNELS.length))].map(rarities)),
    speaks: loudest[0]!,
    shift: shiftOf(tested, loudest),
    turns: tested.length,
    varying: tested.filter(({ table }) => varies(table)).length,
  };
}

/** Of the sums of several statistics, so that each weighs as much as any other. */
function sumOfAll(sums: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(sums[0]?.length ?? 1);
  for (const sum of sums) for (const [at, value] of (standardised(sum, PARTS) ?? []).entries()) all[at]! += value;
  return all;
}

interface Summed {
  readonly tested: readonly SuiteTurn[];
  /** By channel, then of calls and answers together; for every joint relabeling, the observed one first. */
  readonly sums: readonly Float64Array[];
}

/** Relabels each turn separately: joint relabelings are drawn. */
function sumOfTurns(tested: readonly SuiteTurn[], draws: number): Summed {
  const seed = seedOf(tested);
  const sums = sumOver(tested, draws + 1, ({ id, table }) => {
    const ways = relabelingsOf(table, draws);
    const random = randomFrom(`${id}\n${seed}`);
    return { ways, drawn: Int32Array.from({ length: draws + 1 }, (_, draw) => (draw === 0 ? 0 : random(ways.count))) };
  });
  return { tested, sums };
}

/**
 * Relabels whole passes, so that something that affected all runs of a pass does not count many times. Turns without a run
 * in some pass are left out. Undefined with too few passes, or too few complete turns.
 */
function sumOfPasses(turns: readonly SuiteTurn[]): Summed | undefined {
  const recordings = Math.max(...turns.map(({ table }) => table.recordings));
  const replays = Math.max(...turns.map(({ table }) => table.replays));
  const tested = turns.filter(({ table }) => table.recordings === recordings && table.replays === replays);
  if (Math.min(recordings, replays) < LEAST_PASSES || tested.length * 2 < turns.length) return undefined;
  const passes = Array.from({ length: recordings + replays }, (_, pass) => pass);
  const smaller = recordings <= replays ? passes.slice(0, recordings) : passes.slice(recordings);
  const ways = relabelings(passes.length, smaller, MAX_RELABELINGS, () => randomFrom(`passes\n${seedOf(tested)}`));
  const sums = sumOver(tested, ways.count, ({ table: { runs } }) => {
    const places = new Map(
      runs.map(({ side, index }, row) => [side === 'recording' ? index : recordings + index, row]),
    );
    return { ways: { ...ways, members: ways.members.map((pass) => places.get(pass)!) } };
  });
  return { tested, sums };
}

/** @param relabel the ways of a turn, and which of them each joint relabeling takes; without it, the one of its number */
function sumOver(
  turns: readonly SuiteTurn[],
  joint: number,
  relabel: (turn: SuiteTurn) => { readonly ways: Relabelings; readonly drawn?: Int32Array },
): Float64Array[] {
  const sums = Array.from({ length: CHANNELS.length + 1 }, () => new Float64Array(joint));
  for (const turn of turns) {
    const { table } = turn;
    if (!varies(table)) continue;
    const { ways, drawn } = relabel(turn);
    const together = table.calls.map((distance, pair) => distance + table.answer[pair]!);
    for (const [channel, statistics] of [
      ...channelStatistics(table, ways),
      energyDistances(together, ways),
    ].entries()) {
      const [sum, scores] = [sums[channel]!, standardised(statistics, PARTS)];
      if (scores !== null) for (let at = 0; at < joint; at++) sum[at]! += scores[drawn ? drawn[at]! : at]!;
    }
  }
  return sums;
}

/** Only of turns that vary; the others do not affect the draw. */
function seedOf(turns: readonly SuiteTurn[]): string {
  const varying = turns.filter(({ table }) => varies(table));
  return varying.map(({ id, table }) => `${id} ${table.digest}`).join('\n');
}

/** @param loudest the most extreme channels, often several, because no p is below one relabeling out of all */
function shiftOf(turns: readonly SuiteTurn[], loudest: readonly Channel[]): Shift {
  const distances = new Set(
    loudest.map((channel) => (channel === 'answer' || channel === 'words' ? 'answer' : 'calls')),
  );
  const shifts = [...distances].map((distance) => shiftIn(turns, distance));
  return shifts.includes(null) ? null : Math.max(...(shifts as number[]));
}

/** By the mean distances between and within the sides, each summed over turns. */
function shiftIn(turns: readonly SuiteTurn[], distance: Distance): Shift {
  const means = turns.map(({ table }) => meanDistances(table, distance));
  const between = means.reduce((sum, mean) => sum + mean.between, 0);
  const within = means.reduce((sum, mean) => sum + mean.within, 0);
  if (between === 0) return 0;
  return within === 0 ? null : between / within - 1;
}
