import type { TextDifference } from '../shapes/result.ts';
import { commonPrefix } from '../values/common-prefix.ts';
import { aroundChanges } from './around.ts';
import type { Forms } from './forms.ts';
import { exchange, onePlace } from './in-place.ts';
import { DENIALS, GERMAN } from './lexicon.ts';
import { inWordsOf } from './same-quantities.ts';
import { areRearranged, otherStatement } from './statements.ts';
import { Text } from './text.ts';
import { quantityOf, type Token } from './tokens.ts';
import { isContent, lengthInWords, type Word } from './words.ts';

/** If at most this share of the words is in both, names and single changed words count. */
const LITTLE_SHARED = 0.5;
/** Below this, sentences are put otherwise: any other word may deny what `not` denied, or say what a figure said. */
const MOSTLY_SHARED = 0.75;
/** More words are several sentences, of which one may say `not` in passing. */
const SOME_SENTENCES = 20;
/** A text put otherwise has at least this share of the figures, from 0 to 1. */
const REPEATED = 0.6;
/** Texts that share less than this are about something else. */
const NOTHING_SHARED = 0.2;
/** A refusal shares less than this with an answer that also denies something. */
const ANOTHER_REFUSAL = 1 / 3;

/** `same`: equal for a reader. `reworded`: other words with the same forms; nobody judged whether they mean the same. */
export type TextComparison = 'same' | 'reworded' | TextDifference;

/**
 * Whether a replay's text says what the recorded one says, as far as anybody can tell without knowing what words mean.
 * Takes linear time. Not symmetric: only names in the recording count.
 */
export function compareTexts(wholeRecorded: Text, wholeReplayed: Text): TextComparison {
  if (wholeRecorded.raw === wholeReplayed.raw) return 'same';
  const [recorded, replayed] = aroundChanges(wholeRecorded, wholeReplayed);
  const said = compareAsWritten(recorded, replayed);
  if (typeof said !== 'object' || (said.because !== 'form' && said.because !== 'word')) return said;
  const respelled = inWordsOf(replayed, recorded);
  if (respelled === undefined) return said;
  const other = compareAsWritten(new Text(respelled), replayed);
  return other === 'same' || (typeof other === 'object' && isSlight(other)) ? 'reworded' : other;
}

function compareAsWritten(recorded: Text, replayed: Text): TextComparison {
  if (recorded.readable === replayed.readable) return 'same';
  if (recorded.isEmpty !== replayed.isEmpty) return { because: 'empty', ...NO_WORDS };
  if (recorded.endsWithSentence && replayed.isCutOff) return { because: 'cut-off', ...NO_WORDS };
  const share = sharedWords(recorded, replayed);
  const isRearranged = areRearranged(recorded.statements, replayed.statements);
  const isShort = recorded.isShort || replayed.isShort;
  const isRetold = !isShort && share >= NOTHING_SHARED && share < MOSTLY_SHARED && repeatsFigures(recorded, replayed);
  // The sharpest fact is told first: what the world can be asked about, then whom, then yes or no.
  const stated =
    formDifference(recorded, replayed, isRetold) ??
    otherStatement(recorded.statements, replayed.statements) ??
    (isRearranged ? undefined : exchange(recorded, replayed)) ??
    (isShort ? nameDifference(recorded, replayed) : undefined);
  if (stated !== undefined) return stated;
  const denied = polarityDifference(recorded, replayed);
  // Both deny something: one refuses, the other states a fact. With mostly the same words they say the same.
  const isRefused = isOneRefusal(recorded, replayed) && (denied !== undefined || share < ANOTHER_REFUSAL);
  if (isRefused) return { because: 'refusal', ...NO_WORDS };
  const areSentences = [recorded, replayed].every(({ words }) => lengthInWords(words) > SOME_SENTENCES);
  if (denied !== undefined && !(isRetold && areSentences)) return denied;
  if (share < NOTHING_SHARED) return { because: 'topic', ...NO_WORDS };
  if (!isShort && share > LITTLE_SHARED) return 'reworded';
  const word =
    (isShort && !isRearranged ? onePlace(recorded.words, replayed.words) : undefined) ??
    wordDifference(recorded, replayed);
  if (word === undefined || isInflected(word)) return 'reworded';
  return recorded.forms.stated.size > 0 && isParaphrase(word, recorded, replayed) ? 'reworded' : word;
}

