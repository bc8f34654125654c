import { isAsRecorded, isDoubt } from '../compare/index.ts';
import type { Report, SessionResult } from './schema.ts';

/**
 * What can become of a session between two reports, in the order in which it is told. `could not be verified`: one side is in
 * doubt, so it has neither changed nor recovered. `gone`: it is missing from the later report.
 */
export const CHANGES = ['newly changed', 'recovered', 'still changed', 'could not be verified', 'new', 'gone'] as const;
type Became = (typeof CHANGES)[number] | 'unchanged';

/** Compares a report with an earlier one, session by session, by id, in the order of the later one. */
export function changesSince(earlier: Report, { results }: Report): ReadonlyMap<Became, readonly SessionResult[]> {
  const before = new Map(earlier.results.sessions.map((session) => [session.id, session]));
  const now = new Set(results.sessions.map(({ id }) => id));
  const gone = earlier.results.sessions.filter(({ id }) => !now.has(id));
  return Map.groupBy(results.sessions, (session) => becameOf(before.get(session.id), session)).set('gone', gone);
}

function becameOf(before: SessionResult | undefined, { verdict }: SessionResult): Became {
  if (before === undefined) return 'new';
  if (isDoubt(before.verdict) || isDoubt(verdict)) return 'could not be verified';
  if (isAsRecorded(verdict)) return isAsRecorded(before.verdict) ? 'unchanged' : 'recovered';
  return isAsRecorded(before.verdict) ? 'newly changed' : 'still changed';
}
