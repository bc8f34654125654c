/** Length of the silence after which nothing more is expected, in milliseconds. */
export interface Patience {
  /** After the last span of a trace that lacks nothing, and after the response. */
  readonly quietMs: number;
  /**
   * If something is missing that may never come. Longer than 5 s, every SDK's default flush interval: a customer may have
   * kept it, or a tool may run in a service of its own.
   */
  readonly settleMs: number;
}

/** The next gap may be this many times as long as a seen one. */
const GAP_MARGIN = 1.5;

/** Knows when a receiver is quiet: which requests are being read, and how long its agent's gaps have been. */
export class Quiet {
  readonly #patience: Patience;
  readonly #receiving = new Set<number>();
  readonly #held = new Map<() => void, number>();
  #begun = 0;
  #longestGapMs = 0;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** After a trace that lacks nothing: the quiet time, or longer if this agent's gaps were longer. */
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

  /** A gap within one trace: from its response or its last span to the next span. */
  seenGap(ms: number): void {
    this.#longestGapMs = Math.max(this.#longestGapMs, ms);
  }

  /**
   * Resolves when nothing has arrived for this many milliseconds, or longer if this agent's gaps were longer.
   * @param lastAt time of the last arrival, by `performance`
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

  /** A request has begun to arrive; its content is known once it is read. @returns reports that it was read */
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
   * longer than the quiet time. @returns cancels it
   */
  after(ms: number, over: () => void): () => void {
    let immediate: NodeJS.Immediate | undefined;
    const check = (): void => {
      if (this.#receiving.size === 0) over();
      else this.#held.set(over, this.#begun);
    };
    const timer = setTimeout(
      () => {
        // In a busy process, requests that have arrived may be unread, because timers run first.
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
