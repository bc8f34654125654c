import type { Report } from '../schema.ts';

type Runs = Report['evidence']['runs'];

/** Cached per report: searching all runs for each of thousands of sessions would take long. */
const known = new WeakMap<Runs, Map<string, Runs>>();

export function runsOf({ evidence: { runs } }: Report, session: string): Runs {
  const bySession = known.get(runs) ?? Map.groupBy(runs, (run) => run.session);
  known.set(runs, bySession);
  return bySession.get(session) ?? [];
}
