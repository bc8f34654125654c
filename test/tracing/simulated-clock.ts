import { setImmediate as soon } from 'node:timers/promises';
import type { Clock } from '../../src/tracing/waiting/clock.ts';

/** A clock on which things happen at their times, one after another, as fast as the machine allows. */
export class SimulatedClock implements Clock {
  readonly #start = Date.parse('2026-11-21T00:40:00.000Z');
  #elapsedMs = 0;
  #sleepers: { at: number; wake: () => unknown }[] = [];
  /** How often somebody slept, and how many do now. */
  sleeps = 0;
  asleep = 0;

  now(): number {
    return this.#start + this.#elapsedMs;
  }

  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.sleeps++;
    this.asleep++;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        this.asleep--;
        reject(signal.reason);
      };
      const wake = (): void => {
        signal.removeEventListener('abort', onAbort);
        this.asleep--;
        resolve();
      };
      const sleeper = this.at(this.#elapsedMs + ms, wake);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Something that happens at a time. */
  at(ms: number, wake: () => unknown): { at: number; wake: () => unknown } {
    const sleeper = { at: ms, wake };
    this.#sleepers.push(sleeper);
    return sleeper;
  }

  /**
   * Lets time pass until a promise is settled. @param isBusy whether somebody works now who will sleep again, such as a
   * poller that reads
   */
  async until<T>(promise: Promise<T>, isBusy: () => boolean = () => false): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    promise.then(over, over);
    for (;;) {
      for (let round = 0; round < 8; round++) await soon();
      while (isBusy() && !isOver) await soon();
      if (isOver) return promise;
      const next = this.#sleepers.reduce((first, each) => (each.at < first.at ? each : first));
      this.#sleepers = this.#sleepers.filter((each) => each !== next);
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at);
      await next.wake();
    }
  }
}
