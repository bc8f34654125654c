import { readFile } from 'node:fs/promises';
import { endingIn } from '../src/rims.ts';
import { lastOf, type Section } from './board.ts';
import { type Inputs, soundInputs } from './inputs.ts';
import type { Kept } from './remember.ts';
import { sweep } from './sweep.ts';

/** Nobody waits for the comment here, so it must not hold up the job. */
const BUDGET_MS = 20_000;

/**
 * The post step: ends what is left of the agent, and looks again at the comment of the main step. @returns the exit code
 */
export async function post(jobId: string, env: NodeJS.ProcessEnv): Promise<number> {
  await sweep(jobId);
  const inputs = soundInputs({ ...env });
  if (env.STATE_told !== undefined) await lookAgain(env.STATE_told, inputs, env).catch(() => {});
  return 0;
}

/**
 * Tells the same once more. Two jobs may have written at the same time while GitHub's list or its edit history showed
 * neither; a step that was cancelled or killed has left no result, which is said; and the runner evaluates the inputs
 * again, so that `report-url` may now name what a later step has uploaded. A failure here is ignored, because the next run
 * looks, too.
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
