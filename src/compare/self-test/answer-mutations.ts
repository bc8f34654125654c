import type { Json } from '../../json/index.ts';
import { isContainer } from '../values/canonical.ts';
import { blanked, changedLeaf, isSeenBy, otherScalar, QUOTED } from './changed-values.ts';
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

/** Mutates the answer, or the first value in it that can be mutated so: one place per turn. */
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

/** The numbers of a list's items mean nothing. */
const LIST_MARKER = /^[ \t>]*\d{1,3}[.)](?=\s)/gm;

/** The text with its first digit replaced; never adds a leading zero. */
function otherNumber(text: string): string | undefined {
  const [digit, at = 0] = firstIn(text, /\d/, LIST_MARKER);
  if (digit === undefined) return undefined;
  return text.slice(0, at) + (digit === '9' ? '8' : String(Number(digit) + 1)) + text.slice(at + 1);
}

/** The first match that is not in a part to be left out, and its place. */
function firstIn(text: string, shape: RegExp, leftOut: RegExp): [match?: string, at?: number, groups?: string[]] {
  const found = shape.exec(blanked(text, leftOut));
  return found === null ? [] : [found[0], found.index, found.slice(1)];
}

/** `is`, `is not`, `isn't`; `is not only` is still a claim. */
const CLAIM =
  /\b(cannot|is|are|was|were|has|have|can|will|does|may|must|should)( not\b|n['’]t\b|\b)(?! (?:only|just)\b)/i;

/** An English sentence with its first claim negated, or its first negation removed. Other languages are not tried. */
function opposite(text: string): string | undefined {
  const [claim, at = 0, [verb = '', denied = ''] = []] = firstIn(text, CLAIM, QUOTED);
  if (claim === undefined) return undefined;
  const isDenied = denied !== '' || verb.toLowerCase() === 'cannot';
  const other = isDenied ? verb.replace(/not$/i, '') : `${verb} not`;
  return text.slice(0, at) + other + text.slice(at + claim.length);
}

/** A shorter text is a code or a title, without a topic. */
const MIN_WORDS = 5;
const TOPICS = [
  'Bananas keep well at room temperature and go nicely with oat milk.',
  'Glaciers carve deep valleys while rivers carry gravel towards distant shores.',
];

/** A sentence about something else: the one of ours that shares the fewest words with the text. */
function onAnotherTopic(text: string): string | undefined {
  const words = new Set(wordsOf(text));
  if (words.size < MIN_WORDS) return undefined;
  const shared = (topic: string) => wordsOf(topic).filter((word) => words.has(word)).length;
  return TOPICS.toSorted((a, b) => shared(a) - shared(b))[0];
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}{1,100}/gu) ?? [];
}
