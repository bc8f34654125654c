import { saveState } from '@actions/core';
import { z } from 'zod';
import { lookAgain, type MadeComment } from './comment.ts';
import { attempt } from './outputs.ts';

/** In the state of a step, which its post step is given as `STATE_comments`. */
const STATE = 'comments';
/** Nobody waits for it, and a job should not either. */
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
 * What the post step does about the comments that its main step made: another job may have made one of the same key at the same
 * time, while GitHub's lists showed neither. Trouble with it is nobody's: the next run looks, too.
 */
export async function lookAtMade(state: string, token: string, env: NodeJS.ProcessEnv): Promise<void> {
  const signal = AbortSignal.timeout(BUDGET_MS);
  for (const each of made.parse(JSON.parse(state))) await lookAgain(each, { token, env, signal });
}
