/**
 * What never comes is given up after so long, and the message says what did come. On no machine is it reached by what works:
 * no promise is kept by a clock.
 */
export const PATIENCE_MS = 300_000;

export function patience(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MS);
}

/**
 * What is to happen within a time that the test sets, and takes the machine a while: four times as long each time it did not, so
 * that a busy machine changes nothing. What never happens has its last result asserted, and is red.
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

/** How long is waited for what never comes, beside what does come and so has time enough for it. */
export const IN_VAIN_MS = 2_000;
