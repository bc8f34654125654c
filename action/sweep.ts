import { readdirSync, readFileSync } from 'node:fs';
import { sleep } from '../src/rims.ts';

/** A process can start another one while we look. */
const MAX_ROUNDS = 50;
const ROUND_MS = 20;

/**
 * Kills every process that the main step left. It knows them by a variable that all of them inherited, so that it can
 * hit no other process. Works only where the system shows environments (Linux); elsewhere the agent's watchdog has to
 * suffice.
 */
export async function sweep(jobId: string): Promise<void> {
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
