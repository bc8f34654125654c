import { MIN_SECRET_CHARS, SECRET } from './mask.ts';

/** Each line of a secret is secret too, unless it is as short as a brace or a word. */
const MIN_LINE_CHARS = 8;
/** A shorter start of a secret before an ellipsis is probably something else. */
const MIN_CUT_CHARS = 8;
/** Forms are indexed by this many first characters. */
const KEY_CHARS = 4;
const KEY_HASHES = 2 ** 16;
const HASH_SHIFT = 16 / KEY_CHARS;

/**
 * Makes the function that replaces known secret values in a text by {@link SECRET}: plain, base64 at any offset,
 * URL-encoded, JSON-escaped (also twice), in hex, and split over lines. The number of lines stays the same.
 * Linear in the text. A value under {@link MIN_SECRET_CHARS} is never replaced.
 */
export function secretsRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = indexForms(secrets);
  if (forms.byKey.size === 0) return (text) => text;
  return (text) => LINE_BREAKS.reduce((result, lineBreak) => mask(result, forms, lineBreak), text);
}

function mask(text: string, forms: Forms, lineBreak: RegExp): string {
  const joined = withoutBreaks(text, lineBreak);
  const found = findForms(joined.text, forms);
  return found.length === 0
    ? text
    : maskRanges(
        text,
        found.map(([start, end]) => joined.range(start, end)),
      );
}

interface Forms {
  /** The forms of all secrets by their first characters, longest first. */
  readonly byKey: ReadonlyMap<string, readonly string[]>;
  /** A bit for each {@link keyHash}: most places of a text are skipped by it without making a string. */
  readonly hashes: Uint8Array;
}

function indexForms(secrets: readonly string[]): Forms {
  const values = secrets.flatMap((secret) => [
    secret,
    secret.trim(),
    ...secret.split(/\r\n?|\n/).filter((line) => line.trim().length >= MIN_LINE_CHARS),
  ]);
  const forms = values
    .filter((value) => value.trim().length >= MIN_SECRET_CHARS)
    .flatMap(formsOf)
    .flatMap((form) => LINE_BREAKS.map((lineBreak) => withoutBreaks(form, lineBreak).text))
    .filter((form) => form.length >= KEY_CHARS);
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const byKey = Map.groupBy(longestFirst, (form) => form.slice(0, KEY_CHARS));
  const hashes = new Uint8Array(KEY_HASHES);
  for (const key of byKey.keys()) {
    let hash = 0;
    for (let at = 0; at < KEY_CHARS; at++) hash = keyHash(hash, key.charCodeAt(at));
    hashes[hash] = 1;
  }
  return { byKey, hashes };
}

/** A rolling hash of the last four characters; earlier ones are shifted out. */
function keyHash(previous: number, code: number): number {
  return ((previous << HASH_SHIFT) ^ code) & (KEY_HASHES - 1);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const escaped = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret.toWellFormed());
  const hex = bytes.toString('hex');
  return [
    secret,
    // Wrapping breaks a text at a blank and removes the blank.
    ...Array.from(
      secret.matchAll(/[ \t]+/g),
      ({ 0: blanks, index }) => secret.slice(0, index) + secret.slice(index + blanks.length),
    ),
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    escaped.replaceAll('/', '\\/'),
    url,
    url.replaceAll('%20', '+'),
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    encodeURI(secret.toWellFormed()),
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
  ];
}

/**
 * The characters of a base64 text that depend on a value alone, for each of its three possible offsets. Those at the
 * borders also depend on the neighbours.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Places of the forms, in order and without overlap. */
function findForms(text: string, { byKey, hashes }: Forms): [number, number][] {
  const found: [number, number][] = [];
  let hash = 0;
  let free = 0;
  for (let end = 1; end <= text.length; end++) {
    hash = keyHash(hash, text.charCodeAt(end - 1));
    if (hashes[hash] === 0) continue;
    const at = end - KEY_CHARS;
    if (at < free) continue;
    const candidates = byKey.get(text.slice(at, end));
    if (candidates === undefined) continue;
    const length = lengthOfSecret(text, at, candidates);
    if (length === 0) continue;
    free = at + length;
    found.push([at, free]);
  }
  return found;
}

/** How much of a secret starts at a place: all of it, or the part before an ellipsis if the text was cut. */
function lengthOfSecret(text: string, at: number, candidates: readonly string[]): number {
  const whole = candidates.find((form) => text.startsWith(form, at));
  if (whole !== undefined) return whole.length;
  const [longest = ''] = candidates;
  const left = text.slice(at, at + longest.length).indexOf('…');
  if (left < MIN_CUT_CHARS) return 0;
  return candidates.some((form) => left < form.length && form.startsWith(text.slice(at, at + left))) ? left : 0;
}

// Includes the blanks around breaks in wrapped text. A run of blanks is only tried from its start, so this is linear.
const WRITTEN = /(?<![ \t])[ \t]*(?:\r\n?|\n)[ \t]*/g;
const ESCAPED = /(?<![ \t])[ \t]*(?:\r\n?|\n|(?:\\{1,2}r)?\\{1,2}n)[ \t]*/g;

/**
 * What may split a secret: line breaks, and then also breaks that JSON has escaped. The second alone would miss a secret
 * that starts with n after a backslash.
 */
const LINE_BREAKS = [WRITTEN, ESCAPED];

interface Joined {
  readonly text: string;
  /** Maps a range of the joined text to the original text. */
  range(start: number, end: number): [number, number];
}

function withoutBreaks(text: string, lineBreak: RegExp): Joined {
  /** Where the pieces begin in the joined text and in the original. */
  const pieces: { joined: number; original: number }[] = [{ joined: 0, original: 0 }];
  const kept: string[] = [];
  let from = 0;
  let joined = 0;
  for (const { 0: found, index } of text.matchAll(lineBreak)) {
    kept.push(text.slice(from, index));
    joined += index - from;
    from = index + found.length;
    pieces.push({ joined, original: from });
  }
  kept.push(text.slice(from));
  const original = (position: number) => {
    let low = 0;
    for (let high = pieces.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      if (pieces[middle]!.joined <= position) low = middle;
      else high = middle - 1;
    }
    return pieces[low]!.original + position - pieces[low]!.joined;
  };
  // Joined once: `+=` builds a chain of pieces, which V8 may walk again for each character read.
  return { text: kept.join(''), range: (start, end) => [original(start), original(end - 1) + 1] };
}

/** Replaces each range by the mask, once per line of it. */
function maskRanges(text: string, ranges: readonly [number, number][]): string {
  let masked = '';
  let from = 0;
  for (const [start, end] of ranges) {
    const breaks = text.slice(start, end).match(/\r\n?|\n/g) ?? [];
    masked += text.slice(from, start) + [SECRET, ...breaks.map((lineBreak) => lineBreak + SECRET)].join('');
    from = end;
  }
  return masked + text.slice(from);
}
