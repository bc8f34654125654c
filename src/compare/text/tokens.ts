import { canonical, spelledOut } from '../../json/index.ts';
import {
  CAPITAL_MONTHS,
  ENGLISH,
  monthNamed,
  NEVER_CODES,
  NUMBER_WORDS,
  ORDINALS,
  polarityOf,
  SCALES,
  unitNamed,
} from './lexicon.ts';
import { type Figure, figuresIn, isDay, isMonth, numberIn, pad, quantity, scaled, timeOfDay } from './quantities.ts';

/** `text` is canonical: equal for every spelling of the same thing. */
export interface Token {
  readonly kind: Figure['kind'] | 'ordinal' | 'word' | 'character' | 'url' | 'quote' | 'code' | 'symbol';
  readonly text: string;
  /** On a capitalised word: its position. The first word of a sentence has a capital anyway. */
  readonly capital?: Capital;
  readonly start: number;
  readonly end: number;
  /** Only blanks and emphasis separate it from the token before. */
  readonly isNext: boolean;
  /** Nothing separates it from the token before. */
  readonly isGlued: boolean;
  /** A number written in words. */
  readonly isSpelled?: boolean;
  /** A quantity in the unit in which it is written, if `text` has another. */
  readonly written?: string;
}
type Capital = 'first' | 'inside';

/** What a figure could stand in the place of: `time`, `number EUR`. */
export function quantityOf({ kind, text }: Token): string {
  return kind === 'number' ? text.replace(/^\S+/, kind) : kind;
}

