import { FRESH_RUNS, nextLooks, RAISES_ALARM } from '../../shift/index.ts';
import type { Look, TestedTurns } from '../records/extension-points.ts';

type Policy = Parameters<typeof nextLooks>[1];

/** The looks that tests want next. Against a base, a turn that looks odd gets fresh runs of both sides. */
export function looksOf(held: readonly TestedTurns[], policy: Policy): Look[] {
  if (held.length === 0) return [];
  const next = nextLooks(
    held.map(({ unit }) => unit),
    policy,
  );
  return byRounds(
    held.map(({ session, unit, turns, isOdd }) => {
      const fresh = isOdd && unit.isAgainstBase ? unit.requested + FRESH_RUNS : 0;
      const { replays = 0, why = RAISES_ALARM } = next.get(unit) ?? {};
      return { session, turns, from: unit.asked + 1, to: Math.max(replays, fresh), why };
    }),
  );
}

/** One run at a time, so that the calls of all sessions mix in time, and a pass over them stays together. */
function byRounds(wanted: readonly Look[]): Look[] {
  const most = Math.max(0, ...wanted.map(({ to }) => to));
  const rounds = Array.from({ length: most }, (_, index) => index + 1);
  return rounds.flatMap((run) =>
    wanted.flatMap(({ from, to, ...look }) => (run >= from && run <= to ? [{ ...look, from: run, to: run }] : [])),
  );
}
