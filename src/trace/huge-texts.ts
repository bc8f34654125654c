import { createHash } from 'node:crypto';
import { type Json, mapTexts } from '../json/index.ts';

/** In UTF-16 units. Each step of a comparison holds a text once more, and no model reads or writes such a one. */
export const HUGE_TEXT = 2 ** 22;
const SHOWN = 1_000;

/**
 * The same value, with what stands for texts over {@link HUGE_TEXT} in it: their beginning, length and SHA-256. Two texts
 * are equal if these are. Values without such a text are returned as they are.
 */
export function withoutHugeTexts(value: Json): Json {
  return mapTexts(value, (text) => (text.length > HUGE_TEXT ? standIn(text) : text));
}

function standIn(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  // A slice would keep the whole text in memory.
  const shown = Buffer.from(text.slice(0, SHOWN)).toString();
  return `${shown}… (a text of ${text.length} characters, SHA-256 ${hash})`;
}
