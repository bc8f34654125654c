import type { AgentReplayError } from '../../errors.ts';
import type { JournalledRun } from '../journal/read-journal.ts';
import { callOf, type Finding } from '../judging/finding.ts';
import { unitsOf } from '../judging/gates.ts';
import type { Look } from '../records/extension-points.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import type { RunSettings } from '../records/run-settings.ts';
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

/** Further looks at a session whose runs were made as a whole, one after another, and the calls in them. */
export function wholeLooks(
  findings: readonly Finding[],
  session: PlannedSession,
  settings: RunSettings,
): { looks: Look[]; calls: ReadonlySet<string> } {
  const made = new Set(findings.filter(isMade).map(callOf));
  const sides = settings.base === undefined ? [undefined] : [undefined, 'base' as const];
  const calls = new Set<string>();
  const { id } = session.pin.session;
  const looks = unitsOf(session, settings).flatMap(({ turns }) => {
    const { length: first } = session.runs;
    for (let to = first; ; to++) {
      const next = turns.flatMap((turn) => sides.map((side) => callOf({ session: id, turn, run: to + 1, side })));
      if (!next.every((call) => made.has(call))) return to === first ? [] : { session: id, turns, from: first + 1, to };
      for (const call of next) calls.add(call);
    }
  });
  return { looks, calls };
}

function isMade({ outcome }: Finding): boolean {
  return outcome.kind === 'replayed' || outcome.error.code !== 'INTERRUPTED';
}

/** Runs of a session that were made as a whole: all its turns, on each side, and none was broken off. */
export function wholeRuns(
  findings: readonly Finding[],
  { turns }: Pick<PlannedSession, 'turns'>,
  { base }: { readonly base?: string },
): ReadonlySet<number> {
  const made = findings.filter(isMade);
  const calls = turns.length * (base === undefined ? 1 : 2);
  const byRun = [...Map.groupBy(made, ({ run }) => run)];
  return new Set(byRun.flatMap(([run, of]) => (of.length === calls ? run : [])));
}
