import type { Json } from '../../json/index.ts';
import { isContainer } from '../values/canonical.ts';
import { changedLeaf, isSeenBy, otherScalar } from './changed-values.ts';
import type { Mutation, PlantContext } from './mutation.ts';
import type { Script } from './script.ts';

export const ANSWER_MUTATIONS: readonly Mutation[] = [
  onAnswer('number in the answer changed', (value, tolerance) =>
    typeof value === 'string' ? otherNumber(value) : otherScalar(value, tolerance, 'number'),
  ),
  onAnswer('answer of opposite meaning', (value) => {
    if (typeof value === 'boolean') return !value;
    return typeof value === 'string' ? opposite(value) : undefined;
  }),
  onAnswer('answer on another topic', (value) => (typeof value === 'string' ? onAnotherTopic(value) : undefined)),
];

/** A mutation of the answer, or of the first value in it that can be changed so: one place a turn. */
function onAnswer(name: string, change: (value: Json, tolerance: number) => Json | undefined): Mutation {
  return {
    name,
    needs: ['final'],
    plant({ final }: Script, place: number, { paths }: PlantContext) {
      if (final === undefined || place > 0) return 'past';
      const { value: recorded, step: at } = final;
      const step = { kind: 'final', value: recorded } as const;
      const changed = changedLeaf(
        recorded,
        0,
        (value) => isSeenBy(paths, step, value),
        (value, pointer) => change(value, paths.tolerance(step, pointer)),
      );
      if (changed === undefined) return undefined;
      final.value = changed.value;
      const told = { steps: [at], isBehaviour: true };
      if (!isContainer(recorded)) return { ...told, kinds: ['final-text'] };
      return { ...told, kinds: ['final-structure'], pointer: changed.pointer };
    },
  };
}

/** What numbers the items of a list says nothing. */
const LIST_MARKER = /^[ \t>]*\d{1,3}[.)](?=\s)/gm;

/** The text with its first digit another one, and no zero put before others. */
function otherNumber(text: string): string | undefined {
  const [digit, at = 0] = firstIn(text, /\d/, LIST_MARKER);
  if (digit === undefined) return undefined;
  return text.slice(0, at) + (digit === '9' ? '8' : String(Number(digit) + 1)) + text.slice(at + 1);
}

/** The first match outside of what is left out, and its place. */
function firstIn(text: string, shape: RegExp, leftOut: RegExp): [match?: string, at?: number, groups?: string[]] {
  const found = shape.exec(text.replace(leftOut, (part) => ' '.repeat(part.length)));
  return found === null ? [] : [found[0], found.index, found.slice(1)];
}

/** What is quoted is no claim of the answer. */
const QUOTED = /```[\s\S]*?```|`[^`]*`|"[^"]*"|“[^“”]*”/g;
/** `is`, `is not`, `isn't`; what is `not only` so is so. */
const CLAIM =
  /\b(cannot|is|are|was|were|has|have|can|will|does|may|must|should)( not\b|n['’]t\b|\b)(?! (?:only|just)\b)/i;

/** An English sentence with its first claim denied, or with a denied one claimed. No other language is tried. */
function opposite(text: string): string | undefined {
  const [claim, at = 0, [verb = '', denied = ''] = []] = firstIn(text, CLAIM, QUOTED);
  if (claim === undefined) return undefined;
  const isDenied = denied !== '' || verb.toLowerCase() === 'cannot';
  const other = isDenied ? verb.replace(/not$/i, '') : `${verb} not`;
  return text.slice(0, at) + other + text.slice(at + claim.length);
}

/** Below this, a text is a code or a title, and has no topic. */
const MIN_WORDS = 5;
const TOPICS = [
  'Bananas keep well at room temperature and go nicely with oat milk.',
  'Glaciers carve deep valleys while rivers carry gravel towards distant shores.',
];

/** A sentence that has nothing to do with the text: that of ours which shares the fewest words with it. */
function onAnotherTopic(text: string): string | undefined {
  const words = new Set(wordsOf(text));
  if (words.size < MIN_WORDS) return undefined;
  const shared = (topic: string) => wordsOf(topic).filter((word) => words.has(word)).length;
  return TOPICS.toSorted((a, b) => shared(a) - shared(b))[0];
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}{1,100}/gu) ?? [];
}
