import { withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import { present } from '../../json/index.ts';
import type { Report } from '../../report/index.ts';
import { Ledger, referringToRun } from '../judging/ledger.ts';
import type { KeptBehaviour } from '../judging/session-progress.ts';
import type { RunAbout } from '../records/about.ts';
import type { FurtherRuns } from '../records/extension-points.ts';
import { type PlannedSession, type RunScope, runNumbers, runsOf } from '../records/run-scope.ts';
import { checkShards, missingShards } from './check-shards.ts';
import { enterJournals } from './enter-journals.ts';
import type { JournalledRun } from './read-journal.ts';

type Interrupter = NonNullable<Report['evidence']['interruptedBy']>;

/** Lines of agents' logs in a report, over all shards. */
const MAX_LOG_LINES = 400;

/**
 * Reaches one verdict on the shards of a run, or on a run that left no report: all replays are compared again, as if one
 * job had made them. Anything that a shard did not find out, and any missing shard, is not verified. Pure.
 * @param runs at least one
 * @param problems why further journals could not be read
 * @throws AgentReplayError `SHARDS_DIFFER`, `SHARD_DUPLICATE`
 */
export function mergeRuns(
  runs: readonly JournalledRun[],
  { problems = [], command }: { problems?: readonly AgentReplayError[]; command?: string | undefined } = {},
): { report: Report; behaviours: readonly KeptBehaviour[] } {
  checkShards(runs);
  const [{ about }] = runs as [JournalledRun];
  const missing = missingShards(runs);
  const scope = scopeOf(runs, [...problems, ...(missing ? [missing.error] : [])]);
  const ledger = new MergedLedger(about.settings, scope, { saysSeen: true });
  enterJournals(ledger, runs, scope.sessions, {
    looksAt: ({ pin, runs: first }) => furtherRuns(pin.session.id, runs, first.length),
    lostOf: (session) => lostRuns(session, runs, missing),
  });
  ledger.close();
  for (const error of distinct(runs.flatMap(({ failures }) => failures.map(({ error }) => error)))) ledger.fail(error);
  const perRun = Math.ceil(MAX_LOG_LINES / runs.length);
  for (const { agentLog, remarks } of runs) {
    ledger.remark({ type: 'log', lines: agentLog.slice(-perRun) });
    for (const remark of remarks) ledger.remark(remark);
  }
  return { report: ledger.report({ about: aboutAll(runs, command), ...endOf(runs) }), behaviours: ledger.behaviours };
}

class MergedLedger extends Ledger {
  readonly behaviours: KeptBehaviour[] = [];

  protected override keep(_: string, behaviours: readonly KeptBehaviour[]): void {
    this.behaviours.push(...behaviours);
  }
}

function scopeOf(runs: readonly JournalledRun[], problems: readonly AgentReplayError[]): RunScope {
  const [{ about }] = runs as [JournalledRun];
  const sessions = new Map<string, PlannedSession>();
  for (const run of runs) {
    for (const scoped of run.scope.sessions) {
      const known = sessions.get(scoped.pin.session.id);
      // Without findings there may be no pin.
      if (known === undefined || run.pins.has(known.pin.session.id)) sessions.set(scoped.pin.session.id, scoped);
    }
  }
  return {
    // The runs of all shards.
    sessions: [...sessions.values()].map((session) => ({
      ...session,
      runs: about.shard?.by === 'runs' ? runNumbers(withOwn(about.settings, session.own).runs) : session.runs,
    })),
    runs: runNumbers(about.settings.runs),
    problems: [...distinct(runs.flatMap((run) => run.scope.problems)), ...problems],
  };
}

/** Second looks at a session, derived from its findings. */
function furtherRuns(session: string, runs: readonly JournalledRun[], first: number): FurtherRuns[] {
  const found = runs.flatMap((run) => [...run.findings(session)]).filter(({ run }) => run > first);
  return [...Map.groupBy(found, ({ turn }) => turn)].map(([turn, of]) => {
    const numbers = of.map(({ run }) => run);
    return { session, turns: [turn], from: first + 1, to: Math.max(...numbers) };
  });
}

/** Runs that were planned but not made. */
function lostRuns(
  { pin, runs: all }: PlannedSession,
  runs: readonly JournalledRun[],
  missing: ReturnType<typeof missingShards>,
) {
  const { id } = pin.session;
  const lost = runs.flatMap(({ about, failures, reason: general }) => {
    const failure = failures.findLast(({ sessions }) => sessions.includes(id));
    const reason = failure === undefined ? general : referringToRun(failure.error);
    const told = about.sessions.find((session) => session.id === id);
    return reason === undefined || told === undefined ? [] : [{ runs: told.made ?? about.made, reason }];
  });
  const { shard } = (runs[0] as JournalledRun).about;
  if (missing === undefined || shard?.by !== 'runs') return lost;
  const { indexes, count, error } = missing;
  const unmade = indexes.flatMap((index) => runsOf(all, { index, count }));
  return [...lost, { runs: unmade, reason: referringToRun(error) }];
}

/** A problem that several shards report is reported once. */
function distinct(errors: readonly AgentReplayError[]): AgentReplayError[] {
  const keys = errors.map(({ code, message, evidence, hint, location }) =>
    JSON.stringify([code, message, evidence, hint, location]),
  );
  return errors.filter((_, index) => keys.indexOf(keys[index] as string) === index);
}

function aboutAll(runs: readonly JournalledRun[], command: string | undefined): RunAbout {
  const [{ about }] = runs as [JournalledRun];
  const { shard: _, ...first } = about;
  const starts = runs.map((run) => run.about.startedAt).sort();
  const targets = new Set(runs.map((run) => run.about.target));
  return {
    tool: first.tool,
    startedAt: starts[0] as string,
    ...present({ commit: first.commit, branch: first.branch }),
    command: command ?? first.command,
    ...present({ config: first.config }),
    target: [...targets].join(', '),
    environment: first.environment,
  };
}

/** From the first start to the last end. */
function endOf(runs: readonly JournalledRun[]): { durationMs: number; interruptedBy?: Interrupter } {
  const begun = runs.map(({ about }) => Date.parse(about.startedAt));
  const ended = runs.map(({ end, lastMs }, index) => (begun[index] as number) + (end?.durationMs ?? lastMs));
  const interruptions = runs.flatMap(({ end }) => (end === undefined ? 'unknown' : (end.interruptedBy ?? [])));
  const [interruptedBy] = interruptions as Interrupter[];
  return { durationMs: Math.max(...ended) - Math.min(...begun), ...(interruptedBy && { interruptedBy }) };
}
