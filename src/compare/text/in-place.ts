import { GRAMMAR_WORDS, NEVER_NAMES } from './lexicon.ts';
import type { Text } from './text.ts';
import type { TextDifference } from './text-difference.ts';
import { isContent, type Word } from './words.ts';

/** Places at which texts may differ that are otherwise the same word by word. */
const MAX_PLACES = 8;
/** Names that may be others in them. */
const MAX_NAMES = 3;

/**
 * Texts that are the same word by word, but for forms, names or two words that have changed places (`5 USD for the
 * lamp and 7 USD for the table`, `the customer owes the shop`), or for names in the place of others (`your Kettle`).
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
  const areNames =
    places.length <= MAX_NAMES &&
    places.every((place) => isName(a, place, recorded.names) && isName(b, place, replayed.names));
  return areNames ? { because: 'name', ...said } : undefined;
}

/** Also at the start of a sentence that goes on: where nothing else differs, a word with a capital is a name. */
function isName(words: readonly Word[], place: number, names: ReadonlySet<string>): boolean {
  const [word, next] = [words[place], words[place + 1]];
  if (word === undefined || names.has(word.text)) return word !== undefined;
  return word.token.capital !== undefined && next?.token.isNext === true && !NEVER_NAMES.has(word.text);
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [a.toSorted(), b.toSorted()];
  return one.every((text, index) => text === other[index]);
}

/** Whether words that have changed places say another thing there. Not so in a list: `tea and milk`. */
function isTelling(words: readonly Word[], places: readonly number[]): boolean {
  const moved = places.map((place) => words[place] as Word);
  const [first, last] = [places[0] as number, places.at(-1) as number];
  const areWeighty = moved.every(isWeighty);
  const between = words.slice(first + 1, last).filter((word) => !moved.includes(word));
  if (between.every((word) => LISTING.test(word.text) || (areWeighty && isWeighty(word)))) return false;
  if (areWeighty) return true;
  const isClause = words.slice(first + 1, last + 1).every(({ token }) => token.isNext);
  return places.length === 2 && isClause && moved.every(isContent);
}

/** A form, or a word with a capital. */
function isWeighty({ token }: Word): boolean {
  return token.kind !== 'word' || token.capital !== undefined;
}

/** What most languages put between the items of a list is that short; so are these English words, which are not. */
const LISTING = /^(?!(?:to|by|for|is|was|has|had)$)\p{L}{1,3}$/u;

/** Longest change that is one place, in words of a side. */
const MAX_CHANGE = 2;

/**
 * Short texts that are the same word by word, but for a change of a word or two: `O frete é grátis`, `O frete não é
 * grátis`. Not so for what is put before or behind as a sentence of its own, such as a greeting, and for English words
 * of grammar.
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
  // Behind the last word that both have, or before the first one.
  const border = end === 0 ? longer[start] : start === 0 ? longer[longer.length - end] : undefined;
  if (isAddition && border !== undefined && !border.token.isNext) return undefined;
  return { because: 'word', recorded: gone.map(({ text }) => text), replayed: came.map(({ text }) => text) };
}
