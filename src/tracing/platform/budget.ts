import type { Clock } from '../waiting/clock.ts';

const MINUTE_MS = 60_000;

/** Why no read is made at the moment. */
export interface ReadDelay {
  /** Reads per minute that the server allows; undefined if it only said to wait. */
  readonly perMinute: number | undefined;
  /** Milliseconds until all waiting reads have been made. */
  readonly aboutMs: number;
  /** It does not answer, and is asked again for so long. */
  readonly isAway?: boolean;
}

/** `the tracing platform allows 30 reads a minute: about 90 s more`. */
export function delayNote({ perMinute, aboutMs, isAway }: ReadDelay): string {
  if (isAway) return `the tracing platform is not available: it is tried for ${Math.ceil(aboutMs / 1_000)} s more`;
  const limit = perMinute === undefined ? 'has asked to wait' : `allows ${perMinute} reads a minute`;
  return `the tracing platform ${limit}: about ${Math.ceil(aboutMs / 1_000)} s more`;
}

/** A shorter wait is not reported. */
const TOLD_FROM_MS = 5_000;
/** A longer wait is reported again after this time. */
const TOLD_AGAIN_MS = 30_000;

export type ReadCount = Pick<ReadBudget, 'made' | 'paceMs' | 'delayedMs' | 'perMinute'>;

/** The number of allowed reads. Unlimited until a limit is known; then no minute has more. */
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

  /** Reads allowed per minute; undefined if no limit is known. */
  get perMinute(): number | undefined {
    return this.#perMinute;
  }

  /** How long reads have waited so far, in milliseconds. Reads that waited together count once. */
  get delayedMs(): number {
    return this.#delayedMs;
  }

  get made(): number {
    return this.#made;
  }

  /** The interval in milliseconds that uses half of the budget and leaves the other half for reading traces whole. */
  get paceMs(): number {
    return this.#perMinute === undefined ? 0 : (2 * MINUTE_MS) / this.#perMinute;
  }

  limitTo(perMinute: number): void {
    this.#perMinute = Math.max(1, Math.floor(perMinute));
  }

  /** Makes no read for this long, because the server asked for it. */
  pauseFor(ms: number): void {
    this.#notBefore = Math.max(this.#notBefore, this.#clock.now() + ms);
  }

  /** Waits until one more read may be made, and counts it. */
  async take(signal: AbortSignal): Promise<void> {
    this.#waiting++;
    try {
      // So that reads requested together are reported together.
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

  /** Milliseconds until this many more reads may have been made. */
  #waitMs(reads: number): number {
    const now = this.#clock.now();
    this.#recent = this.#recent.filter((at) => at > now - MINUTE_MS);
    const paused = this.#notBefore - now;
    const limit = this.#perMinute ?? Number.POSITIVE_INFINITY;
    // A read may be made a minute after the one `limit` places before it.
    let place = this.#recent.length + reads - 1 - limit;
    if (place < 0) return Math.max(paused, 0);
    let minutes = 1;
    for (; place >= this.#recent.length; place -= limit) minutes++;
    return Math.max(paused, (this.#recent[place] ?? now) + minutes * MINUTE_MS - now);
  }
}
