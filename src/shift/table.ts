import { hash } from 'node:crypto';
import { byCodeUnit } from '../json/index.ts';
import { answerDistance, CallDistances, pairwise, takenApart } from './distances.ts';
import { type Feature, featuresOf } from './features.ts';
import type { CallMade, ShiftRun } from './run.ts';

export type Side = 'recording' | 'replay';

/**
 * All that the tests need of the runs of a turn: how far they are apart and what they have. Plain data, so that parts of
 * a run can hand it on.
 */
export interface RunTable {
  /** By what the runs did, of equal ones recordings first: the same for any order in which they came. */
  readonly runs: readonly TableRun[];
  /** For each pair of runs, row by row above the diagonal, in millionths. */
  readonly calls: readonly number[];
  readonly answer: readonly number[];
  readonly features: readonly Feature[];
  /** Of the runs and their sides: what samples are drawn with. */
  readonly digest: string;
}

export interface TableRun {
  readonly side: Side;
  /** Its place among those of its side, from 0, as they were given. */
  readonly index: number;
}

/** Compares every run of a turn with every other one. Takes time in proportion to the square of the runs. */
export function tableOf(recordings: readonly ShiftRun[], replays: readonly ShiftRun[]): RunTable {
  const keyed = [...ofSide('recording', recordings), ...ofSide('replay', replays)].sort(
    (a, b) => byCodeUnit(a.key, b.key) || byCodeUnit(a.side, b.side) || a.index - b.index,
  );
  const costs = new CallDistances();
  return {
    runs: keyed.map(({ side, index }) => ({ side, index })),
    calls: pairwise(
      keyed.map(({ run }) => ({ key: JSON.stringify([run.calls, run.failures]), value: costs.numbersOf(doneBy(run)) })),
      (one, other) => costs.between(one, other),
    ),
    answer: pairwise(
      keyed.map(({ run: { answers } }) => ({ key: JSON.stringify(answers), value: answers.map(takenApart) })),
      answerDistance,
    ),
    features: featuresOf(keyed.map(({ run }) => run)),
    digest: digestOf(keyed.map(({ key, side }) => `${side} ${key}`).join('\n')),
  };
}

/** The calls of a run; what failed counts as one more, so that it sets runs apart that call the same. */
function doneBy({ calls, failures }: ShiftRun): CallMade[] {
  return [...calls, ...failures.map((what) => ({ tool: `\0${what}`, tokens: [] }))];
}

function ofSide(side: Side, runs: readonly ShiftRun[]) {
  return runs.map((run, index) => ({ side, index, run, key: digestOf(JSON.stringify(run)) }));
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
