import { compareTexts, type TextComparison } from './other-words.ts';
import { Text } from './text.ts';
import { lengthInWords } from './words.ts';

/** A text of at least this many words is prose, which can be put in other words. */
const PROSE_WORDS = 5;

/** Tools, arguments and fields in whose names one of these words stands hold text for machines. */
const FOR_MACHINES = new Set(
  'bash cmd code command css csv diff expression formula html json patch path pattern python regex script shell sql terminal url xml yaml yml'.split(
    ' ',
  ),
);
/** So do arguments of tools that write. */
const FOR_MACHINES_IF_WRITTEN = new Set('content contents data file files query'.split(' '));

/** Signs that code is full of and prose rarely has, except in a sum (`5 + 7 = 12`). */
const CODE = /[{}\\]|(?<![\d)])\s=\s|[=!]=|=>|\w=["'\d]|\w\(\)/;
const URLS = /https?:\/\/\S+/g;

/**
 * Whether text under a name can be reworded without becoming something else.
 * @param isWritten it is an argument of a tool that changes something
 */
export function mayHoldProse(name: string, isWritten = false): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]/);
  return !words.some((word) => FOR_MACHINES.has(word) || (isWritten && FOR_MACHINES_IF_WRITTEN.has(word)));
}

/** Whether a value is written for people: some words, and no code. */
export function isProse(text: Text): boolean {
  return lengthInWords(text.words) >= PROSE_WORDS && !CODE.test(text.readable.replace(URLS, ''));
}

/**
 * Compares two values that may be prose.
 * @param names of what holds them, outermost first: the tool, the keys
 * @param isWritten the tool changes something outside
 * @returns undefined if they must be equal to the letter
 */
export function compareProse(
  recorded: unknown,
  replayed: unknown,
  names: readonly string[],
  isWritten = false,
): TextComparison | undefined {
  if (typeof recorded !== 'string' || typeof replayed !== 'string') return undefined;
  if (!names.every((name, at) => mayHoldProse(name, isWritten && at > 0))) return undefined;
  const [a, b] = [Text.of(recorded), Text.of(replayed)];
  return isProse(a) && isProse(b) ? compareTexts(a, b) : undefined;
}
