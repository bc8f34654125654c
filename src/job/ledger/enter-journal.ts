import type { AgentReplayError } from '../../errors.ts';
import type { JournalledRun } from '../journal/read-journal.ts';
import type { Finding } from '../judging/finding.ts';
import type { Look } from '../records/extension-points.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import type { Ledger } from './ledger.ts';

interface Means {
  readonly looksAt: (session: PlannedSession) => readonly Look[];
  /** Why runs of a session that were planned will not be made. Default: they may still be. */
  readonly lostOf?: (session: PlannedSession) => AgentReplayError | undefined;
}

interface JournalledSessions extends Pick<JournalledRun, 'judgements'> {
  findings(session: string): Iterable<Finding>;
}

/** Enters what a journal holds of these sessions into a ledger, as if their replays were made now. */
export function enterJournal(
  ledger: Ledger,
  run: JournalledSessions,
  sessions: readonly PlannedSession[],
  { looksAt, lostOf }: Means,
): void {
  ledger.judge(run.judgements);
  // One session at a time, so that the memory for one is free before the next.
  for (const session of sessions) {
    const { id } = session.pin.session;
    ledger.expect(looksAt(session));
    for (const finding of run.findings(id)) ledger.take(finding);
    const reason = lostOf?.(session);
    if (reason !== undefined) ledger.lose(id, session.runs, reason);
  }
}

/** Runs of a session that were made as a whole: all its turns, on each side, and none was broken off. */
export function wholeRuns(
  findings: readonly Finding[],
  { turns }: Pick<PlannedSession, 'turns'>,
  { base }: { readonly base?: string | undefined },
): ReadonlySet<number> {
  const made = findings.filter(({ outcome }) => outcome.kind === 'replayed' || outcome.error.code !== 'INTERRUPTED');
  const calls = turns.length * (base === undefined ? 1 : 2);
  const byRun = [...Map.groupBy(made, ({ run }) => run)];
  return new Set(byRun.flatMap(([run, of]) => (of.length === calls ? run : [])));
}
