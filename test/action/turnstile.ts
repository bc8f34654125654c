/**
 * Lets the requests of several runs through one at a time, in a given order, as soon as each run waits with a request
 * or is over.
 */
export function turnstile(choices: readonly number[]) {
  const waiting: (() => void)[] = [];
  let running = 0;
  let turn = 0;
  const next = () => {
    if (waiting.length === 0 || waiting.length < running) return;
    const [pass] = waiting.splice((choices[turn++ % choices.length] ?? 0) % waiting.length, 1);
    pass?.();
  };
  return {
    pass: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        next();
      }),
    run: async <T>(work: () => Promise<T>): Promise<T> => {
      running++;
      try {
        return await work();
      } finally {
        running--;
        next();
      }
    },
  };
}
