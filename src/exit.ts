/**
 * Exit codes of everything of ours that ends a process. `error`: could not tell, or wrong use. A signal is 128 plus its
 * number, as in shells.
 */
export const EXIT = { passed: 0, diverged: 1, error: 2, SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Shown when a process ends before our code is done: the user's code ended it, or never answers. */
export const ENDED_EARLY =
  'The process ended before its work was done: code of the configuration called process.exit, or waits for something that never happens.';

/**
 * Until `over` is called, any exit of the process counts as an error: ending early must not pass. Exit codes of signals are
 * kept.
 * @param tell synchronous; by default writes to standard error
 */
export function expectEnd(tell: () => void = tellOnStderr): { over(): void } {
  const onExit = (code: number) => {
    if (code > LAST_OF_OURS) return;
    tell();
    process.exitCode = EXIT.error;
  };
  process.once('exit', onExit);
  return { over: () => process.off('exit', onExit) };
}

function tellOnStderr(): void {
  process.stderr.write(`error: ${ENDED_EARLY} (CONFIG_INVALID)\n`);
}

/** Larger codes come from signals only. */
const LAST_OF_OURS = 128;
