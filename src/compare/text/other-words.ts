import type { TextDifference } from '../shapes/result.ts';
import { aroundChanges } from './around.ts';
import type { Forms } from './forms.ts';
import type { Given } from './given.ts';
import { exchange, onePlace } from './in-place.ts';
import { DENIALS, GERMAN } from './lexicon.ts';
import { inWordsOf } from './same-quantities.ts';
import { areRearranged, otherStatement } from './statements.ts';
import { Text } from './text.ts';
import { quantityOf, type Token } from './tokens.ts';
import { isContent, MIN_CONTENT_CHARS, type Word } from './words.ts';

/** Texts that share more of their words are versions of one. */
const MUCH_SHARED = 0.5;
/** Below this, sentences are put otherwise: any other word may deny what `not` denied, or say what a figure said. */
const MOSTLY_SHARED = 0.72;
/** Below this, and with other figures, texts are two answers. */
const SOME_SHARED = 0.4;
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
 * @param given what whoever says it was given: what is added of it, or left out unasked, is other words
 */
export function compareTexts(wholeRecorded: Text, wholeReplayed: Text, given?: Given): TextComparison {
  if (wholeRecorded.raw === wholeReplayed.raw) return 'same';
  const [recorded, replayed] = aroundChanges(wholeRecorded, wholeReplayed);
  const said = compareAsWritten(recorded, replayed, given);
  if (typeof said !== 'object' || (said.because !== 'form' && said.because !== 'word')) return said;
  const respelled = inWordsOf(replayed, recorded);
  if (respelled === undefined) return said;
  const other = compareAsWritten(new Text(respelled), replayed, given);
  return other === 'same' || (typeof other === 'object' && isSlight(other)) ? 'reworded' : other;
}

function compareAsWritten(recorded: Text, replayed: Text, given?: Given): TextComparison {
  if (recorded.readable === replayed.readable) return 'same';
  if (recorded.isEmpty !== replayed.isEmpty) return { because: 'empty', ...NO_WORDS };
  if (recorded.endsWithSentence && replayed.isCutOff) return { because: 'cut-off', ...NO_WORDS };
  const share = sharedWords(recorded, replayed);
  const isRearranged = areRearranged(recorded.statements, replayed.statements);
  const isShort = recorded.isShort || replayed.isShort;
  const news = formsApart(recorded, replayed);
  const areFiguresRepeated = repeatsFigures(recorded, replayed, news);
  const like = likeness(recorded, replayed);
  const isPutOtherwise = !isShort && like < MOSTLY_SHARED && (areFiguresRepeated || like >= SOME_SHARED);
  // The sharpest fact is told first: what the world can be asked about, then whom, then yes or no.
  const stated =
    formDifference(recorded, replayed, news, isPutOtherwise && areFiguresRepeated, isShort ? undefined : given) ??
    otherStatement(recorded.statements, replayed.statements) ??
    (isRearranged ? undefined : exchange(recorded, replayed)) ??
    (isShort ? nameDifference(recorded, replayed) : undefined);
  if (stated !== undefined) return stated;
  const denied = polarityDifference(recorded, replayed);
  // Both deny something: one refuses, the other states a fact. With mostly the same words they say the same.
  const isRefused = isOneRefusal(recorded, replayed) && (denied !== undefined || share < ANOTHER_REFUSAL);
  if (isRefused) return { because: 'refusal', ...NO_WORDS };
  if (denied !== undefined && !isPutOtherwise) return denied;
  if (share < NOTHING_SHARED) return { because: 'topic', ...NO_WORDS };
  const word = isShort && !isRearranged ? onePlace(recorded.words, replayed.words) : undefined;
  // Who spells a figure otherwise puts the sentence in other words.
  const isParaphrase = word === undefined || (isSlight(word) && recorded.spelling !== replayed.spelling);
  return isParaphrase ? 'reworded' : word;
}

/** A difference in words without a denial. */
function isSlight({ because, recorded, replayed }: TextDifference): boolean {
  return because === 'word' && ![...recorded, ...replayed].some((word) => DENIALS.has(word));
}

