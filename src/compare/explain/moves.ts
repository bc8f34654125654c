import { byCodeUnit } from '../../json/index.ts';
import type { KeyedStep } from '../keys/keys.ts';
import { commonPrefix } from '../values/common-prefix.ts';
import { values } from '../values/paths.ts';
import type { AlignedPair } from './align.ts';
import { difference, type Found } from './difference.ts';
import { atomsOf } from './news.ts';
import type { Sides } from './side.ts';
import { leavesOf, type ToolKnowledge } from './tool-knowledge.ts';

export interface MovesContext {
  readonly tools: Pick<ToolKnowledge, 'orderMatters' | 'effectOf'>;
  /** Whether two calls of the recording overlapped in time, by the ids of their observations. */
  readonly ranAtOnce: (a: string, b: string) => boolean;
}

/** A moved call may have passed this many calls for each of them to be examined. */
const MAX_PASSED = 200;
/** Comparisons of calls, over all moved calls of a run, after which order is taken to matter (10 ms). */
const MAX_LOOKS = 5_000_000;

/** A shorter value can be in two places by chance. */
const MIN_TELLING = 3;

/** Calls that both sides make at different places, and whether their order matters. */
export class Moves {
  readonly #sides: Sides;
  readonly #context: MovesContext;
  /** Aligned steps, by either. */
  readonly #partner = new Map<KeyedStep, KeyedStep>();
  readonly #moved = new Map<KeyedStep, KeyedStep>();
  /** Calls that both sides make, each with its place in the replay. */
  #places: (readonly [KeyedStep, number])[] | undefined;
  #looks = 0;
  #sources: Map<string, KeyedStep> | undefined;

  constructor(pairs: readonly AlignedPair[], sides: Sides, context: MovesContext) {
    this.#sides = sides;
    this.#context = context;
    for (const pair of pairs) {
      const [a, b] = [sides.recorded.steps[pair.a], sides.replayed.steps[pair.b]];
      if (a === undefined || b === undefined) continue;
      this.#partner.set(a, b);
      this.#partner.set(b, a);
    }
    this.#findMoved();
  }

  /** The same call at the same place of the other side. */
  counterpart(call: KeyedStep): KeyedStep | undefined {
    const other = this.#partner.get(call);
    return other?.name === call.name && !this.#moved.has(call) ? other : undefined;
  }

  movedTo(call: KeyedStep): KeyedStep | undefined {
    return this.#moved.get(call);
  }

