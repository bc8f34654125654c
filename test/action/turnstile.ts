/** Lets one request of several runs at a time through, in a given order, once each run has one or is over. */
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
