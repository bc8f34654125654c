import { canonical, type Json } from '../../json/index.ts';

/** Longest shared text, in characters, that is kept before the difference. */
const MAX_LEAD = 80;
/** And at most this share of the room, so that most is left for the difference. */
const LEAD_SHARE = 1 / 3;
/** Characters that are searched for a blank to start at. */
const MAX_TO_BLANK = 10;

/**
 * Two texts around the first place where they differ, each in at most `room` characters (24 or more); `…` marks what was
 * cut on either side. Different texts give different excerpts. No surrogate pair or escape is split.
 *
 * `["I have sent you the 80 EUR.", "I have sent you the 120 EUR."]` in 20 is `["…you the 80 EUR.", "…you the 120 EUR."]`
 */
export function excerpts(a: string, b: string, room: number): [string, string] {
  if (Math.max(a.length, b.length) <= room) return [a, b];
  const at = firstDifference(a, b);
  const from = startOf(a, b, at, room);
  return [excerptFrom(a, from, room), excerptFrom(b, from, room)];
}

/**
 * Makes distinct labels of texts, each of at most `room` characters (24 or more) and a number: an excerpt around the
 * difference from the text that begins most like it. The second of equal texts becomes `text (2)`.
 */
export function apart(texts: readonly string[], room: number): string[] {
  return numbered(texts.map((text) => (text.length <= room ? text : excerpts(text, nearestTo(text, texts), room)[0])));
}

/** The other text that begins most like this one; the text itself if there is no other. */
export function nearestTo(text: string, others: readonly string[]): string {
  let [nearest, most] = [text, -1];
  for (const other of others) {
    const shared = other === text ? -1 : firstDifference(text, other);
    if (shared > most) [nearest, most] = [other, shared];
  }
  return nearest;
}

/** Sets equal labels apart: `calls pay`, `calls pay, way 2`. */
export function numbered(labels: readonly string[]): string[] {
  const taken = new Set<string>();
  return labels.map((label) => {
    let own = label;
    for (let number = 2; taken.has(own); number++) own = `${label}, way ${number}`;
    taken.add(own);
    return own;
  });
}

/** For each of two texts, the index of the difference, if known. */
export type Places = readonly [number | undefined, number | undefined];

/** Two texts, each around its own place. If a place is unknown, or both would look alike, as {@link excerpts}. */
export function excerptsAt(a: string, b: string, [placeA, placeB]: Places, room: number): [string, string] {
  const around = (text: string, other: string, place: number | undefined): string => {
    const at = place ?? firstDifference(text, other);
    return text.length <= room ? text : excerptFrom(text, startOf(text, text, Math.min(at, text.length), room), room);
  };
  const found: [string, string] = [around(a, b, placeA), around(b, a, placeB)];
  return found[0] === found[1] ? excerpts(a, b, room) : found;
}

/** The start of a text, at most `room` characters. */
export function beginning(text: string, room: number): string {
  return excerptFrom(text, 0, room);
}

/**
 * Two values as JSON for a sentence, each in at most `room` characters; `nothing` for a missing one. Different values never
 * look alike: characters that nobody can see are shown by their codes if only they differ.
 * @param places in two texts, if the place of the difference is known
 */
export function quotes(
  a: Json | undefined,
  b: Json | undefined,
  room: number,
  places: Places = [undefined, undefined],
): [string, string] {
  if (a === undefined || b === undefined) return [quote(a, room), quote(b, room)];
  if (typeof a !== 'string' || typeof b !== 'string') return excerpts(jsonOf(a), jsonOf(b), room);
  const areAlike = a !== b && visibleForm(a) === visibleForm(b);
  const inside = (text: string): string => {
    const escaped = JSON.stringify(text).slice(1, -1);
    return areAlike ? escaped.replace(/[^ -~]/g, codeOf) : escaped;
  };
  const placeIn = (text: string, place: number | undefined) =>
    place === undefined ? undefined : inside(text.slice(0, place)).length;
  const shown =
    places[0] === undefined && places[1] === undefined
      ? excerpts(inside(a), inside(b), room - 2)
      : excerptsAt(inside(a), inside(b), [placeIn(a, places[0]), placeIn(b, places[1])], room - 2);
  return shown.map((text) => `"${text}"`) as [string, string];
}

/** The start of a value's JSON. */
export function quote(value: Json | undefined, room: number): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string'
    ? `"${beginning(JSON.stringify(value).slice(1, -1), room - 2)}"`
    : beginning(canonical(value), room);
}

/** JSON of a value; equal for equal values. */
export function jsonOf(value: Json): string {
  return typeof value === 'string' ? JSON.stringify(value) : canonical(value);
}

/** What a reader can tell apart. */
function visibleForm(text: string): string {
  return text.normalize('NFKC').replace(/\p{C}/gu, '').replace(/\p{Z}/gu, ' ');
}

function codeOf(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Index of the first different character; the length of the shorter text if the longer one begins with it. */
function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return Math.min(borderBefore(a, at), borderBefore(b, at));
}

/** Where both excerpts begin: as far before the difference as fits, at a blank if one is near. */
function startOf(a: string, b: string, at: number, room: number): number {
  const lead = Math.min(MAX_LEAD, Math.floor(room * LEAD_SHARE));
  // Near the end more of the shared text fits. An escape may move the border a little to the front.
  const fromEnd = Math.max(a.length, b.length) - (room - 1) + LONGEST_ESCAPE - 1;
  const from = borderBefore(a, Math.min(at - lead, fromEnd));
  if (from <= 1) return 0;
  const blank = a.slice(from - 1, Math.min(at, from + MAX_TO_BLANK)).indexOf(' ');
  return blank === -1 ? from : from + blank;
}

function excerptFrom(text: string, from: number, room: number): string {
  const start = from === 0 ? '' : '…';
  if (text.length - from + start.length <= room) return start + text.slice(from);
  return `${start}${text.slice(from, borderBefore(text, from + room - start.length - 1))}…`;
}

/** The nearest index, at or before this one, that splits no character and no JSON escape. */
function borderBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  for (let back = 1; back <= Math.min(index, LONGEST_ESCAPE - 1); back++) {
    const start = index - back;
    if (text[start] === '\\' && isEscape(text, start) && back < (text[start + 1] === 'u' ? LONGEST_ESCAPE : 2))
      return start;
  }
  return isSurrogate(text, index - 1, 0xd8) && isSurrogate(text, index, 0xdc) ? index - 1 : index;
}

/** The length of `\u00e9`. */
const LONGEST_ESCAPE = 6;

/** Whether a backslash starts an escape, and is not escaped itself. */
function isEscape(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === '\\') before--;
  return (at - before) % 2 === 0;
}

/** @param half upper byte of the range: d8 for the first half of a pair, dc for the second */
function isSurrogate(text: string, index: number, half: 0xd8 | 0xdc): boolean {
  return (text.charCodeAt(index) & 0xfc00) === half << 8;
}
