import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import type { PlantedEdit } from './edits.ts';
import type { copyOf } from './project.ts';

const CODES = { nothing: 0, code: 1, model: 2 };

/**
 * An edited agent is judged offline, and then with a model that always says the same: whatever the edit changes in a run
 * shows there, and first in the same places. If only the model can say what comes of it, it is the agent's cause there.
 */
export async function expectJudged(
  { path: folder, call }: Awaited<ReturnType<typeof copyOf>>,
  [, does, , told = /as recorded/]: PlantedEdit,
  { options = [], live }: { options?: readonly string[]; live: readonly string[] },
): Promise<void> {
  const { code, stdout } = await call('run', '--offline', '--quiet', ...options);
  const offline = { code, told: stdout.replaceAll(/\s+/g, ' ') };
  expect(offline).toEqual({ code: CODES[does], told: expect.stringMatching(told) });
  const once = ['--runs', '1', '--gate', 'every-run', '--set', 'compare.strictness=wording', '--output-dir', 'live'];
  const asked = await call('run', '--quiet', ...once, ...options, ...live);
  const there = await firstIn(path.join(folder, 'live'));
  if (does === 'model') {
    for (const { cause } of there.values()) expect(cause.kind).toBe('agent');
    return;
  }
  // A trace that may go on is no divergence where nobody counts what the model has answered.
  if (does === 'code' && asked.stdout.includes('TRACE_INCOMPLETE')) return;
  expect(asked).toMatchObject({ code: CODES[does] });
  expect(placesOf(await firstIn(path.join(folder, '.agent-replay')))).toEqual(placesOf(there));
}

/** Where the first turn of each session that differs does, by its id, and why. */
async function firstIn(folder: string) {
  const { results } = parseReport(await readFile(path.join(folder, 'report.json'), 'utf8'), 'report.json');
  return new Map(
    results.sessions.flatMap(({ id, turns }) => {
      const turn = turns.find(({ comparison }) => comparison.divergence !== null);
      const { divergence } = turn?.comparison ?? {};
      return turn === undefined || !divergence ? [] : [[id, { turn: turn.turn, ...divergence }] as const];
    }),
  );
}

function placesOf(first: Awaited<ReturnType<typeof firstIn>>): unknown[] {
  return [...first].map(([id, { turn, recordedStep, replayedStep }]) => [id, turn, recordedStep ?? replayedStep]);
}