/** Whether two texts share most of their words. */
export function areNear(recorded: Text, replayed: Text): boolean {
  return sharedWords(recorded, replayed) > MUCH_SHARED;
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

/** Forms of each text that the other does not state. */
interface Apart {
  readonly lost: readonly Token[];
  readonly won: readonly Token[];
}

function formsApart(recorded: Text, replayed: Text): Apart {
  const [ours, theirs] = [notIn(replayed, recorded), notIn(recorded, replayed)];
  return { lost: withoutOwn(ours, theirs), won: withoutOwn(theirs, ours) };
}

/** Who tells the same in other words repeats most figures. Any answer may name the thing that it was asked about. */
function repeatsFigures({ forms: a }: Text, { forms: b }: Text, { lost, won }: Apart): boolean {
  const same = Math.min(a.stated.size - lost.length, b.stated.size - won.length);
  return same > 1 && same >= REPEATED * Math.max(a.stated.size, b.stated.size);
}

/**
 * @param isRetold a figure tells only in the place of a like one
 * @param given what is added of it beside all that was recorded tells nothing, nor what is left out of it unasked
 */
function formDifference(
  recorded: Text,
  replayed: Text,
  { lost, won }: Apart,
  isRetold: boolean,
  given: Given | undefined,
): TextDifference | undefined {
  const quantities = new Set(won.map(quantityOf));
  if (isRetold && !lost.some((token) => quantities.has(quantityOf(token)))) return undefined;
  const isLeftOut = (token: Token) =>
    !quantities.has(quantityOf(token)) && given?.mayBeLeftOut(token, recorded, wordsBeside(token, recorded));
  const kept = given && lost.length <= MAX_SOUGHT ? lost.filter((token) => !isLeftOut(token)) : lost;
  const gone = formsOf(kept, won, replayed);
  const isAdded = (token: Token) => given?.holds(token, replayed) && isBesideRecorded(token, recorded, replayed);
  const told = gone.length > 0 || won.length > MAX_SOUGHT ? won : won.filter((token) => !isAdded(token));
  const added = formsOf(told, kept, recorded);
  return gone.length + added.length === 0 ? undefined : { because: 'form', recorded: gone, replayed: added };
}

/** Whether what a statement says beside a figure was mostly recorded: otherwise it tells of something else. */
function isBesideRecorded(token: Token, recorded: Text, replayed: Text): boolean {
  const known = new Set(recorded.words.map(({ text }) => text));
  return wordsBeside(token, replayed).every(
    (words) => words.length === 0 || words.filter((word) => known.has(word)).length > MUCH_SHARED * words.length,
  );
}

/** What each statement says beside a figure. */
function wordsBeside({ kind, text }: Token, { statements }: Text): string[][] {
  return statements
    .filter(({ forms }) => forms.some((form) => form.kind === kind && form.text === text))
    .map(({ label }) => label.split(' ').filter((word) => word.length >= MIN_CONTENT_CHARS));
}

/** Quotations that are searched for without their marks, and forms in what was given; more could be there by chance. */
const MAX_SOUGHT = 50;

/**
 * Forms of a text that the other does not state. A quotation here may appear there without marks. A number in words (`the two
 * flights`) and a name in capitals may be left out, but not changed, not even to `one`.
 * @param replacedBy forms that only the other text states
 */
function formsOf(missing: readonly Token[], replacedBy: readonly Token[], { words, readable }: Text): string[] {
  const said = missing.length > MAX_SOUGHT ? '' : readable.toLowerCase();
  const isUnquoted = ({ kind, text }: Token) =>
    (kind === 'quote' || kind === 'code') && said.includes(text.toLowerCase());
  const kinds = new Set(replacedBy.map(({ kind }) => kind));
  if (words.some(({ text }) => text === 'one')) kinds.add('number');
  const isAnotherName = replacedBy.some(isCapitals);
  return missing
    .filter(
      (token) =>
        !isUnquoted(token) && (!token.isSpelled || kinds.has(token.kind)) && (!isCapitals(token) || isAnotherName),
    )
    .map(({ text, written = text }) => written);
}

/** A date may stand without its year. */
function notIn({ forms: { stated } }: Text, { forms }: Text): Token[] {
  const days = new Set([...stated.values()].flatMap(({ kind, text }) => (kind === 'date' ? text.slice(-DAY) : [])));
  return [...forms.stated].flatMap(([form, token]) => {
    const day = token.text.slice(-DAY);
    const isDay = token.kind === 'date' && (token.text === day ? days.has(day) : stated.has(`date ${day}`));
    return isDay || stated.has(form) ? [] : [token];
  });
}

/** Length of `-05-20`, a date without its year. */
const DAY = 6;

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
  if (kind !== 'number') return [];
  const day = { whole: `day ${text}`, other: `date ${text}` };
  const [count = '', unit] = text.split(' ', 2);
  const [bare, measured] = [`bare ${count}`, `measured ${count}`];
  return [day, unit === undefined ? { whole: bare, other: measured } : { whole: measured, other: bare }];
}

/** `the DNA` */
function isCapitals({ kind, text }: Token): boolean {
  return kind === 'id' && /^\p{Lu}+$/u.test(text);
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

/** The share of the different words with content of both texts that both have, from 0 to 1 (the coefficient of Dice). */
function likeness(recorded: Text, replayed: Text): number {
  const contentOf = ({ words }: Text) => new Set(words.filter(isContent).map(({ text }) => text));
  const [ours, theirs] = [contentOf(recorded), contentOf(replayed)];
  const shared = [...ours].filter((word) => theirs.has(word)).length;
  return shared === 0 ? 0 : (2 * shared) / (ours.size + theirs.size);
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
