import { inBytes } from '../../../report/words/pages.ts';

export function linesOfValue(text: string): string {
  const isJson = /^\s*[[{"]/.test(text);
  return withoutBase64(isJson ? pretty(text) : text);
}

/**
 * JSON with a line for each entry, and a text of several lines below its name. Works on characters only, so numbers stay as
 * written, and cut JSON is laid out as far as it goes.
 */
function pretty(json: string): string {
  let depth = 0;
  let text = '';
  for (let at = 0; at < json.length; at++) {
    const character = json[at] as string;
    if (character === '"') {
      const end = endOfString(json, at);
      text += stringOf(json.slice(at, end), depth);
      at = end - 1;
    } else if (character === '{' || character === '[') {
      const close = /^\s*[}\]]/.exec(json.slice(at + 1, at + 40))?.[0];
      if (close === undefined) text += `${character}${newLine(++depth)}`;
      else {
        text += character + close.trim();
        at += close.length;
      }
    } else if (character === '}' || character === ']') text += newLine(--depth) + character;
    else if (character === ',') text += `,${newLine(depth)}`;
    else if (character === ':') text += ': ';
    else if (!/\s/.test(character)) text += character;
  }
  return text;
}

function endOfString(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return Math.min(end + 1, json.length);
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(Math.max(depth, 0))}`;
}

/** @param literal with its quotation marks; the last one is missing if it was cut */
function stringOf(literal: string, depth: number): string {
  if (!literal.includes('\\n')) return literal;
  const spelled: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '' };
  const plain = literal
    .slice(1)
    .replace(/"$/, '')
    .replace(/\\(u[\da-f]{4}|.)/gi, (whole, sign: string) => {
      if (sign.length > 1) return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
      return spelled[sign] ?? (/["\\/]/.test(sign) ? sign : whole);
    });
  return `|${newLine(depth + 1)}${plain.replaceAll('\n', newLine(depth + 1))}`;
}

/** An image in a value, as a `data:` URL, with its type and size in words. */
interface Image {
  readonly url: string;
  readonly about: string;
}

const DATA_URL = /data:([a-z]+\/[\w.+-]+)(?:;[\w=-]+)*;base64,([A-Za-z0-9+/]{8}[A-Za-z0-9+/]*={0,2})/g;
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;
/** Nobody looks at more of them. */
const MAX_IMAGES = 24;
/** Keys with the type of base64 data in messages. */
const TYPED = ['media_type', 'mediaType', 'mimeType', 'mime_type'] as const;

export function imagesIn(text: string): Image[] {
  if (!/image\//.test(text)) return [];
  const found = new Map<string, Image>();
  const add = (type: unknown, data: string) => {
    const about = `${type}, ${inBytes(Math.floor((data.length * 3) / 4))}`;
    if (IMAGE.test(String(type))) found.set(data, { url: `data:${type};base64,${data}`, about });
  };
  for (const [, type, data = ''] of text.matchAll(DATA_URL)) add(type, data);
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const part = value as Readonly<Record<string, unknown>>;
    const { data } = part;
    if (typeof data === 'string' && /^[A-Za-z0-9+/=]{8,}$/.test(data))
      add(
        TYPED.map((name) => part[name]).find((each) => typeof each === 'string'),
        data,
      );
    for (const item of Object.values(part)) visit(item);
  };
  try {
    visit(JSON.parse(text));
  } catch {
    // Cut values, and those that are not JSON, were searched as text.
  }
  return [...found.values()].slice(0, MAX_IMAGES);
}

/** Base64 is told by its length: nobody reads it, and it would hide its surroundings. What it holds is drawn below. */
export function withoutBase64(text: string): string {
  return text
    .replace(DATA_URL, (_, type: string, data: string) => `[${type}, ${data.length} characters]`)
    .replace(
      /(?<="data": ?")[A-Za-z0-9+/]{60,}={0,2}|[A-Za-z0-9+/]{200}[A-Za-z0-9+/]*={0,2}/g,
      (data) => `[${data.length} characters]`,
    );
}

export function isMarkdown(text: string): boolean {
  return /^(?:#{1,6} |[-*+] |\d+[.)] |> )|\*\*\S|`[^`\n]+`/m.test(text) && !/^\s*[[{]/.test(text);
}
