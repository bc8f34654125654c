import { randomUUID } from 'node:crypto';
import { saveState } from '@actions/core';
import { attempt } from './outputs.ts';

/**
 * By this variable, which everything that comes from us inherits, the post step finds what should have ended. Set before
 * anything can fail: without it the post step would take itself for the main step.
 */
export function rememberJob(): void {
  const id = randomUUID();
  process.env.AGENT_REPLAY_JOB_ID = id;
  // Where the file cannot be written, the older way still works.
  attempt('the state', () => {
    try {
      saveState('jobId', id);
    } catch (error) {
      console.log(`::save-state name=jobId::${id}`);
      throw error;
    }
  });
}
