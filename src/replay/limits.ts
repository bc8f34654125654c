import { Budget, type CostMeter, type Limits } from './budget.ts';
import type { ReplayOptions } from './replay-options.ts';

/** What replays share: how many calls are in flight at once, how many are made in total, and what they may cost. */
export class ReplayLimits {
  readonly budget: Budget;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** @param meter required with `maxCost`: without it costs are unknown */
  constructor({ workers, ...most }: Limits & Pick<ReplayOptions, 'workers'>, meter?: CostMeter) {
    this.#free = workers;
    this.budget = new Budget(most, meter);
  }

  /** Runs a task as one of the workers, once one is free. First come, first served. */
  async work<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      // Passed on directly to the next in line, so that nobody can jump the queue.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
