import { benjaminiHochberg } from './benjamini-hochberg.ts';
import { type Look, type LookRange, turnLooks } from './looks.ts';
import { leastP, MAX_RELABELINGS, MOST_DRAWS } from './relabelings.ts';
import { MOST_REPLAYS, type RunShift } from './shift-result.ts';
import type { SuiteTest } from './suite-test.ts';
import { AT_FLOOR } from './turn-test.ts';

/** A turn with at most this p in its last two looks may have shifted. */
const SUSPICIOUS = 0.05;

export interface ShiftPolicy {
  /** How often an unchanged agent may be called shifted: by the tests of turns, and again by that of the suite. */
  readonly alpha: number;
  /** A smaller shift of a suite does not matter. */
  readonly minShift: number;
}

export interface AssessOptions extends ShiftPolicy {
  /** Turns of the plan, if these units are not all of them. */
  readonly planned?: number;
  /** Turns that the correction counts, if these units belong to one session of many. Then no suite is tested. */
  readonly counted?: number;
  /** In a part of a run nothing has shifted by its p yet, and no suite is tested. */
  readonly isPart?: boolean;
  /** In a part: replays that the last look at the suite reads, where all parts together have asked for it. */
  readonly lastLook?: number;
}

/** What the looks at a turn have shown. */
export interface LookedAt {
  readonly id: string;
  /** Of all its looks together; 1 if it ended as recorded. */
  readonly p: number;
  /** Of its last two looks, if there were two. */
  readonly last: readonly number[];
}

export interface TurnJudgement {
  readonly state: 'shifted' | 'may-have-shifted' | 'as-before';
  /** Its p, corrected for all turns; 1 if it ended as recorded. */
  readonly adjusted: number;
}

/**
 * Which turns have shifted. The correction counts all turns in which some runs differ, also those that ended early.
 * @param turns those whose runs differ: no look at others could find anything
 * @param counted turns of the whole run, if these are a part of them
 */
export function judgeTurns(
  turns: readonly LookedAt[],
  { alpha }: Pick<ShiftPolicy, 'alpha'>,
  counted = 0,
): Map<string, TurnJudgement> {
  const others = Array.from({ length: Math.max(0, counted - turns.length) }, () => 1);
  const corrected = benjaminiHochberg([...turns.map(({ p }) => p), ...others]);
  return new Map(
    turns.map(({ id, p, last }, index) => {
      const adjusted = corrected[index]!;
      const isSuspicious = p < 1 && last.length > 1 && Math.max(...last) <= SUSPICIOUS;
      const state = adjusted <= alpha ? 'shifted' : isSuspicious ? 'may-have-shifted' : 'as-before';
      return [id, { state, adjusted }];
    }),
  );
}

/** If no run of either side varies, every shift counts. */
export function isLarge({ shift }: SuiteTest, { minShift }: ShiftPolicy): boolean {
  return shift === null || shift >= minShift;
}

/** What this many recordings, and the replays of these looks, can show of a turn. */
export function reachOf(
  recordings: number,
  turns: number,
  { alpha }: Pick<ShiftPolicy, 'alpha'>,
  looks: LookRange,
): NonNullable<RunShift['reach']> & { readonly isEnough: boolean } {
  const needed = alpha / Math.max(1, turns);
  const leastOf = (count: number) => {
    const { replays, share } = turnLooks(count, looks, needed).at(-1) as Look;
    return leastP(count, replays) / share;
  };
  const further = Array.from({ length: Math.max(0, MOST_REPLAYS - recordings) }, (_, index) => recordings + 1 + index);
  const enough = further.find((count) => leastOf(count) <= needed);
  const least = leastOf(recordings);
  return { least, needed, isEnough: least <= needed, ...(enough !== undefined && { recordings: enough }) };
}

/**
 * Draws for each of the turns whose p is at the floor of a sample, so that those with nothing in common with their recordings
 * can be red among all. The more there are, the larger a p may be.
 */
export function drawsFor(turns: number, atFloor: number, { alpha }: Pick<ShiftPolicy, 'alpha'>): number {
  // Twice as many as chance puts there.
  const byChance = Math.ceil((2 * turns * AT_FLOOR) / MAX_RELABELINGS);
  return Math.min(MOST_DRAWS, Math.ceil((3 * turns) / (alpha * Math.max(1, atFloor - byChance))));
}
