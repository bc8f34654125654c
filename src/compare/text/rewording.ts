import { readable } from '../values/canonical.ts';
import { type Forms, formsIn } from './forms.ts';
import { GRAMMAR_WORDS, NEVER_NAMES, polarityOf } from './lexicon.ts';
import { westernDigits } from './quantities.ts';
import { type Token, tokensOf } from './tokens.ts';
import { lengthInWords, type Word, wordsIn } from './words.ts';

/** In a text of at most so many words each name, and a word that is the only one to differ, says what the text says. */
const SHORT_WORDS = 12;
/** So does it where at most this share of the words is in both. */
const LITTLE_SHARED = 0.5;
/** Texts that share less than this are about something else. */
const NOTHING_SHARED = 0.2;

/**
 * Why two texts say different things, and the words in which each of them says it. `empty`, `refusal`: only one of them
 * is. `polarity`: an English yes or no more or less. `form`: another number, id, date, URL, quotation or code.
 * `exchange`: two words have changed places, and nothing else differs. `topic`: hardly a word in common. `name`, `word`:
 * in a short or much changed text, a name of the recording that is gone, or the one word of content that is another.
 */
export interface TextDifference {
  readonly because: 'empty' | 'refusal' | 'polarity' | 'form' | 'exchange' | 'topic' | 'name' | 'word';
  readonly recorded: readonly string[];
  readonly replayed: readonly string[];
}

/** `same`: for a reader. `reworded`: other words with the same forms; whether they mean the same is not judged. */
export type TextComparison = 'same' | 'reworded' | TextDifference;

/** A text that is read once, however often it is compared. */
export class Text {
  readonly #raw: string;
  #readable: string | undefined;
  /** With quotations and code in one piece, and taken apart. */
  #whole: readonly Token[] | undefined;
  #apart: readonly Token[] | undefined;
  #forms: Forms | undefined;
  #words: readonly Word[] | undefined;
  #names: ReadonlySet<string> | undefined;

  constructor(raw: string) {
    this.#raw = raw;
  }

