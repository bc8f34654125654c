import type { Difference } from '../result.ts';
import type { Match } from './match.ts';

/** All differences of a replay from the recording, in order, and the alignment of the two. */
export interface Explanation extends Omit<Match, 'names'> {
  readonly differences: readonly Difference[];
}
