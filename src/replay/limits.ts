import { Budget, type CostMeter } from './budget.ts';
import type { ReplayOptions } from './options.ts';

/** What replays may do together: how many calls are in flight at once, how many are made in all, and what they cost. */
export class ReplayLimits {
  readonly budget: Budget;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** @param meter needed where `maxCost` is set: without it nothing is known of costs */
  constructor({ workers, ...most }: Pick<ReplayOptions, 'workers' | 'maxCalls' | 'maxCost'>, meter?: CostMeter) {
    this.#free = workers;
    this.budget = new Budget(most, meter);
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
