import { diffArrays } from 'diff';
import { commonPrefix } from '../values/common-prefix.ts';
import { UNSPACED } from './tokens.ts';

/** A stretch of text that both sides share, or that only one of them has. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/**
 * Limit of removed and added words. The time grows with its square: 400 take some milliseconds, and texts that differ more
 * share too little to be worth showing.
 */
const MAX_EDITS = 400;
/** Limit of words per side between the first and the last difference. Beyond it even a few edits take long. */
const MAX_WORDS = 20_000;

/** Longer words are split: an unbounded pattern overflows the stack on some megabytes. */
const MAX_LETTERS = 1_000;

/** A word, the name of an id or a sign, with the blanks after it, so that two texts never share just a blank. */
const WORD = new RegExp(
  String.raw`(?:<[^<>#\s]{1,200}#\d{1,9}>|[[\p{L}\p{M}\p{N}_]--[${UNSPACED}]]{1,${MAX_LETTERS}}|[${UNSPACED}]|[^\p{L}\p{M}\p{N}_\s])\s*|\s+|.`,
  'gsv',
);

/**
 * Word diff for display. Without the `added` parts it spells `a`, without the `removed` parts `b`, exactly. If too much
 * differs, everything between the first and last difference is one removal and one addition.
 * @param words what is one word, for every character of a text
 */
export function wordDiff(a: string, b: string, words: RegExp = WORD): DiffPart[] {
  const [before, after] = [a.match(words) ?? [], b.match(words) ?? []];
  const shorter = Math.min(before.length, after.length);
  const start = commonPrefix(before, after);
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

/** Neighbouring parts of one kind are joined. Between shared parts, the removed one comes first. */
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
