import type { FurtherRuns } from '../../replay/index.ts';
import { FRESH_RUNS, MOST_REPLAYS, type ShiftUnit, unitsToRepeat } from '../../shift/index.ts';
import type { RunSettings } from './run-settings.ts';
import type { TestedTurns } from './session-progress.ts';

/** Fresh runs of both sides for turns that look odd; if sessions look shifted together, as many again of all of them. */
export function looksAgainstBase(
  held: readonly TestedTurns[],
  settings: RunSettings,
  { isWhole }: { isWhole: boolean },
): FurtherRuns[] {
  const { odd, confirmed } = unitsToRepeat(
    held.map(({ unit }) => unit),
    { ...settings, isWhole },
  );
  const wanted = held.map(({ session, unit, turns, isOdd }) => {
    const fresh = isOdd || odd.has(unit) ? FRESH_RUNS : 0;
    const again = confirmed.has(unit) ? unit.requested : 0;
    return { session, turns, from: unit.requested + 1, to: unit.requested + Math.max(fresh, again) };
  });
  return byRounds(wanted);
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

/** Up to {@link MOST_REPLAYS} runs of turns that look odd; if sessions look shifted together, as many again of all of them. */
export function looksByRecordings(
  held: readonly TestedTurns[],
  settings: RunSettings,
  { isWhole }: { isWhole: boolean },
): FurtherRuns[] {
  const { odd, confirmed } = unitsToRepeat(
    held.map(({ unit }) => unit),
    { ...settings, isWhole },
  );
  const again = ({ requested }: ShiftUnit) => Math.min(2 * requested, MOST_REPLAYS);
  const all = held.filter(({ unit }) => confirmed.has(unit));
  const looks = byRounds(
    all.map(({ session, unit, turns }) => ({ session, turns, from: unit.requested + 1, to: again(unit) })),
  );
  for (const { session, unit, turns, isOdd } of held) {
    const from = confirmed.has(unit) ? again(unit) + 1 : unit.requested + 1;
    if ((isOdd || odd.has(unit)) && from <= MOST_REPLAYS) looks.push({ session, turns, from, to: MOST_REPLAYS });
  }
  return looks;
}
