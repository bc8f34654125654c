import type { Config } from '../../config/index.ts';
import { asAgentReplayError } from '../../errors.ts';
import { redactError } from '../../redaction/index.ts';
import { Deadline } from '../../replay/index.ts';
import type { Report } from '../../report/index.ts';
import { aboutRun, type RunAbout } from './about.ts';
import { AgentRun, type AgentRunMeans, sessionIds } from './agent-run.ts';
import { type Base, checkForBase, openBase } from './base.ts';
import { Conductor } from './conductor.ts';
import { interrupting } from './interruption.ts';
import type { JobOptions } from './job-events.ts';
import { openBooks } from './open-books.ts';
import { removeOutputs } from './outputs.ts';
import type { PlannedAgent } from './plan.ts';
import { revisionOf } from './revision.ts';
import { planRun, type RunPlan } from './shard.ts';
import { checkReachable } from './tracing.ts';

/**
 * The whole job: replays pinned sessions against the agent and compares. Later failures are in the report. Everything that
 * was started is ended, also on failure.
 * @throws AgentReplayError `CONFIG_INVALID`, `USAGE`, `RECEIVER_UNREACHABLE`, `PLATFORM_NOT_CONFIGURED`,
 * `OUTPUT_NOT_WRITABLE`: nothing has been started or sent
 */
export async function runJob(config: Config, given: JobOptions = {}): Promise<Report> {
  const options = { ...given, signal: interrupting(given.signal) };
  const { plan, about } = await prepare(config, options);
  options.on?.({ kind: 'planned', plan });
  const startedMs = performance.now();
  const { signal, outputDir, isFollowed } = options;
  await using conductor = new Conductor(config, { ...options, sessions: () => plan.sessions });
  using deadline = new Deadline(config.timeouts.total);
  const folders = { journalIn: outputDir, tracesIn: outputDir };
  await using books = openBooks(plan, { conductor, about, late: deadline.signal, signal, isFollowed, ...folders });
  await replayAgents(plan, { conductor, books, deadline, options });
  // Awaited here, because the books are closed when this function returns.
  return await conductor.conclude(books, { about, startedMs, signal });
}

/** Finds everything that can be wrong before anything is started. */
async function prepare(config: Config, options: JobOptions): Promise<{ plan: RunPlan; about: RunAbout }> {
  if (options.outputDir !== undefined) await removeOutputs(options.outputDir);
  const [plan, revision] = await Promise.all([planRun(config, options), revisionOf(config.root, process.env)]);
  checkForBase(config);
  for (const agent of plan.agents) checkReachable(config, agent.options);
  return { plan, about: aboutRun(plan, { ...options, revision, language: config.language }) };
}

/** All sessions of all agents, one agent after another. Never rejects: failures are in the report. */
async function replayAgents({ agents }: RunPlan, means: Omit<AgentRunMeans, 'base'>): Promise<void> {
  const { conductor, books, options } = means;
  const failed = (error: unknown, of: readonly PlannedAgent[]) => {
    // The report says anyway that the run was cancelled.
    if (options.signal?.aborted) return;
    books.fail(redactError(asAgentReplayError(error), conductor.redaction.text), of.flatMap(sessionIds));
  };
  try {
    await using base = await openBaseOf(means);
    for (const agent of agents) {
      await new AgentRun(agent, { ...means, base }).replay().catch((error) => failed(error, [agent]));
    }
  } catch (error) {
    failed(error, agents);
  }
}

async function openBaseOf({ conductor, books, options }: Omit<AgentRunMeans, 'base'>): Promise<Base | undefined> {
  const { base: ref } = conductor.config;
  if (ref === undefined) return undefined;
  conductor.tell({ kind: 'base', note: `checking out the base ${ref}` });
  const base = await openBase(ref, conductor.config, {
    signal: options.signal,
    onOutput: (line) => conductor.tell({ kind: 'agent-output', line: conductor.redaction.line(line) }),
  });
  books.remark({ type: 'base', ref, commit: base.commit });
  return base;
}
