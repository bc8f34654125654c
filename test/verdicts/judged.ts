import { compareRules, isInOtherWords, type TurnComparison, type Outcome as Word } from '../../src/compare/index.ts';
import type { Divergence } from '../../src/compare/shapes/result.ts';
import { failsRun, gatePolicy } from '../../src/report/index.ts';
import { compareTurn } from '../compare/compare-turn.ts';
import { outcomes } from '../outcomes.ts';
import type { Expected, Pair } from './pairs.ts';

/**
 * What the product made of a pair, seen from its label.
 * - `right`: red where it should be, green where it should be.
 * - `missed`: green, or left open, where it should be red.
 * - `false alarm`: red where it should not be.
 * - `open`: not judged, and that is allowed, within bounds.
 * - `doubt`: could not tell, which no pair gives a reason for.
 */
export type Outcome = 'right' | 'missed' | 'false alarm' | 'open' | 'doubt';

export interface Judged {
  readonly pair: Pair;
  readonly verdict: Word;
  readonly isRed: boolean;
  readonly outcome: Outcome;
  readonly divergence: Divergence | null;
  /** The parts of the first divergence that are not as expected; undefined if the pair expects nothing of it. */
  readonly otherwise: readonly (keyof Expected)[] | undefined;
}

/** Compares and gates a pair as a run does. */
export function judged(pair: Pair): Judged {
  const { request, recorded, replays, rules, failOn = {} } = pair;
  const comparison = compareTurn(
    [recorded],
    replays.map((recording, index) => ({ run: index + 1, recording })),
    compareRules.parse(rules),
    { request },
  );
  const { verdict, divergence } = comparison;
  const isRed = failsRun(comparison, gatePolicy.parse({ failOn }));
  return {
    pair,
    verdict,
    isRed,
    outcome: outcomeOf(pair, comparison, isRed),
    divergence,
    otherwise: isRed ? otherwise(pair.expect, verdict, divergence) : undefined,
  };
}

function outcomeOf({ label }: Pair, comparison: TurnComparison, isRed: boolean): Outcome {
  const isOpen = isInOtherWords(comparison);
  if (comparison.verdict === outcomes.couldNotTell && !isOpen) return 'doubt';
  switch (label) {
    case outcomes.changed:
      return isRed ? 'right' : 'missed';
    case 'meaning-changed':
      return isRed ? 'right' : isOpen ? 'open' : 'missed';
    case 'same':
    case 'other-words':
      return isRed ? 'false alarm' : isOpen ? 'open' : 'right';
  }
}

function otherwise(
  expected: Expected,
  verdict: Word,
  divergence: Divergence | null,
): readonly (keyof Expected)[] | undefined {
  const names = Object.keys(expected) as (keyof Expected)[];
  if (names.length === 0) return undefined;
  const found = {
    verdict,
    kind: divergence?.kind,
    cause: divergence?.cause.kind,
    tool: divergence?.tool,
    pointer: divergence?.pointer,
  };
  return names.filter((name) => ![expected[name]].flat().includes(found[name]));
}

/** Counts over judged pairs. Shares are of 0 to 1, and null where there is nothing to share. */
export interface Score {
  readonly pairs: number;
  /** Red where it should be. */
  readonly found: number;
  readonly missed: number;
  readonly falseAlarms: number;
  /** Pairs that should be green and were not judged. */
  readonly openGreen: number;
  readonly doubts: number;
  /** Pairs whose meaning changed without any form. */
  readonly meaning: Bounded;
  /** Those of them with short answers. */
  readonly short: Bounded;
  readonly recall: number | null;
  readonly precision: number | null;
}

export interface Bounded {
  readonly pairs: number;
  /** Passed as recorded: there must be none. */
  readonly silent: number;
  /** Not judged. */
  readonly open: number;
  readonly openShare: number | null;
}

export function scoreOf(all: readonly Judged[]): Score {
  const count = (outcome: Outcome) => all.filter((each) => each.outcome === outcome).length;
  const shouldBeRed = all.filter(({ pair: { label } }) => label === 'changed' || label === 'meaning-changed');
  const found = shouldBeRed.filter(({ outcome }) => outcome === 'right').length;
  const [missed, falseAlarms] = [count('missed'), count('false alarm')];
  const changed = all.filter(({ pair }) => pair.label === 'meaning-changed');
  const open = count('open') - changed.filter(({ outcome }) => outcome === 'open').length;
  return {
    pairs: all.length,
    found,
    missed,
    falseAlarms,
    openGreen: open,
    doubts: count('doubt'),
    meaning: boundedOf(changed),
    short: boundedOf(changed.filter(({ pair }) => pair.isShort)),
    recall: share(found, found + missed),
    precision: share(found, found + falseAlarms),
  };
}

function boundedOf(all: readonly Judged[]): Bounded {
  const open = all.filter(({ outcome }) => outcome === 'open').length;
  const silent = all.filter(({ outcome }) => outcome === 'missed').length;
  return { pairs: all.length, silent, open, openShare: share(open, all.length) };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
