import { isJsonObject, type Json, type JsonObject } from '../json/index.ts';
import { entriesOf, folded } from './fold.ts';
import { FOLDED_VERSION, PIN_VERSION, type Session } from './schema.ts';

/** A value that fits into this many columns goes on one line, so that related parts are read, and change, together. */
const LINE_WIDTH = 120;
const INDENT = 2;

/** Characters that make a text look different in a review: bidirectional overrides, line separators, C1. */
const MISLEADING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function pinText(session: Session): string {
  const plain = { ...session, version: PIN_VERSION } as JsonObject;
  const short = folded(plain);
  return formatJson(short === undefined ? plain : { ...short, version: FOLDED_VERSION });
}

/**
 * Prints JSON for reading as a diff. The result depends only on the value and its key order, so parsing and printing it
 * again changes nothing.
 */
export function formatJson(value: Json): string {
  return `${formatted(value, 0, 0)}\n`;
}

/** @param used columns already taken by the indentation, the key and the comma */
function formatted(value: Json, depth: number, used: number): string {
  const width = LINE_WIDTH - used;
  // Its line is at least as long as its text without blanks.
  const line = JSON.stringify(value).length > width ? undefined : oneLine(value);
  if (line !== undefined && line.length <= width) return line;
  const inner = ' '.repeat((depth + 1) * INDENT);
  const outer = ' '.repeat(depth * INDENT);
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + formatted(item, depth + 1, inner.length + 1));
    return `[\n${items.join(',\n')}\n${outer}]`;
  }
  if (isJsonObject(value)) {
    const entries = entriesOf(value).map(([key, item]) => {
      const start = `${inner}${stringText(key)}: `;
      return start + formatted(item, depth + 1, start.length + 1);
    });
    return `{\n${entries.join(',\n')}\n${outer}}`;
  }
  return scalarText(value);
}

function oneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (!isJsonObject(value)) return scalarText(value);
  const entries = entriesOf(value).map(([key, item]) => `${stringText(key)}: ${oneLine(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function scalarText(value: Json): string {
  return typeof value === 'string' ? stringText(value) : JSON.stringify(value);
}

function stringText(text: string): string {
  return JSON.stringify(text).replace(MISLEADING, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
