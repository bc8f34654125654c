import { hash } from 'node:crypto';
import { byCodeUnit } from '../json/index.ts';
import { answerDistance, CallDistances, pairwise, takenApart } from './distances.ts';
import { type Feature, featuresOf } from './features.ts';
import type { CallMade, ShiftRun } from './run.ts';

export type Side = 'recording' | 'replay';

/**
 * Everything that the tests need about a turn's runs: their distances and features. They are measured once, because the tests
 * look at them under thousands of relabelings.
 */
export interface RunTable {
  /** Sorted by content, among equals recordings first: the same for any order of arrival. */
  readonly runs: readonly {
    readonly side: Side;
    /** Its place among those of its side, from 0, as they were given. */
    readonly index: number;
  }[];
  readonly recordings: number;
  readonly replays: number;
  /** Their distances: {@link pairwise}. */
  readonly calls: Int32Array;
  readonly answer: Int32Array;
  readonly features: readonly Feature[];
  /** Of the runs and their sides; seeds the samples. */
  readonly digest: string;
}

/** Compares every run with every other: the time is proportional to the square of the runs. */
export function tableOf(recordings: readonly ShiftRun[], replays: readonly ShiftRun[]): RunTable {
  const keyed = [...ofSide('recording', recordings), ...ofSide('replay', replays)].sort(
    (a, b) => byCodeUnit(a.key, b.key) || byCodeUnit(a.side, b.side) || a.index - b.index,
  );
  const distances = new CallDistances();
  return {
    runs: keyed.map(({ side, index }) => ({ side, index })),
    recordings: recordings.length,
    replays: replays.length,
    calls: pairwise(
      keyed.map(({ run }) => ({
        key: JSON.stringify([run.calls, run.failures]),
        value: distances.numbersOf(doneBy(run)),
      })),
      (one, other) => distances.between(one, other),
    ),
    answer: pairwise(
      keyed.map(({ run: { answers } }) => ({ key: JSON.stringify(answers), value: answers.map(takenApart) })),
      answerDistance,
    ),
    features: featuresOf(keyed.map(({ run }) => run)),
    digest: digestOf(keyed.map(({ key, side }) => `${side} ${key}`).join('\n')),
  };
}

/** The calls of a run. A failure counts as one more call, so that it distinguishes runs with equal calls. */
function doneBy({ calls, failures }: ShiftRun): CallMade[] {
  // No tool's name begins with a zero character.
  return [...calls, ...failures.map((what) => ({ tool: `\0${what}`, tokens: [] }))];
}

function ofSide(side: Side, runs: readonly ShiftRun[]) {
  return runs.map((run, index) => ({
    side,
    index,
    run,
    key: digestOf(JSON.stringify(run)),
  }));
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
