import { readFile } from 'node:fs/promises';
import { endingIn } from '../src/rims.ts';
import { lastOf, type Section } from './board.ts';
import { type Inputs, soundInputs } from './inputs.ts';
import type { Kept } from './remember.ts';
import { sweep } from './sweep.ts';

const BUDGET_MS = 20_000;

/** Ends what is left of the agent, and looks again at the comment of the main step. */
export async function post(jobId: string, env: NodeJS.ProcessEnv): Promise<number> {
  await sweep(jobId);
  const inputs = soundInputs({ ...env });
  if (env.STATE_told !== undefined) await lookAgain(env.STATE_told, inputs, env).catch(() => {});
  return 0;
}

/**
 * Two jobs may have written at once while GitHub's list or edit history showed neither; a step that was cancelled or
 * killed has left no result; and `report-url` may now name what a later step has uploaded. The next run looks, too, so
 * a failure is ignored.
 */
async function lookAgain(file: string, { token, reportUrl }: Inputs, env: NodeJS.ProcessEnv): Promise<void> {
  const { told, places }: Kept = JSON.parse(await readFile(file, 'utf8'));
  if (token === undefined) return;
  const section = ended({ ...told.section, ...(reportUrl !== undefined && { reportUrl }) });
  const { commentOn } = await import('./comment.ts');
  const signal = endingIn(BUDGET_MS);
  await commentOn({ ...told, section }, { token, env, signal, places });
}

function ended(section: Section): Section {
  const run = lastOf(section);
  if (run.status !== 'pending') return section;
  return { ...section, runs: [{ ...run, status: 'interrupted' }], old: run.sha };
}
