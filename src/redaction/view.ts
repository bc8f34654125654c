import { SEQUENCE } from '../text/index.ts';

/** A text as somebody reads it, with the way back. */
export interface View {
  readonly text: string;
  /** Where a part of it stands in the original. */
  range(start: number, end: number): [number, number];
}

// Each run is tried from its start only, and classes next to each other are disjoint: linear.
/** Escapes of JSON and loggers, of URLs, of HTML. The backslash that ends a terminal's string is none. */
const ESCAPE =
  /(?<!\x1b)\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]{1,6}\}|x[\da-fA-F]{2}|["'/\\bfnrt])|(?:%[\da-fA-F]{2})+|&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|amp|lt|gt|quot|apos);/g;
/** JSON in JSON in JSON is escaped as often. */
const MAX_LEVELS = 4;
/** All but tabs and line breaks. */
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu;
const SEQUENCE_OR_UNSEEN = new RegExp(`${SEQUENCE.source}|${UNSEEN.source}`, 'gu');
/** Line breaks with the blanks that wrapping adds, and all that is not plain ASCII. */
const UNPLAIN = /(?<![ \t])[ \t]*(?:\r\n?|\n)[ \t]*|[^\t\n\r\x20-\x7e]+/g;

/**
 * A text in its normal form (NFKD, lower case, one line), once for each way to read it: as a terminal shows it, as a file
 * keeps it, and both with what its escapes spell out.
 */
export function viewsOf(text: string): View[] {
  const views = normalViews(text);
  let read = asItIs(text);
  for (let level = 1; level <= MAX_LEVELS && read.text.search(ESCAPE) !== -1; level++) {
    read = within(read, viewOf(read.text, ESCAPE, spelledBy));
    for (const view of normalViews(read.text)) views.push(within(read, view));
  }
  return views;
}

function asItIs(text: string): View {
  return { text, range: (start, end) => [start, end] };
}

function within(outer: View, { text, range }: View): View {
  return { text, range: (start, end) => outer.range(...range(start, end)) };
}

const MEANT = /^(?:%|\\[uxbf])/;
/** What `\u001b[31m` and `%1B%5B31m` spell out. A line break stays spelled out. */
const withMeant = (text: string): string =>
  text.replace(ESCAPE, (token) => (MEANT.test(token) ? spelledBy(token).replace(/[\r\n]/g, () => token) : token));

/** Whether a text may hold something that nobody sees where it is shown. */
export function hidesSome(text: string): boolean {
  return text.search(UNSEEN) !== -1 || withMeant(text) !== text;
}

/**
 * What readers can make of a text that hides something: with the spelled out meant and as it stands, without sequences and
 * with what stands inside them. All have all of its lines.
 */
export const SEEN_FORMS: readonly ((text: string) => string)[] = [SEQUENCE_OR_UNSEEN, UNSEEN].flatMap((tokens) => {
  const shown = (text: string) => text.replace(tokens, (token) => token.replace(/[^\r\n]+/g, ''));
  return [shown, (text: string) => shown(withMeant(text))];
});

function normalViews(text: string): View[] {
  const hides = text.search(UNSEEN) !== -1;
  const tokens = /[\x1b\x80-\x9f]/.test(text) ? [SEQUENCE_OR_UNSEEN, UNSEEN] : hides ? [UNSEEN] : [];
  const seen = tokens.length === 0 ? [asItIs(text)] : tokens.map((each) => viewOf(text, each, () => ''));
  return seen.map((view) => {
    const { text: plain, range } = viewOf(view.text, UNPLAIN, normal);
    return within(view, { text: plain.toLowerCase(), range });
  });
}

/** A piece of the view: where it begins there and in the original, and where it ends there if it stands for something. */
interface Piece {
  readonly at: number;
  readonly start: number;
  readonly end: number | undefined;
}

function viewOf(text: string, tokens: RegExp, meaning: (token: string) => string): View {
  let pieces: readonly Piece[] | undefined;
  const pieceAt = (position: number): Piece => {
    // Most views hold nothing that anybody asks the place of.
    pieces ??= piecesOf(text, tokens, meaning);
    return pieces[Math.max(0, firstPlace(pieces, ({ at }) => at > position) - 1)]!;
  };
  return {
    text: text.replace(tokens, meaning),
    range(start, end) {
      const [first, last] = [pieceAt(start), pieceAt(end - 1)];
      return [
        first.end === undefined ? first.start + start - first.at : first.start,
        last.end ?? last.start + end - last.at,
      ];
    },
  };
}

/** The place of the first in a list that is as asked for. If one is, all after it are. */
export function firstPlace<T>(list: readonly T[], is: (each: T) => boolean): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (is(list[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function piecesOf(text: string, tokens: RegExp, meaning: (token: string) => string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let from = 0;
  const keep = (length: number, start: number, end?: number): void => {
    if (length > 0) pieces.push({ at, start, end });
    at += length;
  };
  for (const { 0: token, index } of text.matchAll(tokens)) {
    keep(index - from, from);
    from = index + token.length;
    keep(meaning(token).length, index, from);
  }
  keep(text.length - from, from);
  return pieces;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function spelledBy(token: string): string {
  if (token.length === 2) return CONTROLS[token[1]!] ?? token[1]!;
  if (token.startsWith('%')) return Buffer.from(token.replaceAll('%', ''), 'hex').toString();
  if (token.startsWith('&') && token[1] !== '#') return NAMED[token.slice(1, -1)] ?? token;
  const codes = [...token.matchAll(/[ux#]\{?(?:[xX](?=.*;))?([\da-fA-F]+)/g)].map(([, code]) =>
    Number(/^&#\d/.test(token) ? code : `0x${code}`),
  );
  if (codes.length > 0) return codes.map((code) => (code > 0x10ffff ? '' : String.fromCodePoint(code))).join('');
  return token;
}

/** A break is nothing. An ellipsis stays one: it shows where a text was cut. */
function normal(token: string): string {
  const parts = (/[\r\n]/.test(token) ? '' : token).split('…');
  return parts.map((part) => part.normalize('NFKD').toLowerCase()).join('…');
}
