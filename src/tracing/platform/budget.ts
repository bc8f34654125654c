import type { Clock } from './clock.ts';

const MINUTE_MS = 60_000;

/** Why nothing is read at the moment. */
export interface ReadDelay {
  /** Reads that the server allows; undefined when it has only said to wait. */
  readonly perMinute: number | undefined;
  /** Until all that wait now have been made, in milliseconds. */
  readonly aboutMs: number;
}

/** `the tracing platform allows 30 reads a minute: about 90 s more`. */
export function delayNote({ perMinute, aboutMs }: ReadDelay): string {
  const limit = perMinute === undefined ? 'has asked to wait' : `allows ${perMinute} reads a minute`;
  return `the tracing platform ${limit}: about ${Math.ceil(aboutMs / 1_000)} s more`;
}

/** A shorter wait is not worth a word. */
const TOLD_FROM_MS = 5_000;
/** A wait that goes on is reported again after this long. */
const TOLD_AGAIN_MS = 30_000;

/** How many reads may be made. Unlimited until a limit is known; then never more than that in any minute. */
export class ReadBudget {
  readonly #clock: Clock;
  #perMinute: number | undefined;
  #recent: number[] = [];
  #notBefore = 0;
  #made = 0;
  #waiting = 0;
  #delayedMs = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  readonly #onDelay: ((delay: ReadDelay) => void) | undefined;

  /** @param onDelay called when reads wait for seconds, and again while that lasts */
  constructor(clock: Clock, perMinute: number | undefined, onDelay?: (delay: ReadDelay) => void) {
    this.#clock = clock;
    this.#perMinute = perMinute;
    this.#onDelay = onDelay;
  }

  /** Reads that may be made in a minute; undefined when no limit is known. */
  get perMinute(): number | undefined {
    return this.#perMinute;
  }

  /** How long reads have had to wait so far, those that waited together counted once, in milliseconds. */
  get delayedMs(): number {
    return this.#delayedMs;
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
    this.#waiting++;
    try {
      // Those that are asked for together wait together: how long is said of all of them.
      if (this.#waitMs(1) > 0) await Promise.resolve();
      for (;;) {
        signal.throwIfAborted();
        const wait = this.#waitMs(1);
        if (wait <= 0) break;
        this.#tell();
        const isFirst = this.#waiting === 1;
        await this.#clock.sleep(wait, signal);
        if (isFirst) this.#delayedMs += wait;
      }
    } finally {
      this.#waiting--;
    }
    this.#made++;
    this.#recent.push(this.#clock.now());
  }

  #tell(): void {
    const now = this.#clock.now();
    const aboutMs = this.#waitMs(this.#waiting);
    if (aboutMs < TOLD_FROM_MS || now - this.#toldAt < TOLD_AGAIN_MS) return;
    this.#toldAt = now;
    this.#onDelay?.({ perMinute: this.#perMinute, aboutMs });
  }

  /** Until so many more reads may have been made. */
  #waitMs(reads: number): number {
    const now = this.#clock.now();
    this.#recent = this.#recent.filter((at) => at > now - MINUTE_MS);
    const paused = this.#notBefore - now;
    const limit = this.#perMinute ?? Number.POSITIVE_INFINITY;
    // A read that comes `limit` places after another may be made a minute after it.
    let place = this.#recent.length + reads - 1 - limit;
    if (place < 0) return Math.max(paused, 0);
    let minutes = 1;
    for (; place >= this.#recent.length; place -= limit) minutes++;
    return Math.max(paused, (this.#recent[place] ?? now) + minutes * MINUTE_MS - now);
  }
}
