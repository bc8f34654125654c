import { leastP } from './relabelings.ts';
import { MOST_REPLAYS, SOME_REPLAYS } from './shift-result.ts';

/** From how many replays of a turn to how many. */
export interface LookRange {
  readonly least: number;
  readonly most: number;
}

/** One look in a sequence that is fixed before the run. */
export interface Look {
  /** All replays so far. */
  readonly replays: number;
  /** Above this p the sequence ends, as recorded. */
  readonly ends: number;
  /** Its part of alpha; 0: by this look nothing is red. */
  readonly share: number;
}

/**
 * Where a sequence stands. `open`: it needs more replays. `ended`: as recorded. `over`: at its last look, or at an earlier
 * one that is extreme enough. `untested`: too few replays could be compared.
 */
export interface Standing {
  readonly state: 'open' | 'ended' | 'over' | 'untested';
  /** Of the last look that was made, or of the next one if it is open. */
  readonly replays: number;
  /** The least p of its looks, each divided by its share; 1 if it ended. */
  readonly p: number;
}

/** Replays in place of {@link MOST_REPLAYS} where so few recordings and so many turns leave no p small enough. */
const FAR_REPLAYS = 40;
/** From so many recordings on a turn can be red early. */
const MANY_RECORDINGS = 10;
/** With fewer recordings nothing ends before this look. */
const SOME_RECORDINGS = 5;
/** Replays, and the p above which a turn ends: with {@link MANY_RECORDINGS}, with fewer. */
const TURN_ENDS: readonly (readonly [replays: number, many: number, some: number])[] = [
  [2, 0.4, 0.6],
  [3, 0.25, 0.4],
  [5, 0.1, 0.15],
  [7, 0.07, 0.12],
  [10, 0.04, 0.1],
];
const EARLY = { replays: 10, share: 0.2 };
/** A p above so many times the least possible one ends a turn that could have {@link FAR_REPLAYS}. */
const NEAR_LEAST = 10;

/**
 * The looks at a turn.
 * @param bar the p that is red, corrected for all turns of the plan
 */
export function turnLooks(recordings: number, { least, most }: LookRange, bar: number): Look[] {
  const isMany = recordings >= MANY_RECORDINGS;
  const endsAt = (replays: number): number => {
    const [, many, some] = TURN_ENDS.findLast(([from]) => from <= replays) ?? [0, 1, 1];
    return isMany ? many : some;
  };
  if (recordings < SOME_RECORDINGS) {
    const first = Math.min(Math.max(least, SOME_REPLAYS), most);
    const isWorth = first < most && leastP(recordings, most) <= bar;
    return isWorth ? [at(first, endsAt(EARLY.replays)), at(most, 1, 1)] : [at(first, 1, 1)];
  }
  const between = TURN_ENDS.map(([replays]) => replays).filter((replays) => replays > least && replays < most);
  const earlier = (least < most ? [least, ...between] : []).map((replays) =>
    at(replays, endsAt(replays), isMany && replays === EARLY.replays ? EARLY.share : 0),
  );
  const floor = leastP(recordings, most);
  const spent = earlier.reduce((sum, { share }) => sum + share, 0);
  if (isMany || most !== MOST_REPLAYS || floor <= bar) return [...earlier, at(most, 1, 1 - spent)];
  return [...earlier, at(most, NEAR_LEAST * floor), at(FAR_REPLAYS, 1, 1)];
}

function at(replays: number, ends: number, share = 0): Look {
  return { replays, ends, share };
}

/** Against a base, a turn with at most this p gets fresh runs: its first p alone shows nothing. */
export const LOOK_AGAIN = 0.1;

const SUITE_REPLAYS = 10;
/** Looks at all sessions together: with enough recordings, with fewer, with one. */
const SUITE_LOOKS: readonly Look[] = [at(2, 0.1, 0.1), at(5, 0.05, 0.4), at(SUITE_REPLAYS, 1, 0.5)];
const SUITE_LOOKS_FEW: readonly Look[] = [at(5, 0.05, 0.4), at(SUITE_REPLAYS, 1, 0.6)];
const SUITE_LOOKS_ONE: readonly Look[] = [at(5, 0.5, 0.4), at(SUITE_REPLAYS, 1, 0.6)];

