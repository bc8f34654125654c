/** Every wait of ours has an end: a time, or a signal that somebody ends. */

import { setTimeout as timer } from 'node:timers/promises';

/** Waits that long, in milliseconds. @throws an AbortError when the signal ends first */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return timer(ms, undefined, { signal });
}

/** Ends after that many milliseconds, or with the first of the signals. It keeps no process alive. */
export function endingIn(ms: number, ...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(ms), ...signals.filter((signal) => signal !== undefined)]);
}

/** What the work gives, unless the signal ends the wait. The work itself goes on. @throws the signal's reason */
export async function unlessEnded<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/**
 * The same for that many milliseconds, which keep the process alive. Undefined if they are over first.
 *
 * A process that was held up finds its timers over before it reads what came in the meantime, so that is read first.
 */
export async function within<T>(ms: number, work: PromiseLike<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const running = setTimeout(() => setImmediate(() => late.resolve(undefined)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(running);
  }
}
