import type { Json } from '../../json/index.ts';
import type { Step } from '../shapes/step.ts';
import { leafDifferences } from './paths.ts';
import { areAlike, type Token, wholeToken } from './volatile.ts';

/** What may be generated. */
const WORD = /(?<![\w-])[\w-]{9,200}(?![\w-])/g;
const MAX_LEAVES = 1_000;

/** A result, and what is generated in it, by its name. */
interface Result {
  readonly step: Step;
  readonly named: {
    readonly ids: readonly { readonly text: string; readonly name: string; readonly isNew: boolean }[];
  };
}

/** A word of a replay, and the one that the original has in its place. */
interface Counterpart {
  readonly text: string;
  readonly theirs: string;
  /** The part of theirs that was renamed, and as what; undefined if it was left as it is. */
  readonly made: Token | undefined;
}

/** The results of the original, by their tools. */
export type Told = ReadonlyMap<string | undefined, readonly Result[]>;

export function toldIn(entries: readonly Result[]): Told {
  return Map.groupBy(
    entries.filter(({ step }) => step.kind === 'result'),
    ({ step }) => step.name,
  );
}

/**
 * Of values that a generator draws, a few do not look so: twenty hex digits without a letter. So what stands in the place
 * of a generated value of the original, and is made like it, is one, too.
 */
export function counterparts({ step, named }: Result, value: Json): Counterpart[] {
  const differences = leafDifferences(step.value ?? null, value, { limit: MAX_LEAVES });
  return differences.flatMap(({ recorded, replayed }) => {
    const [words, others] = [wordsOf(recorded), wordsOf(replayed)];
    return words.flatMap((theirs, at): Counterpart[] => {
      const text = others[at] ?? '';
      if (words.length !== others.length || theirs === text || !areAlike(theirs, text)) return [];
      const { text: part = '', name = '' } = named.ids.find((id) => id.isNew && theirs.includes(id.text)) ?? {};
      const [, shape] = /([a-z]{2,9})#\d{1,9}>$/.exec(name) ?? [];
      if (part === theirs && wholeToken(text)?.shape === shape) return [];
      return [{ text, theirs, made: shape === undefined ? undefined : { text: part, shape } }];
    });
  });
}

function wordsOf(leaf: Json | undefined): readonly string[] {
  return typeof leaf === 'string' ? (leaf.match(WORD) ?? []) : [];
}
