import path from 'node:path';
import { type Config, redactionOf, secretsOf, withOwn } from '../../config/index.ts';
import { type AgentReplayError, asAgentReplayError } from '../../errors.ts';
import type { Redaction } from '../../redaction/index.ts';
import { redactError } from '../../redaction/index.ts';
import { Deadline, type FurtherRuns, type ReplayCall, ReplayLimits, type ReplayResult } from '../../replay/index.ts';
import type { Report } from '../../report/index.ts';
import { delayNote } from '../../tracing/index.ts';
import { JOURNAL_FILE, journalHeader } from '../journal/journal-format.ts';
import { notForwarded, undeliveredFile } from '../journal/undelivered.ts';
import { baseUnavailable } from '../judging/base-verdict.ts';
import type { Forbidding } from '../judging/books.ts';
import { BooksApart } from '../judging/books-apart.ts';
import { type Finding, withForbidden } from '../judging/finding.ts';
import { AskedJudge } from '../judging/judge.ts';
import { settingsOf } from '../judging/run-settings.ts';
import { aboutRun, type RunAbout } from './about.ts';
import { type Base, checkForBase, type NoBaseAgent, openBase, reasonOf } from './base.ts';
import { costMeter } from './cost.ts';
import { reasonOf as endOf, interruptionOf } from './interruption.ts';
import { type LiveAgent, startLiveAgent } from './live-agent.ts';
import { removeOutputs } from './outputs.ts';
import { Pairs } from './pairs.ts';
import { type Plan, type PlannedAgent, type PlannedSession, plannedSessions, type Selection, scopeOf } from './plan.ts';
import { revisionOf } from './revision.ts';
import { planRun, type RunPlan } from './shard.ts';
import { checkReachable, tracingSum } from './tracing.ts';

/** What happens, for those who watch. Lines of the agent's output are redacted and safe to print. */
export type JobEvent =
  | { readonly kind: 'planned'; readonly plan: Plan }
  /** `starting` until it is ready, `ready`, and `stopping` once its replays are over. */
  | { readonly kind: 'agent'; readonly agent: PlannedAgent; readonly state: 'starting' | 'ready' | 'stopping' }
  /** What keeps it from being ready, each second from the third on. */
  | { readonly kind: 'agent-awaited'; readonly missing: readonly string[] }
  | { readonly kind: 'agent-output'; readonly line: string }
  /** How far the agent of the base is, or why there is none. */
  | { readonly kind: 'base'; readonly note: string }
  /** A call is over; its trace may still be on its way. */
  | { readonly kind: 'answered'; readonly call: ReplayCall }
  | { readonly kind: 'replayed'; readonly result: ReplayResult }
  /** As it stands; what comes late of its traces can still change that. */
  | { readonly kind: 'session-done'; readonly session: string }
  /** A replay of which spans came late: this takes the place of what was told of it. */
  | { readonly kind: 'revised'; readonly result: ReplayResult }
  /** Further runs of what looks odd in its first runs, or shifted as a whole: so many calls. */
  | { readonly kind: 'looking-again'; readonly sessions: number; readonly calls: number }
  /** The user's judge is asked about so many answers in other words. */
  | { readonly kind: 'judging'; readonly questions: number }
  /** A planned call that is not made, as its session was stopped early. */
  | { readonly kind: 'skipped'; readonly call: ReplayCall }
  /** Traces are read only when a limit of the platform allows it again: how long that takes, to be shown. */
  | { readonly kind: 'reads-delayed'; readonly note: string }
  /** An output could not be written (`OUTPUT_NOT_WRITABLE`): told once, as a full disk refuses all that follow. */
  | { readonly kind: 'not-written'; readonly error: AgentReplayError }
  /** Traces that could not be passed on to the platform (`TRACES_NOT_FORWARDED`); the run does not depend on it. */
  | { readonly kind: 'not-forwarded'; readonly error: AgentReplayError };

export interface JobOptions extends Selection {
  /** Ends the run early, with a report of what had finished; its reason should be an `Interruption`. */
  readonly signal?: AbortSignal | undefined;
  readonly on?: ((event: JobEvent) => void) | undefined;
  /** Folder of the journal and of the distinct behaviours; without it nothing is written. */
  readonly outputDir?: string | undefined;
  /** Values that must not be shown, besides those that the configuration and the environment hold. */
  readonly secrets?: readonly string[] | undefined;
  /** The command line, and the configuration named on it, for the report. */
  readonly command?: string | undefined;
  readonly configFile?: string | undefined;
}

