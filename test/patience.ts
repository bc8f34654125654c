/**
 * The limit after which a test gives up; the message says what it saw. Nothing that works comes near it on any machine,
 * so no test depends on the clock.
 */
export const PATIENCE_MS = 300_000;

export function patience(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MS);
}

/**
 * Repeats what must happen within a time that the test sets, with four times as much time after each failure, so that a
 * busy machine changes nothing. If it never happens, the test asserts the last result, and is red.
 */
export async function withinTime<T>(
  firstMs: number,
  attempt: (ms: number) => Promise<T>,
  happened: (result: T) => boolean,
): Promise<T> {
  for (let ms = firstMs; ; ms *= 4) {
    const result = await attempt(ms);
    if (happened(result) || 4 * ms > PATIENCE_MS / 4) return result;
  }
}

/**
 * How long to wait for something that must not happen, beside something that does happen and so shows that the time was
 * enough.
 */
export const IN_VAIN_MS = 2_000;
