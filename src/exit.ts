/**
 * How everything of ours that has an exit code ends. `error`: it could not be told, or the command was used wrongly.
 * Of a signal it is 128 plus its number, as shells say it.
 */
export const EXIT = { passed: 0, diverged: 1, error: 2, SIGINT: 130, SIGTERM: 143 } as const;
