import type { Json } from '../../json/index.ts';
import { leavesIn } from '../values/canonical.ts';
import { remembered } from '../values/remembered.ts';
import { Text } from './text.ts';
import type { Token } from './tokens.ts';

/** What somebody was given before they said something. */
interface Sources {
  /** Everything that was sent. */
  readonly request: readonly Json[];
  /** What users said in it. */
  readonly asked: readonly Json[];
  readonly results: readonly Json[];
  /** Those of calls that only look. */
  readonly found: readonly Json[];
}

/** Who adds a figure or an id of what they were given makes nothing up, and who leaves one out may say the same. */
export class Given {
  readonly #sources: () => Sources;
  readonly #texts = new Map<keyof Sources, string>();
  #words: ReadonlySet<string> | undefined;

  constructor(sources: () => Sources) {
    this.#sources = sources;
  }

  /** Whether a form that a text adds was given. */
  holds(token: Token, text: Text): boolean {
    return isIn(token, text, this.#textOf('request')) || isIn(token, text, this.#textOf('results'));
  }

  /**
   * Whether a form may be left out: who asks wrote it, or a look found it, too, and nobody asked for it.
   * @param beside the words of each statement that holds it; what the request names half of was asked for
   */
  mayBeLeftOut(token: Token, text: Text, beside: readonly (readonly string[])[]): boolean {
    const written = writtenIn(text.readable, token);
    if (written.length >= MIN_CHARS && stands(written, this.#textOf('asked'))) return true;
    if (!isIn(token, text, this.#textOf('found'))) return false;
    this.#words ??= new Set(Text.of(this.#textOf('request')).words.map((word) => word.text));
    return beside.every((words) => 2 * words.filter((word) => this.#words?.has(word)).length < words.length);
  }

  #textOf(source: keyof Sources): string {
    return remembered(this.#texts, source, () => this.#sources()[source].flatMap(leavesIn).join('\n'));
  }
}

/**
 * Whether a form of a text stands in another. A date, a time and how long something takes may be a promise, whoever wrote it
 * before; a count of few digits stands everywhere.
 */
function isIn(token: Token, { readable }: Text, all: string): boolean {
  const { kind, text } = token;
  if (kind === 'date' || kind === 'time' || kind === 'ordinal' || / (?:second|month)$/.test(text)) return false;
  const [amount] = (kind === 'number' && AMOUNT.exec(text)) || [];
  if (amount !== undefined && amount.replace('.', '').length < MIN_CHARS) return false;
  const written = writtenIn(readable, token);
  return stands(written, all) || stands(amount ?? written, all);
}

/** In a currency or in none. */
const AMOUNT = /^\d[\d.]*(?= [A-Z]{3}$|$)/;
/** What is shorter stands in a text by chance. */
const MIN_CHARS = 3;

/** A form as its text spells it. */
function writtenIn(readable: string, { kind, text, start, end }: Token): string {
  return kind === 'quote' || kind === 'code' ? text : readable.slice(start, end);
}

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
