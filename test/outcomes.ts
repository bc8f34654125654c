import type { Outcome } from '../src/compare/index.ts';

/** The words of the product, by what they mean. */
export const outcomes = {
  asRecorded: 'as-recorded',
  /** Runs failed, or nobody has judged what other words mean. */
  couldNotTell: 'could-not-tell',
  varies: 'varies',
  changed: 'changed',
} as const satisfies Record<string, Outcome>;