/**
 * Where both texts state the same figures, one word in the place of another tells something else, as does an added one. If
 * it is not one for one, or a figure is spelled otherwise too, the sentence is put in other words, unless one side denies.
 */
function isParaphrase(word: TextDifference, recorded: Text, replayed: Text): boolean {
  const [gone, came] = [word.recorded.length, word.replayed.length];
  const isUneven = Math.max(gone, came) > 1 && Math.min(gone, came) > 0;
  return isSlight(word) && (isUneven || recorded.spelling !== replayed.spelling);
}

/** A difference in words without a denial. */
function isSlight({ because, recorded, replayed }: TextDifference): boolean {
  return because === 'word' && ![...recorded, ...replayed].some((word) => DENIALS.has(word));
}

/** Letters that a word shares with another form of it. */
const MIN_STEM = 5;

/** Two forms of one word, in any language: `puede`, `puedes`. */
function isInflected({ recorded: [was = '', ...more], replayed: [is = '', ...others] }: TextDifference): boolean {
  const stem = commonPrefix(was, is);
  return more.length + others.length === 0 && stem >= MIN_STEM && Math.max(was.length, is.length) - stem <= 1;
}

/** Whether two texts share most of their words. */
export function areNear(recorded: Text, replayed: Text): boolean {
  return sharedWords(recorded, replayed) > LITTLE_SHARED;
}

function isOneRefusal({ forms: a }: Text, { forms: b }: Text): boolean {
  return a.isRefusal !== b.isRefusal;
}

/** Whether one text denies what the other does not, whatever else differs. */
export function isDenied(recorded: Text, replayed: Text): boolean {
  return isOneRefusal(recorded, replayed) || polarityDifference(recorded, replayed) !== undefined;
}

/** The whole texts differ. */
const NO_WORDS = { recorded: [], replayed: [] };

function polarityDifference({ forms: a }: Text, { forms: b }: Text): TextDifference | undefined {
  const more = (of: Forms, than: Forms) =>
    [...of.polarity].flatMap(([polarity, count]) => {
      return Array.from({ length: Math.max(0, count - (than.polarity.get(polarity) ?? 0)) }, () => polarity);
    });
  const [gone, added] = [more(a, b), more(b, a)];
  return gone.length + added.length === 0 ? undefined : { because: 'polarity', recorded: gone, replayed: added };
}

/** Who tells the same in other words repeats most figures; another answer does not. */
function repeatsFigures({ forms: a }: Text, { forms: b }: Text): boolean {
  const same = [...a.stated.keys()].filter((form) => b.stated.has(form)).length;
  return same > 0 && same >= REPEATED * Math.max(a.stated.size, b.stated.size);
}

function formDifference(recorded: Text, replayed: Text, isRetold: boolean): TextDifference | undefined {
  const [ours, theirs] = [notIn(replayed, recorded), notIn(recorded, replayed)];
  const [lost, won] = [withoutOwn(ours, theirs), withoutOwn(theirs, ours)];
  const quantities = new Set(won.map(quantityOf));
  if (isRetold && !lost.some((token) => quantities.has(quantityOf(token)))) return undefined;
  const gone = formsOf(lost, { replacedBy: won, text: recorded, other: replayed });
  const added = formsOf(won, { replacedBy: lost, text: replayed, other: recorded });
  return gone.length + added.length === 0 ? undefined : { because: 'form', recorded: gone, replayed: added };
}

/** Quotations that are searched for without their marks; with more of them, matches could be chance. */
const MAX_QUOTES = 50;

interface Exchanged {
  /** Forms that only the other text states. */
  readonly replacedBy: readonly Token[];
  readonly text: Text;
  readonly other: Text;
}

/**
 * Forms of a text that the other does not state. A quotation here may appear there without marks. A small number in words
 * (`the two flights`) may be left out, but not changed.
 */
