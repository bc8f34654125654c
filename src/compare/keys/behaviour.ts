import { hash } from 'node:crypto';
import { byCodeUnit, type Json } from '../../json/index.ts';
import type { Recording } from '../../trace/index.ts';
import type { ModelCall, Trajectory } from '../steps/recorded-steps.ts';
import type { KeyedStep } from './keys.ts';
import { runSteps, type StepContext } from './run-steps.ts';

export interface Behaviour {
  readonly steps: readonly KeyedStep[];
  /** The steps' keys under the strictness, and the steps themselves. */
  readonly keys: readonly string[];
  readonly seen: readonly KeyedStep[];
  /** Computed only when a cause is looked for, because prompts are most of a trace. */
  readonly modelCalls: readonly ModelCall[];
  readonly clock: Trajectory['clock'];
  readonly otherClocks: Trajectory['otherClocks'];
  readonly recording: Recording;
  /** What the rules' relation says of it. */
  readonly relation?: string | undefined;
  /** Digest of all steps as they are; it orders equals. */
  readonly exact: string;
  /** The run it was taken from; 0 for a recording of the pin. */
  readonly run: number;
}

export function behaviourOf(
  recording: Recording,
  run: number,
  context: StepContext,
): { trajectory: Trajectory; behaviour: Behaviour } {
  const { trajectory, steps } = runSteps(recording, context);
  const { modelCalls, clock, otherClocks } = trajectory;
  return { trajectory, behaviour: { ...stepsOf(steps), modelCalls, clock, otherClocks, recording, run } };
}

/** The part of a behaviour that is made from its steps. */
export function stepsOf(steps: readonly KeyedStep[]): Pick<Behaviour, 'steps' | 'seen' | 'keys' | 'exact'> {
  const seen = steps.filter(({ key }) => key !== null);
  return {
    steps,
    seen,
    keys: seen.map(({ key }) => key as string),
    exact: digest(steps.map(({ exact }) => exact)),
  };
}

/** Runs that are identical to the letter. */
export interface Variant {
  readonly exact: string;
  readonly steps: readonly KeyedStep[];
  readonly runs: number[];
  /** Indexes of the pin's recordings. */
  readonly recordings: number[];
}

/** Runs with equal keys. They differ at most in what the strictness ignores, and in wording. */
export interface Group {
  /** Shown for the group: its run with the smallest digest, or a recording if it has no run. */
  representative: Behaviour;
  /** The behaviour of the first of the pin's recordings in it. */
  recorded: Behaviour | undefined;
  readonly runs: number[];
  /** Indexes of the pin's recordings in it. */
  readonly recordings: number[];
  readonly variants: Variant[];
}

/** The distinct behaviours of a turn. However many runs come, it keeps one recording of each, and the steps of each variant. */
export class Groups {
  readonly #byKeys = new Map<string, Group>();
  readonly #variants = new Map<string, Variant>();
  /** Values of steps by digest: variants share all values except those in which they differ. */
  readonly #values = new Map<string, Json>();

  addRun(run: number, behaviour: Behaviour): void {
    const group = this.#of(behaviour);
    if (group.runs.length === 0 || comesBefore(behaviour, group.representative)) group.representative = behaviour;
    group.runs.push(run);
    this.#variantOf(behaviour, group).runs.push(run);
  }

  /** @param index of the recording among the pin's recordings of the turn */
  addRecording(index: number, behaviour: Behaviour): void {
    const group = this.#of(behaviour);
    group.recordings.push(index);
    group.recorded ??= behaviour;
    this.#variantOf(behaviour, group).recordings.push(index);
  }

  /** Largest first. */
  all(): Group[] {
    return [...this.#byKeys.values()].sort(bySize);
  }

  #of(behaviour: Behaviour): Group {
    const id = behaviour.relation ?? digest(behaviour.keys);
    const known = this.#byKeys.get(id);
    if (known !== undefined) return known;
    const group: Group = { representative: behaviour, recorded: undefined, runs: [], recordings: [], variants: [] };
    this.#byKeys.set(id, group);
    return group;
  }

  #variantOf({ exact, steps }: Behaviour, group: Group): Variant {
    const known = this.#variants.get(exact);
    if (known !== undefined) return known;
    const variant: Variant = { exact, steps: steps.map((step) => this.#shared(step)), runs: [], recordings: [] };
    this.#variants.set(exact, variant);
    group.variants.push(variant);
    return variant;
  }

  #shared(step: KeyedStep): KeyedStep {
    if (step.value === undefined) return step;
    const known = this.#values.get(step.exact);
    if (known === undefined) this.#values.set(step.exact, step.value);
    return known === undefined || known === step.value ? step : { ...step, value: known };
  }
}

/** By content, and among equals by run number. */
function comesBefore(a: Behaviour, b: Behaviour): boolean {
  return byCodeUnit(a.exact, b.exact) < 0 || (a.exact === b.exact && a.run < b.run);
}

/** Largest first, and among equals by content. */
export function bySize(a: Group, b: Group): number {
  const content = ({ representative: { relation, exact } }: Group) => relation ?? exact;
  return b.runs.length - a.runs.length || byCodeUnit(content(a), content(b));
}

function digest(parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url');
}
