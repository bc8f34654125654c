import { byCodeUnit } from '../json/index.ts';
import { follow } from './looks.ts';
import { type Random, randomFrom } from './random.ts';
import type { ShiftRun } from './run.ts';
import type { RunShift } from './shift-result.ts';
import { tableOf } from './table.ts';
import { turnTest } from './turn-test.ts';
import type { ShiftUnit } from './unit.ts';

/** Simulated turns of each share: a figure of them is told as it is, because it is no more exact than that. */
const TRIALS = 20;
const OFTEN = 0.8 * TRIALS;
const SHARES = [1, 0.8, 0.6, 0.4];
/** Relabelings for each that the bar asks for. */
const FINE = 2;
const MOST_WAYS = 20_000;

/**
 * What a green run could have seen: the smallest share of the runs of one turn in which a call may be missing so that at
 * least 80 % of the simulated turns are red. Replays are drawn from a turn's own recordings, and taken through its own looks.
 * @param bar the p that is red among all turns
 * @returns undefined if no turn with five recordings makes a call in each of them
 */
export function wouldSee(units: readonly ShiftUnit[], bar: number): RunShift['wouldSee'] {
  const able = units
    .filter((unit) => unit.recordings().length >= 5 && unit.recordings().every(({ calls }) => calls.length > 0))
    .sort((a, b) => byCodeUnit(a.id, b.id));
  if (able.length === 0) return undefined;
  const limit = Math.min(MOST_WAYS, Math.ceil(FINE / bar));
  let told: RunShift['wouldSee'];
  for (const share of SHARES) {
    const found = Array.from({ length: TRIALS }, (_, trial) =>
      isSeen(able[trial % able.length] as ShiftUnit, {
        share,
        bar,
        limit,
        random: randomFrom(`seen ${share} ${trial}`),
      }),
    ).filter(Boolean).length;
    if (told !== undefined && found < OFTEN) return told;
    told = { share, found, of: TRIALS };
    if (found < OFTEN) return told;
  }
  return told;
}

interface Trial {
  readonly share: number;
  readonly bar: number;
  readonly limit: number;
  readonly random: Random;
}

function isSeen(unit: ShiftUnit, { share, bar, limit, random }: Trial): boolean {
  const recordings = unit.recordings();
  const replays: ShiftRun[] = [];
  const pAt = (count: number) => {
    while (replays.length < count) {
      const drawn = recordings[random(recordings.length)] as ShiftRun;
      replays.push(random(1_000) < share * 1_000 ? { ...drawn, calls: drawn.calls.slice(1) } : drawn);
    }
    return turnTest(tableOf(recordings, replays), { limit })?.p;
  };
  const { state, p } = follow(unit.looksFor(bar), pAt, { bar, least: unit.least });
  return state === 'over' && p <= bar;
}
