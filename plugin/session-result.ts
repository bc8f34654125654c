import { type SessionResult, withSeen } from '../src/index.ts';
import type { Replayed } from './wire.ts';

/** What the report says of the one session that was replayed, with what was seen when a replay failed. */
export function sessionOf({ report }: Replayed): SessionResult {
  const [session] = withSeen(report).results.sessions;
  if (session === undefined) throw new TypeError('a replayed session is always in its report');
  return session;
}

/** Whether some runs could not be compared. */
export function isDoubtful(replayed: Replayed): boolean {
  const { problems, turns } = sessionOf(replayed);
  return problems.length > 0 || turns.length === 0 || turns.some((turn) => turn.problems.length > 0);
}
