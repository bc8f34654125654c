import type { KeyedStep } from '../keys/keys.ts';
import { callsWithOutcomes } from '../steps/calls.ts';

/** The calls of one side, each with its outcome. */
export class Calls {
  readonly #callOf = new Map<KeyedStep, KeyedStep>();
  readonly #outcomeOf = new Map<KeyedStep, KeyedStep>();
  readonly #before = new Map<KeyedStep, KeyedStep>();
  readonly #times = new Map<string, number>();
  readonly #timesOfTool = new Map<string | undefined, number>();

  constructor(steps: readonly KeyedStep[]) {
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

  callOf(outcome: KeyedStep): KeyedStep | undefined {
    return this.#callOf.get(outcome);
  }

  outcomeOf(call: KeyedStep): KeyedStep | undefined {
    return this.#outcomeOf.get(call);
  }

  before(call: KeyedStep): KeyedStep | undefined {
    return this.#before.get(call);
  }

  /** How often this side makes exactly this call. */
  timesOf({ exact }: KeyedStep): number {
    return this.#times.get(exact) ?? 0;
  }

  timesOfTool({ name }: KeyedStep): number {
    return this.#timesOfTool.get(name) ?? 0;
  }
}
