import { holm } from './holm.ts';
import { MAX_RELABELINGS, waysToChoose } from './relabelings.ts';
import type { SuiteTest } from './suite-test.ts';
import type { TurnTest } from './turn-test.ts';

/** Turns with a p of at most this in their first look are looked at again, with more replays. */
const LOOK_AGAIN = 0.1;
/** Replays of a turn that is looked at again, those of the first look included. */
export const MOST_REPLAYS = 20;
/** Runs of each side that a turn gets which is looked at again against a base: it is tested on these alone. */
export const FRESH_RUNS = 10;
/** A turn with a p of at most this in both looks may have shifted. */
const SUSPICIOUS = 0.05;
/** A turn with a smaller share of its replays conclusive is in no test. */
const LEAST_CONCLUSIVE = 0.8;

export interface ShiftPolicy {
  /** How often an unchanged agent may be told to have shifted, by the turns' tests and again by the suite's. */
  readonly alpha: number;
  /** A suite that shifted less than this has not shifted enough to matter. */
  readonly minShift: number;
}

export function isTestable(conclusive: number, requested: number): boolean {
  return conclusive > 0 && conclusive >= LEAST_CONCLUSIVE * requested;
}

/** Whether more replays could show that a turn has shifted. By its first p alone none has. */
export function needsSecondLook(first: TurnTest): boolean {
  return first.p <= LOOK_AGAIN;
}

export interface TurnLooks {
  readonly id: string;
  readonly first: TurnTest;
  /** Of all replays, those of the first look included; when there was a second look. */
  readonly second?: TurnTest;
}

export interface TurnJudgement {
  readonly state: 'shifted' | 'may-have-shifted' | 'as-before';
  /** The p of the second look after Holm's correction (1979); 1 without one. */
  readonly adjusted: number;
}

/**
 * Which turns have shifted. Corrected over all turns that could have been looked at twice, not over those that were: turns
 * are looked at twice because they look odd.
 * Where second looks are of fresh runs of both sides alone (`isFresh`), those that were looked at twice are all that counts.
 * @param counted turns of the whole run, where these are a part of them
 */
export function judgeTurns(
  turns: readonly TurnLooks[],
  { alpha, isFresh = false }: Pick<ShiftPolicy, 'alpha'> & { readonly isFresh?: boolean | undefined },
  counted = turnsCounted(turns, isFresh),
): Map<string, TurnJudgement> {
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

/** Turns that the correction counts: where all runs are alike, no look could find anything. */
function turnsCounted(turns: readonly TurnLooks[], isFresh: boolean): number {
  return turns.filter(({ first, second }) => first.varies && (!isFresh || second !== undefined)).length;
}

/** What a suite's test says. `unconfirmed`: the second look did not find it again. `confirm`: it takes a second look. */
export type SuiteState = 'as-before' | 'too-small' | 'confirm' | 'unconfirmed' | 'shifted';

/** @param second of all runs, with as many replays again of every turn */
export function judgeSuite(first: SuiteTest, { alpha, minShift }: ShiftPolicy, second?: SuiteTest): SuiteState {
  if (first.p > alpha) return 'as-before';
  if (!isLarge(first, minShift)) return 'too-small';
  if (second === undefined) return 'confirm';
  return second.p <= alpha && isLarge(second, minShift) ? 'shifted' : 'unconfirmed';
}

/** Where no run of either side varies, every shift counts. */
function isLarge({ shift }: SuiteTest, minShift: number): boolean {
  return shift === null || shift >= minShift;
}

/** What so many recordings can show. */
export interface Reach {
  /** The least p that a turn can have when it is looked at twice. */
  readonly least: number;
  /** The p that the first of so many turns needs. */
  readonly needed: number;
  readonly isEnough: boolean;
  /** The least number of recordings with which a turn can be shown to have shifted. */
  readonly recordings: number;
}

export function reachOf(recordings: number, turns: number, { alpha }: Pick<ShiftPolicy, 'alpha'>): Reach {
  const needed = alpha / Math.max(1, turns);
  let enough = 1;
  while (leastP(enough, MOST_REPLAYS) > needed && enough < MOST_REPLAYS) enough++;
  const least = leastP(recordings, MOST_REPLAYS);
  return { least, needed, isEnough: least <= needed, recordings: enough };
}

/** When the sides have nothing in common: one relabeling, or two where groups of one size can change sides. */
export function leastP(recordings: number, replays: number): number {
  if (recordings === 0 || replays === 0) return 1;
  const ways = waysToChoose(recordings + replays, recordings);
  return ways > MAX_RELABELINGS ? 1 / MAX_RELABELINGS : (recordings === replays ? 2 : 1) / ways;
}
