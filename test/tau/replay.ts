import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { Cluster } from '../../src/compare/shapes/result.ts';
import type { ConfigInput } from '../../src/config/index.ts';
import { parseReport } from '../../src/report/index.ts';
import { freePort } from '../agent/processes.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { sessionIdOf } from './conversation.ts';
import { pinTrials } from './pins.ts';
import { type ExpectedTask, readExpected, readTrials, TRIALS } from './trials.ts';

/** How the table calls what our report names otherwise. */
const KINDS = { name: 'name', args: 'args', b_ended: 'ended', b_extra: 'extra' } as const;

/**
 * Replays trial 0 of some tasks with the real command, against the recorded runs played by a server, and checks that
 * the report has the clusters of the table and parts where the table says.
 */
export async function checkReplay(isMeant: (task: number) => boolean): Promise<void> {
  const port = await freePort();
  const config: ConfigInput = {
    agent: {
      command: `"${process.execPath}" "${path.join(import.meta.dirname, 'server.ts')}"`,
      url: `http://127.0.0.1:${port}/replay`,
      env: { PORT: String(port) },
    },
    // Run k plays trial k; run 4 plays trial 0, the pinned one, again.
    runs: TRIALS,
    compare: { include: ['call'], strictness: 'exact', identities: 'literal' },
    // Its server sends all spans before it answers.
    timeouts: { late: 1 },
  };
  await using folder = await folderWith({ 'agent-replay.config.json': JSON.stringify(config) });
  await pinTrials(
    readTrials().filter(({ task }) => isMeant(task)),
    { root: folder.path, dir: 'replays' },
  );

  const { code, stderr } = await command(['run'], { cwd: folder.path });
  expect(code, stderr).toBe(1);
  const { results } = parseReport(await readFile(path.join(folder.path, '.agent-replay', 'report.json'), 'utf8'));
  expect(results.problems).toEqual([]);
  const found = new Map(results.sessions.map(({ id, turns }) => [id, turns[0]?.comparison]));
  for (const task of readExpected().filter(({ task_id }) => isMeant(task_id))) {
    const comparison = found.get(sessionIdOf(task.task_id));
    expect(comparison?.conclusive, `task ${task.task_id}`).toBe(TRIALS);
    expect(comparison?.clusters.map(trialsOf).sort(byFirst), `clusters of task ${task.task_id}`).toEqual(
      task.trajectory_clusters.map((trials) => [...trials].sort()).sort(byFirst),
    );
    for (const cluster of comparison?.clusters ?? []) {
      for (const trial of trialsOf(cluster)) {
        expect(positionOf(cluster), `task ${task.task_id}, trial ${trial}`).toEqual(expectedPosition(task, trial));
      }
    }
  }
}

function trialsOf({ runs }: Cluster): number[] {
  return runs.map((run) => run % TRIALS).sort();
}

function byFirst([a = 0]: readonly number[], [b = 0]: readonly number[]): number {
  return a - b;
}

function positionOf({ firstDifference }: Cluster) {
  if (firstDifference === null) return null;
  const { callIndex, kind, pointers } = firstDifference;
  return { callIndex, kind, pointers: [...pointers].sort() };
}

function expectedPosition({ first_diff_vs_trial0 }: ExpectedTask, trial: number) {
  const expected = first_diff_vs_trial0[trial] ?? null;
  return expected && { callIndex: expected.index, kind: KINDS[expected.kind], pointers: [...expected.paths].sort() };
}
