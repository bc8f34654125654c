import { isAsRecorded } from '../compare/index.ts';
import type { Report, SessionResult } from './schema.ts';

/** What became of the sessions between two reports, in the order of the later one. Each session is in one list. */
export interface Changes {
  /** As recorded before, but no longer. */
  readonly newlyDiverging: readonly SessionResult[];
  readonly recovered: readonly SessionResult[];
  readonly stillDiverging: readonly SessionResult[];
  /** One side is in doubt, so the session has neither diverged nor recovered. */
  readonly unknown: readonly SessionResult[];
  readonly added: readonly SessionResult[];
  /** Missing from the later report. */
  readonly gone: readonly SessionResult[];
  readonly unchanged: number;
}

/** Compares a report with an earlier one, session by session, by id. */
export function changesSince(earlier: Report, { results }: Report): Changes {
  const before = new Map(earlier.results.sessions.map((session) => [session.id, session]));
  const now = new Set(results.sessions.map(({ id }) => id));
  const groups = Map.groupBy(results.sessions, (session) => becameOf(before.get(session.id), session));
  const of = (became: ReturnType<typeof becameOf>) => groups.get(became) ?? [];
  return {
    newlyDiverging: of('newlyDiverging'),
    recovered: of('recovered'),
    stillDiverging: of('stillDiverging'),
    unknown: of('unknown'),
    added: of('added'),
    gone: earlier.results.sessions.filter(({ id }) => !now.has(id)),
    unchanged: of('unchanged').length,
  };
}

function becameOf(before: SessionResult | undefined, { verdict }: SessionResult): Exclude<keyof Changes, 'gone'> {
  if (before === undefined) return 'added';
  if (before.verdict === 'inconclusive' || verdict === 'inconclusive') return 'unknown';
  if (isAsRecorded(verdict)) return isAsRecorded(before.verdict) ? 'unchanged' : 'recovered';
  return isAsRecorded(before.verdict) ? 'newlyDiverging' : 'stillDiverging';
}
