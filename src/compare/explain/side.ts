import type { KeyedStep } from '../keys/keys.ts';
import { Calls } from './calls.ts';

/** The steps of one of two runs. */
export class Side {
  readonly calls: Calls;
  readonly steps: readonly KeyedStep[];
  readonly #byNumber: ReadonlyMap<number, KeyedStep>;
  #tools: ReadonlySet<string | undefined> | undefined;

  constructor(steps: readonly KeyedStep[]) {
    this.steps = steps;
    this.calls = new Calls(steps);
    this.#byNumber = new Map(steps.map((step) => [step.number, step]));
  }

  step(number: number | null): KeyedStep | undefined {
    return number === null ? undefined : this.#byNumber.get(number);
  }

  has(step: KeyedStep): boolean {
    return this.#byNumber.get(step.number) === step;
  }

  callsTool(name: string | undefined): boolean {
    this.#tools ??= new Set(this.steps.filter(({ kind }) => kind === 'call').map((step) => step.name));
    return this.#tools.has(name);
  }
}
