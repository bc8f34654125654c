import { Text } from './text.ts';

/**
 * What the user's judge has said of two texts that say the same in other words, as far as can be told without knowing what
 * words mean; undefined where it was not asked, or could not tell.
 */
export type JudgedTexts = (recorded: string, replayed: string) => 'same' | 'different' | undefined;

/**
 * Whether a judge may be asked about two texts: both state their numbers, ids, dates and quotations in one order. Where one
 * stands in another place it may belong to something else, which whoever reads for the meaning overlooks.
 */
export function mayBeJudged(recorded: string, replayed: string): boolean {
  const [a, b] = [recorded, replayed].map((text) => [...new Text(text).forms.stated.keys()]) as [string[], string[]];
  const common = (of: readonly string[], other: readonly string[]) => of.filter((form) => other.includes(form)).join();
  return common(a, b) === common(b, a);
}
