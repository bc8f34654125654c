import { diffArrays } from 'diff';
import { UNSPACED } from './tokens.ts';

/** A stretch of text that both sides share, or that only one of them has. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/**
 * Most words that may be removed and added. Time grows with its square: 400 take some milliseconds, and beyond it
 * little is left in common that would be worth showing.
 */
const MAX_EDITS = 400;
/** Most words on each side of what differs. Beyond it even a few edits take long. */
const MAX_WORDS = 20_000;

/** Longer words are several: a pattern without bounds runs out of stack on some megabytes. */
const MAX_LETTERS = 1_000;

/** A word, the name of an id or a sign with the blanks after it, so that a blank alone is never what two texts have in common. */
const WORD = new RegExp(
  String.raw`(?:<[^<>#\s]{1,200}#\d{1,9}>|[[\p{L}\p{M}\p{N}_]--[${UNSPACED}]]{1,${MAX_LETTERS}}|[${UNSPACED}]|[^\p{L}\p{M}\p{N}_\s])\s*|\s+|.`,
  'gsv',
);

/**
 * Word diff for display. The parts that are not `added` make up `a`, those that are not `removed` make up `b`, to the
 * letter. Where too much differs, what is between the first and the last difference is removed and added as a whole.
 */
export function wordDiff(a: string, b: string): DiffPart[] {
  const [before, after] = [a.match(WORD) ?? [], b.match(WORD) ?? []];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [old, young] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const isLarge = Math.max(old.length, young.length) > MAX_WORDS;
  const changes = isLarge ? undefined : diffArrays(old, young, { maxEditLength: MAX_EDITS });
  const parts = new Parts();
  parts.add('same', before.slice(0, start));
  if (changes === undefined) {
    parts.add('removed', old);
    parts.add('added', young);
  }
  for (const { value, added, removed } of changes ?? [])
    parts.add(removed ? 'removed' : added ? 'added' : 'same', value);
  parts.add('same', before.slice(before.length - end));
  return parts.list;
}

/** Neighbours of one kind become one part. Between two that are the same, what is removed comes before what is added. */
class Parts {
  readonly list: DiffPart[] = [];

  add(kind: DiffPart['kind'], words: readonly string[]): void {
    if (words.length === 0) return;
    const text = words.join('');
    const last = this.list.at(-1);
    if (last?.kind === kind) this.list[this.list.length - 1] = { kind, text: last.text + text };
    else this.list.push({ kind, text });
  }
}
