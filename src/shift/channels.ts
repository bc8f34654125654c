import { randomFrom } from './random.ts';
import { type Relabelings, relabelings } from './relabelings.ts';
import { columnsOf, energyDistances, shareDifferences } from './statistics.ts';
import type { RunTable, Side } from './table.ts';

/** What runs are compared by: what they called, what they answered, and what some have and others have not. */
export const CHANNELS = ['calls', 'answer', 'features'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The statistic of each channel, in the order of {@link CHANNELS}, under every relabeling. */
export function channelStatistics(table: RunTable, ways: Relabelings): Float64Array[] {
  const { runs, calls, answer, features } = table;
  return [
    energyDistances(squareOf(calls, runs.length), ways),
    energyDistances(squareOf(answer, runs.length), ways),
    shareDifferences(
      columnsOf(
        runs.length,
        features.map((feature) => feature.runs),
      ),
      ways,
    ),
  ];
}

/** The ways to relabel the runs of a table; what it did first. */
export function relabelingsOf({ runs, digest }: RunTable, limit: number): Relabelings {
  const [recordings, replays] = [runsOf(runs, 'recording'), runsOf(runs, 'replay')];
  const smaller = recordings.length <= replays.length ? recordings : replays;
  return relabelings(runs.length, smaller, limit, () => randomFrom(`relabelings ${digest}`));
}

export function runsOf(runs: RunTable['runs'], side: Side): number[] {
  return runs.flatMap((run, index) => (run.side === side ? index : []));
}

/** Pairs above the diagonal, laid out as all rows. */
export function squareOf(pairs: readonly number[], runs: number): { runs: number; values: Int32Array } {
  const values = new Int32Array(runs * runs);
  let at = 0;
  for (let one = 0; one < runs; one++) {
    for (let other = one + 1; other < runs; other++) {
      const distance = pairs[at++] as number;
      values[one * runs + other] = distance;
      values[other * runs + one] = distance;
    }
  }
  return { runs, values };
}

/** The mean distance of two runs of different sides, and that of two runs of one side, in millionths; 0 without such. */
export function meanDistances(
  { runs, ...of }: RunTable,
  channel: 'calls' | 'answer',
): { between: number; within: number } {
  const sums = { between: 0, within: 0 };
  const pairs = { between: 0, within: 0 };
  let at = 0;
  for (const [one, { side }] of runs.entries()) {
    for (const other of runs.slice(one + 1)) {
      const part = other.side === side ? 'within' : 'between';
      sums[part] += of[channel][at++] as number;
      pairs[part]++;
    }
  }
  // Two single runs: nothing to measure their distance by.
  if (pairs.within === 0) return { between: 0, within: 0 };
  return { between: sums.between / pairs.between, within: sums.within / pairs.within };
}

export function byChannel(values: readonly number[]): Record<Channel, number> {
  return Object.fromEntries(CHANNELS.map((channel, index) => [channel, values[index]])) as Record<Channel, number>;
}
