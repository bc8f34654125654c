import { readable } from '../values/canonical.ts';
import { type Forms, formsIn } from './forms.ts';
import { NEVER_NAMES, polarityOf } from './lexicon.ts';
import { inPlainWords } from './plain-words.ts';
import { type Statement, statementsIn } from './statements.ts';
import { type Token, tokensOf } from './tokens.ts';
import { lengthInWords, type Word, wordsIn } from './words.ts';

/** In a text of at most this many words, each name matters, and so does a single changed word. */
const SHORT_WORDS = 12;

/** Characters of texts whose parts are kept, which take some fifty times as much memory. */
const MAX_KEPT = 1_000_000;
const lately = new Map<string, Text>();
let kept = 0;

/** A text that is parsed once, however often it is compared. */
export class Text {
  readonly raw: string;
  #lines: string | undefined;
  #inLines: readonly Token[] | undefined;
  #readable: string | undefined;
  /** Once with quotations and code as single tokens, once parsed. */
  #whole: readonly Token[] | undefined;
  #apart: readonly Token[] | undefined;
  #forms: Forms | undefined;
  #words: readonly Word[] | undefined;
  #names: ReadonlySet<string> | undefined;
  #statements: readonly Statement[] | undefined;

  constructor(raw: string) {
    this.raw = raw;
  }

  /** Every replay is held against the same recordings: a text that was asked for lately is not parsed again. */
  static of(raw: string): Text {
    const known = lately.get(raw);
    const text = known ?? new Text(raw);
    if (known === undefined) kept += raw.length;
    lately.delete(raw);
    lately.set(raw, text);
    for (const [each] of kept > MAX_KEPT ? lately : []) {
      if (kept <= MAX_KEPT) break;
      lately.delete(each);
      kept -= each.length;
    }
    return text;
  }

  get readable(): string {
    this.#readable ??= readable(this.lines);
    return this.#readable;
  }

  get forms(): Forms {
    this.#forms ??= formsIn(this.#inOnePiece);
    return this.#forms;
  }

  get words(): readonly Word[] {
    this.#words ??= wordsIn(this.#takenApart);
    return this.#words;
  }

  get #inOnePiece(): readonly Token[] {
    this.#whole ??= tokensOf(this.readable, { spans: true });
    return this.#whole;
  }

  get #takenApart(): readonly Token[] {
    const hasSpans = this.#inOnePiece.some(({ kind }) => kind === 'quote' || kind === 'code');
    this.#apart ??= hasSpans ? tokensOf(this.readable, { spans: false }) : this.#inOnePiece;
    return this.#apart;
  }

  /** Capitalised words inside sentences. Line breaks help to find where sentences start. */
  get names(): ReadonlySet<string> {
    this.#names ??= new Set(namesIn(tokensOf(this.lines, { spans: false })));
    return this.#names;
  }

  get statements(): readonly Statement[] {
    this.#statements ??= statementsIn(this.lines, this.tokens);
    return this.#statements;
  }

  /** Of `lines`, with quotations and code as single tokens. */
  get tokens(): readonly Token[] {
    this.#inLines ??= tokensOf(this.lines, { spans: true });
    return this.#inLines;
  }

  /** In plain words, with its line breaks. */
  get lines(): string {
    this.#lines ??= inPlainWords(this.raw.normalize('NFC'));
    return this.#lines;
  }

  /** Its figures as it writes them. */
  get spelling(): string {
    const figures = this.tokens.filter(({ kind }) => kind === 'number' || kind === 'time' || kind === 'date');
    return figures.map(({ start, end }) => this.lines.slice(start, end)).join();
  }

  /** It stops within a sentence: its last sentence has several words and no final mark. */
  get isCutOff(): boolean {
    const line = this.readable === '' ? '' : lastLineOf(this.raw);
    return (
      /[\p{L}\p{N},]$/u.test(line) && !LIST_ITEM.test(line) && line.split(' ', SENTENCE_WORDS).length >= SENTENCE_WORDS
    );
  }

  get endsWithSentence(): boolean {
    return /[.!?…。！？]$/u.test(this.readable);
  }

  get isEmpty(): boolean {
    return this.readable === '';
  }

  get isShort(): boolean {
    return this.words.length <= 2 * SHORT_WORDS && lengthInWords(this.words) <= SHORT_WORDS;
  }
}

/** A line of fewer words may be a heading, a closing or a list item. */
const SENTENCE_WORDS = 6;
const LIST_ITEM = /^(?:[-*•|#>]|\d{1,3}[.)])/u;

function lastLineOf(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
}

/** Words with a capital inside a sentence. One that the text also writes in lower case (`your flight`, `Flight 7`) is no name. */
function namesIn(tokens: readonly Token[]): string[] {
  const small = new Set<string>();
  for (const { kind, text, capital } of tokens) if (kind === 'word' && capital === undefined) small.add(text);
  return tokens
    .filter(({ text, capital }) => capital === 'inside' && !small.has(text))
    .map(({ text }) => text)
    .filter((text) => !NEVER_NAMES.has(text.replace(/['’].*/, '')) && !polarityOf(text));
}
