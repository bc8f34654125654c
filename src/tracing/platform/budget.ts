import type { Clock } from './clock.ts';

const MINUTE_MS = 60_000;

/** How many reads may be made. Unlimited until a limit is known; then never more than that in any minute. */
export class ReadBudget {
  readonly #clock: Clock;
  #perMinute: number | undefined;
  #recent: number[] = [];
  #notBefore = 0;
  #made = 0;

  constructor(clock: Clock, perMinute: number | undefined) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Reads made so far. */
  get made(): number {
    return this.#made;
  }

  /** The pace in milliseconds that uses half of the budget, so that the other half is left for reading traces whole. */
  get paceMs(): number {
    return this.#perMinute === undefined ? 0 : (2 * MINUTE_MS) / this.#perMinute;
  }

  limitTo(perMinute: number): void {
    this.#perMinute = Math.max(1, Math.floor(perMinute));
  }

  /** No read is made for this long: the server has asked for it. */
  pauseFor(ms: number): void {
    this.#notBefore = Math.max(this.#notBefore, this.#clock.now() + ms);
  }

  /** Waits until one more read may be made, and counts it. */
  async take(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const wait = this.#waitMs();
      if (wait <= 0) break;
      await this.#clock.sleep(wait, signal);
    }
    this.#made++;
    this.#recent.push(this.#clock.now());
  }

  #waitMs(): number {
    const now = this.#clock.now();
    this.#recent = this.#recent.filter((at) => at > now - MINUTE_MS);
    const paused = this.#notBefore - now;
    const limit = this.#perMinute ?? Number.POSITIVE_INFINITY;
    const oldest = this.#recent.length < limit ? undefined : this.#recent[this.#recent.length - limit];
    return Math.max(paused, oldest === undefined ? 0 : oldest + MINUTE_MS - now);
  }
}
