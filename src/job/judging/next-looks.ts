import { FRESH_RUNS, nextReplays } from '../../shift/index.ts';
import type { FurtherRuns, TestedTurns } from '../records/extension-points.ts';

type Policy = Parameters<typeof nextReplays>[1];

/**
 * Why a session is looked at again: its tests are open, alone or with those of all sessions. Against a base also if a turn
 * looks odd, by fresh runs of both sides.
 */
export function furtherRuns(held: readonly TestedTurns[], policy: Policy): FurtherRuns[] {
  if (held.length === 0) return [];
  const next = nextReplays(
    held.map(({ unit }) => unit),
    policy,
  );
  return byRounds(
    held.map(({ session, unit, turns, isOdd }) => {
      const fresh = isOdd && unit.isAgainstBase ? unit.requested + FRESH_RUNS : 0;
      return { session, turns, from: unit.asked + 1, to: Math.max(next.get(unit) ?? 0, fresh) };
    }),
  );
}

/** One run at a time, so that the calls of all sessions mix in time, and a pass over them stays together. */
function byRounds(wanted: readonly FurtherRuns[]): FurtherRuns[] {
  const most = Math.max(0, ...wanted.map(({ to }) => to));
  const rounds = Array.from({ length: most }, (_, index) => index + 1);
  return rounds.flatMap((run) =>
    wanted.flatMap(({ session, turns, from, to }) =>
      run >= from && run <= to ? [{ session, turns, from: run, to: run }] : [],
    ),
  );
}