/**
 * Replays pinned sessions against the agent and compares: the whole job. What fails on the way is in the report, and
 * whatever was started is ended again, however it goes.
 * @throws AgentReplayError `CONFIG_INVALID`, `USAGE`, `RECEIVER_UNREACHABLE`, `PLATFORM_NOT_CONFIGURED`,
 *   `OUTPUT_NOT_WRITABLE`: nothing has been started or sent
 */
export async function runJob(config: Config, options: JobOptions = {}): Promise<Report> {
  if (options.outputDir !== undefined) await removeOutputs(options.outputDir);
  const [plan, revision] = await Promise.all([planRun(config, options), revisionOf(config.root, process.env)]);
  checkForBase(config);
  for (const agent of plan.agents) checkReachable(config, agent.options);
  options.on?.({ kind: 'planned', plan });

  return new Job(config, plan, aboutRun(plan, { ...options, revision }), options).replay();
}

/** How long what is being compared is waited for once a run is cancelled: CI gives 7.5 s for everything. */
const CANCELLED_PATIENCE_MS = 2_000;
/** The same once `timeouts.total` is over: what was replayed in time is to be told. */
const LATE_PATIENCE_MS = 5_000;

interface ReplayParts {
  readonly deadline: Deadline;
  readonly base: Base | undefined;
}

class Job {
  readonly #config: Config;
  readonly #plan: RunPlan;
  readonly #about: RunAbout;
  readonly #options: JobOptions;
  /** Not by the time of day: that can be set back meanwhile. */
  readonly #startedMs = performance.now();
  #books!: BooksApart;
  /** All agents together keep to them. */
  readonly #limits: ReplayLimits;
  /** By id. */
  readonly #sessions: ReadonlyMap<string, PlannedSession>;
  readonly #redaction: Redaction;
  #isTold = false;

