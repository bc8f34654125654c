import type { Recording, TurnRequest } from '../contract/index.ts';
import { matchRuns } from './explain/match.ts';
import type { Difference, ShownStep, TurnComparison } from './result.ts';
import type { CompareRules } from './rules.ts';
import { compareTurn } from './turn.ts';
import type { KeyedStep } from './values/keys.ts';
import { pathRules } from './values/paths.ts';
import { runSteps } from './values/run-steps.ts';

/** A step with its place in its run, from 1. */
export interface NumberedStep extends ShownStep {
  readonly number: number;
}

/** One line of two runs laid side by side; null where a side has nothing. */
export interface PairRow {
  readonly recorded: NumberedStep | null;
  readonly replayed: NumberedStep | null;
  /** Both sides are the same, after renaming. */
  readonly same: boolean;
  /** What differs here, in order. */
  readonly differences: readonly Difference[];
}

export interface Pair {
  readonly comparison: TurnComparison;
  readonly rows: readonly PairRow[];
}

/**
 * Compares two runs of a turn and lays them side by side.
 * @param recordings the original first, then further baselines; the original is what is shown
 */
export function comparePair(
  recordings: readonly [Recording, ...Recording[]],
  replay: Recording,
  rules: CompareRules,
  options: { turn?: number; request?: TurnRequest | undefined } = {},
): Pair {
  const comparison = compareTurn(recordings, [{ run: 1, recording: replay }], rules, options);
  const context = { rules, paths: pathRules(rules), request: options.request };
  const [original] = recordings;
  const recorded = runSteps(original, { ...context, original: undefined });
  const replayed = runSteps(replay, { ...context, original: recorded.trajectory.traits });
  const differences = comparison.clusters.find(({ runs }) => runs.length > 0)?.differences ?? [];
  const told = new Set<Difference>();
  const match = matchRuns(recorded.steps, replayed.steps);
  const rows = match.pairs.map(({ a, b }): PairRow => {
    const [left, right] = [match.recorded[a], match.replayed[b]];
    const here = differences.filter((each) => !told.has(each) && isAt(each, left, right));
    for (const each of here) told.add(each);
    return {
      recorded: left === undefined ? null : numbered(left),
      replayed: right === undefined ? null : numbered(right),
      same: left !== undefined && left.exact === right?.exact,
      differences: here,
    };
  });
  return { comparison, rows };
}

/** A difference belongs to the recorded step, or to the replayed one where only the replay has it. */
function isAt(
  { recordedStep, replayedStep }: Difference,
  left: KeyedStep | undefined,
  right: KeyedStep | undefined,
): boolean {
  return recordedStep === null ? replayedStep === right?.number : recordedStep === left?.number;
}

function numbered({ number, kind, name, value }: KeyedStep): NumberedStep {
  return { number, kind, ...(name === undefined ? {} : { name }), ...(value === undefined ? {} : { value }) };
}
