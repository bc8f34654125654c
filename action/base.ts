import type { Config } from '../src/rims.ts';
import { PRIVILEGED_EVENTS, type WorkflowEvent } from './event.ts';

/** Follows the name, as in git (`main...`): the last commit in common with the checked-out one. */
const COMMON = '...';

/**
 * Decides which commit a run is judged against. The workflow names the branch. The event only selects the commit: on a
 * pull request the last one in common, in a merge queue the one that the queue builds on, on a schedule none.
 */
export function baseOn(
  { name, mergeGroup, dispatchedFor }: Pick<WorkflowEvent, 'name' | 'mergeGroup' | 'dispatchedFor'>,
  { base }: Pick<Config, 'base'>,
): string | undefined {
  // On a schedule nothing has changed, and elsewhere a stranger's code would be started with the secrets.
  if (base === undefined || name === 'schedule' || PRIVILEGED_EVENTS.has(name)) return undefined;
  if (name === 'merge_group') return mergeGroup?.base ?? base;
  const isOfPull = name === 'pull_request' || dispatchedFor !== undefined;
  return isOfPull && !base.endsWith(COMMON) ? base + COMMON : base;
}
