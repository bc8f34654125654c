import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import type { PlantedEdit } from './edits.ts';
import type { copyOf } from './project.ts';

const CODES = { nothing: 0, code: 1, model: 2 };

/**
 * An edited agent is judged offline, and then with a model that always says the same: whatever the edit changes in a run
 * shows there, and first in the same places.
 */
export async function expectJudged(
  { path: folder, call }: Awaited<ReturnType<typeof copyOf>>,
  [, does, , told = /as recorded/]: PlantedEdit,
  { options = [], live }: { options?: readonly string[]; live: readonly string[] },
): Promise<void> {
  const { code, stdout } = await call('run', '--offline', '--quiet', ...options);
  const offline = { code, told: stdout.replaceAll(/\s+/g, ' ') };
  expect(offline).toEqual({ code: CODES[does], told: expect.stringMatching(told) });
  if (does === 'model') return;
  const once = ['--runs', '1', '--gate', 'every-run', '--set', 'compare.strictness=wording', '--output-dir', 'live'];
  const asked = await call('run', '--quiet', ...once, ...options, ...live);
  // A trace that may go on is no divergence where nobody counts what the model has answered.
  if (does === 'code' && asked.stdout.includes('TRACE_INCOMPLETE')) return;
  expect(asked).toMatchObject({ code: CODES[does] });
  expect(await placesIn(path.join(folder, '.agent-replay'))).toEqual(await placesIn(path.join(folder, 'live')));
}

/** Where the first turn of each session that differs does, by its id. */
async function placesIn(folder: string): Promise<Map<string, unknown>> {
  const { results } = parseReport(await readFile(path.join(folder, 'report.json'), 'utf8'), 'report.json');
  return new Map(
    results.sessions.flatMap(({ id, turns }) => {
      const turn = turns.find(({ comparison }) => comparison.divergence !== null);
      const { recordedStep, replayedStep } = turn?.comparison.divergence ?? {};
      return turn === undefined ? [] : [[id, [turn.turn, recordedStep ?? replayedStep]] as const];
    }),
  );
}
