import type { TestContext } from 'vitest';
import { type AskedHow, askFor, isDoubtful, type WhichTurn } from './session.ts';
import type { Replayed } from './wire.ts';

/** The asking test. */
type Task = TestContext['task'];

/** By what was asked. */
const found = new WeakMap<Task, Map<string, Replayed>>();

/**
 * Retries of a test get the same result: a second try could make an agent that varies pass. Only a doubtful session is
 * replayed again, and each repeat of a test replays.
 */
export async function askOnce(which: WhichTurn, how: AskedHow | undefined, task: Task | undefined): Promise<Replayed> {
  const signal = task?.context.signal;
  if (task === undefined) return askFor(which, how, signal);
  const { retryCount = 0, repeatCount = 0 } = task.result ?? {};
  const known = found.get(task) ?? new Map<string, Replayed>();
  found.set(task, known);
  const key = JSON.stringify([repeatCount, which.id, which.turn, how]);
  const before = retryCount > 0 ? known.get(key) : undefined;
  if (before !== undefined) return before;
  const replayed = await withTest(task, askFor(which, how, signal));
  if (!isDoubtful(replayed)) known.set(key, replayed);
  return replayed;
}

/** A test in which nobody awaits the matcher would be over, and pass, before anything is known: it waits, too. */
async function withTest<T>(task: { promises?: Promise<unknown>[] }, asked: Promise<T>): Promise<T> {
  task.promises ??= [];
  task.promises.push(asked);
  return asked.finally(() => {
    task.promises = task.promises?.filter((each) => each !== asked);
  });
}

/** Added to a failure that a retry does not change. */
export function retryNote(task: Task | undefined): string {
  return task?.result?.retryCount
    ? '\n(this is the result of the first try: a retry replays nothing, as it would hide an agent that varies)'
    : '';
}
