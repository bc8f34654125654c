import { MAX_RUNS } from '../contract/index.ts';
import type { Verdict } from './result.ts';

/** The results of one turn's runs, in numbers. */
export interface TurnCounts {
  readonly requested: number;
  readonly conclusive: number;
  /** Conclusive runs as recorded. */
  readonly asRecorded: number;
  /** Those of them with minor differences. */
  readonly minor: number;
  /** Those of them that are in other words. */
  readonly reworded: number;
  /** Sizes of all clusters that hold a replay. */
  readonly clusterSizes: readonly number[];
  /** Some replay showed the recorded behaviour. */
  readonly originalSeen: boolean;
}

/** If more of the behaviours than this were seen only once, further ones probably exist (Good 1953, Good-Turing: f1/n). */
export const MAX_UNSEEN_SHARE = 0.25;

/** Above this share, the next run is as likely to show another new behaviour as a known one, so more runs settle nothing. */
const MAX_SHARE_TO_GO_ON = 0.5;

/** The verdict of one turn, with its note. */
export function turnVerdict(outcome: TurnCounts): {
  verdict: Verdict;
  suggestedRuns: number | null;
  note: string | null;
} {
  const { requested, conclusive, asRecorded, minor, reworded, clusterSizes, originalSeen } = outcome;
  const lost = requested - conclusive;
  const lesser = [
    ...(minor > 0 ? [`${minor} with minor differences`] : []),
    ...(reworded > 0 ? [`${reworded} in other words (not judged)`] : []),
  ];
  const notes = [
    ...(lost > 0 ? [`${lost} of ${requested} not verified`] : []),
    ...(lesser.length > 0 ? [[`${asRecorded} of ${conclusive} as recorded`, ...lesser].join(', ')] : []),
  ];
  const note = notes.length > 0 ? notes.join('; ') : null;
  const settled = (word: Verdict) => ({ verdict: word, suggestedRuns: null, note });
  if (conclusive === 0 || (asRecorded === conclusive && lost > 0)) return settled('inconclusive');
  if (originalSeen && clusterSizes.length > 1) return settled('flaky');
  if (originalSeen) return settled(reworded > 0 ? 'reworded' : 'reproduced');
  const single = clusterSizes.filter((size) => size === 1).length;
  if (clusterSizes.length === 1 || single / conclusive <= MAX_UNSEEN_SHARE) return settled('changed');
  return { verdict: 'unsettled', suggestedRuns: runsToSettle(single, conclusive), note };
}

/** The smallest number of runs that settles it if no new behaviour comes; null if that is unlikely. */
function runsToSettle(single: number, conclusive: number): number | null {
  const runs = Math.ceil(single / MAX_UNSEEN_SHARE);
  return single / conclusive <= MAX_SHARE_TO_GO_ON && runs <= MAX_RUNS ? runs : null;
}

/** Whether all runs count as recorded: in the same words, in other words, or differing as the recordings do. */
export function isAsRecorded(verdict: Verdict | undefined): verdict is 'reproduced' | 'reworded' | 'varies' {
  return verdict === 'reproduced' || verdict === 'reworded' || verdict === 'varies';
}
