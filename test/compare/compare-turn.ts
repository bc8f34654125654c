import { type CompareRules, RecordedTurn, type TurnComparison } from '../../src/compare/index.ts';
import type { TurnRequest } from '../../src/contract/index.ts';
import type { Recording } from '../../src/trace/index.ts';

/**
 * Compares the replays of a turn with its recordings, as a run does: the original first, then further ones.
 * @param options.requested by default as many as there are replays
 */
export function compareTurn(
  [recorded, ...baselines]: readonly Recording[],
  replays: readonly { readonly run: number; readonly recording: Recording }[],
  rules: CompareRules,
  { requested = replays.length, request }: { requested?: number; request?: TurnRequest | undefined } = {},
): TurnComparison {
  const turn = new RecordedTurn({ request, recorded: recorded as Recording, baselines }, rules);
  const comparison = turn.start(requested, { relation: rules.relation });
  for (const { run, recording } of replays) comparison.add(run, recording);
  return comparison.result();
}
