import { atPointer, canonical, isJsonObject, type Json, pointerParts } from '../../json/index.ts';
import type { KeyedStep } from '../keys/keys.ts';
import { inOneSpelling } from '../keys/spelling.ts';
import type { Aspect } from '../shapes/aspects.ts';
import type { Difference } from '../shapes/result.ts';
import { isOutcome } from '../steps/calls.ts';
import { isProse, mayHoldProse } from '../text/prose.ts';
import { Text } from '../text/text.ts';
import { leavesIn } from '../values/canonical.ts';
import type { Found } from './difference.ts';
import type { Side, Sides } from './side.ts';
import type { ToolKnowledge } from './tool-knowledge.ts';

export function withAspects(differences: readonly Found[], sides: Sides, tools: ToolKnowledge): Difference[] {
  if (differences.length === 0) return [];
  const sorter = new Sorter(sides, differences, tools);
  return differences.map((each) => ({ ...each, aspect: sorter.aspectOf(each) }));
}

/** Comparisons of writes after which order is taken to matter. */
const MAX_LOOKS = 5_000_000;

class Sorter {
  readonly #recorded: Side;
  readonly #replayed: Side;
  readonly #tools: ToolKnowledge;
  /** Writes of both sides that took effect, and what the same write on the other side is. */
  readonly #writes = new Set<KeyedStep>();
  readonly #alike = new Map<KeyedStep, KeyedStep>();
  /** Writes of the recording that the replay makes too, each with its place there. */
  #matched: { readonly own: number; readonly other: number; readonly ids: ReadonlySet<string> }[] | undefined;
  #looks = 0;

  constructor(sides: Sides, differences: readonly Found[], tools: ToolKnowledge) {
    this.#recorded = sides.recorded;
    this.#replayed = sides.replayed;
    this.#tools = tools;
    this.#matchWrites(differences);
  }

