import type { Json } from '../../json/index.ts';
import { leavesIn } from '../values/canonical.ts';
import type { Text } from './text.ts';
import type { Token } from './tokens.ts';

/** What somebody was given before they said something: who adds a figure or an id of it makes nothing up. */
export class Given {
  readonly #values: () => readonly Json[];
  #text: string | undefined;

  constructor(values: () => readonly Json[]) {
    this.#values = values;
  }

  /**
   * Whether a form of a text stands in it. A date, a time and how long something takes may be a promise, whoever wrote it
   * before; a count of few digits stands everywhere.
   */
  holds({ kind, text, start, end }: Token, { readable }: Text): boolean {
    if (kind === 'date' || kind === 'time' || kind === 'ordinal' || / (?:second|month)$/.test(text)) return false;
    const written = kind === 'quote' || kind === 'code' ? text : readable.slice(start, end);
    const [amount] = (kind === 'number' && AMOUNT.exec(text)) || [];
    if (amount !== undefined && amount.replace('.', '').length < MIN_DIGITS) return false;
    this.#text ??= this.#values().flatMap(leavesIn).join('\n');
    return stands(written, this.#text) || stands(amount ?? written, this.#text);
  }
}

/** In a currency or in none. */
const AMOUNT = /^\d[\d.]*(?= [A-Z]{3}$|$)/;
const MIN_DIGITS = 3;

/** Whether a text holds a part that is no piece of a longer word or number. */
function stands(part: string, text: string): boolean {
  for (let at = part === '' ? -1 : text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(end, end + 2)];
    if (!/[\p{L}\p{N}_]$|\p{L}-$|\d[.,-]$/u.test(before) && !/^[\p{L}\p{N}_]|^-\p{L}|^[.,-]\d/u.test(after))
      return true;
  }
  return false;
}
