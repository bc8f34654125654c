/** Huge texts in bytes that are no values yet. Few runs meet one. */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';

const SHOWN = 1_000;
const WINDOW = 2 ** 16;
const LIKE_JSON = /^\s*[[{]/;

/** Huge texts, by what stands for them, both as their JSON spells them. */
export type HugeTexts = Map<string, Buffer>;

interface Cut {
  readonly limit: number;
  /** JSON within JSON: as often its characters are escaped. */
  readonly level: number;
  readonly kept?: HugeTexts;
}

/** A text as its bytes are shortened, then what stands for one that is no JSON, or is huge without a huge text. */
export function shortened(text: string, limit: number): string {
  const inner = LIKE_JSON.test(text) ? jsonWithout(Buffer.from(text), { limit, level: 0 }).toString() : text;
  return standIn(windowsOf(inner), limit) ?? inner;
}

function* windowsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += WINDOW) yield text.slice(at, at + WINDOW);
}

/** Of a text in parts: whole, its bytes would be in memory beside it. Undefined for one within the limit. */
function standIn(parts: Iterable<string>, limit: number): string | undefined {
  const hash = createHash('sha256');
  let length = 0;
  let shown = '';
  let half = '';
  for (const part of parts) {
    length += part.length;
    if (shown.length < SHOWN) shown += part.slice(0, SHOWN - shown.length);
    const text = half + part;
    half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    hash.update(text.slice(0, text.length - half.length));
  }
  if (length <= limit) return undefined;
  hash.update(half);
  // A word that is cut could be half of a secret, which no rule knows. A slice would keep the whole text in memory.
  const start = Buffer.from(shown.slice(0, Math.max(shown.lastIndexOf(' '), shown.lastIndexOf('\n')) + 1)).toString();
  return `${start}… (a text of ${length} characters, SHA-256 ${hash.digest('hex')})`;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** JSON with its huge texts again. */
export function withHugeTexts(json: string, kept: HugeTexts): Buffer {
  let parts: (string | Buffer)[] = [json];
  for (const [instead, text] of kept)
    parts = parts.flatMap((part) =>
      typeof part === 'string' ? part.split(instead).flatMap((each, at) => (at === 0 ? each : [text, each])) : [part],
    );
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** The bytes of a text, or of what stands for it. */
export function textWithout(text: Buffer, cut: Cut): Buffer {
  const { limit, level, kept } = cut;
  if (!isUtf8(text)) return text;
  try {
    const [start = ''] = decoded(text, level);
    if (LIKE_JSON.test(start)) return jsonWithout(text, cut);
    let instead = standIn(decoded(text, level), limit);
    if (instead === undefined) return text;
    for (let left = level; left > 0; left--) instead = JSON.stringify(instead).slice(1, -1);
    kept?.set(instead, text);
    return Buffer.from(instead);
  } catch (error) {
    // It is no JSON, which its reader tells.
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

export function jsonWithout(json: Buffer, cut: Cut): Buffer {
  const backslashes = 2 ** cut.level - 1;
  const parts: Buffer[] = [];
  let from = 0;
  for (let open = json.indexOf(QUOTE); open !== -1; ) {
    const close = endOfText(json, open, backslashes);
    if (close === -1) break;
    const text = json.subarray(open + 1, close - backslashes);
    const shorter = text.length > cut.limit ? textWithout(text, { ...cut, level: cut.level + 1 }) : text;
    if (shorter !== text) {
      parts.push(json.subarray(from, open + 1), shorter);
      from = close - backslashes;
    }
    open = json.indexOf(QUOTE, close + 1);
  }
  return parts.length === 0 ? json : Buffer.concat([...parts, json.subarray(from)]);
}

/** The quote that ends it. One within it, and a backslash before it, are escaped once more. */
function endOfText(json: Buffer, open: number, backslashes: number): number {
  for (let close = json.indexOf(QUOTE, open + 1); close !== -1; close = json.indexOf(QUOTE, close + 1)) {
    let before = close - 1;
    while (before > open && json[before] === BACKSLASH) before--;
    if ((close - 1 - before) % (2 * backslashes + 2) === backslashes) return close;
  }
  return -1;
}

function* decoded(text: Buffer, level: number): Generator<string> {
  const decoder = new StringDecoder('utf8');
  const left: string[] = Array.from({ length: level }, () => '');
  for (let at = 0; at < text.length; at += WINDOW) {
    let part = decoder.write(text.subarray(at, at + WINDOW));
    for (let each = 0; each < level; each++) {
      const escaped = left[each] + part;
      const end = endOfWhole(escaped);
      left[each] = escaped.slice(end);
      part = JSON.parse(`"${escaped.slice(0, end)}"`) as string;
    }
    yield part;
  }
  if (left.join('') !== '') throw new SyntaxError('an escape breaks off');
}

/** Where an escape begins that does not end here. */
function endOfWhole(escaped: string): number {
  let at = escaped.indexOf('\\');
  while (at !== -1) {
    const next = at + (escaped[at + 1] === 'u' ? 6 : 2);
    if (next > escaped.length) return at;
    at = escaped.indexOf('\\', next);
  }
  return escaped.length;
}
