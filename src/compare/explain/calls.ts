import type { Step } from '../steps/step.ts';
import type { KeyedStep } from '../values/keys.ts';

/** Every call of a run with its outcome, which may come after the steps of a sub-agent. */
export function callsWithOutcomes<S extends Step>(run: readonly S[]): { call: S; outcome: S | undefined }[] {
  const calls: { call: S; outcome: S | undefined }[] = [];
  const open: { call: S; outcome: S | undefined }[] = [];
  for (const step of run) {
    if (step.kind === 'call') {
      const entry: { call: S; outcome: S | undefined } = { call: step, outcome: undefined };
      calls.push(entry);
      open.push(entry);
    } else if (isOutcome(step)) {
      const index = open.findLastIndex(({ call }) => call.name === step.name && call.callId === step.callId);
      const [entry] = index === -1 ? [] : open.splice(index, 1);
      if (entry !== undefined) entry.outcome = step;
    }
  }
  return calls;
}

/** The end of a call: its result or its error. */
export function isOutcome({ kind, name }: Pick<Step, 'kind' | 'name'>): boolean {
  return (kind === 'result' || kind === 'error') && name !== undefined;
}

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
