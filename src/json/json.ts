/**
 * A JSON value. Two numbers that a double cannot hold, integers beyond 2^53 and overflowing exponents,
 * are kept as `JSON.rawJSON` objects: they print as they were written and compare as text.
 */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Deeper JSON is refused before recursive code sees it. (The stack holds about ten times as much.) */
export const MAX_DEPTH = 1_000;

export class JsonError extends Error {
  override readonly name = 'JsonError';
  /** Where the mistake is, in UTF-16 units from 0; undefined if the text is empty. */
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** Only texts with such runs of digits can hold a number that a double cannot. All others take the fast path. */
const MAY_LOSE_DIGITS = /\d{16}|\d[eE]\+?\d{2}/;

/**
 * Parses JSON from outside. Unlike `JSON.parse`, it limits the depth and keeps the digits of every number.
 * @param numbers `written`: every number is kept as text, so that 1.0 stays 1.0
 * @throws JsonError with the offset of the mistake
 */
export function parseJson(text: string, numbers?: 'written'): Json {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const tooDeepAt = depthExceededAt(source);
  if (tooDeepAt !== undefined) throw new JsonError(`nested deeper than ${MAX_DEPTH} levels`, tooDeepAt);
  try {
    const keep = numbers === 'written' ? keepNumber : MAY_LOSE_DIGITS.test(source) ? keepDigits : undefined;
    return JSON.parse(source, keep) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw syntaxError(source, error);
  }
}

/** The JSON that a text is; undefined for a text that is none. */
export function jsonIn(text: string, numbers?: 'written'): Json | undefined {
  try {
    return parseJson(text, numbers);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** True for a number that is kept as text, see {@link Json}. */
export function isRawNumber(value: unknown): value is { readonly rawJSON: string } {
  return rawJson.isRawJSON?.(value) ?? false;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/**
 * Any JSON value as `String(value)` would write it, and an object as JSON. `String` and `Number` throw on an object whose
 * `toString` is data, and on a number that is kept as text.
 */
export function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** A text as it is, any other value as JSON. */
export function textOrJson(value: Json): string;
export function textOrJson(value: Json | undefined): string | undefined;
export function textOrJson(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A number, or the number that a text spells; NaN for anything else. */
export function asNumber(value: unknown): number {
  if (isRawNumber(value)) return Number(value.rawJSON);
  return typeof value === 'object' ? Number.NaN : Number(value);
}

interface RawJsonApi {
  rawJSON(text: string): JsonObject;
  isRawJSON?(value: unknown): value is { readonly rawJSON: string };
}
/** Node 20, which an agent's server may run on, has neither this nor a parser that gives the source of a number. */
const rawJson = JSON as unknown as RawJsonApi;

function keepNumber(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? rawJson.rawJSON(context.source) : value;
}

function keepDigits(this: unknown, key: string, value: unknown, context?: { source?: string }): unknown {
  const isHeld = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(context?.source ?? ''));
  return isHeld ? value : keepNumber.call(this, key, value, context);
}

function depthExceededAt(text: string): number | undefined {
  // Each level takes at least one character, and most values of spans are shorter than the limit.
  if (text.length <= MAX_DEPTH) return undefined;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfString(text, i);
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return i;
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let i = text.indexOf('"', start + 1); i !== -1; i = text.indexOf('"', i + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(i - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return i;
  }
  return text.length;
}

function syntaxError(text: string, error: SyntaxError): JsonError {
  if (text.trim() === '') return new JsonError('empty');
  const offset = firstMistake(text);
  const isCut = text[offset] === '"' ? endOfString(text, offset) === text.length : text.slice(offset).trim() === '';
  if (isCut) return new JsonError('it is cut off', offset);
  const isOver = error.message.includes('after JSON');
  return new JsonError(isOver ? 'more follows after its end' : 'unexpected character', offset);
}

const TOKEN = /[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const BLANKS = /[ \t\n\r]*/y;
/** An escape, or (captured) what a string cannot hold. */
const IN_STRING = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|([\u0000-\u001f\\])/g;

/**
 * The end of the token that starts here, or undefined. No pattern repeats over a whole string, which would overflow the
 * stack.
 */
function endOfToken(text: string, start: number): number | undefined {
  if (text[start] !== '"') {
    TOKEN.lastIndex = start;
    return TOKEN.test(text) ? TOKEN.lastIndex : undefined;
  }
  const end = endOfString(text, start);
  if (end === text.length) return undefined;
  for (const [, wrong] of text.slice(start + 1, end).matchAll(IN_STRING)) if (wrong !== undefined) return undefined;
  return end + 1;
}

/** Where a text stops being JSON. V8 names the place of some mistakes only. */
function firstMistake(text: string): number {
  const open: string[] = [];
  let awaited: 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'more' = 'value';
  BLANKS.lastIndex = 0;
  for (;;) {
    BLANKS.exec(text);
    const here = BLANKS.lastIndex;
    const end = endOfToken(text, here);
    if (end === undefined) return here;
    BLANKS.lastIndex = end;
    const token = text.slice(here, end);
    const isEnd = token === '}' || token === ']';
    if (awaited === 'colon') {
      if (token !== ':') return here;
      awaited = 'value';
    } else if (isEnd && (awaited === 'more' || awaited.endsWith('or end'))) {
      if (open.pop() !== (token === '}' ? '{' : '[')) return here;
      awaited = 'more';
    } else if (awaited === 'more') {
      if (token !== ',' || open.length === 0) return here;
      awaited = open.at(-1) === '{' ? 'key' : 'value';
    } else if (awaited.startsWith('key')) {
      if (!token.startsWith('"')) return here;
      awaited = 'colon';
    } else if (token === '{' || token === '[') {
      open.push(token);
      awaited = token === '{' ? 'key or end' : 'value or end';
    } else {
      if (isEnd || token === ',' || token === ':') return here;
      awaited = 'more';
    }
  }
}
