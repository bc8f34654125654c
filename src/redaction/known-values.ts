import { MIN_SECRET_CHARS, SECRET } from './mask.ts';
import { firstPlace, viewsOf } from './view.ts';

/** Each line of a secret is secret too, unless it is as short as a brace or a word. */
const MIN_LINE_CHARS = 8;
/** A shorter start of a secret before an ellipsis is probably something else. */
const MIN_CUT_CHARS = 8;
/** Forms are indexed by this many first characters. */
const KEY_CHARS = 4;
const KEY_HASHES = 2 ** 16;
const HASH_SHIFT = 16 / KEY_CHARS;

/**
 * Makes the function that replaces known secret values in a text by {@link SECRET}: plain or in any normal form, in base64 at
 * any offset, in hex, and cut off by an ellipsis. The text is looked at as {@link viewsOf} shows it, so case, line breaks,
 * escape sequences, what nobody sees, and the escapes of JSON, URLs and HTML hide nothing. The number of lines stays the same.
 * Linear in the text, however many secrets there are. A value under {@link MIN_SECRET_CHARS} is never replaced.
 */
export function secretsRedactor(secrets: readonly string[]): (text: string) => string {
  const find = secretsFinder(secrets);
  return (text) => {
    const found = find(text);
    return found.length === 0 ? text : maskRanges(text, found);
  };
}

/** Finds where in a text these values are, in the same forms. Places may overlap. */
export function secretsFinder(secrets: readonly string[]): (text: string) => [start: number, end: number][] {
  const forms = indexForms(secrets);
  if (forms.byKey.size === 0) return () => [];
  return (text) =>
    viewsOf(text).flatMap((view) => findForms(view.text, forms).map(([start, end]) => view.range(start, end)));
}

interface Forms {
  /** The forms of all secrets by their first characters, in order, so that a search halves them. */
  readonly byKey: ReadonlyMap<string, readonly string[]>;
  /** The longest other form that a form begins with. */
  readonly startOf: ReadonlyMap<string, string>;
  readonly longest: number;
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
    .flatMap((form) => viewsOf(form).map(({ text }) => text))
    .filter((form) => form.length >= KEY_CHARS);
  const inOrder = [...new Set(forms)].sort();
  const byKey = Map.groupBy(inOrder, (form) => form.slice(0, KEY_CHARS));
  const startOf = new Map<string, string>();
  const starts: string[] = [];
  for (const form of inOrder) {
    while (starts.length > 0 && !form.startsWith(starts.at(-1)!)) starts.pop();
    if (starts.length > 0) startOf.set(form, starts.at(-1)!);
    starts.push(form);
  }
  const hashes = new Uint8Array(KEY_HASHES);
  for (const key of byKey.keys()) {
    let hash = 0;
    for (let at = 0; at < KEY_CHARS; at++) hash = keyHash(hash, key.charCodeAt(at));
    hashes[hash] = 1;
  }
  return { byKey, startOf, longest: inOrder.reduce((most, { length }) => Math.max(most, length), 0), hashes };
}

/** A rolling hash of the last four characters; earlier ones are shifted out. */
function keyHash(previous: number, code: number): number {
  return ((previous << HASH_SHIFT) ^ code) & (KEY_HASHES - 1);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    secret,
    secret.replaceAll(' ', '+'),
    // Wrapping breaks a text at a blank and removes the blank.
    ...Array.from(
      secret.matchAll(/[ \t]+/g),
      ({ 0: blanks, index }) => secret.slice(0, index) + secret.slice(index + blanks.length),
    ),
    bytes.toString('hex'),
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
function findForms(text: string, forms: Forms): [number, number][] {
  const { byKey, hashes } = forms;
  const found: [number, number][] = [];
  // All at once: V8 hoists a search out of its branch into each round of the loop, which makes that quadratic.
  const cuts = Array.from(text.matchAll(/…|\.{3}/g), ({ index }) => index);
  let nextCut = 0;
  let hash = 0;
  let free = 0;
  for (let end = 1; end <= text.length; end++) {
    hash = keyHash(hash, text.charCodeAt(end - 1));
    if (hashes[hash] === 0) continue;
    const at = end - KEY_CHARS;
    if (at < free) continue;
    const candidates = byKey.get(text.slice(at, end));
    if (candidates === undefined) continue;
    while (nextCut < cuts.length && cuts[nextCut]! < at) nextCut++;
    const length =
      wholeLength(text.slice(at, at + forms.longest), candidates, forms) ||
      cutLength(text, [at, cuts[nextCut] ?? at], candidates);
    if (length === 0) continue;
    free = at + length;
    found.push([at, free]);
  }
  return found;
}

/** The length of the longest form that a text begins with: the last one before it in order, or a start of that one. */
function wholeLength(text: string, candidates: readonly string[], { startOf }: Forms): number {
  let form = candidates[firstPlace(candidates, (each) => each > text) - 1];
  while (form !== undefined && !text.startsWith(form)) form = startOf.get(form);
  return form?.length ?? 0;
}

/** The length of the part before an ellipsis, if the text was cut there within a secret. */
function cutLength(text: string, [at, cut]: readonly [number, number], candidates: readonly string[]): number {
  if (cut - at < MIN_CUT_CHARS) return 0;
  const part = text.slice(at, cut);
  return candidates[firstPlace(candidates, (each) => each > part)]?.startsWith(part) ? part.length : 0;
}

/** Replaces what lies in any of the ranges by the mask, once per line of it. */
function maskRanges(text: string, ranges: readonly [number, number][]): string {
  let masked = '';
  let from = 0;
  for (const [start, end] of ranges.toSorted(([a, b], [c, d]) => a - c || d - b)) {
    // The second view has found what the first had, or a part of it.
    if (end <= from) continue;
    const begin = Math.max(from, start);
    const breaks = text.slice(begin, end).match(/\r\n?|\n/g) ?? [];
    const isGoingOn = begin > start;
    masked +=
      text.slice(from, begin) + [isGoingOn ? '' : SECRET, ...breaks.map((lineBreak) => lineBreak + SECRET)].join('');
    from = end;
  }
  return masked + text.slice(from);
}
