import { release } from 'node:os';
import { type StopPolicy, verdict } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import type { Trace } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import type { ReplayResult } from '../replay/index.ts';
import { buildReport, type Report, type RunEvidence, type SessionOutcome } from '../report/index.ts';
import { VERSION } from '../version.ts';
import { Interruption } from './interruption.ts';
import type { Plan, PlannedSession } from './plan.ts';
import type { Revision } from './revision.ts';
import { type Behaviour, SessionProgress } from './session-progress.ts';

/** What a run has found out so far. It grows with the distinct behaviours and with one short line for each replay. */
export class Ledger {
  readonly #config: Config;
  readonly #plan: Plan;
  readonly #startedAt = new Date();
  readonly #open: Map<string, SessionProgress>;
  readonly #concluded: SessionOutcome[] = [];
  readonly #problems: AgentReplayError[];
  /** Why the replays of a session never came, where that is known. */
  readonly #missing = new Map<string, AgentReplayError>();
  readonly #runs: RunEvidence[] = [];
  readonly #agentLog: string[] = [];
  readonly #usage = new UsageSum();

  constructor(config: Config, plan: Plan) {
    this.#config = config;
    this.#plan = plan;
    this.#problems = [...plan.problems];
    const rules = {
      compare: config.compare,
      runs: config.runs,
      hasTraces: config.tracing.source !== 'none',
      stopEarly: config.stopEarly && { mode: config.stopEarly, policy: stopPolicy(config) },
    };
    const planned = [...plan.agents.flatMap(({ sessions }) => sessions), ...plan.notReplayed];
    this.#open = new Map(planned.map((session) => [session.pin.session.id, new SessionProgress(session, rules)]));
  }

  /** Takes one replay. @returns the distinct behaviours of its session when that is over */
  take(result: ReplayResult): readonly Behaviour[] | undefined {
    const { session, turn, run, outcome, replayRunId, attempts, callMs, traceMs } = result;
    const progress = this.#open.get(session);
    progress?.take(result);
    const trace = outcome.kind === 'replayed' ? outcome.trace : null;
    // What was given up before it was sent took no time, and costs nothing.
    if (callMs !== undefined) this.#usage.add(attempts, trace);
    this.#runs.push({
      session,
      turn,
      run,
      replayRunId,
      ...(trace === null ? {} : { traceId: trace.id }),
      attempts,
      ...(callMs === undefined ? {} : { callMs }),
      ...(traceMs === undefined ? {} : { traceMs }),
      outcome: outcome.kind,
    });
    return progress?.isOver ? this.#conclude(session, progress, neverCame()) : undefined;
  }

  /** Whether no further replay of a session is needed. */
  isOver(session: string): boolean {
    return !this.#open.has(session);
  }

  /** Concludes the sessions that are not over, as they are. @returns their distinct behaviours */
  close(signal: AbortSignal | undefined): readonly Behaviour[] {
    const interruption = interruptionOf(signal);
    return [...this.#open].flatMap(([id, progress]) =>
      this.#conclude(id, progress, this.#missing.get(id) ?? interruption ?? neverCame()),
    );
  }

  /** Notes a failure that keeps some sessions from being replayed. It is told in full once. */
  fail(error: AgentReplayError, sessions: readonly PlannedSession[]): void {
    this.#problems.push(error);
    const reason = new AgentReplayError(error.code, error.message, { hint: 'See the problem of the whole run.' });
    for (const { pin } of sessions) this.#missing.set(pin.session.id, reason);
  }

  log(lines: readonly string[]): void {
    this.#agentLog.push(...lines);
  }

  report(context: {
    signal?: AbortSignal | undefined;
    command?: string | undefined;
    configFile?: string | undefined;
    revision?: Revision | undefined;
  }): Report {
    const interruption = interruptionOf(context.signal);
    const { runs, compare, tracing } = this.#config;
    const evidence: Report['evidence'] = {
      tool: { name: 'agent-replay', version: VERSION },
      startedAt: this.#startedAt.toISOString(),
      durationMs: Date.now() - this.#startedAt.getTime(),
      command: context.command ?? '',
      ...(context.configFile === undefined ? {} : { config: context.configFile }),
      ...(interruption === undefined ? {} : { interruptedBy: interruption.by }),
      target: this.#plan.agents.map(({ options }) => shownTarget(options.url)).join(', '),
      traceSource: tracing.source,
      ...context.revision,
      ...this.#usage.models(),
      usage: this.#usage.sum(),
      agentLog: this.#agentLog,
      runs: this.#runs,
      environment: { node: process.version, platform: `${process.platform} ${process.arch}`, os: release() },
    };
    return buildReport(
      { sessions: this.#concluded, problems: this.#problems, runs, strictness: compare.strictness, evidence },
      this.#config,
    );
  }

  #conclude(id: string, progress: SessionProgress, missing: AgentReplayError): readonly Behaviour[] {
    const { outcome, behaviours } = progress.conclude(missing);
    this.#open.delete(id);
    this.#concluded.push(outcome);
    return behaviours;
  }
}

function stopPolicy({ failOn, minAgreement }: Config): StopPolicy {
  const failing = verdict.exclude(['reproduced']).options.filter((each) => failOn[each] === 'error');
  return { failing, minAgreement };
}

function interruptionOf(signal: AbortSignal | undefined): Interruption | undefined {
  return signal?.aborted && signal.reason instanceof Interruption ? signal.reason : undefined;
}

function neverCame(): AgentReplayError {
  return new AgentReplayError('INTERNAL', 'The replay was never made.', {
    hint: 'See the other problems of the run; if there are none, this is a defect in agent-replay.',
  });
}

/** Without credentials. */
function shownTarget(target: string | undefined): string {
  if (target === undefined) return '';
  const url = new URL(target);
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href;
}

type Measure = 'inputTokens' | 'outputTokens' | 'cost';

/** An agent asks a few models, by short names; what goes beyond is no list of them. */
const MAX_MODELS = 20;
const MAX_MODEL_CHARS = 200;

/** Tokens, cost and models of the generations that say them. */
class UsageSum {
  #calls = 0;
  #retries = 0;
  readonly #known: Record<Measure, number | null> = { inputTokens: null, outputTokens: null, cost: null };
  readonly #models = new Set<string>();

  add(attempts: number, trace: Trace | null): void {
    this.#calls += attempts;
    this.#retries += Math.max(0, attempts - 1);
    for (const { type, usage, cost, model } of trace?.observations ?? []) {
      if (type !== 'generation') continue;
      if (model !== undefined && this.#models.size < MAX_MODELS) this.#models.add(model.slice(0, MAX_MODEL_CHARS));
      this.#note('inputTokens', usage?.input);
      this.#note('outputTokens', usage?.output);
      this.#note('cost', cost && (cost.total ?? Object.values(cost).reduce((sum, part) => sum + part, 0)));
    }
  }

  sum(): Report['evidence']['usage'] {
    return { calls: this.#calls, retries: this.#retries, ...this.#known };
  }

  /** Nothing where no trace names one. */
  models(): { models?: string[] } {
    return this.#models.size === 0 ? {} : { models: [...this.#models].sort() };
  }

  #note(name: Measure, amount: number | undefined): void {
    if (amount !== undefined && Number.isFinite(amount))
      this.#known[name] = (this.#known[name] ?? 0) + Math.max(0, amount);
  }
}
