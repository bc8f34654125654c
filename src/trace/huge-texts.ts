import { type Json, mapTexts } from '../json/index.ts';
import { type HugeTexts, jsonWithout, shortened } from './huge-bytes.ts';

/** In UTF-16 units. Each step of a run holds a text once more, and no model reads or writes such a one. */
export const HUGE_TEXT = 2 ** 22;

/**
 * The same value, with what stands for texts over {@link HUGE_TEXT} in it: their beginning, length and SHA-256. Two texts
 * are equal if these are. Values without such a text are returned as they are.
 */
export function withoutHugeTexts<Any>(value: Any): Any {
  return mapTexts(value as Json, (text) => (text.length > HUGE_TEXT ? shortened(text, HUGE_TEXT) : text)) as Any;
}

/**
 * The same for JSON, also for JSON within its texts, before its bytes become values.
 * @param kept gets the texts, for `withHugeTexts`
 */
export function withoutHugeTextsIn(json: Buffer, kept?: HugeTexts): Buffer {
  return json.length > HUGE_TEXT ? jsonWithout(json, { limit: HUGE_TEXT, level: 0, kept }) : json;
}

/** How a stand-in ends, and the length of its text. */
export const HUGE_STAND_IN = /… \(a text of (\d+) characters, SHA-256 [\da-f]{64}\)/;
