import { isDoubt } from '../../compare/index.ts';
import type { Problem, SessionResult, TurnResult } from '../schema.ts';

/** A problem that replays of several sessions share. It is shown once. */
export interface Alike {
  /** As in the first of them. */
  readonly problem: Problem;
  /** Number of replays. */
  readonly count: number;
  readonly sessions: readonly SessionResult[];
}

/** What kept replays from being verified, most frequent first. */
export function failuresIn(sessions: readonly SessionResult[]): Alike[] {
  return alike(sessions, ({ comparison, problems }) => (isDoubt(comparison.verdict) ? problems : []));
}

/** Warnings about replays that were compared, most frequent first. */
export function warningsIn(sessions: readonly SessionResult[]): Alike[] {
  return alike(sessions, ({ warnings = [] }) => warnings);
}

function alike(sessions: readonly SessionResult[], of: (turn: TurnResult) => TurnResult['problems']): Alike[] {
  const all = sessions.flatMap((session) =>
    session.turns.flatMap((turn) => of(turn).map((problem) => ({ session, problem }))),
  );
  const groups = Map.groupBy(all, ({ problem: { code, message } }) => JSON.stringify([code, message]));
  return [...groups.values()]
    .map((group): Alike => {
      const count = group.reduce((sum, { problem }) => sum + problem.runs.length, 0);
      const { runs: _, ...problem } = group[0]!.problem;
      return { problem, count, sessions: [...new Set(group.map(({ session }) => session))] };
    })
    .sort((a, b) => b.count - a.count);
}