  /** That a call moved: behaviour where it passed one whose order with it matters. */
  difference(a: KeyedStep, b: KeyedStep): Found {
    this.#places ??= this.#sides.recorded.steps.flatMap((step) => {
      const place = this.#elsewhere(step);
      return step.kind === 'call' && place !== undefined ? [[step, place.number] as const] : [];
    });
    this.#looks += this.#places.length;
    const isUnseen = this.#looks > MAX_LOOKS;
    const passed = isUnseen
      ? []
      : this.#places.filter(([{ number }, place]) => number < a.number !== place < b.number).map(([other]) => other);
    // The runtime chose the order of these parallel calls, not the model.
    const isAtOnce = passed.length > 0 && passed.every((other) => this.#isAtOnce(a, other));
    const given = { ...values(a.name, b.name), ...(isAtOnce && { atOnce: true }) };
    // A call that moves past this many others has almost certainly passed one that matters. Say so without looking at each.
    const isFar = isUnseen || passed.length > MAX_PASSED;
    const matters = isFar || passed.some((other) => !isWithoutOrder(a, other) && this.#isTied(a, other));
    return difference('call-order', matters ? 'behaviour' : 'minor', a, b, given);
  }

  /** Calls of one message on both sides, or calls that overlapped in the recording. Overlap in replays is not behaviour. */
  #isAtOnce(a: KeyedStep, other: KeyedStep): boolean {
    const [b, elsewhere] = [this.#elsewhere(a), this.#elsewhere(other)];
    if (b !== undefined && isOfOneMessage(a, other) && isOfOneMessage(b, elsewhere)) return true;
    // One message on only one side: the model asked for the calls in another way.
    if (isOfOneMessage(a, other) || a.observationId === undefined || other.observationId === undefined) return false;
    return this.#context.ranAtOnce(a.observationId, other.observationId);
  }

  #elsewhere(call: KeyedStep): KeyedStep | undefined {
    return this.#moved.get(call) ?? this.#partner.get(call);
  }

  /**
   * Whether the order of two calls matters: the user says so, one used the other's answer, or one may change what the other
   * finds.
   */
  #isTied(call: KeyedStep, other: KeyedStep): boolean {
    const { tools } = this.#context;
    if (tools.orderMatters(call.name) || tools.orderMatters(other.name)) return true;
    if ([call, other].some((each) => tools.effectOf(each) === 'write')) return true;
    const flows = (from: KeyedStep, to: KeyedStep) => {
      const outcome = this.#sides.recorded.outcomeOf(from);
      if (outcome === undefined) return false;
      return [...valuesIn(to)].some((value) => value.length >= MIN_TELLING && this.#source(value) === outcome);
    };
    return flows(call, other) || flows(other, call);
  }

  /** The step of the recording in which a value first appears; later ones only repeat it. */
  #source(value: string): KeyedStep | undefined {
    if (this.#sources === undefined) {
      this.#sources = new Map<string, KeyedStep>();
      for (const step of this.#sides.recorded.steps)
        for (const each of valuesIn(step)) if (!this.#sources.has(each)) this.#sources.set(each, step);
    }
    return this.#sources.get(value);
  }

  /** Finds calls that the alignment could not match but that exist unchanged elsewhere. */
  #findMoved(): void {
    this.#match(
      this.#sides.recorded.steps.filter((step) => step.kind === 'call' && this.#partner.get(step)?.name !== step.name),
      this.#sides.replayed.steps.filter((step) => step.kind === 'call' && this.#partner.get(step)?.name !== step.name),
    );
    // Aligned calls of one tool may be the same calls in another order: then they moved, and no value changed.
    const reworded = this.#sides.recorded.steps.filter((step) => {
      const other = this.#partner.get(step);
      return step.kind === 'call' && other?.name === step.name && other?.exact !== step.exact;
    });
    for (const calls of Map.groupBy(reworded, ({ name }) => name).values()) {
      const others = calls.map((call) => this.#partner.get(call) as KeyedStep);
      if (isPermutation(calls, others)) this.#match(calls, others);
    }
  }

  #match(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[]): void {
    const free = Map.groupBy(replayed.toReversed(), ({ exact }) => exact);
    for (const a of recorded) {
      const b = free.get(a.exact)?.pop();
      if (b === undefined) continue;
      this.#moved.set(a, b);
      this.#moved.set(b, a);
    }
  }
}

/** The call itself, or a parallel one, unless the user says that order matters. */
function isWithoutOrder(a: KeyedStep, b: KeyedStep): boolean {
  return a === b || (isOfOneMessage(a, b) && a.part === b.part);
}

function isOfOneMessage(a: KeyedStep, b: KeyedStep | undefined): boolean {
  return a.group !== undefined && a.group === b?.group;
}

function isPermutation(a: readonly KeyedStep[], b: readonly KeyedStep[]): boolean {
  const exacts = (steps: readonly KeyedStep[]) => steps.map(({ exact }) => exact).sort(byCodeUnit);
  return a.length > 1 && commonPrefix(exacts(a), exacts(b)) === a.length;
}

/** Whole values, and the ids, numbers, dates and addresses inside texts. */
function valuesIn({ value = null }: KeyedStep): Set<string> {
  const codes = [...atomsOf(value)].filter((atom) => /[\d@]/.test(atom));
  return new Set([...leavesOf(value), ...codes]);
}
