import type { TextDifference } from '../shapes/result.ts';
import { GRAMMAR_WORDS, NEVER_NAMES } from './lexicon.ts';
import type { Text } from './text.ts';
import type { Word } from './words.ts';

/** Places in which texts may differ that are otherwise equal word for word. */
const MAX_PLACES = 8;
/** Names among them that may differ. */
const MAX_NAMES = 3;

/**
 * The difference of texts that are equal word for word, except that forms, names or two words swapped places (`5 USD for
 * the lamp and 7 USD for the table`, `the customer owes the shop`), or that names were replaced (`your Kettle`).
 */
export function exchange(recorded: Text, replayed: Text): TextDifference | undefined {
  const [a, b] = [recorded.words, replayed.words];
  if (a.length !== b.length) return undefined;
  const places: number[] = [];
  for (const [index, { text }] of a.entries()) {
    if (text !== b[index]?.text && places.push(index) > MAX_PLACES) return undefined;
  }
  if (places.length === 0) return undefined;
  const [gone, came] = [a, b].map((words) => places.map((place) => words[place] as Word)) as [Word[], Word[]];
  const said = { recorded: gone.map(({ text }) => text), replayed: came.map(({ text }) => text) };
  if (isSameSet(said.recorded, said.replayed)) {
    return isTelling(a, places) ? { because: 'exchange', ...said } : undefined;
  }
  const areNames = places.length <= MAX_NAMES && gone.every(isName) && came.every(isName);
  return areNames ? { because: 'name', ...said } : undefined;
}

/** If nothing else differs, any capitalised word is a name. */
function isName({ text, token }: Word): boolean {
  return token.capital !== undefined && !NEVER_NAMES.has(text);
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [a.toSorted(), b.toSorted()];
  return one.every((text, index) => text === other[index]);
}

/** Whether swapped words change the meaning. In a list they do not: `tea and milk`. */
function isTelling(words: readonly Word[], places: readonly number[]): boolean {
  const moved = places.map((place) => words[place] as Word);
  const [first, last] = [places[0] as number, places.at(-1) as number];
  const between = words.slice(first + 1, last).filter((word) => !moved.includes(word));
  const areWeighty = moved.every(isWeighty);
  return !between.every((word) => LISTING.test(word.text) || (areWeighty && isWeighty(word)));
}

/** A form, or a capitalised word. */
function isWeighty({ token }: Word): boolean {
  return token.kind !== 'word' || token.capital !== undefined;
}

/**
 * In most languages the words between items of a list are this short. These English words are short and mean something
 * else.
 */
const LISTING = /^(?!(?:to|by|for|is|was|has|had)$)\p{L}{1,3}$/u;

/** Longest change that counts as one place, in words per side. */
const MAX_CHANGE = 2;

/**
 * The difference of short texts that are equal word for word, except for a change of one or two words: `O frete é grátis`,
 * `O frete não é grátis`. A sentence added before or after, such as a greeting, does not count, nor do English function
 * words.
 */
export function onePlace(a: readonly Word[], b: readonly Word[]): TextDifference | undefined {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start]?.text === b[start]?.text) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end)?.text === b.at(-1 - end)?.text) end++;
  const [gone, came] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isChange = gone.length + came.length > 0 && Math.max(gone.length, came.length) <= MAX_CHANGE;
  if (!isChange || [...gone, ...came].every(({ text }) => GRAMMAR_WORDS.has(text))) return undefined;
  const longer = a.length > b.length ? a : b;
  const isAddition = gone.length === 0 || came.length === 0;
  // After the last shared word, or before the first one.
  const border = end === 0 ? longer[start] : start === 0 ? longer[longer.length - end] : undefined;
  if (isAddition && border !== undefined && !border.token.isNext) return undefined;
  return { because: 'word', recorded: gone.map(({ text }) => text), replayed: came.map(({ text }) => text) };
}
