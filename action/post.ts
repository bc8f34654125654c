import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { endingIn, sleep } from '../src/rims.ts';
import { lastOf, type Section } from './board.ts';
import { type Inputs, soundInputs } from './inputs.ts';
import type { Kept } from './remember.ts';

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

/** A process can start another one while we look. */
const MAX_ROUNDS = 50;
const ROUND_MS = 20;

/**
 * Kills every process that the main step left. It knows them by a variable that all of them inherited, so that it can
 * hit no other process. Works only where the system shows environments (Linux); elsewhere the agent's watchdog has to
 * suffice.
 */
async function sweep(jobId: string): Promise<void> {
  const killed = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = listProcesses().filter((id) => isOf(id, jobId));
    if (left.length === 0) break;
    for (const id of left) if (kill(id)) killed.add(id);
    await sleep(ROUND_MS);
  }
  if (killed.size > 0) console.log(`agent-replay ended what the agent had left running (processes: ${killed.size}).`);
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function isOf(id: number, jobId: string): boolean {
  if (id === process.pid) return false;
  try {
    return readFileSync(`/proc/${id}/environ`, 'latin1').split('\0').includes(`AGENT_REPLAY_JOB_ID=${jobId}`);
  } catch {
    // The process has ended in the meantime, or belongs to another user.
    return false;
  }
}

function kill(id: number): boolean {
  try {
    process.kill(id, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
