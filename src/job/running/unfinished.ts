import { existsSync } from 'node:fs';
import path from 'node:path';
import { AgentReplayError } from '../../errors.ts';
import { counted } from '../../text/index.ts';
import { differencesOf } from '../journal/check-shards.ts';
import { JournalledRun, readJournal } from '../journal/read-journal.ts';
import { wholeRuns } from '../ledger/enter-journal.ts';
import { JOURNAL_FILE, JOURNAL_VERSION } from '../records/journal-file.ts';
import type { JournalHeader } from '../records/journal-format.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import type { Conductor } from './conductor.ts';
import type { PlannedAgent, RunPlan } from './plan.ts';

/** Undefined if the last run came to its end, unless it is to make the last look, too. */
export async function unfinishedRun(dir: string, lastLook: boolean): Promise<JournalledRun | undefined> {
  const file = path.join(dir, JOURNAL_FILE);
  const run = existsSync(file) ? await readJournal(file).catch(() => undefined) : undefined;
  return lastLook || run?.end === undefined || run.end.interruptedBy !== undefined ? run : undefined;
}

/**
 * The plan, which says so. Another one's journal stays, since nobody may have merged it yet.
 * @throws AgentReplayError `SHARDS_DIFFER`
 */
export function goingOn(plan: RunPlan, before: JournalledRun, header: JournalHeader): RunPlan {
  const now = new JournalledRun('this run');
  now.add(JSON.stringify({ type: 'journal', version: JOURNAL_VERSION, ...header }));
  const [was, is] = [before, now].map(({ about }) => about.shard?.index);
  const differences = [
    ...(was === is ? [] : [`shard: ${was} in ${before.file}, ${is} in this run`]),
    ...differencesOf(before, now),
  ];
  if (differences.length > 0) {
    const message = 'The output folder holds the journal of another run, which was cut off.';
    throw new AgentReplayError('SHARDS_DIFFER', message, {
      evidence: differences,
      hint: 'Name another folder (--output-dir), or delete that journal: then nothing of it can be merged.',
      location: { file: before.file },
    });
  }
  const made = counted([...before.findings()].length, 'replay');
  return { ...plan, notes: [...plan.notes, `goes on after ${made} in ${before.file}`] };
}

/** What is left to make after a journal; the calls in it count in the budget. */
export function leftOf(
  agents: readonly PlannedAgent[],
  before: JournalledRun,
  { config, limits, redaction }: Conductor,
): PlannedAgent[] {
  for (const finding of before.findings()) {
    for (const { attempts, usage } of [finding, ...(finding.replaced ?? [])]) {
      limits.budget.made(finding, attempts, usage?.cost);
    }
  }
  const left = (session: PlannedSession) => {
    const found = [...before.findings(redaction.text(session.pin.session.id))];
    const whole = wholeRuns(found, session, config);
    return { ...session, runs: session.runs.filter((run) => !whole.has(run)) };
  };
  return agents.map((agent) => ({ ...agent, sessions: agent.sessions.map(left) }));
}
