import type { TurnRequest } from '../contract/index.ts';
import type { Recording } from '../trace/index.ts';
import { runSteps } from './keys/run-steps.ts';
import { type PairRow, rowsOf } from './rows.ts';
import type { TurnComparison } from './shapes/result.ts';
import type { CompareRules } from './shapes/rules.ts';
import { compareTurn } from './turn.ts';
import { pathRules } from './values/paths.ts';

export interface Pair {
  readonly comparison: TurnComparison;
  readonly rows: readonly PairRow[];
}

/**
 * Compares two runs of a turn and lays them side by side.
 * @param recordings the original first, then further ones; the original is shown
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
  return { comparison, rows: rowsOf(recorded.steps, replayed.steps, differences) };
}
