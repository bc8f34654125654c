import type { TurnRequest } from '../../contract/index.ts';
import type { Json } from '../../json/index.ts';
import type { Recording } from '../../trace/index.ts';
import type { CompareRules } from '../rules.ts';
import { mayBeJudged } from '../text/judged.ts';
import { startTurnComparison } from '../turn.ts';
import type { OpenTexts } from '../wordings.ts';
import { blanked, changedLeaf, QUOTED } from './changed-values.ts';
import { render, scriptOf } from './script.ts';

/** Two answers with a known relation of meanings, which a run would show to the judge. */
export interface JudgePair extends Pick<OpenTexts, 'recorded' | 'replayed'> {
  /** How the recorded one was changed, in a few words. */
  readonly change: string;
  readonly means: 'same' | 'different';
}

/**
 * Plants changes in a turn's answers that the comparison alone takes for other words: some change the meaning and some do
 * not. Rewordings in further recordings of the turn count as equal in meaning, because the agent was good when they were
 * made.
 */
export function judgePairs(
  [original, ...further]: readonly Recording[],
  rules: CompareRules,
  { request }: { readonly request?: TurnRequest | undefined } = {},
): JudgePair[] {
  if (original === undefined) return [];
  const askedOf = (replayed: Recording) => {
    const comparison = startTurnComparison([original], rules, { requested: 1, request });
    comparison.add(1, replayed);
    return comparison.openTexts().filter((texts) => mayBeJudged(texts.recorded, texts.replayed));
  };
  const planted = CHANGES.flatMap(({ change, means, apply }) => {
    const script = scriptOf(original, rules, request);
    if (script.final === undefined) return [];
    const changed = changedLeaf(script.final.value, 0, () => true, changing(apply));
    if (changed === undefined) return [];
    script.final = { ...script.final, value: changed.value };
    return askedOf(render(script)).map(({ recorded, replayed }): JudgePair => ({ change, means, recorded, replayed }));
  });
  const recorded = further.flatMap((recording) =>
    askedOf(recording).map(({ runs: _, ...texts }): JudgePair => ({ change: RECORDED, means: 'same', ...texts })),
  );
  const seen = new Set<string>();
  return [...planted, ...recorded].filter((pair) => {
    const key = JSON.stringify([pair.recorded, pair.replayed]);
    return seen.has(key) ? false : seen.add(key);
  });
}

const RECORDED = 'what another recording says';

interface Change extends Pick<JudgePair, 'change' | 'means'> {
  /** @returns undefined if the text cannot be changed this way */
  readonly apply: (text: string) => string | undefined;
}

/** All but the last entry of each list are English. */
const CHANGES: readonly Change[] = [
  { change: 'a word of another meaning', means: 'different', apply: (text) => withAnotherWord(text, OTHER_MEANING) },
  { change: 'less certain', means: 'different', apply: (text) => withAnotherWord(text, LESS_CERTAIN) },
  { change: 'who does what to whom', means: 'different', apply: withRolesExchanged },
  { change: 'the longest sentence left out', means: 'different', apply: withoutLongestSentence },
  { change: 'a polite beginning', means: 'same', apply: (text) => ifEnglish(text, politely(text)) },
  { change: 'a polite ending', means: 'same', apply: (text) => ifEnglish(text, `${text} I hope this helps!`) },
  { change: 'written out or contracted', means: 'same', apply: withOtherContractions },
  { change: 'a word of the same meaning', means: 'same', apply: (text) => withAnotherWord(text, SAME_MEANING) },
];

function changing(apply: Change['apply']): (leaf: Json) => Json | undefined {
  return (leaf) => (typeof leaf === 'string' ? apply(leaf) : undefined);
}

/** Pairs of words that replace each other. */
type Words = readonly (readonly [string, string])[];

