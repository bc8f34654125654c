import { type Stopped, type Verdict, verdict } from './result.ts';
import { MAX_UNSEEN_SHARE } from './verdict.ts';

/** The cluster of a finished run (0 = as recorded), or `lost` if it was inconclusive. */
export type RunOutcome = number | 'lost';

/** Runs by cluster, and the clusters that are as recorded: 0, and those of further recordings. */
export interface SettledRuns {
  readonly clusters: ReadonlyMap<number, number>;
  readonly recorded: readonly number[];
  /** Runs that are as recorded in other words. */
  readonly reworded: ReadonlySet<number>;
}

/** When to stop, and what fails a turn. Not for policies that depend on causes of divergences, which cannot be foreseen. */
export interface StopRule {
  /** `status`: stop when pass or fail is certain. `verdict`: stop when the verdict is certain too. */
  readonly mode: Stopped['certain'];
  readonly failing: readonly Exclude<Verdict, 'reproduced'>[];
  /** The smallest share of conclusive runs as recorded with which flaky still passes. */
  readonly minAgreement?: number | undefined;
}

/** One turn of a session before all its runs have finished. */
export interface TurnSoFar {
  readonly requested: number;
  readonly outcomes: readonly RunOutcome[];
  /** Clusters that are as recorded, if the pin has several recordings. Default: only 0. */
  readonly recorded?: readonly number[] | undefined;
  /** Outcomes as recorded in other words. Default: none. */
  readonly reworded?: number | undefined;
}

const standings = ['fail', 'doubt', 'pass'] as const;
/** A session's result under a policy, worst first. A doubt stays a doubt, even if the policy forgives it. */
export type Standing = (typeof standings)[number];

export interface Certainty {
  readonly standing: Standing;
  /** Null if still open. */
  readonly verdict: Verdict | null;
}

/**
 * What is certain about a session before all runs have finished: a result that the full run reaches whether the remaining
 * runs behave as recorded, as one of the others, in a new way, or get lost. Null while it is open.
 */
export function certain(turns: readonly TurnSoFar[], rule: StopRule): Certainty | null {
  const ends = turns.map((turn) => possibleEnds(countOf(turn), rule.minAgreement));
  const standing = onlyWorst(
    ends.map((of) => of.map((end) => standingOf(end, rule))),
    standings,
  );
  const known = onlyWorst(
    ends.map((of) => of.map((end) => end.verdict)),
    verdict.options,
  );
  return standing === null || (rule.mode === 'verdict' && known === null) ? null : { standing, verdict: known };
}

/** The worst of all turns, if it is the same in every future; otherwise null. */
function onlyWorst<Value>(turns: readonly (readonly Value[])[], worstFirst: readonly Value[]): Value | null {
  const ranks = turns.map((values) => values.map((value) => worstFirst.indexOf(value)));
  const worst = Math.min(...ranks.map((of) => Math.min(...of)));
  const mildest = Math.min(...ranks.map((of) => Math.max(...of)));
  return worst === mildest ? (worstFirst[worst] ?? null) : null;
}

interface Count {
  /** Runs that have not finished. */
  readonly left: number;
  readonly lost: number;
  readonly asRecorded: number;
  readonly reworded: number;
  /** Conclusive runs. */
  readonly all: number;
  readonly recordedClusters: number;
  readonly otherClusters: number;
  /** Number of other clusters with a single run. */
  readonly singles: number;
  /** There is more than one recorded behaviour. */
  readonly hasBaselines: boolean;
}

function countOf({ requested, outcomes, recorded = [0], reworded = 0 }: TurnSoFar): Count {
  const sizes = new Map<number, number>();
  let lost = 0;
  for (const outcome of outcomes) {
    if (outcome === 'lost') lost++;
    else sizes.set(outcome, (sizes.get(outcome) ?? 0) + 1);
  }
  const isRecorded = new Set(recorded);
  const seen = [...sizes].filter(([cluster]) => isRecorded.has(cluster));
  const others = [...sizes].filter(([cluster]) => !isRecorded.has(cluster));
  return {
    left: requested - outcomes.length,
    lost,
    asRecorded: seen.reduce((sum, [, size]) => sum + size, 0),
    reworded,
    all: outcomes.length - lost,
    recordedClusters: seen.length,
    otherClusters: others.length,
    singles: others.filter(([, size]) => size === 1).length,
    hasBaselines: isRecorded.size > 1,
  };
}

interface End {
  readonly verdict: Verdict;
  /** For flaky: whether enough runs are as recorded. */
  readonly isEnough?: boolean;
}

/** Every verdict that the remaining runs can lead to: `turnVerdict` over all futures at once. */
function possibleEnds(count: Count, minAgreement: number | undefined): End[] {
  const { left, lost, asRecorded, reworded, all, recordedClusters, otherClusters, singles } = count;
  const hasDiverged = otherClusters > 0;
  const ends: End[] = possibleShares(count).map((share) => ({
    verdict: 'flaky',
    isEnough: minAgreement !== undefined && share >= minAgreement,
  }));
  if (!hasDiverged && lost === 0 && recordedClusters <= 1 && all + left > 0) {
    if (reworded === 0) ends.push({ verdict: 'reproduced' });
    if (reworded + left > 0) ends.push({ verdict: 'reworded' });
  }
  if (!hasDiverged && (lost > 0 || left > 0 || all === 0)) ends.push({ verdict: 'inconclusive' });
  if (asRecorded > 0) return ends;
  const clusters = otherClusters + left;
  // The remaining runs either repeat what was seen once, or each do something new.
  const least = Math.max(0, singles - left) / (all + left);
  const most = (singles + left) / (all + left);
  if (clusters > 0 && (otherClusters <= 1 || least <= MAX_UNSEEN_SHARE)) ends.push({ verdict: 'changed' });
  if (clusters > 1 && most > MAX_UNSEEN_SHARE) ends.push({ verdict: 'unsettled' });
  return ends;
}

/** The largest and smallest share of runs as recorded with which the turn can end up flaky; empty if it cannot. */
function possibleShares(count: Count): number[] {
  const { left, lost, asRecorded, all, recordedClusters, otherClusters, hasBaselines } = count;
  const hasDiverged = otherClusters > 0;
  const shares: number[] = [];
  if ((asRecorded > 0 ? 0 : 1) + (hasDiverged ? 0 : 1) <= left) {
    const total = all + left;
    shares.push((asRecorded + left - (hasDiverged ? 0 : 1)) / total, Math.max(asRecorded, 1) / total);
  }
  // Two recorded behaviours, and nothing else.
  if (hasBaselines && !hasDiverged && lost === 0 && recordedClusters + left > 1) shares.push(1);
  return shares;
}

function standingOf({ verdict, isEnough }: End, { failing }: StopRule): Standing {
  if (verdict === 'inconclusive') return 'doubt';
  if (verdict === 'reproduced' || isEnough === true) return 'pass';
  return failing.includes(verdict) ? 'fail' : 'pass';
}
