import { createHash } from 'node:crypto';
import { type Json, mapTexts } from '../json/index.ts';

/** In UTF-16 units. Each step of a run holds a text once more, and no model reads or writes such a one. */
export const HUGE_TEXT = 2 ** 22;
const SHOWN = 1_000;
const WINDOW_BYTES = 2 ** 16;

/**
 * The same value, with what stands for texts over {@link HUGE_TEXT} in it: their beginning, length and SHA-256. Two texts
 * are equal if these are. Values without such a text are returned as they are.
 */
export function withoutHugeTexts<Any>(value: Any): Any {
  return mapTexts(value as Json, (text) => (text.length > HUGE_TEXT ? standIn(text) : text)) as Any;
}

/** How a stand-in ends, and the length of its text. */
export const HUGE_STAND_IN = /… \(a text of (\d+) characters, SHA-256 [\da-f]{64}\)/;

function standIn(text: string): string {
  const hash = createHash('sha256');
  // In windows: at once, all its bytes would be in memory beside it.
  const bytes = new Uint8Array(WINDOW_BYTES);
  for (let rest = text; rest !== ''; ) {
    const { read, written } = new TextEncoder().encodeInto(rest, bytes);
    hash.update(bytes.subarray(0, written));
    rest = rest.slice(read);
  }
  // A slice would keep the whole text in memory.
  const shown = Buffer.from(text.slice(0, SHOWN)).toString();
  return `${shown}… (a text of ${text.length} characters, SHA-256 ${hash.digest('hex')})`;
}