  constructor(config: Config, plan: RunPlan, about: RunAbout, options: JobOptions) {
    this.#config = config;
    this.#plan = plan;
    this.#about = about;
    this.#options = options;
    const planned = plannedSessions(plan);
    this.#limits = new ReplayLimits(
      config,
      costMeter(() => planned, config.prices),
    );
    this.#redaction = redactionOf(config, options.secrets);
    this.#sessions = new Map(planned.map((session) => [session.pin.session.id, session]));
  }

  /** All sessions of all agents, one agent after another. Never rejects: failures are in the report. */
  async replay(): Promise<Report> {
    const { signal } = this.#options;
    using deadline = new Deadline(this.#config.timeouts.total);
    await using books = this.#openBooks(deadline.signal);
    this.#books = books;
    const failed = (error: unknown, agents: readonly PlannedAgent[]) => {
      // That it was cancelled is said anyway.
      if (!signal?.aborted) this.#fail(asAgentReplayError(error), agents.flatMap(sessionIds));
    };
    try {
      await using base = await this.#openBase();
      for (const agent of this.#plan.agents) {
        await this.#replayAgent(agent, { deadline, base }).catch((error) => failed(error, [agent]));
      }
    } catch (error) {
      failed(error, this.#plan.agents);
    }
    const interruption = interruptionOf(signal);
    const reason = endOf(signal);
    await books.close(reason);
    if (!signal?.aborted) await this.#askJudge();
    const durationMs = Math.round(performance.now() - this.#startedMs);
    return books.report({
      about: this.#about,
      durationMs,
      ...(interruption && { interruptedBy: interruption.by }),
      ...(reason && { reason }),
    });
  }

  async #openBase(): Promise<Base | undefined> {
    const { base: ref } = this.#config;
    if (ref === undefined) return undefined;
    this.#tell({ kind: 'base', note: `checking out the base ${ref}` });
    const base = await openBase(ref, this.#config, {
      signal: this.#options.signal,
      onOutput: (line) => this.#tell({ kind: 'agent-output', line: this.#redaction.line(line) }),
    });
    const { commit } = base;
    this.#books.against({ ref, commit });
    return base;
  }

  /** The agent of the base, ready; undefined where it cannot be had: then its sessions are judged by their recordings. */
  async #startBase(planned: PlannedAgent, base: Base | undefined, signal: AbortSignal): Promise<LiveAgent | undefined> {
    if (base === undefined) return undefined;
    const found = await base.agent(planned);
    if ('reason' in found) return this.#withoutBase(planned, found);
    this.#tell({ kind: 'base', note: `starting the agent of the base ${base.ref}` });
    const { tracing } = this.#config;
    // The other one has the fixed address; this one is told where its own is.
    const config = { ...this.#config, tracing: { ...tracing, receiver: {} } };
    try {
      return await startLiveAgent(found, config, {
        signal,
        onSecret: (secret) => this.#addSecret(secret),
        onOutput: (line) => this.#tell({ kind: 'agent-output', line: this.#redaction.line(`base: ${line}`) }),
        onCrash: (crash) => this.#tell({ kind: 'base', note: this.#redaction.text(`the base: ${reasonOf(crash)}`) }),
      });
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#withoutBase(planned, { reason: reasonOf(asAgentReplayError(error)) });
    }
  }

  /** @throws AgentReplayError `BASE_UNAVAILABLE` when it is required */
  #withoutBase(planned: PlannedAgent, { reason: text, isSame }: NoBaseAgent): undefined {
    const reason = this.#redaction.text(text);
    if (this.#config.baseRequired && !isSame) throw baseUnavailable(reason);
    const { id: agentId } = planned;
    const why = { ...(agentId !== undefined && { agentId }), reason, sessions: sessionIds(planned) };
    this.#books.withoutBase(why);
    this.#tell({ kind: 'base', note: `judged by the recordings, without the base: ${reason}` });
    return undefined;
  }

  /** Starts one agent, and that of the base, replays its sessions, and ends them. */
  async #replayAgent(planned: PlannedAgent, { deadline, base }: ReplayParts): Promise<void> {
    const ending = new AbortController();
    const others = this.#options.signal ? [this.#options.signal] : [];
    const signal = AbortSignal.any([deadline.signal, ending.signal, ...others]);
    signal.throwIfAborted();
    this.#tell({ kind: 'agent', agent: planned, state: 'starting' });
    await using agent = await startLiveAgent(planned, this.#config, {
      signal,
      onSecret: (secret) => this.#addSecret(secret),
      onOutput: (line) => this.#tell({ kind: 'agent-output', line: this.#redaction.line(line) }),
      onAwaited: (missing) => this.#tell({ kind: 'agent-awaited', missing: missing.map(this.#redaction.text) }),
      onCrash: (crash) => this.#fail(crash, []),
      undelivered: undeliveredFile(this.#options.outputDir),
      onDelay: (delay) => this.#tell({ kind: 'reads-delayed', note: delayNote(delay) }),
      onTraces: (effort) => {
        this.#books.traced(tracingSum(effort));
        const error = effort.forwarded && notForwarded(effort.forwarded);
        if (error !== undefined) this.#tell({ kind: 'not-forwarded', error });
      },
    });
    await using other = await this.#startBase(planned, base, signal);
    this.#tell({ kind: 'agent', agent: planned, state: 'ready' });
    // Whoever compares is ready by then, too: nothing that was replayed waits for it.
    const hasShift = await this.#books.hasShift;
    deadline.start();
    const pairs = other && new Pairs(() => this.#lookAgain(planned, 2));
    let isStopping = false;
    const stopping = (): void => {
      if (!isStopping) this.#tell({ kind: 'agent', agent: planned, state: 'stopping' });
      isStopping = true;
    };
    try {
      const shared = {
        settings: { ...this.#config, timeouts: { ...this.#config.timeouts, total: undefined } },
        limits: this.#limits,
        // Passes over all sessions can be tested as wholes.
        byRound: this.#config.stopEarly !== undefined || hasShift,
        redact: this.#redaction.text,
        onAnswered: (call: ReplayCall) => this.#tell({ kind: 'answered', call }),
        isInDoubt: () => this.#books.isInDoubt(),
      };
      const replays = agent.replay(planned.sessions, {
        ...shared,
        further: () => pairs?.further('head') ?? this.#lookAgain(planned),
        inTurn: pairs && ((call, over) => pairs.inTurn('head', call, over)),
        skip: (call) => this.#isNeedless(call),
        onStopping: stopping,
      });
      const replayedBase =
        pairs &&
        other?.replay(planned.sessions, {
          ...shared,
          further: () => pairs.further('base'),
          inTurn: (call, over) => pairs.inTurn('base', call, over),
          skip: (call) => !this.#isPlanned(call),
          onStopping: () => {},
        });
      const stop = (error: unknown) => {
        ending.abort(error);
        throw error;
      };
      await Promise.all([
        this.#takeAll(replays)
          .catch(stop)
          .finally(() => pairs?.end('head')),
        replayedBase &&
          this.#takeAll(replayedBase, 'base')
            .catch(stop)
            .finally(() => pairs?.end('base')),
      ]);
    } finally {
      stopping();
      this.#books.log(agent.log());
    }
  }

  /** What answers in other words mean; sessions of which that is said are compared anew. */
  async #askJudge(): Promise<void> {
    const { compare, root } = this.#config;
    if (compare.judge === undefined) return;
    const questions = await this.#books.questions();
    if (questions.length === 0) return;
    this.#tell({ kind: 'judging', questions: questions.length });
    const { signal } = this.#options;
    const judge = new AskedJudge(compare.judge, { root, signal, redact: this.#redaction.text });
    await this.#books.judge(await judge.ask(questions));
  }

  /** @param sides each of which makes these calls */
  async #lookAgain({ sessions }: PlannedAgent, sides = 1): Promise<readonly FurtherRuns[]> {
    const looks = await this.#books.secondLooks(sessions.map(({ pin }) => pin.session.id));
    if (looks.length === 0) return [];
    const calls = sides * looks.reduce((sum, { turns, from, to }) => sum + turns.length * (to - from + 1), 0);
    this.#tell({ kind: 'looking-again', sessions: new Set(looks.map(({ session }) => session)).size, calls });
    return looks;
  }

  async #takeAll(replays: AsyncIterable<ReplayResult>, side?: 'base'): Promise<void> {
    const late: ReplayResult[] = [];
    for await (const result of replays) {
      if (result.late === undefined) await this.#take(result, side);
      else late.push(result);
    }
    for (const results of Map.groupBy(late, (result) => result.session).values()) {
      await this.#books.reopen(results, side);
      for (const result of results) this.#tell({ kind: 'revised', result });
    }
  }

  async #take(result: ReplayResult, side: 'base' | undefined): Promise<void> {
    const isOver = await this.#books.take(result, side);
    this.#tell({ kind: 'replayed', result });
    if (isOver) this.#tell({ kind: 'session-done', session: result.session });
  }

  #session(id: string): PlannedSession {
    return this.#sessions.get(id) as PlannedSession;
  }

  /** What the user's functions say of a replay: they are of this thread. */
  #forbidding(finding: Finding): Forbidding {
    const { pin, own } = this.#session(finding.session);
    const { forbidden, outcome } = withForbidden(finding, pin, this.#redaction.text, withOwn(this.#config, own));
    return outcome.kind === 'inconclusive' ? { outcome } : { forbidden };
  }

  #isNeedless(call: ReplayCall): boolean {
    if (!this.#isPlanned(call)) return true;
    const isNeedless = this.#books.isOver(call.session);
    if (isNeedless) this.#tell({ kind: 'skipped', call });
    return isNeedless;
  }

  /** Those of a second look are no part of what was planned. */
  #isPlanned({ session, run }: ReplayCall): boolean {
    const { runs, own } = this.#session(session);
    return run > withOwn(this.#config, own).runs || runs.includes(run);
  }

  #fail(error: AgentReplayError, sessions: readonly string[]): void {
    this.#books.fail(redactError(error, this.#redaction.text), sessions);
  }

  #addSecret(secret: string): void {
    this.#redaction.add(secret);
    this.#books.addSecret(secret);
  }

  #openBooks(late: AbortSignal): BooksApart {
    const { outputDir, signal, secrets } = this.#options;
    const { runs, gate, failOn, tracing, prices, compare } = this.#config;
    const settings = settingsOf(this.#config);
    const hasFunctions = compare.forbid.some((rule) => typeof rule === 'function');
    return new BooksApart({
      settings,
      scope: scopeOf(this.#plan),
      part: { isPart: this.#plan.part !== undefined },
      header: journalHeader(this.#about, settings, this.#plan),
      // What cannot be told as JSON is asked here.
      config: { runs, gate, failOn, tracing, prices, compare: settings.compare },
      secrets: secretsOf(this.#config, process.env, secrets),
      ...(outputDir !== undefined && {
        journal: path.join(outputDir, JOURNAL_FILE),
        traces: path.join(outputDir, 'traces'),
      }),
      limits: [
        { signal: late, patienceMs: LATE_PATIENCE_MS },
        ...(signal ? [{ signal, patienceMs: CANCELLED_PATIENCE_MS }] : []),
      ],
      ...(hasFunctions && { forbidding: (finding) => this.#forbidding(finding) }),
      onNotWritten: (error) => this.#tellNotWritten(error),
      redact: this.#redaction.text,
    });
  }

  /** What is found out does not depend on it. */
  #tellNotWritten(error: AgentReplayError): void {
    if (!this.#isTold) this.#tell({ kind: 'not-written', error });
    this.#isTold = true;
  }

  #tell(event: JobEvent): void {
    this.#options.on?.(event);
  }
}

function sessionIds({ sessions }: PlannedAgent): string[] {
  return sessions.map(({ pin }) => pin.session.id);
}