function formsOf(missing: readonly Token[], { replacedBy, text, other }: Exchanged): string[] {
  if (missing.length === 0) return [];
  const said = missing.length > MAX_QUOTES ? '' : other.readable.toLowerCase();
  const exchanged = new Set(missing.some(isSpelled) ? replacedBy.map(({ kind }) => kind) : []);
  if (saysOne(other) && !saysOne(text)) exchanged.add('number');
  const isAnotherName = text.isShort || other.isShort || replacedBy.some(mayBeLeftOut);
  return missing
    .filter(
      (token) =>
        !(isQuoted(token) && said.includes(token.text.toLowerCase())) &&
        (!isSpelled(token) || exchanged.has(token.kind)) &&
        (!mayBeLeftOut(token) || isAnotherName),
    )
    .map(({ text: form, written = form }) => written);
}

function notIn(other: Text, { forms }: Text): Token[] {
  return [...forms.stated].filter(([form]) => !other.forms.stated.has(form)).map(([, token]) => token);
}

/**
 * Without what the other text states too, but for its month or its unit. In a range, a day may stand without its month: `from
 * 4 to 26 September`, `September 4 to September 26`.
 */
function withoutOwn(tokens: readonly Token[], others: readonly Token[]): readonly Token[] {
  const stated = new Set(others.flatMap((each) => partsOf(each).map(({ whole }) => whole)));
  return tokens.filter((token) => !partsOf(token).some(({ other }) => stated.has(other)));
}

/** What a figure is to another text that writes less or more of it: itself, and what must stand there. */
function partsOf({ kind, text }: Token): readonly { readonly whole: string; readonly other: string }[] {
  if (kind === 'date') return [{ whole: `date ${Number(text.slice(-2))}`, other: `day ${Number(text.slice(-2))}` }];
  if (kind !== 'number' && kind !== 'ordinal') return [];
  const day = { whole: `day ${text}`, other: `date ${text}` };
  if (kind === 'ordinal') return [day];
  const [count = '', unit] = text.split(' ', 2);
  const [bare, measured] = [`bare ${count}`, `measured ${count}`];
  return [day, unit === undefined ? { whole: bare, other: measured } : { whole: measured, other: bare }];
}

/** A number only in exchange for another one in words: `one lamp`, `three lamps`. */
function saysOne({ words }: Text): boolean {
  return words.some(({ text }) => text === 'one');
}

function isQuoted({ kind }: Token): boolean {
  return kind === 'quote' || kind === 'code';
}

/** A name in capitals (`the DNA`), of which a paraphrase needs no mention, but which another one cannot take the place of. */
function mayBeLeftOut({ kind, text }: Token): boolean {
  return kind === 'id' && /^\p{Lu}+$/u.test(text);
}

function isSpelled({ isSpelled = false }: Token): boolean {
  return isSpelled;
}

/**
 * The share of the shorter text's words that are in the longer one, from 0 to 1. Function words are left out unless there
 * are no others, because every text of a language has them.
 */
function sharedWords(recorded: Text, replayed: Text): number {
  const isTopic = (word: Word) => isContent(word) && !/^(?:can|not)$/.test(word.text);
  const [ours, theirs] = [recorded.words.filter(isTopic), replayed.words.filter(isTopic)];
  const [a, b] = ours.length > 0 && theirs.length > 0 ? [ours, theirs] : [recorded.words, replayed.words];
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  const known = new Set(longer.map(({ text }) => text));
  return shorter.length === 0 ? 0 : shorter.filter(({ text }) => known.has(text)).length / shorter.length;
}

function nameDifference(recorded: Text, replayed: Text): TextDifference | undefined {
  // Every noun has a capital.
  if (GERMAN.test(recorded.readable)) return undefined;
  const said = new Set(replayed.words.map(({ text }) => text));
  const gone = [...recorded.names].filter((name) => !said.has(name));
  if (gone.length === 0) return undefined;
  const known = new Set(recorded.words.map(({ text }) => text));
  return { because: 'name', recorded: gone, replayed: [...replayed.names].filter((name) => !known.has(name)) };
}

/** One word of the recording is missing, and at most one other is new; both are content words, as far as anybody can tell. */
function wordDifference(recorded: Text, replayed: Text): TextDifference | undefined {
  const [gone, came] = [contentWithout(recorded, replayed), contentWithout(replayed, recorded)];
  return gone.length === 1 && came.length <= 1 ? { because: 'word', recorded: gone, replayed: came } : undefined;
}

/** One word of up to four characters, in a script without blanks, is in this many neighbouring pairs. */
const MAX_PAIRS = 5;

/** Content words that a text has more often than the other. Consecutive pairs of characters count as one word. */
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
