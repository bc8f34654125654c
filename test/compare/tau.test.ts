import { expect, test } from 'vitest';
import { figuresOf } from '../../src/compare/figures/figures.ts';
import type { FirstDifference } from '../../src/compare/shapes/result.ts';
import type { Recording } from '../../src/trace/index.ts';
import { observationsOf, outputOf } from '../tau/conversation.ts';
import { readExpected, readTrials } from '../tau/trials.ts';
import { rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';

const trials = readTrials();
const KINDS = { name: 'name', args: 'args', ended: 'b_ended', extra: 'b_extra', value: 'value' } as const;
/** The user is simulated and no two are alike: a task is one turn, of which the calls are compared, as they are. */
const CALLS = rules({ strictness: 'exact', include: ['call'], identities: 'literal' });

function recordingsOf(task: number): Recording[] {
  return trials
    .filter((trial) => trial.task === task)
    .map((trial) => ({ observations: observationsOf(trial), output: outputOf(trial) }));
}

function told(difference: FirstDifference | null | undefined) {
  if (!difference) return null;
  const { callIndex: index, kind, pointers } = difference;
  return { index, kind: KINDS[kind], paths: kind === 'args' ? pointers.toSorted() : [] };
}

test('150 pairs of recorded runs part where a program that is not ours says, and cluster as it says', () => {
  let pairs = 0;
  for (const { task_id, first_diff_vs_trial0, trajectory_clusters } of readExpected()) {
    const [first, ...others] = recordingsOf(task_id);
    const replays = others.map((recording, index) => ({ run: index + 1, recording }));
    for (const replay of replays) {
      const expected = first_diff_vs_trial0[String(replay.run)];
      const found = compareTurn([first as Recording], [replay], CALLS).clusters[1];
      expect(told(found?.firstDifference), `task ${task_id}, trial ${replay.run}`).toEqual(
        expected ? { index: expected.index, kind: expected.kind, paths: expected.paths.toSorted() } : null,
      );
      // What parts also diverges, and nothing else does.
      expect(found === undefined).toBe(expected === null);
      pairs++;
    }
    const { clusters } = compareTurn([first as Recording], replays, CALLS);
    const members = clusters.map(({ id, runs }) => (id === 0 ? [0, ...runs] : runs));
    expect(new Set(members.map(String))).toEqual(new Set(trajectory_clusters.map(String)));
  }
  expect(pairs).toBe(150);
});

test('pass^1 to pass^4 of the recorded rewards are the published ones', () => {
  const tasks = Map.groupBy(trials, ({ task }) => task);
  const perTask = [...tasks.values()].map((own) => {
    const passed = own.filter(({ reward }) => reward === 1).length;
    return figuresOf({
      clusterSizes: [passed, own.length - passed],
      asRecorded: passed,
      minor: 0,
      inOtherWords: 0,
    }).passHatK;
  });
  const means = [0, 1, 2, 3].map(
    (k) => perTask.reduce((sum, passHatK) => sum + (passHatK[k] ?? 0), 0) / perTask.length,
  );
  expect(means.map((mean) => mean.toFixed(4))).toEqual(['0.4200', '0.2733', '0.2200', '0.2000']);
});
