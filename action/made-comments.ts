import { saveState } from '@actions/core';
import { z } from 'zod';
import { lookAgain, type MadeComment } from './comment.ts';
import { attempt } from './outputs.ts';

/** Name in the state of a step; its post step gets it as `STATE_comments`. */
const STATE = 'comments';
/** The time for this. Nobody waits for it, so it must not hold up the job. */
const BUDGET_MS = 20_000;

const kept: MadeComment[] = [];

/** Keeps the id that GitHub gave to a new comment, for the post step. */
export function keepMade(made: MadeComment): void {
  kept.push(made);
  attempt('the state', () => saveState(STATE, JSON.stringify(kept)));
}

const made = z.array(
  z.object({
    repository: z.string(),
    pull: z.int(),
    key: z.string(),
    id: z.int(),
    group: z.string().optional(),
  }),
);

/**
 * Checks again the comments that the main step made, in the post step. Another job may have made one of the same key at
 * the same time, while GitHub's list showed neither. A failure here is ignored, because the next run checks, too.
 */
export async function lookAtMade(state: string, token: string, env: NodeJS.ProcessEnv): Promise<void> {
  const signal = AbortSignal.timeout(BUDGET_MS);
  for (const each of made.parse(JSON.parse(state))) await lookAgain(each, { token, env, signal });
}
