import { canonical, type Json } from '../../json/index.ts';
import { isContainer, leavesIn } from '../values/canonical.ts';

/** What tools said on one side only. */
export class News {
  /** Words and numbers. */
  readonly #lost = new Set<string>();
  readonly #gained = new Set<string>();
  /** `100\0110`: single values that replaced each other. */
  readonly #pairs = new Set<string>();

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
  }

  /** Whether everything that differs between two values is news itself, or changed as one of the tool's values did. */
  explains(recorded: Json | undefined, replayed: Json | undefined): boolean {
    const [lost, gained] = exchanged(recorded, replayed);
    const isExchange = (from: string, to: string) => this.#pairs.has(`${from}\0${to}`);
    // Replacing a value that the tool did not name by one that it did is the agent's own choice.
    return (
      lost.length + gained.length > 0 &&
      lost.every((from) => isNews(from, this.#lost) || gained.some((to) => isExchange(from, to))) &&
      gained.every((to) => isNews(to, this.#gained) || lost.some((from) => isExchange(from, to)))
    );
  }

  hasLost(value: Json): boolean {
    return [...atomsOf(value)].some((atom) => isNews(atom, this.#lost));
  }

  hasGained(value: Json): boolean {
    return [...atomsOf(value)].some((atom) => isNews(atom, this.#gained));
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

/** Whether it is among these, and not by chance, as a shorter one could be. */
function isNews(atom: string, news: ReadonlySet<string>): boolean {
  return atom.length >= 3 && news.has(atom);
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

/** Atoms that only one of two values has, in order. */
function exchanged(recorded: Json | undefined, replayed: Json | undefined): [string[], string[]] {
  const [a, b] = [atomsOf(recorded), atomsOf(replayed)];
  return [[...a].filter((atom) => !b.has(atom)), [...b].filter((atom) => !a.has(atom))];
}
