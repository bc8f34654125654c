import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { report } from '../../src/report/index.ts';
import { freePort } from '../agent/processes.ts';
import { command } from '../cli/command.ts';
import { outcomes } from '../outcomes.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Replays the pinned sessions of an example by its own configuration, on a port of its own. */
async function replay(example: string) {
  const port = String(await freePort());
  const outputDir = await mkdtemp(path.join(os.tmpdir(), 'example-'));
  const url = ['--url', `http://127.0.0.1:${port}/replay`];
  const finished = await command(['run', ...url, '--output-dir', outputDir], {
    cwd: path.join(EXAMPLES, example),
    env: { PORT: port },
  });
  const { results } = report.parse(JSON.parse(await readFile(path.join(outputDir, 'report.json'), 'utf8')));
  await rm(outputDir, { recursive: true });
  return { ...finished, sessions: results.sessions };
}

const verdicts = ({ sessions }: Awaited<ReturnType<typeof replay>>) =>
  sessions.map(({ id, verdict, turns }) => ({ id, verdict, turns: turns.length }));

test('the Express agent, traced with plain OpenTelemetry, does what was recorded', async () => {
  const replayed = await replay('express-agent');
  expect(replayed.code, replayed.stdout).toBe(0);
  expect(verdicts(replayed)).toEqual([
    { id: 'shipping', verdict: outcomes.asRecorded, turns: 1 },
    { id: 'two-parcels', verdict: outcomes.asRecorded, turns: 2 },
    { id: 'unknown-order', verdict: outcomes.asRecorded, turns: 1 },
  ]);
});

test('the Hono agent, which streams and is traced with the Langfuse SDK, does what was recorded', async () => {
  const replayed = await replay('hono-agent');
  expect(replayed.code, replayed.stdout).toBe(0);
  expect(verdicts(replayed)).toEqual([
    { id: 'complaint', verdict: outcomes.asRecorded, turns: 1 },
    { id: 'returns', verdict: outcomes.asRecorded, turns: 1 },
  ]);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)('the Python agent, with the standard library only, does what was recorded', async () => {
  const replayed = await replay('python-agent');
  expect(replayed.code, replayed.stdout).toBe(0);
  expect(verdicts(replayed)).toEqual([
    { id: 'rain-jacket', verdict: outcomes.asRecorded, turns: 2 },
    { id: 'unknown-order', verdict: outcomes.asRecorded, turns: 1 },
    { id: 'warranty', verdict: outcomes.asRecorded, turns: 1 },
  ]);
});
