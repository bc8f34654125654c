/**
 * Does work for many things, some at a time, and brings the results in the order of the things. Not more results are
 * held than are worked on.
 */
export async function* inOrder<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  for (const item of items) {
    const result = work(item);
    // It is awaited below; until then it may fail without anybody listening.
    result.catch(() => {});
    running.push(result);
    if (running.length >= atOnce) yield (await running.shift()) as Result;
  }
  for (const result of running) yield await result;
}
