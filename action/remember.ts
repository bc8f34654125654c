import { randomUUID } from 'node:crypto';
import { saveState } from '@actions/core';
import { attempt } from './outputs.ts';

/**
 * Sets a variable that all of our processes inherit, by which the post step finds processes that should have ended. It
 * comes first, because without it the post step would take itself for the main step.
 */
export function rememberJob(): void {
  const id = randomUUID();
  process.env.AGENT_REPLAY_JOB_ID = id;
  // If the file cannot be written, the log command still works.
  attempt('the state', () => {
    try {
      saveState('jobId', id);
    } catch (error) {
      console.log(`::save-state name=jobId::${id}`);
      throw error;
    }
  });
}
