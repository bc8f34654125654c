import { holm } from './holm.ts';
import { MAX_RELABELINGS, waysToChoose } from './relabelings.ts';
import type { RunShift, SuiteShift } from './shift-result.ts';
import type { SuiteTest } from './suite-test.ts';
import type { TurnTest } from './turn-test.ts';

/** A turn with at most this p in its first look gets a second one, with more replays. */
const LOOK_AGAIN = 0.1;
/** Replays of such a turn, including those of the first look. */
export const MOST_REPLAYS = 20;
/** Fresh runs of each side for a second look against a base, which is tested on these alone. */
export const FRESH_RUNS = 10;
/** A turn with at most this p in both looks may have shifted. */
const SUSPICIOUS = 0.05;
/** A turn with a smaller share of conclusive replays is not tested. */
const LEAST_CONCLUSIVE = 0.8;

export interface ShiftPolicy {
  /** How often an unchanged agent may be called shifted: by the tests of turns, and again by that of the suite. */
  readonly alpha: number;
  /** A smaller shift of a suite does not matter. */
  readonly minShift: number;
}

export function isTestable(conclusive: number, requested: number): boolean {
  return conclusive > 0 && conclusive >= LEAST_CONCLUSIVE * requested;
}

/** Whether more replays could show a shift of this turn. Its first p alone never does. */
export function needsSecondLook(first: TurnTest): boolean {
  return first.p <= LOOK_AGAIN;
}

export interface TurnLooks {
  readonly id: string;
  readonly first: TurnTest;
  /** Of all replays, including those of the first look, if there was a second one. */
  readonly second?: TurnTest;
}

export interface TurnJudgement {
  readonly state: 'shifted' | 'may-have-shifted' | 'as-before';
  /** The p of the second look after Holm's correction (1979); 1 without one. */
  readonly adjusted: number;
}

/**
 * Which turns have shifted. The correction counts all turns that could have had a second look, not only those that had one,
 * because looks are repeated only where something looks odd.
 * If second looks use only fresh runs of both sides (`isFresh`), only turns that had one count.
 * @param counted turns of the whole run, if these are a part of them
 */
export function judgeTurns(
  turns: readonly TurnLooks[],
  { alpha, isFresh = false }: Pick<ShiftPolicy, 'alpha'> & { readonly isFresh?: boolean | undefined },
  counted = 0,
): Map<string, TurnJudgement> {
  // If all runs of a turn are alike, no look could find anything.
  const tested = turns.filter(({ first, second }) => first.varies && (!isFresh || second !== undefined));
  const others = Array.from({ length: Math.max(0, counted - tested.length) }, () => 1);
  const corrected = holm([...tested.map(({ second }) => second?.p ?? 1), ...others]);
  const adjustedOf = new Map(tested.map(({ id }, index) => [id, corrected[index] as number]));
  return new Map(
    turns.map(({ id, first, second }) => {
      const adjusted = adjustedOf.get(id) ?? 1;
      const isSuspicious = second !== undefined && Math.max(first.p, second.p) <= SUSPICIOUS;
      const state = adjusted <= alpha ? 'shifted' : isSuspicious ? 'may-have-shifted' : 'as-before';
      return [id, { state, adjusted }];
    }),
  );
}

/** The result of a suite's test. `unconfirmed`: the second look did not find it again. `confirm`: it needs a second look. */
export type SuiteState = SuiteShift['state'] | 'confirm';

/** @param second of all runs, with as many more replays of every turn */
export function judgeSuite(first: SuiteTest, { alpha, minShift }: ShiftPolicy, second?: SuiteTest): SuiteState {
  if (first.p > alpha) return 'as-before';
  if (!isLarge(first, minShift)) return 'too-small';
  if (second === undefined) return 'confirm';
  return second.p <= alpha && isLarge(second, minShift) ? 'shifted' : 'unconfirmed';
}

/** If no run of either side varies, every shift counts. */
function isLarge({ shift }: SuiteTest, minShift: number): boolean {
  return shift === null || shift >= minShift;
}

/** What this many recordings can show of a turn that is looked at twice. */
export function reachOf(
  recordings: number,
  turns: number,
  { alpha }: Pick<ShiftPolicy, 'alpha'>,
): NonNullable<RunShift['reach']> & { readonly isEnough: boolean } {
  const needed = alpha / Math.max(1, turns);
  let enough = 1;
  while (leastP(enough, MOST_REPLAYS) > needed && enough < MOST_REPLAYS) enough++;
  const least = leastP(recordings, MOST_REPLAYS);
  return { least, needed, isEnough: least <= needed, recordings: enough };
}

/** If the sides have nothing in common: one relabeling, or two if groups of equal size can be swapped. */
export function leastP(recordings: number, replays: number): number {
  if (recordings === 0 || replays === 0) return 1;
  const ways = waysToChoose(recordings + replays, recordings);
  return ways > MAX_RELABELINGS ? 1 / MAX_RELABELINGS : (recordings === replays ? 2 : 1) / ways;
}
