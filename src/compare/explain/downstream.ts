import { atPointer, type Json } from '../../contract/index.ts';
import type { Difference } from '../result.ts';
import { canonical, isContainer, mapLeaves } from '../values/canonical.ts';
import { factsIn, type KeyedStep } from '../values/keys.ts';
import { Calls } from './calls.ts';
import type { ToolKnowledge } from './tools.ts';

/** The same call of a tool that came to something else. */
export function isOfEnvironment({ kind, tool, downstream, byModel }: Difference): boolean {
  return (kind === 'result' || (kind === 'error' && tool !== undefined)) && downstream !== true && byModel !== true;
}

/**
 * Marks what follows from a tool's other answer, as far as it can come from it: all that differs there is in what the
 * tool said, or was computed from it. Any other difference counts by itself, as the tool's answer does not explain it.
 *
 *     result /price of get_order: recorded 100, replayed 110
 *     argument /amount of pay:    recorded 300, replayed 330        follows: three times the price
 *     argument /account of pay:   recorded "A-1", replayed "B-2"    does not
 *
 * @param differences in order
 */
export function markDownstream(
  differences: readonly Difference[],
  sides: { readonly recorded: readonly KeyedStep[]; readonly replayed: readonly KeyedStep[] },
  tools: ToolKnowledge,
): Difference[] {
  if (!differences.some(isOfEnvironment)) return [...differences];
  return new Downstream(sides.recorded, sides.replayed, tools).marked(differences);
}

class Downstream {
  readonly #recorded: Side;
  readonly #replayed: Side;
  readonly #tools: ToolKnowledge;
  readonly #news = new News();
  /** Recorded calls whose arguments differ by what follows, and by what does not. */
  readonly #following = new Set<KeyedStep>();
  readonly #ownWay = new Set<KeyedStep>();

  constructor(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[], tools: ToolKnowledge) {
    this.#recorded = new Side(recorded);
    this.#replayed = new Side(replayed);
    this.#tools = tools;
  }

