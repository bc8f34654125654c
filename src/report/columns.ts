import stringWidth from 'string-width';
import { cut } from '../text/index.ts';

/** Text in columns of a terminal. Widths count columns: a CJK character or an emoji takes two. */

/** Texts are measured up to this length; no terminal shows more. */
const MAX_CHARS = 8_000;

/** What our own lines are made of: each character takes one column. */
const PLAIN = /^[ -~–…→│∿≈✔✘¶]*$/;

let graphemes: Intl.Segmenter | undefined;

/** The tables for all other texts take as long to load as a run of one call takes to compare. */
function columnsOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Cuts the text with an ellipsis if it is wider than `width`. */
export function fit(text: string, width: number): string {
  const bounded = text.slice(0, MAX_CHARS);
  return bounded.length === text.length && columnsOf(text) <= width ? text : `${head(bounded, width - 1)}…`;
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columnsOf(text)));
}

/** The width of the widest text, at most `limit`. */
export function widest(texts: readonly string[], limit: number): number {
  return texts.reduce((most, text) => Math.max(most, Math.min(limit, columnsOf(text))), 0);
}

/** Lines of at most `width`. They break between words; only a word longer than a line is broken itself. */
export function wrap(text: string, width: number): string[] {
  const bounded = cut(text, MAX_CHARS);
  const lines: string[] = [];
  let line = '';
  for (const word of bounded.split(/ +/)) {
    let rest = line === '' ? word : `${line} ${word}`;
    if (line !== '' && isWider(rest, width)) {
      lines.push(line);
      rest = word;
    }
    while (isWider(rest, width)) {
      // One character can be wider than the line. Take it anyway, or this would never end.
      const part = head(rest, width) || [...rest][0]!;
      lines.push(part);
      rest = rest.slice(part.length);
    }
    line = rest;
  }
  return line === '' ? lines : [...lines, line];
}

/**
 * A column rarely takes more UTF-16 units than this (an accent, a composed emoji), so longer texts are cut before
 * measuring.
 */
const MAX_UNITS_PER_COLUMN = 4;
const MAX_COLUMNS_PER_UNIT = 2;

function isWider(text: string, width: number): boolean {
  if (text.length * MAX_COLUMNS_PER_UNIT <= width) return false;
  return text.length > width * MAX_UNITS_PER_COLUMN || columnsOf(text) > width;
}

/** The longest beginning of whole characters that fits. */
function head(text: string, width: number): string {
  // `toWellFormed` shows whether the cut split a character.
  const bounded = text
    .slice(0, Math.max(1, width) * MAX_UNITS_PER_COLUMN)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  let used = 0;
  let end = 0;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(bounded)) {
    used += columnsOf(segment);
    if (used > width) break;
    end += segment.length;
  }
  return text.slice(0, end);
}