/** Scripts without blanks between words, for a character class. Each of their characters is a token. */
export const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u{30fc}`;
const LETTER = String.raw`[[\p{L}\p{M}\p{N}]--[${UNSPACED}]]`;
/** Longer words, and words of more parts, are read in pieces: an unbounded pattern overflows the stack on some megabytes. */
const MAX_LETTERS = 200;
const MAX_PARTS = 50;
const LETTERS = `${LETTER}{1,${MAX_LETTERS}}`;
const WORD = String.raw`${LETTERS}(?:(?:[_'’.@]|(?<!\p{sc=Hebrew})-|(?<=\d)[,:\/](?=\d))${LETTERS}){0,${MAX_PARTS}}`;
/** Longest address, and longest code on a line. */
const MAX_SPAN = 2_000;
/** Longer quotations are mostly two unrelated quotation marks. */
const MAX_QUOTE = 200;

const QUOTATION_MARKS = ['“”', '„“', '„”', '«»', '»«', '‹›', '「」', '『』', '《》'];
/**
 * Text between two marks contains neither of them, so no text makes the search restart again and again. An apostrophe opens
 * a quotation only where no word ends, and closes one only where no word continues.
 */
const SPANS = [
  `\`[^\`\\n]{1,${MAX_SPAN}}\``,
  String.raw`(?<!${LETTER})"[^"\n]{1,${MAX_QUOTE}}"`,
  String.raw`(?<!${LETTER})'[^'\n]{1,${MAX_QUOTE}}'(?!${LETTER})`,
  String.raw`‘(?:[^‘’\n]|’(?=\p{L})){1,${MAX_QUOTE}}’(?!${LETTER})`,
  ...QUOTATION_MARKS.map(([open, close]) => `${open}[^${open}${close}\\n]{1,${MAX_QUOTE}}${close}`),
];
const PLAIN = [
  // The name of a renamed id or time.
  String.raw`<(?:[\w.:\-]{1,64}\.)?[a-z]{1,20}(?:#\d{1,9})?>`,
  String.raw`https?:\/\/[^\s<>"\x60\(\)\[\]\{\}*]{1,${MAX_SPAN}}`,
  String.raw`\d{4}年\d{1,2}月\d{1,2}日`,
  String.raw`(?<!${LETTER})\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?[+\-]\d\d:?\d\d(?!${LETTER})`,
  // An international telephone number.
  String.raw`(?<!${LETTER})\+\d(?:[ .\-\(\)]{0,2}\d){6,14}(?!${LETTER})`,
  WORD,
  `[${UNSPACED}]`,
  '[$€£¥￥₪₹%％]|°[CF]',
  String.raw`\p{Sm}`,
  String.raw`\p{Extended_Pictographic}`,
  String.raw`[.!?…。！？\n]`,
];
const TEXT_WITH_SPANS = new RegExp([...SPANS, ...PLAIN].join('|'), 'gv');
const TEXT = new RegExp(PLAIN.join('|'), 'gv');

/**
 * Splits a text into tokens, in linear time. With `spans`, quotations and code are single tokens; otherwise they are read
 * like the rest.
 */
export function tokensOf(text: string, { spans }: { spans: boolean }): Token[] {
  const reader = new Reader(text);
  const read = (from: number, to: number) => {
    for (const match of text.slice(from, to).matchAll(spans ? TEXT_WITH_SPANS : TEXT))
      reader.read(match[0], from + match.index);
  };
  let from = 0;
  for (let open = spans ? text.indexOf(FENCE) : -1; open !== -1; open = text.indexOf(FENCE, from)) {
    const close = text.indexOf(FENCE, open + FENCE.length);
    const end = close === -1 ? text.length : close + FENCE.length;
    read(from, open);
    reader.read(text.slice(open, end), open);
    from = end;
  }
  read(from, text.length);
  return reader.tokens;
}

const FENCE = '```';

interface Lexeme {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
/** A currency that stands before its number. */
interface Currency extends Lexeme {
  readonly unit: string;
}

const ENDS = new Set('.!?…。！？\n');
const QUOTES = new Set(['"', "'", '‘', ...QUOTATION_MARKS.map((marks) => marks.charAt(0))]);
const UNSPACED_CHARACTER = new RegExp(`^[${UNSPACED}]$`, 'v');
/** Words of lower-case letters only, or of letters without case only, match neither. */
const NOT_CASELESS = [/[^a-z]/, /\P{Lo}/u];
const MIXED_CASE = /\p{Ll}\p{Lu}/u;
const ALL_CAPITALS = /^\p{Lu}[\p{Lu}\-.]*\p{Lu}$/u;
const DOTTED = /\p{L}{2}\.\p{L}{2}/u;

const BLANKS = /^[ \t\u00a0\u202f*_]*$/;
const BLANKS_AND_COMMA = /^[ \t\u00a0\u202f*_]*(?:,[ \t\u00a0\u202f]*)?$/;
/** `5. März` */
const BLANKS_AND_DOT = /^\.?[ \t\u00a0\u202f*_]*$/;
/** `12-pack`, `8-kWp-Anlage` */
const COMPOUND = /^(\d[\d.,]*)-((?=\P{Lu}|\p{Lu}\p{Ll})\p{L}[\p{L}-]+)$/u;
/** `17.03`, before a dot */
const DAY_AND_MONTH = /^(\d{1,2})\.(\d{1,2})$/;
const SLASHED = /^(\d\d)\/(\d\d)$/;
/** Between the parts of a date. */
const OF = new Set(['of', 'de', 'del']);
const HALF_DAY = /^[ap]\.?m$/;
/** Longest gap between the parts of one thing, such as `May **20**`. */
const MAX_GAP = 8;
/** Signs that turn a number into another quantity: `≥5`, `< 5`. */
const BOUNDS = new Set('<>≤≥≠≈±');

/** Reads lexemes from left to right, because the meaning of one can depend on the tokens before it. */
class Reader {
  readonly tokens: Token[] = [];
  readonly #text: string;
  /** Positions of the numbers of list items. */
  readonly #items: ReadonlySet<number>;
  /** Only in English may a month stand before its day in figures. */
  readonly #isEnglish: boolean;
  /** Of the last token. */
  #end = 0;
  #isSentenceStart = true;
  #currency: Currency | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#items = itemNumbers(text);
    this.#isEnglish = ENGLISH.test(text);
  }

  read(text: string, start: number): void {
    const lexeme = { text, start, end: start + text.length };
    const currency = this.#currency;
    this.#currency = undefined;
    const head = text.charAt(0);
    if (ENDS.has(head)) {
      this.#isSentenceStart = true;
    } else if (head === '`') {
      this.#push('code', codeIn(text), lexeme);
    } else if (text.length > 1 && QUOTES.has(head)) {
      this.#push('quote', quoted(text), lexeme);
    } else if (head === 'h' && text.includes('://')) {
      this.#push('url', text.replace(/[.,;:!?'’/]{1,9}$/, ''), lexeme);
    } else if (head === '<' && text.length > 1) {
      if (text.includes('#') || text === '<time>') this.#push('id', text, lexeme);
    } else if (this.#items.has(start)) {
      this.#isSentenceStart = true;
    } else if (/^\d/.test(head)) {
      this.#figures(lexeme, currency);
    } else if (head === '+' && text.length > 1) {
      this.#push('id', text.replace(/[^+\d]/g, ''), lexeme);
    } else if (UNSPACED_CHARACTER.test(text)) {
      const unit = this.tokens.at(-1)?.kind === 'number' ? unitNamed(text) : undefined;
      const isJoined =
        this.#joinScale(SCALES.get(text), lexeme) || (unit !== undefined && this.#joinUnit(unit, lexeme));
      if (!isJoined) this.#push('character', text, lexeme);
    } else if (/^[^\p{L}\p{M}\p{N}]/u.test(head)) {
      this.#symbol(lexeme);
    } else {
      this.#word(lexeme);
    }
  }

  #symbol(lexeme: Lexeme): void {
    const { text, start } = lexeme;
    const unit = unitNamed(text.toLowerCase());
    if (unit === undefined) {
      const isSentenceStart = this.#isSentenceStart;
      if (!this.#isSign(start)) this.#push('symbol', text, lexeme);
      this.#isSentenceStart = isSentenceStart;
    } else if (!this.#joinUnit(unit, lexeme)) {
      this.#currency = { ...lexeme, unit };
    }
  }

  #word(lexeme: Lexeme): void {
    if (!NOT_CASELESS.every((pattern) => pattern.test(lexeme.text))) {
      this.#caseless(lexeme);
      return;
    }
    const text = lexeme.text.replace(/['’]s$/, '');
    const folded = text.toLowerCase();
    const isMixed = MIXED_CASE.test(text);
    const hasCapital = (isMixed || (text !== folded && /^\p{Lu}/u.test(text))) && !NEVER_CODES.has(text);
    if ((hasCapital || !CAPITAL_MONTHS.has(folded)) && this.#joinMonth(folded, lexeme)) return;
    if (this.#join(folded, lexeme)) return;
    if (text.includes('@')) {
      this.#push('id', folded, lexeme);
    } else if (/[\d_]|^\p{No}/u.test(text) || DOTTED.test(text)) {
      this.#push('id', text, lexeme);
    } else if (hasCapital && ALL_CAPITALS.test(text) && polarityOf(folded) === undefined) {
      this.#push('id', text, lexeme);
      if (text === unitNamed(folded)) this.#currency = { ...lexeme, unit: text };
    } else {
      const isInside = isMixed || !this.#isSentenceStart;
      this.#push('word', folded, lexeme, hasCapital ? (isInside ? 'inside' : 'first') : undefined);
    }
  }

  /** Most words are of this kind. They skip the checks for capitals, digits and signs. */
  #caseless(lexeme: Lexeme): void {
    const { text } = lexeme;
    if (!CAPITAL_MONTHS.has(text) && this.#joinMonth(text, lexeme)) return;
    if (!this.#join(text, lexeme)) this.#push('word', text, lexeme);
  }

  /** A word that is a number, or continues the token before it. */
  #join(folded: string, lexeme: Lexeme): boolean {
    const zeros = SCALES.get(folded);
    if (zeros !== undefined) {
      // `a hundred`
      if (!this.#joinScale(zeros, lexeme)) this.#push('number', scaled('1', zeros), lexeme, undefined, true);
      return true;
    }
    if (HALF_DAY.test(folded) && this.#joinHalfDay(folded.replace('.', ''), lexeme)) return true;
    if (folded === 'noon' || folded === 'midnight') {
      this.#push('time', folded === 'noon' ? '12:00' : '00:00', lexeme, undefined, true);
      return true;
    }
    const unit = this.tokens.at(-1)?.kind === 'number' ? unitNamed(folded) : undefined;
    if (unit !== undefined && this.#joinUnit(unit, lexeme)) return true;
    // After the units, because of `30 second`.
    const [number, ordinal] = [NUMBER_WORDS.get(folded), ORDINALS.get(folded)];
    if (number !== undefined) this.#push('number', number, lexeme, undefined, true);
    else if (ordinal !== undefined) this.#push('ordinal', ordinal, lexeme, undefined, true);
    return (number ?? ordinal) !== undefined;
  }

  #figures(lexeme: Lexeme, currency: Currency | undefined): void {
    const { text, start } = lexeme;
    const isDotted = this.#text[lexeme.end] === '.';
    const [, day, month] = (isDotted ? DAY_AND_MONTH : SLASHED).exec(text) ?? [];
    if (!this.#isEnglish && isDay(day) && isMonth(month)) {
      this.#push('date', `-${pad(month)}-${pad(day)}`, lexeme);
      return;
    }
    const number = numberIn(text);
    if (number === undefined) {
      const figures = figuresIn(text, { isDayFirst: !this.#isEnglish });
      const [, count, of = ''] = figures[0]?.kind === 'id' ? (COMPOUND.exec(text) ?? []) : [];
      if (count === undefined) {
        for (const figure of figures) this.#push(figure.kind, figure.text, lexeme);
      } else {
        this.read(count, start);
        this.read(of, lexeme.end - of.length);
      }
      return;
    }
    const ofCurrency = currency !== undefined && start - currency.end <= 1 ? currency : undefined;
    const isNegative = this.#isSign(start - 1) || (ofCurrency !== undefined && this.#isSign(ofCurrency.start - 1));
    const bound = this.#boundBefore(ofCurrency?.start ?? start);
    const value = `${bound}${isNegative ? '-' : ''}${number}`;
    if (ofCurrency !== undefined) {
      // A code such as EUR became a token of its own.
      if (this.#end === ofCurrency.end && this.tokens.at(-1)?.text === ofCurrency.text) this.tokens.pop();
      this.#push('number', quantity(value, ofCurrency.unit), lexeme);
    } else if (value !== number || !this.#joinDay(number, lexeme)) {
      this.#push('number', value, lexeme);
    }
  }

  #push(kind: Token['kind'], text: string, { start, end }: Lexeme, capital?: Capital, isSpelled = false): void {
    const isGlued = this.tokens.length > 0 && start === this.#end;
    const isNext = isGlued || this.#follows(start, BLANKS);
    this.tokens.push({
      kind,
      text,
      start,
      end,
      isNext,
      isGlued,
      ...(capital === undefined ? {} : { capital }),
      ...(isSpelled ? { isSpelled } : {}),
    });
    this.#end = end;
    this.#isSentenceStart = false;
  }

  #follows(start: number, allowed: RegExp): boolean {
    const length = start - this.#end;
    if (this.tokens.length === 0 || length > MAX_GAP) return false;
    return (length === 1 && this.#text[this.#end] === ' ') || allowed.test(this.#text.slice(this.#end, start));
  }

  /** A minus before a number or its currency, not a hyphen after a word. */
  #isSign(at: number): boolean {
    const [before = '', sign = '', after = ''] = [this.#text[at - 1], this.#text[at], this.#text[at + 1]];
    return /[-−]/.test(sign) && !/[\p{L}\p{N}]/u.test(before) && /[\d$€£¥￥₪₹]/.test(after);
  }

  /** `≥` of `≥ 5`, which is a token of its own by now; not `->` and the like. */
  #boundBefore(start: number): string {
    const sign = this.tokens.at(-1);
    if (sign?.kind !== 'symbol' || !BOUNDS.has(sign.text) || start - this.#end > 1) return '';
    this.tokens.pop();
    return sign.text;
  }

  /** Joins the last token and the lexeme that continues it. */
  #extend(kind: Token['kind'], text: string, { end }: Lexeme, written = text): true {
    const { start = 0, isNext = false, isGlued = false } = this.tokens.pop() ?? {};
    this.tokens.push({ kind, text, start, end, isNext, isGlued, ...(written === text ? {} : { written }) });
    this.#end = end;
    return true;
  }

  /** `2` or `2.5 USD` followed by `million`. */
  #joinScale(zeros: number | undefined, lexeme: Lexeme): boolean {
    const last = this.tokens.at(-1);
    if (zeros === undefined || last?.kind !== 'number' || !this.#follows(lexeme.start, BLANKS)) return false;
    const [number = '', unit] = last.text.split(' ');
    this.#extend('number', [scaled(number, zeros), unit].filter(Boolean).join(' '), lexeme);
    return true;
  }

  /** `5` followed by `USD`. */
  #joinUnit(unit: string, lexeme: Lexeme): boolean {
    const last = this.tokens.at(-1);
    if (last?.kind !== 'number' || last.text.includes(' ') || !this.#follows(lexeme.start, BLANKS)) return false;
    this.#extend('number', quantity(last.text, unit), lexeme, `${last.text} ${unit}`);
    return true;
  }

  /** `20` (`of`) followed by `May`. */
  #joinMonth(name: string, lexeme: Lexeme): boolean {
    const isOf = OF.has(this.tokens.at(-1)?.text ?? '') && this.tokens.at(-1)?.isNext === true;
    const day = this.tokens.at(isOf ? -2 : -1);
    if (day?.kind !== 'number' || !isDay(day.text) || !this.#follows(lexeme.start, BLANKS_AND_DOT)) return false;
    const month = monthNamed(name);
    if (month === undefined) return false;
    if (isOf) this.tokens.pop();
    return this.#extend('date', `-${pad(month)}-${pad(day.text)}`, lexeme);
  }

  /** `May` followed by `20` or `2024`; `May 20` followed by `2024`. */
  #joinDay(digits: string, lexeme: Lexeme): boolean {
    const isOf = OF.has(this.tokens.at(-1)?.text ?? '') && this.tokens.at(-2)?.kind === 'date';
    const last = this.tokens.at(isOf ? -2 : -1);
    if (last === undefined || !this.#follows(lexeme.start, BLANKS_AND_COMMA)) return false;
    const isYear = /^[12]\d{3}$/.test(digits);
    if (last.kind === 'date' && last.text.startsWith('-') && isYear) {
      if (isOf) this.tokens.pop();
      return this.#extend('date', `${digits}${last.text}`, lexeme);
    }
    const month = last.capital === undefined ? undefined : monthNamed(last.text);
    if (month === undefined) return false;
    if (isYear) return this.#extend('date', `${digits}-${pad(month)}`, lexeme);
    return isDay(digits) && this.#extend('date', `-${pad(month)}-${pad(digits)}`, lexeme);
  }

  /** `7` or `7:00` followed by `PM`. */
  #joinHalfDay(half: string, lexeme: Lexeme): boolean {
    const last = this.tokens.at(-1);
    if (last === undefined || !this.#follows(lexeme.start, BLANKS)) return false;
    const time = timeOfDay(`${last.text}${last.kind === 'number' ? ':00' : ''}${half}`);
    return time !== undefined && this.#extend('time', time, lexeme);
  }
}

const ITEM_NUMBER = /(?<![^\s*_])(\d{1,3})[.)](?=\s)/g;

/**
 * Positions of the numbers of numbered lists. They count up from 1 and are layout, not quantities. Line breaks mean nothing
 * in these texts, so counting is what identifies them.
 */
function itemNumbers(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  let [last, first] = [0, -1];
  for (const { 1: digits, index } of text.matchAll(ITEM_NUMBER)) {
    const number = Number(digits);
    if (number === last + 1 && number > 1) {
      if (number === 2) found.add(first);
      found.add(index);
    } else if (number !== 1) {
      continue;
    } else {
      first = index;
    }
    last = number;
  }
  return found;
}

/** Code without its fence and language; for JSON, the value that it spells. */
function codeIn(text: string): string {
  if (!text.startsWith('```')) return text.slice(1, -1).trim();
  const code = text
    .replace(/^```[^\n]*\n?/, '')
    .replace(/```$/, '')
    .trim();
  const value = spelledOut(code);
  return typeof value === 'string' ? code : canonical(value);
}

/** American quotation marks include the mark that ends the sentence. */
function quoted(text: string): string {
  return text
    .slice(1, -1)
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.,;!?]$/, '');
}
