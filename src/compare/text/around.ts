import { commonPrefix } from '../values/common-prefix.ts';
import { Text } from './text.ts';

/** Longer texts are compared around their changes: all of it takes seconds. */
const LONG = 100_000;
/** Characters that are read on either side of a change: more words than a short text has, whatever the language. */
const AROUND = 3_000;
/** So many equal characters end a change. */
const MEETING = 200;
/** The next meeting is looked for in so many characters behind a change. */
const REACH = 20_000;
/** Longest way to the next blank. */
const TO_BLANK = 200;

/** Code in fences means something as a whole. */
export function isLong({ raw }: Text): boolean {
  return raw.length > LONG && !raw.includes('```');
}

/** Two long texts without what both say in the same order, except around their changes. Takes linear time. */
export function aroundChanges(recorded: Text, replayed: Text): readonly [Text, Text] {
  const [a, b] = [recorded.raw, replayed.raw];
  if (!isLong(recorded) || !isLong(replayed)) return [recorded, replayed];
  const [ours, theirs]: [string[], string[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const same = commonPrefix(a.slice(i), b.slice(j));
    const isLast = i + same === a.length && j + same === b.length;
    const text = withoutMiddle(a.slice(i, i + same), i + j === 0 ? 0 : AROUND, isLast ? 0 : AROUND);
    [i, j] = [i + same, j + same];
    const [gone, came] = isLast ? [0, 0] : changeAt(a, b, i, j);
    ours.push(text, a.slice(i, i + gone));
    theirs.push(text, b.slice(j, j + came));
    [i, j] = [i + gone, j + came];
  }
  return [new Text(ours.join('')), new Text(theirs.join(''))];
}

/** Length of what differs on each side; all that is left if the texts do not meet again nearby. */
function changeAt(a: string, b: string, i: number, j: number): [number, number] {
  const near = b.slice(j, j + REACH);
  for (let gone = 0; gone < REACH && i + gone + MEETING <= a.length; gone += MEETING) {
    const came = near.indexOf(a.slice(i + gone, i + gone + MEETING));
    if (came !== -1) return [gone, came];
  }
  return [a.length - i, b.length - j];
}

/** What both say between two changes, cut at blanks; a blank line tells statements apart. */
function withoutMiddle(text: string, head: number, tail: number): string {
  if (text.length <= head + tail + 2 * TO_BLANK) return text;
  const end = head === 0 ? 0 : blankFrom(text, head);
  const start = tail === 0 ? text.length : blankFrom(text, text.length - tail - TO_BLANK);
  return `${text.slice(0, end)}\n\n${text.slice(start)}`;
}

function blankFrom(text: string, at: number): number {
  const blank = text.slice(at, at + TO_BLANK).search(/\s/);
  return blank === -1 ? at : at + blank;
}
