import type { TestContext } from 'vitest';
import { askFor, isDoubtful, type ReplayHow, type WhichTurn } from './session.ts';
import type { Replayed } from './wire.ts';

/** The test that asks. */
type Task = TestContext['task'];

/** What the sessions of a test were found to do, by what was asked. */
const found = new WeakMap<Task, Map<string, Replayed>>();

/**
 * Has a session replayed for a matcher. What was found out holds for the retries of the test: another result in a second
 * try would make a flaky agent pass. Only what could not be told is replayed again. Repeats are replayed each.
 */
export async function askOnce(which: WhichTurn, how: ReplayHow | undefined, task: Task | undefined): Promise<Replayed> {
  const signal = task?.context.signal;
  if (task === undefined) return askFor(which, how, signal);
  const { retryCount = 0, repeatCount = 0 } = task.result ?? {};
  const known = found.get(task) ?? new Map<string, Replayed>();
  found.set(task, known);
  const key = JSON.stringify([repeatCount, which.id, which.turn, how]);
  const before = retryCount > 0 ? known.get(key) : undefined;
  if (before !== undefined) return before;
  const replayed = await askFor(which, how, signal);
  if (!isDoubtful(replayed)) known.set(key, replayed);
  return replayed;
}

/** Said where a failure stays one. */
export function retryNote(task: Task | undefined): string {
  return task?.result?.retryCount
    ? '\n(this is the result of the first try: a retry replays nothing, as it would hide a flaky agent)'
    : '';
}