  get readable(): string {
    this.#readable ??= westernDigits(readable(this.#raw));
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

  /** Words with a capital inside a sentence. Where sentences begin, its lines tell. */
  get names(): ReadonlySet<string> {
    this.#names ??= new Set(namesIn(tokensOf(westernDigits(this.#raw.normalize('NFC')), { spans: false })));
    return this.#names;
  }

  get isEmpty(): boolean {
    return this.readable === '';
  }

  get isShort(): boolean {
    return this.words.length <= 2 * SHORT_WORDS && lengthInWords(this.words) <= SHORT_WORDS;
  }
}

/**
 * Whether a replay's text says what the recorded one says, as far as that can be told without knowing what words mean.
 * Takes linear time. Not symmetric: the names that count are those of the recording.
 */
export function compareTexts(recorded: Text, replayed: Text): TextComparison {
  if (recorded.readable === replayed.readable) return 'same';
  if (recorded.isEmpty !== replayed.isEmpty) return { because: 'empty', ...NO_WORDS };
  if (recorded.forms.isRefusal !== replayed.forms.isRefusal) return { because: 'refusal', ...NO_WORDS };
  const stated =
    polarityDifference(recorded, replayed) ??
    formDifference(recorded, replayed) ??
    inPlace(recorded.words, replayed.words);
  if (stated !== undefined) return stated;
  const share = sharedWords(recorded, replayed);
  if (share < NOTHING_SHARED) return { because: 'topic', ...NO_WORDS };
  if (!recorded.isShort && !replayed.isShort && share > LITTLE_SHARED) return 'reworded';
  return nameDifference(recorded, replayed) ?? wordDifference(recorded, replayed) ?? 'reworded';
}

/** It is the whole texts that differ. */
const NO_WORDS = { recorded: [], replayed: [] };

function polarityDifference({ forms: a }: Text, { forms: b }: Text): TextDifference | undefined {
  const more = (of: Forms, than: Forms) =>
    [...of.polarity].flatMap(([polarity, count]) => {
      return Array.from({ length: Math.max(0, count - (than.polarity.get(polarity) ?? 0)) }, () => polarity);
    });
  const [gone, added] = [more(a, b), more(b, a)];
  return gone.length + added.length === 0 ? undefined : { because: 'polarity', recorded: gone, replayed: added };
}

function formDifference(recorded: Text, replayed: Text): TextDifference | undefined {
  const [gone, added] = [formsWithout(recorded, replayed), formsWithout(replayed, recorded)];
  return gone.length + added.length === 0 ? undefined : { because: 'form', recorded: gone, replayed: added };
}

/** Forms of a text that the other one does not state. What is quoted here may stand there without its marks. */
function formsWithout(text: Text, other: Text): string[] {
  const missing = [...text.forms.stated].filter(([form]) => !other.forms.stated.has(form)).map(([, token]) => token);
  if (missing.length === 0) return [];
  let said: string | undefined;
  return missing.flatMap((token) => {
    if (token.kind !== 'quote' && token.kind !== 'code') return [token.text];
    said ??= joined(other.words);
    const words = wordsIn(tokensOf(token.text, { spans: false }));
    return words.length > 0 && said.includes(joined(words)) ? [] : [token.text];
  });
}

function joined(words: readonly Word[]): string {
  return `\0${words.map(({ text }) => text).join('\0')}\0`;
}

/** Names that may be others in texts that are otherwise the same, word by word. */
const MAX_NAMES_IN_PLACE = 3;

/**
 * Texts that are the same word by word, but for names in one another's place (`your Kettle`, `your Stove`), or for two
 * words that have changed places: `the customer owes the shop`, `the shop owes the customer`.
 */
function inPlace(a: readonly Word[], b: readonly Word[]): TextDifference | undefined {
  if (a.length !== b.length) return undefined;
  const places: number[] = [];
  for (const [index, { text }] of a.entries()) {
    if (text !== b[index]?.text && places.push(index) > MAX_NAMES_IN_PLACE) return undefined;
  }
  if (places.length === 0) return undefined;
  const [gone, came] = [a, b].map((words) => places.map((place) => words[place] as Word)) as [Word[], Word[]];
  const said = { recorded: gone.map(({ text }) => text), replayed: came.map(({ text }) => text) };
  if (isExchange(a, gone, came)) return { because: 'exchange', ...said };
  return [...gone, ...came].every(({ token }) => token.capital === 'inside') ? { because: 'name', ...said } : undefined;
}

/** Whether two words that mean something have changed places in one clause, and not in a list: `tea and milk`. */
function isExchange(words: readonly Word[], [x, y]: readonly Word[], [u, v, more]: readonly Word[]): boolean {
  if (x === undefined || y === undefined || more !== undefined || x.text !== v?.text || y.text !== u?.text)
    return false;
  const [first, second] = [words.indexOf(x), words.indexOf(y)];
  const between = words.slice(first + 1, second);
  const isClause = words.slice(first + 1, second + 1).every(({ token }) => token.isNext);
  const isList = between.length === 0 || (between.length === 1 && LISTING.test(between[0]?.text ?? ''));
  return isContent(x) && isContent(y) && isClause && !isList;
}

/** What most languages put between the items of a list is that short; so are these English words, which are not. */
const LISTING = /^(?!(?:to|by|for|is|was|has|had)$)\p{L}{1,3}$/u;

/**
 * The share of the words of the shorter text that occur in the longer one, from 0 to 1. Words that say nothing by
 * themselves are in every text of a language: they are left out, unless there are no others.
 */
function sharedWords(recorded: Text, replayed: Text): number {
  const [ours, theirs] = [recorded.words.filter(isContent), replayed.words.filter(isContent)];
  const [a, b] = ours.length > 0 && theirs.length > 0 ? [ours, theirs] : [recorded.words, replayed.words];
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  const known = new Set(longer.map(({ text }) => text));
  return shorter.length === 0 ? 0 : shorter.filter(({ text }) => known.has(text)).length / shorter.length;
}

function nameDifference(recorded: Text, replayed: Text): TextDifference | undefined {
  const said = new Set(replayed.words.map(({ text }) => text));
  const gone = [...recorded.names].filter((name) => !said.has(name));
  if (gone.length === 0) return undefined;
  const known = new Set(recorded.words.map(({ text }) => text));
  return { because: 'name', recorded: gone, replayed: [...replayed.names].filter((name) => !known.has(name)) };
}

/** One word of the recording is gone, and at most one other came: words of content, as far as can be told. */
function wordDifference(recorded: Text, replayed: Text): TextDifference | undefined {
  const [gone, came] = [contentWithout(recorded, replayed), contentWithout(replayed, recorded)];
  return gone.length === 1 && came.length <= 1 ? { because: 'word', recorded: gone, replayed: came } : undefined;
}

/** Most neighbouring pairs of characters that one word of a script without blanks is in: those of four characters. */
const MAX_PAIRS = 5;

/** Words of content that a text has more often than the other one; pairs of characters in a row are one word. */
function contentWithout(text: Text, other: Text): string[] {
  const free = new Map<string, number>();
  for (const { text: word } of other.words) free.set(word, (free.get(word) ?? 0) + 1);
  const found: string[] = [];
  let pairs = 0;
  for (const each of text.words) {
    const { text: word, isOfCharacters } = each;
    const count = free.get(word) ?? 0;
    if (count > 0) free.set(word, count - 1);
    if (count > 0 || !isContent(each)) {
      pairs = 0;
    } else if (!isOfCharacters || pairs === 0 || pairs === MAX_PAIRS) {
      found.push(word);
      pairs = isOfCharacters ? 1 : 0;
    } else {
      found[found.length - 1] += word.slice(-1);
      pairs++;
    }
  }
  return found;
}

/** Shortest word that is taken for one of content in any language: shorter ones are mostly grammar. */
const MIN_CONTENT_CHARS = 3;

/** Whether a word says something by itself, as far as that can be told of a language that is not known. */
function isContent({ text, isOfCharacters, token }: Word): boolean {
  if (isOfCharacters || token.kind !== 'word') return true;
  return text.length >= MIN_CONTENT_CHARS && !GRAMMAR_WORDS.has(text);
}

/**
 * Words with a capital that they do not owe to their place: inside a sentence, or at its start as part of more. A word
 * that the text writes small as well (`your flight`, `Flight 7`) is none.
 */
function namesIn(tokens: readonly Token[]): string[] {
  const small = new Set<string>();
  for (const { kind, text, capital } of tokens) if (kind === 'word' && capital === undefined) small.add(text);
  const isName = ({ text, capital }: Token): boolean =>
    capital !== undefined && !small.has(text) && !NEVER_NAMES.has(beforeApostrophe(text)) && !polarityOf(text);
  const certain = new Set<string>();
  for (const token of tokens) if (token.capital === 'inside' && isName(token)) certain.add(token.text);
  return tokens.flatMap((token, index) => {
    if (token.capital === undefined || !isName(token)) return [];
    const next = tokens[index + 1];
    const isPart = next?.isNext === true && next.capital === 'inside' && certain.has(next.text);
    return isPart || certain.has(token.text) ? [token.text] : [];
  });
}

/** `i` of `I'll`. */
function beforeApostrophe(word: string): string {
  return word.split(/['’]/, 1)[0] ?? word;
}