/** Replays of each session that the last look at all of them reads. @param ranges of the looks at each */
export function lastOfSuite(ranges: readonly LookRange[]): number {
  return inRange(SUITE_REPLAYS, rangeOfAll(ranges));
}

export function rangeOfAll(ranges: readonly LookRange[]): LookRange {
  return ranges.reduce((all, { least, most }) => ({
    least: Math.max(all.least, least),
    most: Math.max(all.most, most),
  }));
}

export function fewestLooks(ranges: readonly LookRange[]): LookRange {
  const [first = { least: 2, most: MOST_REPLAYS }, ...others] = ranges;
  return others.reduce((one, other) => (other.most < one.most ? other : one), first);
}

function inRange(replays: number, { least, most }: LookRange): number {
  return Math.min(Math.max(replays, least), most);
}

/**
 * The looks at all sessions together. A look at which nothing could be red gives its share to the next one; if not even the
 * last one could be, there is only the first.
 * @param recordings of the session with the fewest
 * @param leastAt the least p that so many replays can show
 */
export function suiteLooks(
  recordings: number,
  range: LookRange,
  { alpha, leastAt }: { readonly alpha: number; readonly leastAt: (replays: number) => number },
): Look[] {
  const planned = recordings === 1 ? SUITE_LOOKS_ONE : recordings < SOME_RECORDINGS ? SUITE_LOOKS_FEW : SUITE_LOOKS;
  const within = planned.map((look) => ({ ...look, replays: inRange(look.replays, range) }));
  const looks: Look[] = [];
  let kept = 0;
  for (const [index, { replays, ends, share }] of within.entries()) {
    kept += share;
    // Looks at the same replays are one.
    if (within[index + 1]?.replays === replays) continue;
    const isRed = leastAt(replays) <= kept * alpha;
    looks.push(at(replays, ends, isRed ? kept : 0));
    if (isRed) kept = 0;
  }
  return kept === 0 ? looks : looks.slice(0, 1);
}

/**
 * How many replays of a turn are planned: at first, of an unchanged one in the mean, and at most. Without a change a p is
 * below x in no more than a share x of all cases, so that the mean is no larger.
 */
export function plannedReplays(recordings: number, range: LookRange): { first: number; usual: number; most: number } {
  const looks = turnLooks(recordings, range, 1);
  const all = [looks, suiteLooks(recordings, range, { alpha: 1, leastAt: () => 0 })];
  const usualOf = (of: readonly Look[]) =>
    of.reduce((sum, { replays }, index) => {
      const before = of[index - 1] ?? { replays: 0, ends: 1 };
      return sum + (replays - before.replays) * before.ends;
    }, 0);
  const most = Math.max(...all.map((of) => of.at(-1)?.replays ?? 0));
  return { first: looks[0]?.replays ?? 0, usual: Math.max(...all.map(usualOf)), most };
}

/**
 * Follows a sequence of looks as far as its replays go.
 * @param pAt undefined: too few replays could be compared; null: they were not asked for
 * @param bar it is over where a p divided by its look's share is at most this
 * @param least replays before which it does not end as recorded
 */
export function follow(
  looks: readonly Look[],
  pAt: (replays: number) => number | null | undefined,
  { bar, least = 0 }: { readonly bar: number; readonly least?: number },
): Standing {
  let p = 1;
  for (const [index, { replays, ends, share }] of looks.entries()) {
    const isLast = index === looks.length - 1;
    const found = pAt(replays);
    if (found === null) return { state: 'open', replays, p };
    if (found === undefined) {
      // One replay that failed is half of the first two.
      if (isLast || replays >= SOME_REPLAYS) return { state: 'untested', replays, p };
      continue;
    }
    if (share > 0) p = Math.min(p, found / share);
    if (isLast || (share > 0 && found / share <= bar)) return { state: 'over', replays, p };
    if (found > ends && replays >= least) return { state: 'ended', replays, p: 1 };
  }
  return { state: 'untested', replays: 0, p };
}
