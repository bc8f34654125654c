import { wordDiff } from '../../compare/index.ts';

/** A stretch that differs, and where it begins on each side. */
interface Hunk {
  before: string;
  was: string;
  now: string;
  readonly at: readonly [number, number];
}

/** Shared words between two changes that are shown as one. */
const MAX_BETWEEN = 2;

/**
 * What differs, with what it needs around it: `3 to 5 days` and `5 to 7 days`, `not refundable` and `refundable`.
 * @param places of the difference that counts, if there are several
 * @returns undefined if the texts share no word, or if too much differs
 */
export function changedPart(
  recorded: string,
  replayed: string,
  room: number,
  places: readonly [number | undefined, number | undefined] = [undefined, undefined],
): [string, string] | undefined {
  const parts = wordDiff(recorded, replayed);
  if (!parts.some(({ kind, text }) => kind === 'same' && /[^\s\p{P}]/u.test(text))) return undefined;
  const hunks: Hunk[] = [];
  const sides: [number, number] = [0, 0];
  let [isOpen, before] = [false, ''];
  for (const [index, { kind, text }] of parts.entries()) {
    const last = hunks.at(-1);
    if (kind !== 'same') {
      const hunk =
        isOpen && last !== undefined
          ? last
          : { before: before.slice(-room), was: '', now: '', at: [...sides] as const };
      if (!isOpen) hunks.push(hunk);
      hunk[kind === 'removed' ? 'was' : 'now'] += text;
      isOpen = true;
    } else if (last !== undefined && index < parts.length - 1 && (text.match(/\S+/g) ?? []).length <= MAX_BETWEEN) {
      last.was += text;
      last.now += text;
    } else isOpen = false;
    before = text;
    if (kind !== 'added') sides[0] += text.length;
    if (kind !== 'removed') sides[1] += text.length;
  }
  const isAt = ({ at, was, now }: Hunk) =>
    [was, now].some((text, side) => {
      const [place, from] = [places[side], at[side] as number];
      return place !== undefined && place >= from && place <= from + text.length;
    });
  const hunk = hunks.find(isAt) ?? hunks[0];
  if (hunk === undefined) return undefined;
  const from = hunk.at[0] + hunk.was.length;
  const after = recorded.slice(from, from + room);
  const shown = [hunk.was, hunk.now].map((text) => withNeighbours(text, hunk, after)) as [string, string];
  return Math.max(...shown.map(({ length }) => length)) > room || shown[0] === shown[1] ? undefined : shown;
}

/** Without the punctuation at its end. */
function withoutMarks(text: string): string {
  let end = text.length;
  while (end > 0 && '.,;:!?'.includes(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

/** Whole words, and one more if a side has none, or ends with a number, which says little without its unit. */
function withNeighbours(text: string, { before, was, now }: Hunk, after: string): string {
  const start = before.split(/\s/).at(-1) ?? '';
  const end = (/\S$/.test(was) || /\S$/.test(now) ? /^\S*/.exec(after)?.[0] : undefined) ?? '';
  const isBare = [was, now].some((side) =>
    /(?:^|\s)(?!\S*\d[:/-]\d)[^\s\p{L}]*$/u.test(`${start}${side}${end}`.trimEnd()),
  );
  // What was added or left out is told beside a word of both sides.
  const isLast = was.trim() !== '' && now.trim() !== '' && /[.!?;:]$/.test(`${text}${end}`.trimEnd());
  const next = isBare && !isLast ? (/^\s*\S+/.exec(after.slice(end.length))?.[0] ?? '') : '';
  const whole = withoutMarks(`${start}${text}${end}${next}`.trim());
  return whole === '' ? (/\S+\s*$/.exec(before)?.[0] ?? '').trim() : whole;
}