  marked(differences: readonly Difference[]): Difference[] {
    return differences.map((each) => {
      const [a, b] = [this.#recorded.step(each.recordedStep), this.#replayed.step(each.replayedStep)];
      if (each.kind === 'result' || each.kind === 'error') {
        this.#hear(each, a, b);
        return each;
      }
      const follows = this.#follows(each, a, b);
      if (a?.kind === 'call') (follows ? this.#following : this.#ownWay).add(a);
      return follows ? { ...each, downstream: true } : each;
    });
  }

  /** What a tool said otherwise: of the same call, or of one that differs only by what follows. */
  #hear(difference: Difference, a: KeyedStep | undefined, b: KeyedStep | undefined): void {
    const call = a && this.#recorded.calls.callOf(a);
    const isNews = isOfEnvironment(difference)
      ? difference.tool !== undefined
      : call !== undefined && this.#following.has(call) && !this.#ownWay.has(call);
    if (isNews) this.#news.add(leafAt(a, difference), leafAt(b, difference));
  }

  #follows(difference: Difference, a: KeyedStep | undefined, b: KeyedStep | undefined): boolean {
    if (this.#news.isEmpty) return false;
    switch (difference.kind) {
      case 'argument':
      case 'final-structure':
        return this.#news.explains(leafAt(a, difference), leafAt(b, difference));
      case 'final-text':
        return a !== undefined && b !== undefined && this.#news.explainsFacts(factsIn(a), factsIn(b));
      case 'call-missing':
      case 'call-extra':
        return this.#callFollows(a, b);
      // What is said on the way is not judged, and no value makes another tool, a repetition, another order or an end.
      case 'call-name':
      case 'call-order':
      case 'call-retry':
      case 'end':
      case 'error':
      case 'result':
      case 'text':
      case 'format':
        return false;
    }
  }

  /** A look at what the tool listed, or no longer lists. A call that may change something is never explained away. */
  #callFollows(a: KeyedStep | undefined, b: KeyedStep | undefined): boolean {
    if (this.#tools.mayChange((a ?? b)?.name)) return false;
    if (a !== undefined) {
      if (!this.#news.hasLost(a.value ?? null)) return false;
      this.#news.add(this.#recorded.calls.outcomeOf(a)?.value, undefined);
    } else if (b !== undefined) {
      if (!this.#news.hasGained(b.value ?? null)) return false;
      this.#news.add(undefined, this.#replayed.calls.outcomeOf(b)?.value);
    }
    return true;
  }
}

class Side {
  readonly calls: Calls;
  readonly #byNumber: ReadonlyMap<number, KeyedStep>;

  constructor(steps: readonly KeyedStep[]) {
    this.calls = new Calls(steps);
    this.#byNumber = new Map(steps.map((step) => [step.number, step]));
  }

  step(number: number | null): KeyedStep | undefined {
    return number === null ? undefined : this.#byNumber.get(number);
  }
}

/** The whole value at a difference: the difference itself may hold an excerpt. */
function leafAt(step: KeyedStep | undefined, { pointer }: Difference): Json | undefined {
  return step?.value === undefined ? undefined : atPointer(step.value, pointer ?? '');
}

/** Pairs of numbers that are looked at when one may have been computed from others. */
const MAX_NUMBERS = 100;

/** What tools said on one side and not on the other. */
class News {
  /** Words and numbers. */
  readonly #lost = new Set<string>();
  readonly #gained = new Set<string>();
  /** `100\0110`: single values that took each other's place. */
  readonly #pairs = new Set<string>();
  readonly #numbers: (readonly [number, number])[] = [];

  get isEmpty(): boolean {
    return this.#lost.size === 0 && this.#gained.size === 0;
  }

  add(recorded: Json | undefined, replayed: Json | undefined): void {
    for (const atom of atomsOf(recorded)) this.#lost.add(atom);
    for (const atom of atomsOf(replayed)) this.#gained.add(atom);
    const [lost, gained] = exchanged(recorded, replayed);
    if (lost.length !== 1 || gained.length !== 1) return;
    const [from = '', to = ''] = [lost[0], gained[0]];
    if (typeof recorded !== 'boolean' && typeof replayed !== 'boolean') this.#pairs.add(`${from}\0${to}`);
    const [u, v] = [numberIn(from), numberIn(to)];
    if (u !== undefined && v !== undefined && this.#numbers.length < MAX_NUMBERS) this.#numbers.push([u, v]);
  }

  /** Whether all that differs between two values is news, or was computed from it. */
  explains(recorded: Json | undefined, replayed: Json | undefined): boolean {
    const [lost, gained] = exchanged(recorded, replayed);
    return this.#explainsAtoms(lost, gained);
  }

  /** The same of an answer, by the facts that it states. */
  explainsFacts(recorded: Json, replayed: Json): boolean {
    const [a, b] = [factTexts(recorded), factTexts(replayed)];
    const lost = [...a].filter((fact) => !b.has(fact)).flatMap((fact) => [...atomsOf(textOfFact(fact))]);
    const gained = [...b].filter((fact) => !a.has(fact)).flatMap((fact) => [...atomsOf(textOfFact(fact))]);
    return this.#explainsAtoms(
      lost.filter((atom) => !gained.includes(atom)),
      gained.filter((atom) => !lost.includes(atom)),
    );
  }

  hasLost(value: Json): boolean {
    return [...atomsOf(value)].some((atom) => isTelling(atom) && this.#lost.has(atom));
  }

  hasGained(value: Json): boolean {
    return [...atomsOf(value)].some((atom) => isTelling(atom) && this.#gained.has(atom));
  }

  #explainsAtoms(lost: readonly string[], gained: readonly string[]): boolean {
    if (lost.length === 0 && gained.length === 0) return false;
    const left = {
      lost: lost.filter((atom) => !(isTelling(atom) && this.#lost.has(atom))),
      gained: gained.filter((atom) => !(isTelling(atom) && this.#gained.has(atom))),
    };
    if (left.lost.length === 0 && left.gained.length === 0) return true;
    // A value that the tool named takes the place of one that it did not: that choice is the agent's.
    if (lost.length !== gained.length) return false;
    return lost.every((from, index) => {
      const to = gained[index] as string;
      const isNews = !left.lost.includes(from) && !left.gained.includes(to);
      return isNews || this.#pairs.has(`${from}\0${to}`) || this.#isComputed(from, to);
    });
  }

  /** A multiple, a share, a sum: the number moved as one that the tool said did. */
  #isComputed(from: string, to: string): boolean {
    const [a, b] = [numberIn(from), numberIn(to)];
    if (a === undefined || b === undefined) return false;
    const total = this.#numbers.reduce<[number, number]>(([u, v], [x, y]) => [u + x, v + y], [0, 0]);
    return [...this.#numbers, total].some(([u, v]) => {
      const [times, rest] = [Math.round((b - a) / (v - u)), v - u];
      const isShifted = digitsOf(rest) >= 2 && times !== 0 && isNear(a + times * rest, b);
      const isScaled = u !== 0 && a !== 0 && digitsOf(b) >= 2 && isNear((a * v) / u, b);
      return isShifted || isScaled;
    });
  }
}

/** Amounts are rounded to cents. */
const ROUNDING = 0.006;

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= ROUNDING + Math.abs(b) * 1e-9;
}

/** Digits of a number that are no zeros at its end: a round number is met by chance. */
function digitsOf(number: number): number {
  return String(Math.abs(number))
    .replace(/e.*$/, '')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace('.', '')
    .replace(/^0+|0+$/g, '').length;
}

/** A text that is not in two places by chance. */
function isTelling(atom: string): boolean {
  return atom.length >= 3;
}

/** A number that stands alone; else a word, an id, a date, an address. */
const ATOM =
  /[+-]?\d(?:[\d.,]*\d)?(?![\p{L}\p{M}\p{N}_:/-])|[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}_.@:/-]*[\p{L}\p{M}\p{N}])?/gu;

/** Words and numbers of all texts in a value, in order. */
function atomsOf(value: Json | undefined): Set<string> {
  const atoms = new Set<string>();
  if (value === undefined) return atoms;
  if (!isContainer(value) && typeof value !== 'string') return atoms.add(canonical(value));
  mapLeaves(
    value,
    (text) => {
      for (const [atom] of text.matchAll(ATOM)) atoms.add(normal(atom));
      return text;
    },
    (number) => {
      atoms.add(String(number));
      return number;
    },
  );
  return atoms;
}

/** `1,200.50` and 1200.5 are one number; words are compared without their capitals. */
function normal(atom: string): string {
  if (/^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(atom)) return String(Number(atom.replaceAll(',', '')));
  return /^[+-]?\d+(?:\.\d+)?$/.test(atom) && atom.length <= 15 ? String(Number(atom)) : atom.toLowerCase();
}

function numberIn(atom: string): number | undefined {
  return /^-?\d+(?:\.\d+)?$/.test(atom) ? Number(atom) : undefined;
}

/** Atoms that only one of two values has, each side in order. */
function exchanged(recorded: Json | undefined, replayed: Json | undefined): [string[], string[]] {
  const [a, b] = [atomsOf(recorded), atomsOf(replayed)];
  return [[...a].filter((atom) => !b.has(atom)), [...b].filter((atom) => !a.has(atom))];
}

/** Facts with their kind: a negation is not the same as the word in a quote. */
function factTexts(facts: Json): Set<string> {
  const texts = new Set<string>();
  for (const [kind, of] of Object.entries(isContainer(facts) ? facts : { text: facts })) {
    for (const fact of Array.isArray(of) ? of : [of]) texts.add(`${kind}\0${canonical(fact)}`);
  }
  return texts;
}

function textOfFact(fact: string): string {
  return fact.slice(fact.indexOf('\0') + 1);
}
