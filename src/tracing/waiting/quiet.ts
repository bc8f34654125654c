import type { Clock } from './clock.ts';
import type { Patience } from './whole.ts';

/** The next gap may be this many times as long as a seen one. */
const GAP_MARGIN = 1.5;

/** Knows when a receiver is quiet, and which requests are being read. */
export class Quiet {
  readonly #patience: Patience;
  readonly #clock: Clock;
  readonly #seenMs: () => number;
  readonly #receiving = new Set<number>();
  readonly #held = new Map<() => void, number>();
  #begun = 0;

  /** @param seenMs the longest gap within a trace so far: from its response or its last span to the next span */
  constructor(patience: Patience, clock: Clock, seenMs: () => number) {
    this.#patience = patience;
    this.#clock = clock;
    this.#seenMs = seenMs;
  }

  /** After a trace that lacks nothing: the quiet time, or longer if this agent's gaps were longer. */
  get quietMs(): number {
    const { quietMs, settleMs } = this.#patience;
    return Math.max(quietMs, Math.min(settleMs, GAP_MARGIN * this.#seenMs()));
  }

  get settleMs(): number {
    return this.#patience.settleMs;
  }

  /** Whether a request is being read. */
  get isReceiving(): boolean {
    return this.#receiving.size > 0;
  }

  /**
   * Resolves when nothing has arrived for this many milliseconds, or longer if this agent's gaps were longer.
   * @param lastAt time of the last arrival, by the clock
   */
  async untilSilent(lastAt: () => number, ms: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = lastAt() + Math.max(ms, this.quietMs) - this.#clock.now();
      if (signal.aborted || leftMs <= 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const callOff = this.after(leftMs, resolve);
      const onAbort = (): void => resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      await promise;
      signal.removeEventListener('abort', onAbort);
      callOff();
    }
  }

  /** A request has begun to arrive. @returns reports that it was read */
  receiving(): () => void {
    const number = ++this.#begun;
    this.#receiving.add(number);
    return () => {
      this.#receiving.delete(number);
      const oldest = Math.min(...this.#receiving);
      for (const [over, last] of this.#held) {
        if (oldest <= last) continue;
        this.#held.delete(over);
        over();
      }
    };
  }

  /**
   * Calls back after this many milliseconds, and once all requests that had begun by then are read: a large one takes
   * longer than the quiet time. One that never ends holds it only as long as what may never come. @returns cancels it
   */
  after(ms: number, over: () => void): () => void {
    const calledOff = new AbortController();
    const sleep = (forMs: number, then: () => void): void => {
      this.#clock.sleep(forMs, calledOff.signal).then(then, () => {});
    };
    const letGo = (): void => {
      if (this.#held.delete(over)) over();
    };
    const check = (): void => {
      if (calledOff.signal.aborted) return;
      this.#held.set(over, this.#begun);
      if (this.#receiving.size === 0) letGo();
      else sleep(this.settleMs, letGo);
    };
    // In a busy process, requests that have arrived may be unread, because timers run first.
    sleep(Math.max(0, ms), () => setImmediate(() => setImmediate(check)));
    return () => {
      calledOff.abort();
      this.#held.delete(over);
    };
  }
}
