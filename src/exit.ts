/**
 * How everything of ours that has an exit code ends. `error`: it could not be told, or the command was used wrongly.
 * Of a signal it is 128 plus its number, as shells say it.
 */
export const EXIT = { passed: 0, diverged: 1, error: 2, SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** What is told of a process that did not come to its end: then code of the user's has ended it, or never answers. */
export const ENDED_EARLY =
  'The process ended before its work was done: code of the configuration called process.exit, or waits for something that never happens.';

/**
 * Until `over` is called the process has not come to its end, whatever exit code it is given: to end before is no pass.
 * The exit code of a signal stands.
 * @param tell synchronously; by default on standard error
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

/** Shells give greater ones to signals, alone. */
const LAST_OF_OURS = 128;
