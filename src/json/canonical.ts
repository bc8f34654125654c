import { AgentReplayError } from '../errors.ts';
import { isRawNumber, type Json, type JsonObject, MAX_DEPTH } from './json.ts';

/**
 * The canonical text of a value: keys in the order of RFC 8785, strings in NFC with LF line ends, numbers by value (0 and
 * -0 alike), numbers beyond a double as written, lone surrogates escaped. Two values are equal if and only if their texts
 * are. Takes linear time, apart from sorting keys.
 * @throws AgentReplayError INPUT_INVALID if the value is nested deeper than any JSON that is read from outside
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

/** Only a program can pass such a value, or a circular one: text is refused while it is parsed. */
export function tooDeep(): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `A recorded value is nested deeper than ${MAX_DEPTH} levels.`, {
    hint: 'Record the value as text, or only the part of it that tells of the agent.',
  });
}

/** The key order of objects with more keys is cached, because it is needed again and again. */
const MANY_KEYS = 64;
const orders = new WeakMap<JsonObject, readonly string[]>();

/** Keys in the order in which they are compared. */
export function keysInOrder(object: JsonObject): readonly string[] {
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

/** NFC and LF: differences that neither people nor programs see. */
export function plain(text: string): string {
  if (isPlainAscii(text)) return text;
  return text.replaceAll('\r\n', '\n').normalize('NFC');
}

/** The order of RFC 8785: by UTF-16 code units, the same in every locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Shorter texts are faster to check by hand than with the native methods. */
const SHORT_TEXT = 64;

/** Plain ASCII has only one form, and here only LF line ends. */
function isPlainAscii(text: string): boolean {
  if (text.length > SHORT_TEXT) return !/[\r\u0080-\uffff]/.test(text);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f || code === 0x0d) return false;
  }
  return true;
}
