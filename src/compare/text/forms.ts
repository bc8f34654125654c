import { COSTS, IDLE_AFTER_NOT, type Polarity, polarityOf } from './lexicon.ts';
import type { Token } from './tokens.ts';

/** What a text states in whatever words: its forms. Another form is another statement. */
export interface Forms {
  /** Numbers with their unit, ids, dates, times, URLs, quotations and code, each once, because a paraphrase may repeat one. */
  readonly stated: ReadonlyMap<string, Token>;
  /** English words of polarity, counted: one more `not` reverses the meaning. */
  readonly polarity: ReadonlyMap<Polarity, number>;
  /** The speaker says what they cannot or will not do. */
  readonly isRefusal: boolean;
}

const STATED: ReadonlySet<Token['kind']> = new Set(['code', 'date', 'id', 'number', 'ordinal', 'quote', 'time', 'url']);

/** @param tokens with quotations and code as single tokens */
export function formsIn(tokens: readonly Token[]): Forms {
  const stated = new Map<string, Token>();
  for (const token of tokens)
    if (STATED.has(token.kind)) stated.set(`${token.kind === 'ordinal' ? 'number' : token.kind} ${token.text}`, token);
  return { stated, ...polarityIn(tokens) };
}

const FIRST_PERSON = new Set(['i', 'we']);
/** Words from `I` to its negation: `I am sorry, but I am afraid that I cannot`. */
const REFUSAL_REACH = 3;

function polarityIn(tokens: readonly Token[]): Pick<Forms, 'polarity' | 'isRefusal'> {
  const polarity = new Map<Polarity, number>();
  let isRefusal = false;
  let sinceFirstPerson = Number.POSITIVE_INFINITY;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'word') continue;
    sinceFirstPerson = FIRST_PERSON.has(text) ? 0 : sinceFirstPerson + 1;
    const before = tokens[index - 1]?.text ?? '';
    const after = [tokens[index + 1]?.text ?? '', tokens[index + 2]?.text ?? ''] as const;
    const found = polarityAt(text, before, after);
    if (found === undefined) continue;
    polarity.set(found, (polarity.get(found) ?? 0) + 1);
    isRefusal ||= text === 'not' && /^(?:can|will)$/.test(before) && sinceFirstPerson <= REFUSAL_REACH;
  }
  return { polarity, isRefusal };
}

function polarityAt(word: string, before: string, after: readonly [string, string]): Polarity | undefined {
  const found = polarityOf(word);
  if (found === 'free') return before === 'feel' || after[0] === 'to' ? undefined : 'free';
  if (found !== 'not') return found;
  if (after.some((each) => COSTS.has(each))) return 'free';
  return IDLE_AFTER_NOT.has(after[0]) ? undefined : 'not';
}
