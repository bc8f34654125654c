import { AgentReplayError } from '../../errors.ts';
import { distinct, present } from '../../json/index.ts';
import type { Report } from '../../report/index.ts';
import { missingShards } from '../journal/check-shards.ts';
import type { JournalledRun } from '../journal/read-journal.ts';
import type { KeptBehaviour } from '../judging/session-progress.ts';
import type { RunAbout } from '../records/about.ts';
import type { Look } from '../records/extension-points.ts';
import { runNumbers } from '../records/run-scope.ts';
import { enterJournal } from './enter-journal.ts';
import { Ledger, referringToRun } from './ledger.ts';

type Interrupter = NonNullable<Report['evidence']['interruptedBy']>;

/** What is kept of a shard once its replays are compared. */
type Told = Pick<JournalledRun, 'about' | 'file' | 'failures' | 'remarks' | 'agentLog' | 'end' | 'lastMs'>;

/** Lines of agents' logs in a report, over all shards. */
const MAX_LOG_LINES = 400;

/**
 * Reaches one verdict on the shards of a run, or on a run that left no report: all replays are compared again, as if one
 * job had made them. Anything that a shard did not find out, and any missing shard, is not verified. Of a shard that was
 * added only the results of its sessions are kept, so memory does not grow with traces and pins.
 */
export class Merge {
  readonly #shards: Told[] = [];
  readonly #problems: AgentReplayError[] = [];
  #sessions = 0;
  /** Of the shards so far. */
  #ledger: Ledger | undefined;

  /** @returns the distinct behaviours of its sessions */
  add(run: JournalledRun): readonly KeptBehaviour[] {
    const { about, file, failures, remarks, agentLog, end, lastMs, scope } = run;
    const ledger = new ShardLedger(about.settings, scope);
    enterJournal(ledger, run, scope.sessions, {
      looksAt: ({ pin, runs: first }) => furtherLooks(pin.session.id, run, first.length),
      lostOf: ({ pin }) => whyLost(pin.session.id, run),
    });
    ledger.close();
    this.#sessions += scope.sessions.length;
    // Of very many shards, what each was to do takes most.
    this.#shards.push({ about: { ...about, sessions: [] }, file, failures, remarks, agentLog, end, lastMs });
    this.#problems.push(...scope.problems);
    this.#ledger ??= new Ledger(
      about.settings,
      { sessions: [], runs: runNumbers(about.settings.runs), problems: [] },
      { saysSeen: true },
    );
    this.#ledger.absorb(ledger);
    return ledger.behaviours;
  }

  /**
   * @param problems why further journals could not be read
   * @returns undefined if none was added
   */
  report(problems: readonly AgentReplayError[], command: string | undefined): Report | undefined {
    const [ledger, shards] = [this.#ledger, this.#shards];
    if (ledger === undefined) return undefined;
    const missing = missingShards(shards);
    const failures = shards.flatMap(({ failures }) => failures.map(({ error }) => error));
    const ended = endOf(shards);
    const errors = [
      ...distinct(this.#problems, textOf),
      ...problems,
      ...(missing ?? []),
      ...distinct(failures, textOf),
    ];
    const isWhole = errors.length === 0 && ended.interruptedBy === undefined;
    const { shard, settings } = (shards[0] as Told).about;
    // Against a base, the first runs decide.
    const asks = isWhole && shard !== undefined && settings.base === undefined;
    const wanted = asks ? ledger.wanted() : [];
    if (wanted.length > 0) errors.push(lookOpen(Math.max(...wanted.map(({ to }) => to))));
    for (const error of errors) ledger.fail(error);
    const perRun = Math.ceil(MAX_LOG_LINES / shards.length);
    for (const { agentLog, remarks } of shards) {
      ledger.remark({ type: 'log', lines: agentLog.slice(-perRun) });
      for (const remark of remarks) ledger.remark(remark);
    }
    const { inAll = 0 } = (shards[0] as Told).about;
    const untold = missing === undefined ? undefined : Math.max(0, inAll - this.#sessions);
    return ledger.report({ about: aboutAll(shards, command), untold, ...ended });
  }
}

function lookOpen(replays: number): AgentReplayError {
  const message = `The test of all sessions together is open: it needs ${replays} replays of each.`;
  return new AgentReplayError('LOOK_OPEN', message, {
    hint: 'Start the same shards again, with their output folders and --set lastLook=true, and merge them again.',
  });
}

class ShardLedger extends Ledger {
  readonly behaviours: KeptBehaviour[] = [];

  protected override keep(_: string, behaviours: readonly KeptBehaviour[]): void {
    this.behaviours.push(...behaviours);
  }
}

/** Further looks at a session, derived from its findings. */
function furtherLooks(session: string, journal: JournalledRun, first: number): Look[] {
  const found = [...journal.findings(session)].filter(({ run }) => run > first);
  return [...Map.groupBy(found, ({ turn }) => turn)].map(([turn, of]) => {
    const numbers = of.map(({ run }) => run);
    return { session, turns: [turn], from: first + 1, to: Math.max(...numbers) };
  });
}

/** Why runs that were planned were not made, if any was not. */
function whyLost(session: string, { failures, reason }: JournalledRun): AgentReplayError | undefined {
  const failure = failures.findLast(({ sessions }) => sessions.includes(session));
  return failure === undefined ? reason : referringToRun(failure.error);
}

/** A problem that several shards report is reported once. */
function textOf({ code, message, evidence, hint, location }: AgentReplayError): string {
  return JSON.stringify([code, message, evidence, hint, location]);
}

function aboutAll(shards: readonly Told[], command: string | undefined): RunAbout {
  const [{ about }] = shards as [Told];
  const { shard: _, ...first } = about;
  const starts = shards.map((shard) => shard.about.startedAt).sort();
  const targets = new Set(shards.map((shard) => shard.about.target));
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
function endOf(shards: readonly Told[]): { durationMs: number; interruptedBy?: Interrupter } {
  const begun = shards.map(({ about }) => Date.parse(about.startedAt));
  const ended = shards.map(({ end, lastMs }, index) => (begun[index] as number) + (end?.durationMs ?? lastMs));
  const interruptions = shards.flatMap(({ end }) => (end === undefined ? 'unknown' : (end.interruptedBy ?? [])));
  const [interruptedBy] = interruptions as Interrupter[];
  return { durationMs: Math.max(...ended) - Math.min(...begun), ...(interruptedBy && { interruptedBy }) };
}