  aspectOf(each: Found): Aspect {
    const [a, b] = [this.#recorded.step(each.recordedStep), this.#replayed.step(each.replayedStep)];
    switch (each.kind) {
      case 'end':
        return 'did';
      case 'final-text':
      case 'final-structure':
        return each.text?.because === 'empty' || each.text?.because === 'cut-off' ? 'did' : 'said';
      case 'format':
        return (a ?? b)?.kind === 'final' ? 'said' : 'path';
      case 'text':
        return 'path';
      case 'result':
      case 'error':
        return this.#ofOutcome(each, a, b);
      case 'argument':
        return this.#ofArgument(each, a, b);
      case 'call-order':
        return this.#ofOrder(a, b);
      case 'call-name':
      case 'call-missing':
      case 'call-extra':
      case 'call-retry':
        return this.#ofCall(a, b);
    }
  }

  #ofCall(a: KeyedStep | undefined, b: KeyedStep | undefined): Aspect {
    const calls = [a, b].filter((call) => call !== undefined);
    if (calls.some((call) => this.#isOwnEffect(call))) return 'did';
    const isSaid = calls.some((call) => this.#isAnswer(call) || this.#alike.has(call));
    return isSaid ? 'said' : 'path';
  }

  /** A write that took effect, and that the other side does not make, whatever texts for people it is given. */
  #isOwnEffect(call: KeyedStep): boolean {
    const alike = this.#alike.get(call);
    return alike === undefined ? this.#writes.has(call) : this.#isOutOfOrder(call, alike);
  }

  /** A write that failed counts where no recording calls its tool: the agent tried something new. */
  #tookEffect(call: KeyedStep, side: Side): boolean {
    if (call.kind !== 'call' || this.#tools.effectOf(call) !== 'write') return false;
    return !isFailure(side.outcomeOf(call)) || this.#recorded.timesOfTool(call) === 0;
  }

  /**
   * Writes that took effect are matched by what they are given, one to one, wherever they stand. Those in no difference come
   * first, so that of several alike one in a difference is left over.
   */
  #matchWrites(differences: readonly Found[]): void {
    const ours = this.#writesOf(this.#recorded, new Set(differences.map(({ recordedStep }) => recordedStep)));
    const theirs = this.#writesOf(this.#replayed, new Set(differences.map(({ replayedStep }) => replayedStep)));
    for (const each of [...ours, ...theirs]) this.#writes.add(each);
    const free = Map.groupBy(theirs.toReversed(), (call) => this.#effectIn(call));
    for (const a of ours) {
      const b = free.get(this.#effectIn(a))?.pop();
      if (b === undefined) continue;
      this.#alike.set(a, b);
      this.#alike.set(b, a);
    }
  }

  #writesOf(side: Side, differing: ReadonlySet<number | null>): KeyedStep[] {
    const writes = side.steps.filter((step) => this.#tookEffect(step, side));
    return writes.sort((a, b) => Number(differing.has(a.number)) - Number(differing.has(b.number)));
  }

  /** What a write is given, without texts for people. */
  #effectIn(call: KeyedStep): string {
    const { name = '' } = call;
    const value = inOneSpelling(call) ?? null;
    return `${name}\0${canonical(this.#tools.isEffect(name) ? value : withoutProse(value))}`;
  }

  #isAnswer(call: KeyedStep | undefined): boolean {
    return call !== undefined && this.#tools.effectOf(call) === 'answer';
  }

  #ofArgument(each: Found, a: KeyedStep | undefined, b: KeyedStep | undefined): Aspect {
    // A judge is only asked about what is said, a heading too.
    if (each.text?.because === 'judge' || this.#isAnswer(a ?? b)) return 'said';
    const writes = [a, b].filter((call) => call !== undefined && this.#writes.has(call)) as KeyedStep[];
    if (writes.length === 0) return 'path';
    if (this.#isProse(each, a, b)) return 'said';
    return writes.some((call) => this.#isOwnEffect(call)) ? 'did' : 'path';
  }

  /** What a text of several words says to people, unless the user says that it is the effect. */
  #isProse({ pointer = '', tool = '' }: Found, a: KeyedStep | undefined, b: KeyedStep | undefined): boolean {
    if (this.#tools.isEffect(tool)) return false;
    return (
      pointerParts(pointer).every((key) => mayHoldProse(key, true)) &&
      [a, b].every((call) => isText(leafOf(call, pointer)))
    );
  }

  #ofOutcome(each: Found, a: KeyedStep | undefined, b: KeyedStep | undefined): Aspect {
    const step = a ?? b;
    if (step?.name === undefined) return each.kind === 'error' ? 'did' : 'path';
    const calls = [this.#recorded.callOf(a), this.#replayed.callOf(b)].filter((call) => call !== undefined);
    if (isFailure(a) === isFailure(b)) return 'path';
    // An error whose call is not known.
    if (calls.length === 0) return each.kind === 'error' && this.#tools.effectOf(step) === 'write' ? 'did' : 'path';
    return calls.some((call) => this.#isOwnEffect(call)) ? 'did' : 'path';
  }

  #ofOrder(a: KeyedStep | undefined, b: KeyedStep | undefined): Aspect {
    return a !== undefined && b !== undefined && this.#isOutOfOrder(a, b) ? 'did' : 'path';
  }

  /** Whether a write was moved past another one that shares an id with it, or one of the two holds none. */
  #isOutOfOrder(call: KeyedStep, alike: KeyedStep): boolean {
    const [a, b] = this.#recorded.has(call) ? [call, alike] : [alike, call];
    if (!this.#writes.has(a)) return false;
    this.#matched ??= this.#recorded.steps.flatMap((step) => {
      const other = this.#alike.get(step);
      return other === undefined ? [] : [{ own: step.number, other: other.number, ids: idsIn(step) }];
    });
    this.#looks += this.#matched.length;
    const mine = idsIn(a);
    return (
      this.#looks > MAX_LOOKS ||
      this.#matched.some(({ own, other, ids }) => {
        const isPassed = own < a.number !== other < b.number;
        return isPassed && (ids.size === 0 || mine.size === 0 || [...ids].some((id) => mine.has(id)));
      })
    );
  }
}

/** A value with a mark in the place of each text for people. */
function withoutProse(value: Json): Json {
  if (isText(value)) return PROSE;
  if (Array.isArray(value)) return value.map(withoutProse);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mayHoldProse(key, true) ? withoutProse(each) : each]),
  );
}

const PROSE = '<prose>';

/** An error, a result marked as one, or a text that begins as one. `{"error": null}` is none. */
export function isFailure(outcome: KeyedStep | undefined): boolean {
  if (outcome === undefined || !isOutcome(outcome)) return false;
  if (outcome.kind === 'error') return true;
  const { value } = outcome;
  if (typeof value === 'string') return /^\s{0,20}error\b/i.test(value);
  return isJsonObject(value) && (value.isError === true || Boolean(value.error));
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && isProse(Text.of(value));
}

function leafOf(step: KeyedStep | undefined, pointer: string): Json | undefined {
  return step?.value === undefined ? undefined : atPointer(step.value, pointer);
}

/** Generated ids, and words that hold a digit: order numbers, mail addresses, dates. */
function idsIn({ value, ids }: KeyedStep): Set<string> {
  const words = leavesIn(value ?? null).filter(
    (leaf) => typeof leaf === 'string' && /\d/.test(leaf) && !/\s/.test(leaf),
  );
  return new Set([...ids.map(({ name }) => name), ...words.map(String)]);
}

/** Those that must not be lost first; the others in their order. @param most number that is kept */
export function writesFirst(differences: readonly Difference[], most: number): Difference[] {
  if (differences.length <= most) return [...differences];
  const kept = new Set(
    [...differences.filter(isOfWrite), ...differences.filter((each) => !isOfWrite(each))].slice(0, most),
  );
  return differences.filter((each) => kept.has(each));
}

function isOfWrite({ aspect }: Difference): boolean {
  return aspect === 'did';
}
