import type { Config } from '../../config/index.ts';
import { asAgentReplayError } from '../../errors.ts';
import { redactError } from '../../redaction/index.ts';
import { Deadline } from '../../replay/index.ts';
import type { Report } from '../../report/index.ts';
import type { JournalledRun } from '../journal/read-journal.ts';
import type { PlacedLedger } from '../ledger/placed-ledger.ts';
import type { RunAbout } from '../records/about.ts';
import { interrupting } from '../records/interruption.ts';
import { settingsOf } from '../records/run-settings.ts';
import { aboutRun } from './about-run.ts';
import { replayAgent, sessionIds } from './agent-run.ts';
import { type Base, checkForBase, openBase } from './base.ts';
import { Conductor } from './conductor.ts';
import type { JobOptions } from './job-events.ts';
import { journalHeader } from './journal-header.ts';
import { openLedger } from './open-ledger.ts';
import { removeOutputs } from './outputs.ts';
import type { PlannedAgent, RunPlan } from './plan.ts';
import { revisionOf } from './revision.ts';
import { planRun } from './shard.ts';
import { Started } from './started.ts';
import { checkReachable } from './tracing.ts';
import { goingOn, leftOf, unfinishedRun } from './unfinished.ts';

/** What a run does, in this order. What its tasks start is ended in reverse, also on failure. */
const RUN: readonly Task[] = [planSessions, openRunLedger, replayAgents, askJudge, report];

/** Each task adds what the ones after it need. */
interface Run {
  readonly config: Config;
  readonly options: JobOptions;
  plan: RunPlan;
  /** The same shard of the same plan, which was killed before its end. */
  before: JournalledRun | undefined;
  /** With the runs that are left to make. */
  agents: readonly PlannedAgent[];
  about: RunAbout;
  /** By `performance.now()`. */
  startedMs: number;
  conductor: Conductor;
  deadline: Deadline;
  ledger: PlacedLedger;
  report: Report;
}

type Task = (run: Run, started: Started) => Promise<void>;

/**
 * The whole job: replays pinned sessions against the agent and compares. Later failures are in the report. Everything that
 * was started is ended, also on failure.
 * @throws AgentReplayError `CONFIG_INVALID`, `USAGE`, `RECEIVER_UNREACHABLE`, `PLATFORM_NOT_CONFIGURED`,
 * `OUTPUT_NOT_WRITABLE`: nothing has been started or sent
 */
export async function runJob(config: Config, given: JobOptions = {}): Promise<Report> {
  const over = new AbortController();
  const run = { config, options: { ...given, signal: interrupting(given.signal, over.signal) } } as Run;
  await using started = new Started();
  started.use({ [Symbol.dispose]: () => over.abort() });
  for (const task of RUN) await task(run, started);
  return run.report;
}

/** Finds everything that can be wrong before anything is started. */
async function planSessions(run: Run): Promise<void> {
  const { config, options } = run;
  const { outputDir } = options;
  const { shard, lastLook } = config;
  const before = outputDir !== undefined && shard !== undefined ? await unfinishedRun(outputDir, lastLook) : undefined;
  if (outputDir !== undefined) await removeOutputs(outputDir, before && [before.file]);
  const [plan, revision] = await Promise.all([planRun(config, options), revisionOf(config.root, process.env)]);
  if (config.base !== undefined) checkForBase(config);
  for (const agent of plan.agents) checkReachable(config, agent.options);
  run.before = before;
  run.about = aboutRun(plan, { ...options, revision, language: config.language });
  run.plan = before === undefined ? plan : goingOn(plan, before, journalHeader(run.about, settingsOf(config), plan));
  options.on?.({ kind: 'planned', plan: run.plan });
}

async function openRunLedger(run: Run, started: Started): Promise<void> {
  const { config, options, plan, about, before } = run;
  const { signal, outputDir } = options;
  run.startedMs = performance.now();
  run.conductor = started.use(
    new Conductor({ ...config, ...plan.part?.budget }, { ...options, sessions: () => plan.sessions }),
  );
  run.deadline = started.use(new Deadline(config.timeouts.total));
  const { conductor, deadline } = run;
  run.agents = before === undefined ? plan.agents : leftOf(plan.agents, before, conductor);
  const folders = { journalIn: outputDir, tracesIn: outputDir, goesOn: before !== undefined };
  run.ledger = started.use(await openLedger(plan, { conductor, about, late: deadline.signal, signal, ...folders }));
}

/** One agent after another. Never rejects: failures are in the report. */
async function replayAgents(run: Run): Promise<void> {
  const { conductor, ledger, options, agents } = run;
  const failed = (error: unknown, of: readonly PlannedAgent[]) => {
    // The report says anyway that the run was cancelled.
    if (options.signal?.aborted) return;
    ledger.fail(redactError(asAgentReplayError(error), conductor.redaction.text), of.flatMap(sessionIds));
  };
  try {
    await using base = await openBaseOf(run);
    for (const agent of agents) {
      await replayAgent(agent, { ...run, base }).catch((error) => failed(error, [agent]));
    }
  } catch (error) {
    failed(error, agents);
  }
}

async function openBaseOf({ conductor, ledger, options }: Run): Promise<Base | undefined> {
  const { base: ref } = conductor.config;
  if (ref === undefined) return undefined;
  conductor.tell({ kind: 'base', note: `checking out the base ${ref}` });
  const base = await openBase(ref, conductor.config, {
    signal: options.signal,
    onOutput: (line) => conductor.tell({ kind: 'agent-output', line: conductor.redaction.line(line) }),
  });
  ledger.tell('remark', { type: 'base', ref, commit: base.commit });
  return base;
}

async function askJudge({ conductor, ledger, options }: Run): Promise<void> {
  await conductor.judge(ledger, options.signal);
}

async function report(run: Run): Promise<void> {
  const { conductor, ledger, about, startedMs, options } = run;
  run.report = await conductor.report(ledger, { about, startedMs, signal: options.signal });
}
