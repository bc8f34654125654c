import type { Json } from '../../contract/index.ts';
import { IDLE_AFTER_NOT, IDLE_INSIDE_NOT, NEVER_NAMES, polarityOf } from './lexicon.ts';
import { westernDigits } from './quantities.ts';
import { hasAtMostWords, type Token, tokensOf } from './tokens.ts';

/** A text of no more words than this is all fact: what is left of it after taking facts out would be too little. */
const SHORT_WORDS = 12;

/**
 * What a final answer states, apart from how it is worded. Equal for rewordings, and different when a number, id, date,
 * name, quote, piece of code or URL differs, or the answer's yes or no. A structured output is its own facts; a short
 * text (at most {@link SHORT_WORDS} words) is `{ words }`, in order and case-folded; of a longer one each kind of fact
 * is a sorted list without repetitions, and kinds that do not occur are left out. Empty text is `{ words: [] }`.
 *
 * A set and not a sequence, as a rewording often turns a sentence round; so two facts that change places are not
 * noticed. To hold facts together by clause would have told apart 11 of 49 recorded rewordings, by sentence 4. Names are known by their capital: in a script without capitals they are only noticed in short texts.
 */
export function factsOf(output: Json): Json {
  if (typeof output !== 'string') return output;
  const text = westernDigits(output.normalize('NFC').trim());
  if (hasAtMostWords(text, SHORT_WORDS)) {
    const words = tokensOf(text, { spans: false }).map((token) => token.text);
    // Nothing but signs, an emoji for one.
    return { words: words.length === 0 && text !== '' ? [text] : words };
  }
  const tokens = tokensOf(text, { spans: true });
  const facts = new Map<string, Set<string>>();
  const add = (kind: string, texts: readonly string[]): void => {
    for (const each of texts) facts.set(kind, (facts.get(kind) ?? new Set()).add(each));
  };
  for (const { kind, text: fact } of tokens) {
    const list = LISTS[kind];
    if (list !== undefined) add(list, [fact]);
  }
  add('names', namesIn(tokens));
  add('polarity', polarityIn(tokens));
  return Object.fromEntries([...facts].map(([kind, texts]) => [kind, [...texts].sort()] as const).sort(byKind));
}

const LISTS: Partial<Record<Token['kind'], string>> = {
  code: 'code',
  date: 'dates',
  id: 'ids',
  number: 'numbers',
  quote: 'quotes',
  time: 'times',
  url: 'urls',
};

function byKind([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/**
 * Words with a capital that they do not owe to their place: inside a sentence, or at its start as part of more. A word
 * that the text writes small as well (`your flight`, `Flight 7`) is none.
 */
function namesIn(tokens: readonly Token[]): string[] {
  const small = new Set<string>();
  for (const { kind, text, capital } of tokens) if (kind === 'word' && capital === undefined) small.add(text);
  const isName = ({ text, capital }: Token): boolean =>
    capital !== undefined && !small.has(text) && !NEVER_NAMES.has(beforeApostrophe(text)) && !polarityOf(text);
  const certain = new Set<string>();
  const names: string[] = [];
  for (const token of tokens) if (token.capital === 'inside' && isName(token)) certain.add(token.text);
  for (const [index, token] of tokens.entries()) {
    if (token.capital === undefined || !isName(token)) continue;
    const next = tokens[index + 1];
    const isPart = next?.isNext === true && next.capital === 'inside' && certain.has(next.text);
    if (isPart || certain.has(token.text)) names.push(token.text);
  }
  return names;
}

/** `i` of `I'll`. */
function beforeApostrophe(word: string): string {
  return word.split(/['’]/, 1)[0] ?? word;
}

function isIdle(before: string, negation: string, after: string): boolean {
  return IDLE_AFTER_NOT.has(after) || IDLE_INSIDE_NOT.test(negation) || IDLE_INSIDE_NOT.test(before);
}

const FIRST_PERSON = new Set(['i', 'we', "i'm", 'i’m', "we're", 'we’re']);
const INABILITY = /^(?:cannot|unable|(?:can|wo)n?['’]t|cant|wont)$/;
/** Words from `I` to its negation: `I am sorry, but I am afraid that I cannot`. */
const REFUSAL_REACH = 3;

/** What the text says of yes and no. `refused`: the speaker says what they cannot or will not do. */
function polarityIn(tokens: readonly Token[]): string[] {
  const found: string[] = [];
  let sinceFirstPerson = Number.POSITIVE_INFINITY;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'word') continue;
    sinceFirstPerson = FIRST_PERSON.has(text) ? 0 : sinceFirstPerson + 1;
    const polarity = polarityOf(text);
    if (polarity === undefined) continue;
    if (polarity === 'not' && isIdle(tokens[index - 1]?.text ?? '', text, tokens[index + 1]?.text ?? '')) continue;
    found.push(polarity);
    if (INABILITY.test(text) && sinceFirstPerson <= REFUSAL_REACH) found.push('refused');
  }
  return found;
}
