import { canonical, type Json } from '../../json/index.ts';
import { isContainer, leavesIn } from '../values/canonical.ts';

/** Pairs of numbers that are tried when one may be computed from others. */
const MAX_NUMBERS = 100;

/** What tools said on one side only, and whether it explains other differences. */
export class News {
  /** Words and numbers. */
  readonly #lost = new Set<string>();
  readonly #gained = new Set<string>();
  /** `100\0110`: single values that replaced each other. */
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
    const [before, after] = [wordsOfDate(from), wordsOfDate(to)];
    for (const [index, word] of before.entries()) {
      const other = after[index];
      if (other !== undefined && other !== word) this.#pairs.add(`${word}\0${other}`);
    }
    const [u, v] = [numberIn(from), numberIn(to)];
    if (u !== undefined && v !== undefined && this.#numbers.length < MAX_NUMBERS) this.#numbers.push([u, v]);
  }

  /** Whether everything that differs between two values is news, or computed from it. */
  explains(recorded: Json | undefined, replayed: Json | undefined): boolean {
    const [lost, gained] = exchanged(recorded, replayed);
    return this.#explainsAtoms(lost, gained);
  }

  hasLost(value: Json): boolean {
    return [...atomsOf(value)].some((atom) => isTelling(atom) && this.#lost.has(atom));
  }

  hasGained(value: Json): boolean {
    return [...atomsOf(value)].some((atom) => isTelling(atom) && this.#gained.has(atom));
  }

  /** Each atom is news itself, or changed in the same way as one of the tool's values. */
  #explainsAtoms(lost: readonly string[], gained: readonly string[]): boolean {
    if (lost.length === 0 && gained.length === 0) return false;
    const isNews = (atom: string, news: ReadonlySet<string>) => isTelling(atom) && news.has(atom);
    const isExchange = (from: string, to: string) => this.#pairs.has(`${from}\0${to}`) || this.#isComputed(from, to);
    // Replacing a value that the tool did not name by one that it did is the agent's own choice.
    return (
      lost.every((from) => isNews(from, this.#lost) || gained.some((to) => isExchange(from, to))) &&
      gained.every((to) => isNews(to, this.#gained) || lost.some((from) => isExchange(from, to)))
    );
  }

  /** Multiples, shares and sums: the number changed in proportion to one from the tool. */
  #isComputed(from: string, to: string): boolean {
    const [a, b] = [numberIn(from), numberIn(to)];
    if (a === undefined || b === undefined) return false;
    const total = this.#numbers.reduce<[number, number]>(([u, v], [x, y]) => [u + x, v + y], [0, 0]);
    return [...this.#numbers, total].some(([u, v]) => {
      const [times, rest] = [Math.round((b - a) / (v - u)), v - u];
      const isShifted = digitsOf(rest) >= (Math.abs(times) === 1 ? 2 : 3) && times !== 0 && isNear(a + times * rest, b);
      const isScaled = u !== 0 && a !== 0 && digitsOf(b) >= 2 && isNear((a * v) / u, b);
      return isShifted || isScaled;
    });
  }
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:t(\d\d:\d\d)\S*)?$/;

/** How people write the parts of a date, in English and in numbers; empty for anything else. */
function wordsOfDate(atom: string): string[] {
  const [, date, time = '00:00'] = DATE.exec(atom) ?? [];
  const day = new Date(`${date}T00:00:00Z`);
  if (date === undefined || Number.isNaN(day.getTime())) return [];
  const named = (style: Intl.DateTimeFormatOptions) =>
    day.toLocaleDateString('en-US', { ...style, timeZone: 'UTC' }).toLowerCase();
  const numbers = [day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()].map(String);
  const names = [
    named({ month: 'long' }),
    named({ month: 'short' }),
    named({ weekday: 'long' }),
    named({ weekday: 'short' }),
  ];
  return [date, date.slice(5), ...numbers, ...names, time, time.replace(/^0/, '')];
}

/** Amounts are rounded to cents. */
const ROUNDING = 0.006;

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= ROUNDING + Math.abs(b) * 1e-9;
}

/** Digits of a number without trailing zeros: round numbers match by chance. */
function digitsOf(number: number): number {
  const [digits = ''] = String(Math.abs(number)).split('e', 1);
  return digits.replace('.', '').replace(/^0+|(?<!0)0+$/g, '').length;
}

/** A text that is not in two places by chance. */
function isTelling(atom: string): boolean {
  return atom.length >= 3;
}

/**
 * A number that stands alone; otherwise a word, id, date or address. Lengths are bounded because the engine's stack is, and
 * because a long number that does not stand alone is read again from each piece of it.
 */
const ATOM =
  /[+-]?\d(?:[\d.,]{0,200}\d)?(?![\p{L}\p{M}\p{N}_:/-])|[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}_.@:/-]{0,200}[\p{L}\p{M}\p{N}])?/gu;

/** Words and numbers of all texts in a value, in order. */
export function atomsOf(value: Json | undefined): Set<string> {
  const atoms = new Set<string>();
  if (value === undefined) return atoms;
  if (!isContainer(value) && typeof value !== 'string') return atoms.add(canonical(value));
  for (const leaf of leavesIn(value)) {
    if (typeof leaf === 'number') atoms.add(String(leaf));
    else for (const [atom] of leaf.matchAll(ATOM)) atoms.add(normal(atom));
  }
  return atoms;
}

/** `1,200.50` and 1200.5 are one number. Words are compared without case. */
function normal(atom: string): string {
  if (/^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(atom)) return String(Number(atom.replaceAll(',', '')));
  return /^[+-]?\d+(?:\.\d+)?$/.test(atom) && atom.length <= 15 ? String(Number(atom)) : atom.toLowerCase();
}

function numberIn(atom: string): number | undefined {
  return /^-?\d+(?:\.\d+)?$/.test(atom) ? Number(atom) : undefined;
}

/** Atoms that only one of two values has, in order. */
function exchanged(recorded: Json | undefined, replayed: Json | undefined): [string[], string[]] {
  const [a, b] = [atomsOf(recorded), atomsOf(replayed)];
  return [[...a].filter((atom) => !b.has(atom)), [...b].filter((atom) => !a.has(atom))];
}
