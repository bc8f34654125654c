import { isJsonObject, isRawNumber, type Json, type JsonObject, MAX_DEPTH } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';

/**
 * The canonical text of a value: keys in the order of RFC 8785, strings in NFC with LF line ends, numbers by value
 * (0 and -0 alike), numbers beyond a double as they were written, lone surrogates escaped. Two values are equal if and
 * only if their texts are. Linear in the value, but for the order of keys.
 * @throws AgentReplayError INPUT_INVALID when it is nested deeper than any JSON that is read from outside
 */
export function canonical(value: Json | undefined): string {
  return value === undefined ? '' : spelled(value, 0);
}

function spelled(value: Json, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(plain(value));
  if (typeof value === 'number') return String(value === 0 ? 0 : value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (isRawNumber(value)) return value.rawJSON;
  if (depth >= MAX_DEPTH) throw tooDeep();
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? spelled(item, depth + 1) : `,${spelled(item, depth + 1)}`;
    return `[${text}]`;
  }
  for (const key of keysInOrder(value)) {
    const entry = `${JSON.stringify(plain(key))}:${spelled(value[key] as Json, depth + 1)}`;
    text += text === '' ? entry : `,${entry}`;
  }
  return `{${text}}`;
}

/** Only a program can hand in such a value, or one that holds itself: what comes as text is refused when it is parsed. */
export function tooDeep(): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `a recorded value is nested deeper than ${MAX_DEPTH} levels`, {
    hint: 'Record the value as text, or only the part of it that tells of the agent.',
  });
}

/** With more keys, an object's order is remembered: it is asked for again and again. */
const MANY_KEYS = 64;
const orders = new WeakMap<JsonObject, readonly string[]>();

/** Keys in the order in which they are compared. */
function keysInOrder(object: JsonObject): readonly string[] {
  const known = orders.get(object);
  if (known !== undefined) return known;
  const keys = sorted(Object.keys(object));
  if (keys.length >= MANY_KEYS) orders.set(object, keys);
  return keys;
}

function sorted(keys: string[]): string[] {
  if (!keys.every(isPlainAscii)) return keys.sort((a, b) => byCodeUnit(plain(a), plain(b)));
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  return keys;
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

/**
 * The same value with every string and number passed through, in the order of the canonical text; what the mapping
 * leaves alone is not copied.
 * @throws AgentReplayError INPUT_INVALID as {@link canonical} does
 */
export function mapLeaves(value: Json, text: (text: string) => Json, number: (number: number) => Json): Json {
  const mapped = (of: Json, depth: number): Json => {
    if (typeof of === 'string') return text(of);
    if (typeof of === 'number') return number(of);
    if (typeof of !== 'object' || of === null || isRawNumber(of)) return of;
    if (depth >= MAX_DEPTH) throw tooDeep();
    let isChanged = false;
    const through = (item: Json): Json => {
      const other = mapped(item, depth + 1);
      isChanged ||= other !== item;
      return other;
    };
    if (Array.isArray(of)) {
      const items = of.map(through);
      return isChanged ? items : of;
    }
    const names = keysInOrder(of);
    const items = names.map((name) => through(of[name] as Json));
    // fromEntries defines own properties, so that a key like `__proto__` stays data.
    return isChanged ? Object.fromEntries(names.map((name, index) => [name, items[index] as Json])) : of;
  };
  return mapped(value, 0);
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

/** Shorter texts are looked through faster than they are handed over. */
const SHORT_TEXT = 64;

/** Nothing in it can have another form, nor a line end that is not LF. */
function isPlainAscii(text: string): boolean {
  if (text.length > SHORT_TEXT) return Buffer.byteLength(text) === text.length && !text.includes('\r');
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f || code === 0x0d) return false;
  }
  return true;
}
