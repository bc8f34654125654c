import { waysToChoose } from './relabelings.ts';
import { LEAST_RECORDINGS } from './shift-result.ts';

/**
 * The exact p of replays of which none did what all recordings did: the share of ways to choose as many runs as there are
 * recordings, so that those did one and the same, and no other run did it. Of k recordings and n replays it is at most
 * floor((k + n) / k) / C(k + n, k): .00009 of 5 and 20.
 * @param recordings what each of them did, as one text
 * @returns undefined if no way to choose could tell anything: all runs did the same, or too few are recorded
 */
export function effectsP(recordings: readonly string[], replays: readonly string[]): number | undefined {
  const counts = new Map<string, number>();
  for (const did of [...recordings, ...replays]) counts.set(did, (counts.get(did) ?? 0) + 1);
  const { length, 0: recorded = '' } = recordings;
  if (length < LEAST_RECORDINGS || counts.size < 2) return undefined;
  if (recordings.some((did) => did !== recorded) || counts.get(recorded) !== length) return 1;
  const alike = [...counts.values()].filter((count) => count === length).length;
  return alike / waysToChoose(length + replays.length, length);
}
