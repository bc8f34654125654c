/** How a value is shown. `raw`: as recorded. */
export type ValueMode = 'json' | 'text' | 'raw';

/** The value as text in this form. A value that is not JSON looks the same in all of them. */
export function formatValue(text: string, mode: ValueMode): string {
  if (mode === 'raw' || !/^\s*[[{"]/.test(text)) return text;
  return mode === 'json' ? pretty(text) : asText(text);
}

/**
 * JSON with a line for each entry. Works on characters only, so numbers stay as written, and cut JSON is laid out as far as
 * it goes.
 */
export function pretty(json: string): string {
  let depth = 0;
  let text = '';
  for (let at = 0; at < json.length; at++) {
    const character = json[at] as string;
    if (character === '"') {
      const end = endOfString(json, at);
      text += json.slice(at, end);
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

/** The texts in a value with their line breaks, each below its name; a value that cannot be parsed is unchanged. */
function asText(json: string): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return pretty(json).replaceAll('\\n', '\n').replaceAll('\\"', '"');
  }
  const lines: string[] = [];
  const tell = (each: unknown, place: string) => {
    if (typeof each === 'object' && each !== null) {
      for (const [name, item] of Object.entries(each)) tell(item, place === '' ? name : `${place}.${name}`);
    } else lines.push(place === '' ? String(each) : `${place}: ${String(each).includes('\n') ? '\n' : ''}${each}`);
  };
  tell(value, '');
  return lines.join('\n');
}

/** An image, a sound or a file in a value. */
export interface Media {
  readonly kind: 'image' | 'file';
  /** `image/png`, if known. */
  readonly type: string;
  /** `data:` or `https:`. */
  readonly url: string;
  /** Size in bytes of inline data. */
  readonly bytes?: number;
}

const DATA_URL = /data:([a-z]+\/[\w.+-]+)(?:;[\w=-]+)*;base64,([A-Za-z0-9+/]{8}[A-Za-z0-9+/]*={0,2})/g;
/** Nobody looks at more of them. */
const MAX_MEDIA = 24;
/** Keys under which messages refer to external content. */
const LINKING = new Set(['url', 'image_url', 'file_url', 'audio_url', 'fileUri', 'file_uri']);
/** Keys with the type of base64 data in messages. */
const TYPED = ['media_type', 'mediaType', 'mimeType', 'mime_type'] as const;

/** All media of a value, in order. The page only shows inline content, because it loads nothing. */
export function mediaIn(text: string): Media[] {
  if (!/base64|"url"|_url"|edia_?[tT]ype|mime_?[tT]ype|fileUri|file_uri|input_audio/.test(text)) return [];
  const found = new Map<string, Media>();
  const add = (type: string, data: string) =>
    found.set(data, {
      kind: /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(type) ? 'image' : 'file',
      type,
      url: `data:${type};base64,${data}`,
      bytes: Math.floor((data.length * 3) / 4),
    });
  for (const [, type = '', data = ''] of text.matchAll(DATA_URL)) add(type, data);
  const visit = (value: unknown, key: string) => {
    if (typeof value === 'string') {
      if (LINKING.has(key) && /^https:\/\/\S+$/.test(value)) found.set(value, { kind: 'file', type: '', url: value });
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const part = value as Readonly<Record<string, unknown>>;
    const type = TYPED.map((name) => part[name]).find((each) => typeof each === 'string');
    const { data, format } = part;
    if (typeof data === 'string' && data.length >= 8 && !/[^A-Za-z0-9+/=]/.test(data)) {
      const named = type ?? (typeof format === 'string' ? `audio/${format}` : '');
      if (/^[a-z]+\/[\w.+-]+$/.test(String(named))) add(String(named), data);
    }
    for (const [name, item] of Object.entries(part)) visit(item, name);
  };
  try {
    visit(JSON.parse(text), '');
  } catch {
    // Cut values, and those that are not JSON, were searched as text.
  }
  return [...found.values()].slice(0, MAX_MEDIA);
}

/** Long base64 is shown by its length: nobody reads it, and it would hide its surroundings. */
export function withoutBase64(text: string): string {
  return text.replace(
    /[A-Za-z0-9+/]{200}[A-Za-z0-9+/]*={0,2}/g,
    (data) => `${data.slice(0, 24)}… (${data.length} characters)`,
  );
}
