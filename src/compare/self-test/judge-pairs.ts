import type { TurnRequest } from '../../contract/index.ts';
import type { Recording } from '../../trace/index.ts';
import type { CompareRules } from '../shapes/rules.ts';
import { mayBeJudged } from '../text/judged.ts';
import { TurnComparator } from '../turn.ts';
import type { OpenTexts } from '../wordings.ts';
import { withTexts } from './mutations.ts';
import { replacing, withoutSentence } from './texts.ts';

/** Two answers with a known relation of meanings, which a run would show to the judge. */
export interface JudgePair extends Pick<OpenTexts, 'recorded' | 'replayed' | 'place'> {
  /** How the recorded one was changed, in a few words. */
  readonly change: string;
  readonly means: 'same' | 'different';
}

const THING = String.raw`(?:the|your|our|my|an?) \p{L}+`;
const ROLES = new RegExp(String.raw`\b${THING}(?: (?!and |or )\p{L}+){1,4}? ${THING}\b`, 'iu');

/** All but the sentence left out are English. */
const CHANGES: readonly [change: string, means: JudgePair['means'], apply: ReturnType<typeof replacing>][] = [
  [
    'a word of another meaning',
    'different',
    exchanging('before/after received/sent included/excluded open/closed more/less first/last'),
  ],
  ['less certain', 'different', exchanging('must/may will/might')],
  ['who does what to whom', 'different', withRolesExchanged],
  ['a sentence left out', 'different', withoutSentence],
  ['a polite ending', 'same', (text) => (/\b(?:the|is|are|you)\b/i.test(text) ? [`${text} I hope this helps!`] : [])],
  [
    'a word of the same meaning',
    'same',
    exchanging('also/additionally help/assist receive/get buy/purchase need/require'),
  ],
];

/** Done to a reworded text, because the comparison finds two words that only change places by itself. */
function withRolesExchanged(text: string): string[] {
  const exchanged = replacing(ROLES, (part) => part.replace(/^(\S+ )(\S+)(.* )(\S+)$/u, '$1$4$3$2'));
  return exchanged(text).map((other) => `Sure, I can help with that. ${other}`);
}

/** Replaces the first of these words by its counterpart. */
function exchanging(list: string): ReturnType<typeof replacing> {
  const pairs = list.split(' ').map((pair) => pair.split('/') as [string, string]);
  const counterparts = new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
  return replacing(
    new RegExp(`\\b(?:${[...counterparts.keys()].join('|')})\\b`),
    (word) => counterparts.get(word) as string,
  );
}

/**
 * Plants changes in a turn's answers that the comparison alone takes for other words: some change the meaning and some do
 * not. What further recordings of the turn say is the same in other words, because the agent was good when they were made.
 */
export function judgePairs(
  [original, ...further]: readonly Recording[],
  rules: CompareRules,
  { request }: { readonly request?: TurnRequest | undefined } = {},
): JudgePair[] {
  const output = original?.output;
  if (original === undefined || output === undefined) return [];
  const planted = CHANGES.flatMap(([change, means, apply]) =>
    withTexts(output, apply).map((other) => ({ change, means, copy: { ...original, output: other } })),
  );
  const recorded = further.map((copy) => ({ change: 'what another recording says', means: 'same', copy }) as const);
  const seen = new Set<string>();
  return [...planted, ...recorded].flatMap(({ change, means, copy }) => {
    const comparison = new TurnComparator([original], rules, { requested: 1, request });
    comparison.add(1, copy);
    return comparison.openTexts().flatMap(({ recorded, replayed, place }) => {
      const isNew = !seen.has(replayed) && seen.add(replayed) && mayBeJudged(recorded, replayed);
      return isNew ? [{ change, means, recorded, replayed, place }] : [];
    });
  });
}