const OTHER_MEANING = pairsIn(`
  before / after, approved / withdrawn, refunded / charged, refund / surcharge, received / sent, arrives / leaves,
  arrive / leave, included / excluded, includes / excludes, open / closed, higher / lower, more / less,
  always / seldom, first / last, earlier / later, cheapest / dearest, today / next month, tomorrow / next year,
  new / used, buyer / seller, we / you`);

const LESS_CERTAIN = pairsIn(`
  must / may, will / might, is / is perhaps, are / are perhaps, has been / may have been`);

const SAME_MEANING = pairsIn(`
  also / additionally, however / but, because / since, buy / purchase, begin / start, need / require, quickly / fast,
  soon / shortly, about / regarding, help / assist, receive / get, choose / pick, happy / glad, let us know / tell us,
  let me know / tell me`);

const CONTRACTIONS = pairsIn(`
  I'm / I am, I've / I have, I'll / I will, you're / you are, you'll / you will, we've / we have, we'll / we will,
  it's / it is, that's / that is`);

function pairsIn(list: string): Words {
  return list.split(',').map((pair) => pair.trim().split(' / ') as [string, string]);
}

/** Replaces the first listed word of the text by its counterpart. Quotes stay. */
function withAnotherWord(text: string, words: Words): string | undefined {
  const readable = blanked(text, QUOTED);
  for (const [one, other] of words.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])) {
    const at = placeOf(one, readable);
    if (at !== -1) return replacedAt(text, at, one.length, isCapital(text[at]) ? capitalised(other) : other);
  }
  return undefined;
}

function withOtherContractions(text: string): string | undefined {
  return withAnotherWord(text.replaceAll('’', "'"), CONTRACTIONS);
}

/** Index of a whole word, in any case. */
function placeOf(word: string, text: string): number {
  const [lower, sought] = [text.toLowerCase(), word.toLowerCase()];
  // If case folding changes the length of a text, indexes would no longer fit.
  if (lower.length !== text.length) return -1;
  for (let at = lower.indexOf(sought); at !== -1; at = lower.indexOf(sought, at + 1)) {
    if (!isOfWord(lower[at - 1]) && !isOfWord(lower[at + sought.length])) return at;
  }
  return -1;
}

function isOfWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}'’_-]/u.test(character);
}

function isCapital(character = ''): boolean {
  return /\p{Lu}/u.test(character);
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function replacedAt(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length);
}

/** `the customer owes the shop`. Items of a list (`the socks and the shoes`) can swap without a change of meaning. */
const ROLES = /\b(the|your|our|my|a|an) (\p{L}+)((?: (?!and |or )\p{L}+){1,4}?) (the|your|our|my|a|an) (\p{L}+)\b/iu;

/** Done to a reworded text, because the comparison finds a swap by itself if nothing else differs. */
function withRolesExchanged(text: string): string | undefined {
  const found = ROLES.exec(blanked(text, QUOTED));
  if (found === null) return undefined;
  const [whole, firstArticle, first = '', between, secondArticle, second = ''] = found;
  if (first.toLowerCase() === second.toLowerCase()) return undefined;
  const exchanged = `${firstArticle} ${second}${between} ${secondArticle} ${first}`;
  return politely(replacedAt(text, found.index, whole.length, exchanged));
}

/** Of two sentences one is often a greeting. The longest of three or more says something. */
const MIN_SENTENCES = 3;

function withoutLongestSentence(text: string): string | undefined {
  const sentences = text.split(/(?<=[.!?。！？])\s+/);
  if (sentences.length < MIN_SENTENCES) return undefined;
  const longest = sentences.reduce((one, other) => (other.length > one.length ? other : one));
  return sentences.filter((sentence) => sentence !== longest).join(' ');
}

/** Words that almost every English text contains. */
const ENGLISH = /\b(?:the|is|are|you|your|was|have|has|will|to)\b/i;

function politely(text: string): string {
  return `Sure, I can help with that. ${text}`;
}

function ifEnglish(text: string, changed: string): string | undefined {
  return ENGLISH.test(text) ? changed : undefined;
}
