import { setTimeout as sleep } from 'node:timers/promises';

/** Time as the poller sees it, so that a recorded timeline can be lived through at once. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** @throws the signal's reason when it is aborted */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** It goes on evenly when somebody sets the clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
