import { isJsonObject, isRawNumber, type Json, type JsonObject } from '../contract/index.ts';

/**
 * The canonical text of a value: keys in the order of RFC 8785, strings in NFC with LF line ends, numbers by value
 * (0 and -0 alike), numbers beyond a double as they were written, lone surrogates escaped. Two values are equal if and
 * only if their texts are. Linear in the value; as deep as {@link parseJson} lets in.
 */
export function canonical(value: Json | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return JSON.stringify(plain(value));
  if (typeof value === 'number') return String(value === 0 ? 0 : value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = keysInOrder(value).map((key) => `${JSON.stringify(plain(key))}:${canonical(value[key])}`);
  return `{${entries.join(',')}}`;
}

/** Keys in the order in which they are compared. */
function keysInOrder(object: JsonObject): string[] {
  return Object.keys(object).sort((a, b) => byCodeUnit(plain(a), plain(b)));
}

/** An object by the keys as they are compared, in that order. */
export function entriesInOrder(object: JsonObject): Map<string, Json> {
  return new Map(keysInOrder(object).map((key) => [plain(key), object[key] as Json]));
}

/** NFC and LF: what can differ without a person or a program seeing it. */
export function plain(text: string): string {
  if (isPlainAscii(text)) return text;
  return text.replaceAll('\r\n', '\n').normalize('NFC');
}

/** A text as a reader sees it: trimmed, runs of blanks joined, code left alone. */
export function readable(text: string): string {
  return plain(text)
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\s{2,}|[^\S ]/g, ' ')))
    .join('')
    .trim();
}

/** The same value with every string and number passed through; what the mapping leaves alone is not copied. */
export function mapLeaves(value: Json, text: (text: string) => Json, number: (number: number) => Json): Json {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return number(value);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapLeaves(item, text, number));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  // In the order of the canonical text, so that the first occurrence does not depend on how keys arrived.
  const entries = keysInOrder(value).map((name) => [name, mapLeaves(value[name] as Json, text, number)] as const);
  // fromEntries defines own properties, so that a key like `__proto__` stays data.
  return entries.some(([name, item]) => item !== value[name]) ? Object.fromEntries(entries) : value;
}

/** The order of RFC 8785: by UTF-16 code units, the same in every locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function sameValue(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || canonical(a) === canonical(b);
}

export function isContainer(value: Json | undefined): value is Json[] | { [key: string]: Json } {
  return Array.isArray(value) || isJsonObject(value);
}

function isPlainAscii(text: string): boolean {
  return /^[\x00-\x0c\x0e-\x7f]*$/.test(text);
}
