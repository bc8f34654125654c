import { CallBudget } from './attempts.ts';
import type { ReplayOptions } from './options.ts';

/** What replays may do together: how many calls are in flight at once, and how many are made in all. */
export class ReplayLimits {
  readonly calls: CallBudget;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor({ workers, maxCalls }: Pick<ReplayOptions, 'workers' | 'maxCalls'>) {
    this.#free = workers;
    this.calls = new CallBudget(maxCalls);
  }

  /** Does something as one of the workers, once one is free; first come, first served. */
  async work<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      // Handed on to the next in line, so that nobody can come between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
