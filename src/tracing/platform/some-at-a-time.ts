import { CONNECTIONS } from './connection.ts';

/** Works on each, some at a time, and brings the results in their order; no more are held than are worked on. */
export async function* someAtATime<One, Result>(
  all: readonly One[],
  work: (one: One) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  for (const one of all) {
    const result = work(one);
    // It is awaited below; until then it may fail without anybody listening.
    result.catch(() => {});
    running.push(result);
    if (running.length >= CONNECTIONS) yield (await running.shift()) as Result;
  }
  for (const result of running) yield await result;
}
