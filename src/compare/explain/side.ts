import type { KeyedStep } from '../keys/keys.ts';
import { callsWithOutcomes } from '../steps/calls.ts';

/** The steps of one of two runs, and its calls, each with its outcome. */
export class Side {
  readonly steps: readonly KeyedStep[];
  readonly #byNumber: ReadonlyMap<number, KeyedStep>;
  readonly #callOf = new Map<KeyedStep, KeyedStep>();
  readonly #outcomeOf = new Map<KeyedStep, KeyedStep>();
  readonly #before = new Map<KeyedStep, KeyedStep>();
  readonly #times = new Map<string, number>();
  readonly #timesOfTool = new Map<string | undefined, number>();

  constructor(steps: readonly KeyedStep[]) {
    this.steps = steps;
    this.#byNumber = new Map(steps.map((step) => [step.number, step]));
    let last: KeyedStep | undefined;
    for (const { call, outcome } of callsWithOutcomes(steps)) {
      if (outcome !== undefined) {
        this.#callOf.set(outcome, call);
        this.#outcomeOf.set(call, outcome);
      }
      if (last !== undefined) this.#before.set(call, last);
      last = call;
      this.#times.set(call.exact, this.timesOf(call) + 1);
      this.#timesOfTool.set(call.name, this.timesOfTool(call) + 1);
    }
  }

  step(number: number | null): KeyedStep | undefined {
    return number === null ? undefined : this.#byNumber.get(number);
  }

  has(step: KeyedStep): boolean {
    return this.#byNumber.get(step.number) === step;
  }

  callOf(outcome: KeyedStep | undefined): KeyedStep | undefined {
    return outcome && this.#callOf.get(outcome);
  }

  outcomeOf(call: KeyedStep | undefined): KeyedStep | undefined {
    return call && this.#outcomeOf.get(call);
  }

  /** The call before this one. */
  before(call: KeyedStep): KeyedStep | undefined {
    return this.#before.get(call);
  }

  /** How often this side makes exactly this call. */
  timesOf({ exact }: KeyedStep): number {
    return this.#times.get(exact) ?? 0;
  }

  timesOfTool({ name }: Pick<KeyedStep, 'name'>): number {
    return this.#timesOfTool.get(name) ?? 0;
  }
}

/** The recording and the replay. */
export interface Sides {
  readonly recorded: Side;
  readonly replayed: Side;
}
