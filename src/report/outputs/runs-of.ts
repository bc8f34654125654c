import type { Report } from '../schema.ts';

type Runs = Report['evidence']['runs'];

/** Of each report that is rendered: to look through all of them for each session takes long where there are thousands. */
const known = new WeakMap<Runs, Map<string, Runs>>();

/** What is known of the runs of a session. */
export function runsOf({ evidence: { runs } }: Report, session: string): Runs {
  const bySession = known.get(runs) ?? Map.groupBy(runs, (run) => run.session);
  known.set(runs, bySession);
  return bySession.get(session) ?? [];
}
