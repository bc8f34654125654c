/**
 * Processes items, a few at a time, and yields their results in the order of the items. Holds no more results than are
 * being worked on.
 */
export async function* inOrder<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  for (const item of items) {
    const result = work(item);
    // It is awaited below; without this, a failure before that would count as unhandled.
    result.catch(() => {});
    running.push(result);
    if (running.length >= atOnce) yield (await running.shift()) as Result;
  }
  for (const result of running) yield await result;
}
