import { sleep } from '../../bounded/index.ts';

/** The clock of all waiting, so that tests can play arrivals without waiting. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** @throws the signal's reason when it is aborted */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Monotonic: unaffected if somebody sets the machine's clock. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep,
};
