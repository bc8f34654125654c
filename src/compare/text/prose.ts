import { compareTexts, type TextComparison } from './rewording.ts';
import { Text } from './text.ts';
import { lengthInWords } from './words.ts';

/** A text of at least this many words is prose, which can be put in other words. */
export const PROSE_WORDS = 5;

/** Tools, arguments and fields with such names hold text for machines. */
const FOR_MACHINES =
  /(?:^|[_\W])(?:bash|cmd|code|command|expression|formula|path|pattern|python|regex|script|shell|sql|terminal)(?:$|[_\W])/i;

/** Signs that code is full of and prose rarely has. */
const CODE = /[{}\\]|\s=\s|[=!]=|=>|\w=["'\d]|\w\(\)/;
const SQL =
  /^\s{0,9}(?:select\b[^.?!]{0,300}\bfrom|insert\s+into|delete\s+from|update\s+\w+\s+set|with\s+\w+\s+as|(?:create|alter|drop)\s+(?:table|index|view))\b/i;
const URLS = /https?:\/\/\S+/g;

/** Whether text under a name can be reworded without becoming something else. */
export function mayHoldProse(name: string): boolean {
  return !FOR_MACHINES.test(name.replace(/([a-z])([A-Z])/g, '$1_$2'));
}

/** Keys of texts that a tool writes for a program to read. */
const FOR_PROGRAMS =
  /^(?:.{0,100}[^a-z])?(?:patch|diff|file|files|content|contents|code|data|html|css|json|xml|yaml|yml|csv|sql|query|command|cmd|script|regex|path|url)$/i;

/** Whether a program reads what stands under a key in the arguments of a tool that writes. */
export function isForPrograms(key: string): boolean {
  return FOR_PROGRAMS.test(key);
}

/** Whether a value is written for people: some words, and no code. */
export function isProse(text: Text): boolean {
  if (lengthInWords(text.words) < PROSE_WORDS || SQL.test(text.readable)) return false;
  return !CODE.test(text.readable.replace(URLS, ''));
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
  if (typeof recorded !== 'string' || typeof replayed !== 'string' || !names.every(mayHoldProse)) return undefined;
  if (isWritten && names.slice(1).some(isForPrograms)) return undefined;
  const [a, b] = [new Text(recorded), new Text(replayed)];
  return isProse(a) && isProse(b) ? compareTexts(a, b) : undefined;
}
