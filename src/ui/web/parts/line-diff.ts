import { diffLines } from 'diff';
import { wordDiff } from '../../../report/words/pages.ts';

/** A piece of a line; `marked` if the other side lacks it. */
export interface Piece {
  readonly text: string;
  readonly marked: boolean;
}

/** One line of two texts side by side; null if a side has none. */
export interface LinePair {
  readonly left: readonly Piece[] | null;
  readonly right: readonly Piece[] | null;
  readonly same: boolean;
}

/** A frozen page is worse than one without marks. */
const MAX_MS = 400;
/** Two lines correspond if the longer one contains this share of the shorter one. */
const MIN_COMMON = 0.3;

/** Two texts line by line, with the differences inside corresponding lines. */
export function lineDiff(left: string | null, right: string | null): LinePair[] {
  if (left === null || right === null || left === right) {
    return linesOf(left ?? right ?? '').map((line) => ({
      left: left === null ? null : plain(line),
      right: right === null ? null : plain(line),
      same: left === right,
    }));
  }
  // The final line break is not part of the text.
  const changes = diffLines(`${left}\n`, `${right}\n`, { timeout: MAX_MS }) ?? [
    { removed: true, added: false, value: left },
    { removed: false, added: true, value: right },
  ];
  const pairs: LinePair[] = [];
  let removed: string[] = [];
  for (const change of changes) {
    const lines = linesOf(change.value.replace(/\n$/, ''));
    if (change.removed) {
      removed.push(...lines);
      continue;
    }
    pairs.push(...(change.added ? changed(removed, lines) : [...changed(removed, []), ...lines.map(unchanged)]));
    removed = [];
  }
  return [...pairs, ...changed(removed, [])];
}

function linesOf(text: string): string[] {
  return text.split('\n');
}

function plain(text: string): Piece[] {
  return [{ text, marked: false }];
}

function unchanged(line: string): LinePair {
  return { left: plain(line), right: plain(line), same: true };
}

function changed(removed: readonly string[], added: readonly string[]): LinePair[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, at): LinePair => {
    const [left, right] = [removed[at], added[at]];
    if (left === undefined || right === undefined) return { left: marked(left), right: marked(right), same: false };
    const parts = wordDiff(left, right, WORD);
    const kept = parts.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0);
    // Lines with almost nothing in common are not an edited line.
    if (kept < Math.min(left.length, right.length) * MIN_COMMON) {
      return { left: plain(left), right: plain(right), same: false };
    }
    const side = (other: 'added' | 'removed'): Piece[] =>
      parts
        .filter(({ kind }) => kind !== other)
        .flatMap(({ kind, text }) => withoutBlankAtEnd({ text, marked: kind !== 'same' }));
    return { left: side('added'), right: side('removed'), same: false };
  });
}

/** The space after a marked word belongs to no side. */
function withoutBlankAtEnd({ text, marked }: Piece): Piece[] {
  const words = text.trimEnd();
  if (!marked || words === text || words === '') return [{ text, marked }];
  return [
    { text: words, marked },
    { text: text.slice(words.length), marked: false },
  ];
}

function marked(text: string | undefined): Piece[] | null {
  return text === undefined ? null : [{ text, marked: true }];
}

/** A number, an id, a name or a path is one word, because half of it means nothing; with the blanks after it. */
const WORD =
  /(?:<[^<>#\s]{1,200}#\d{1,9}>|[\p{L}\p{N}_]{1,200}(?:[.:/@-][\p{L}\p{N}_]{1,200}){0,50}|[<>=!+*/%&|^~-]{1,3}|\S)\s*|\s+/gsu;
