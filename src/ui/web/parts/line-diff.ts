import { diffArrays, diffLines } from 'diff';

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
/** Words of longer lines are not compared. */
const MAX_LINE_CHARS = 4_000;
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
    if (Math.max(left.length, right.length) > MAX_LINE_CHARS) return { ...apartInside(left, right), same: false };
    const words = diffArrays(wordsOf(left), wordsOf(right));
    const kept = words.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : lengthOf(value)), 0);
    // Lines with almost nothing in common are not an edited line.
    if (kept < Math.min(left.length, right.length) * MIN_COMMON) {
      return { left: plain(left), right: plain(right), same: false };
    }
    const side = (other: 'added' | 'removed'): Piece[] =>
      joined(
        words
          .filter((word) => !word[other])
          .map(({ value, added, removed }) => ({ text: value.join(''), marked: added || removed })),
      );
    return { left: side('added'), right: side('removed'), same: false };
  });
}

/** What two long lines have between their equal beginnings and ends. */
function apartInside(left: string, right: string): Pick<LinePair, 'left' | 'right'> {
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start++;
  let end = 0;
  while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  const side = (text: string): Piece[] => [
    { text: text.slice(0, start), marked: false },
    { text: text.slice(start, text.length - end), marked: true },
    { text: text.slice(text.length - end), marked: false },
  ];
  return { left: side(left), right: side(right) };
}

/** A space between two marked words is marked too. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const [at, { text, marked }] of pieces.entries()) {
    const isBetween =
      !marked && /^\s+$/.test(text) && pieces[at - 1]?.marked === true && pieces[at + 1]?.marked === true;
    const last = result.at(-1);
    if (last?.marked === (marked || isBetween)) result[result.length - 1] = { ...last, text: last.text + text };
    else result.push({ text, marked: marked || isBetween });
  }
  return result.flatMap(withoutBlankAtEnd);
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

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}

function marked(text: string | undefined): Piece[] | null {
  return text === undefined ? null : [{ text, marked: true }];
}

/** A number, an id, a name or a path is one word, because half of it means nothing. */
function wordsOf(line: string): string[] {
  return (
    line.match(
      /<[^<>#\s]{1,200}#\d{1,9}>|[\p{L}\p{N}_]{1,200}(?:[.:/@-][\p{L}\p{N}_]{1,200}){0,50}|[<>=!+*/%&|^~-]{1,3}|\s+|./gsu,
    ) ?? []
  );
}
