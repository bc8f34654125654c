import type { TextDifference } from '../shapes/result.ts';
import { Text } from './text.ts';

/**
 * What the user's judge said about two texts that differ only in wording, as far as anybody can tell without knowing what
 * words mean; undefined if it was not asked, or was unsure.
 * @param place where they stand, as a path
 */
export type JudgedTexts = (recorded: string, replayed: string, place?: string) => 'same' | 'different' | undefined;

/**
 * Whether a judge may be asked about two texts: both state their numbers, ids, dates and quotations in the same order. In
 * another order one may belong to something else, which a reader for meaning overlooks.
 */
export function mayBeJudged(recorded: string, replayed: string): boolean {
  const [a, b] = [recorded, replayed].map((text) => new Text(text).forms.stated) as [Stated, Stated];
  const common = (of: Stated, other: Stated) => [...of.keys()].filter((form) => other.has(form)).join();
  return common(a, b) === common(b, a);
}

type Stated = Text['forms']['stated'];

export const JUDGED_DIFFERENT: TextDifference = { because: 'judge', recorded: [], replayed: [] };

/** Blanks or line breaks. */
const BETWEEN_SENTENCES = /(?<=[.!?…](?=\s)|[。！？])\s*|\n+/u;

/** Sentences that the other text has not. */
export function ownSentences(text: string, other: string): string[] {
  const known = new Set(other.split(BETWEEN_SENTENCES));
  return text.split(BETWEEN_SENTENCES).filter((each) => !known.has(each));
}
