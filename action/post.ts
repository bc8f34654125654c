import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { warning } from '@actions/core';
import { endingIn, sleep } from '../src/rims.ts';
import { lastOf, type Section } from './board.ts';
import { type Inputs, soundInputs } from './inputs.ts';
import type { Kept } from './remember.ts';

/** Nobody waits for the comment here, so it must not hold up the job. */
const BUDGET_MS = 20_000;
/** How long it is tried again to replace "replaying". Most limits of GitHub end within a minute. */
const LAST_WORD_MS = 60_000;
const PAUSE_MS = 15_000;

/**
 * The post step: ends what is left of the agent, and looks again at the comment of the main step. @returns the exit code
 */
export async function post(jobId: string, env: NodeJS.ProcessEnv): Promise<number> {
  await sweep(jobId);
  const inputs = soundInputs({ ...env });
  if (env.STATE_told) await lookAgain(env.STATE_told, inputs).catch(() => {});
  return 0;
}

/**
 * Tells the same once more. Two jobs may have written at the same time while GitHub's list or its edit history showed
 * neither; a step that was cancelled or killed has left no result, which is said; and the runner evaluates the inputs
 * again, so that `report-url` may now name what a later step has uploaded. A failure is ignored, because the next run looks, too,
 * unless the comment would go on saying that the step replays.
 */
async function lookAgain(kept: string, { token, reportUrl }: Inputs): Promise<void> {
  const { told, places, isOpen }: Kept = JSON.parse(kept.startsWith('{') ? kept : await readFile(kept, 'utf8'));
  if (token === undefined) return;
  const section = ended({ ...told.section, ...(reportUrl !== undefined && { reportUrl }) });
  const { commentOn } = await import('./comment.ts');
  const last = endingIn(LAST_WORD_MS);
  for (;;) {
    const signal = isOpen ? new AbortController().signal : endingIn(BUDGET_MS);
    const { trouble, places: shown } = await commentOn({ ...told, section }, { token, signal, places });
    if (!isOpen || trouble === undefined || shown !== undefined) return;
    if (last.aborted) return warning(`${trouble} ${STANDS}`, { title: 'agent-replay' });
    await sleep(PAUSE_MS);
  }
}

const STANDS = 'It may say for ever that this run replays: run the job again when GitHub answers.';

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
  const own = `AGENT_REPLAY_JOB_ID=${jobId}`;
  const killed = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = listProcesses().filter((id) => id !== process.pid && variablesOf(id).includes(own));
    if (left.length === 0) break;
    for (const id of left) if (kill(id)) killed.add(id);
    await sleep(ROUND_MS);
  }
  if (killed.size > 0) console.log(`agent-replay ended what the agent had left running (processes: ${killed.size}).`);
}

const listProcesses = () => tried(() => readdirSync('/proc').map(Number).filter(Number.isInteger), []);
const variablesOf = (id: number) => tried(() => readFileSync(`/proc/${id}/environ`, 'latin1').split('\0'), []);
const kill = (id: number) => tried(() => process.kill(id, 'SIGKILL'), false);

/** A process may have ended in the meantime, or belong to another user. */
function tried<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
