import type { Difference } from '../result.ts';
import type { Match } from './match.ts';

/** All differences of a replay from the recording, in order, and how the two were laid side by side. */
export interface Explanation extends Omit<Match, 'names'> {
  readonly differences: readonly Difference[];
}
