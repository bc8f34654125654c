import { setTimeout as sleep } from 'node:timers/promises';

/** The poller's clock, so that tests can play a recorded timeline without waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** @throws the signal's reason when it is aborted */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Monotonic: unaffected if somebody sets the machine's clock. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
