/** How long nothing must come before nothing more is expected, in milliseconds. */
export interface Patience {
  /** After the last span of a trace that lacks nothing, and after the response. */
  readonly quietMs: number;
  /**
   * Where something may be missing that may as well never come. It is longer than 5 s, the flush interval that every
   * SDK has by default: a customer may have kept it, or a tool may run in a service of its own.
   */
  readonly settleMs: number;
}

/** A gap that was seen says how long the next one can be: with a margin. */
const GAP_MARGIN = 1.5;

/** Knows when a receiver is quiet: what is being received, and how long its agent's own gaps have been. */
export class Quiet {
  readonly #patience: Patience;
  readonly #receiving = new Set<number>();
  readonly #held = new Map<() => void, number>();
  #begun = 0;
  #longestGapMs = 0;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** After a trace that lacks nothing: the quiet time, or longer where this agent's gaps were longer. */
  get quietMs(): number {
    const { quietMs, settleMs } = this.#patience;
    return Math.max(quietMs, Math.min(settleMs, GAP_MARGIN * this.#longestGapMs));
  }

  get settleMs(): number {
    return this.#patience.settleMs;
  }

  /** Whether a request is being read. */
  get isReceiving(): boolean {
    return this.#receiving.size > 0;
  }

  /** A gap within one trace: between its response, or its last span, and what came next. */
  seenGap(ms: number): void {
    this.#longestGapMs = Math.max(this.#longestGapMs, ms);
  }

  /**
   * Resolves when nothing has come for so many milliseconds, or longer where this agent's gaps were longer.
   * @param lastAt when something came last, on the clock of `performance`
   */
  async untilSilent(lastAt: () => number, ms: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = lastAt() + Math.max(ms, this.quietMs) - performance.now();
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

  /** A request has begun to come in: what it brings is known when it has been read. @returns says that it has been */
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
   * Calls back after so many milliseconds, and once every request has been read that had begun by then: a large one takes
   * longer than the quiet time. @returns calls it off
   */
  after(ms: number, over: () => void): () => void {
    let immediate: NodeJS.Immediate | undefined;
    const check = (): void => {
      if (this.#receiving.size === 0) over();
      else this.#held.set(over, this.#begun);
    };
    const timer = setTimeout(
      () => {
        // In a busy process, requests that have arrived may still be unread, as timers go first.
        immediate = setImmediate(() => {
          immediate = setImmediate(check);
        });
      },
      Math.max(0, ms),
    );
    return () => {
      clearTimeout(timer);
      clearImmediate(immediate);
      this.#held.delete(over);
    };
  }
}
