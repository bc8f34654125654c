import type { Config } from '../src/rims.ts';
import type { WorkflowEvent } from './event.ts';

/** Behind a name, as git has it: the last commit in common with what is checked out. */
const COMMON = '...';

/**
 * What a run is judged against. The workflow names it; an event says no more than which commit of it: on a pull request
 * the last one in common, in a merge queue the one that the queue builds on, on a schedule none.
 */
export function baseOn(
  { name, mergeGroup, dispatchedFor }: Pick<WorkflowEvent, 'name' | 'mergeGroup' | 'dispatchedFor'>,
  { base }: Pick<Config, 'base'>,
): string | undefined {
  if (base === undefined || WITHOUT.has(name)) return undefined;
  if (name === 'merge_group') return mergeGroup?.base ?? base;
  const isOfPull = name === 'pull_request' || dispatchedFor !== undefined;
  return isOfPull && !base.endsWith(COMMON) ? base + COMMON : base;
}

/** Nothing has changed there, or the code of a stranger would be started with the secrets of the repository. */
const WITHOUT: ReadonlySet<string> = new Set(['schedule', 'pull_request_target', 'workflow_run', 'issue_comment']);
