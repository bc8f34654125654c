import path from 'node:path';
import { type Config, withOwn } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { Deadline, type FurtherRuns, type ReplayCall, ReplayLimits, type ReplayResult } from '../../replay/index.ts';
import { type Report, redactReport, toProblem } from '../../report/index.ts';
import { delayNote } from '../../tracing/index.ts';
import { removeBehaviours, writeBehaviours } from '../journal/behaviours.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { JOURNAL_FILE, journalHeader } from '../journal/journal-format.ts';
import { notForwarded, undeliveredFile } from '../journal/undelivered.ts';
import { baseUnavailable } from '../judging/base-verdict.ts';
import { type Finding, findingOf, superseding } from '../judging/finding.ts';
import { AskedJudge } from '../judging/judge.ts';
import { LedgerApart } from '../judging/ledger-apart.ts';
import { settingsOf } from '../judging/run-settings.ts';
import type { Behaviour } from '../judging/session-progress.ts';
import { redactError } from '../pins/redact-texts.ts';
import { aboutRun, type RunAbout } from './about.ts';
import { type Base, checkForBase, type NoBaseAgent, openBase, reasonOf } from './base.ts';
import { costMeter } from './cost.ts';
import { reasonOf as endOf, interruptionOf } from './interruption.ts';
import { type LiveAgent, startLiveAgent } from './live-agent.ts';
import { removeOutputs } from './outputs.ts';
import { Pairs } from './pairs.ts';
import {
  type Plan,
  type PlannedAgent,
  type PlannedSession,
  plannedSessions,
  redactedScopeOf,
  type Selection,
} from './plan.ts';
import { revisionOf } from './revision.ts';
import { Redaction, secretsOf } from './secrets.ts';
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

interface ReplayParts {
  readonly journal: Journal;
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
  #ledger!: LedgerApart;
  /** All agents together keep to them. */
  readonly #limits: ReplayLimits;
  /** By id. */
  readonly #sessions: ReadonlyMap<string, PlannedSession>;
  readonly #redaction: Redaction;
  /** Sessions of which further runs are made. */
  readonly #again = new Set<string>();
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
    this.#redaction = new Redaction(secretsOf(config, process.env, options.secrets));
    this.#sessions = new Map(planned.map((session) => [session.pin.session.id, session]));
  }

  /** All sessions of all agents, one agent after another. Never rejects: failures are in the report. */
  async replay(): Promise<Report> {
    const { signal } = this.#options;
    await using journal = await this.#openJournal();
    await using ledger = this.#openLedger();
    this.#ledger = ledger;
    using deadline = new Deadline(this.#config.timeouts.total);
    const failed = (error: unknown, agents: readonly PlannedAgent[]) => {
      // That it was cancelled is said anyway.
      if (!signal?.aborted) this.#fail(asAgentReplayError(error), agents.flatMap(sessionIds), journal);
    };
    try {
      await using base = await this.#openBase(journal);
      for (const agent of this.#plan.agents) {
        await this.#replayAgent(agent, { journal, deadline, base }).catch((error) => failed(error, [agent]));
      }
    } catch (error) {
      failed(error, this.#plan.agents);
    }
    const interruption = interruptionOf(signal);
    const reason = endOf(signal);
    await this.#keep(await ledger.close(reason));
    if (!signal?.aborted) await this.#askJudge(journal);
    const ended = {
      durationMs: Math.round(performance.now() - this.#startedMs),
      ...(interruption && { interruptedBy: interruption.by }),
    };
    const pinned = plannedSessions(this.#plan).map(({ pin }) => pin.session);
    journal.end({ ...ended, ...(reason && { reason: toProblem(reason) }) }, pinned);
    return redactReport(await ledger.report({ about: this.#about, ...ended }), this.#redaction.text);
  }

  async #openBase(journal: Journal): Promise<Base | undefined> {
    const { base: ref } = this.#config;
    if (ref === undefined) return undefined;
    this.#tell({ kind: 'base', note: `checking out the base ${ref}` });
    const base = await openBase(ref, this.#config, {
      signal: this.#options.signal,
      onOutput: (line) => this.#tell({ kind: 'agent-output', line: this.#redaction.line(line) }),
    });
    const { commit } = base;
    this.#ledger.against({ ref, commit });
    journal.base({ ref, commit });
    return base;
  }

  /** The agent of the base, ready; undefined where it cannot be had: then its sessions are judged by their recordings. */
  async #startBase(
    planned: PlannedAgent,
    base: Base | undefined,
    { journal, signal }: { journal: Journal; signal: AbortSignal },
  ): Promise<LiveAgent | undefined> {
    if (base === undefined) return undefined;
    const found = await base.agent(planned);
    if ('reason' in found) return this.#withoutBase(planned, found, journal);
    this.#tell({ kind: 'base', note: `starting the agent of the base ${base.ref}` });
    const { tracing } = this.#config;
    // The other one has the fixed address; this one is told where its own is.
    const config = { ...this.#config, tracing: { ...tracing, receiver: {} } };
    try {
      return await startLiveAgent(found, config, {
        signal,
        onSecret: (secret) => this.#redaction.add(secret),
        onOutput: (line) => this.#tell({ kind: 'agent-output', line: this.#redaction.line(`base: ${line}`) }),
        onCrash: (crash) => this.#tell({ kind: 'base', note: this.#redaction.text(`the base: ${reasonOf(crash)}`) }),
      });
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#withoutBase(planned, { reason: reasonOf(asAgentReplayError(error)) }, journal);
    }
  }

  /** @throws AgentReplayError `BASE_UNAVAILABLE` when it is required */
  #withoutBase(planned: PlannedAgent, { reason: text, isSame }: NoBaseAgent, journal: Journal): undefined {
    const reason = this.#redaction.text(text);
    if (this.#config.baseRequired && !isSame) throw baseUnavailable(reason);
    const { id: agentId } = planned;
    const why = { ...(agentId !== undefined && { agentId }), reason, sessions: sessionIds(planned) };
    this.#ledger.withoutBase(why);
    journal.noBase(why);
    this.#tell({ kind: 'base', note: `judged by the recordings, without the base: ${reason}` });
    return undefined;
  }

  /** Starts one agent, and that of the base, replays its sessions, and ends them. */
  async #replayAgent(planned: PlannedAgent, { journal, deadline, base }: ReplayParts): Promise<void> {
    const ending = new AbortController();
    const others = this.#options.signal ? [this.#options.signal] : [];
    const signal = AbortSignal.any([deadline.signal, ending.signal, ...others]);
    signal.throwIfAborted();
    this.#tell({ kind: 'agent', agent: planned, state: 'starting' });
    await using agent = await startLiveAgent(planned, this.#config, {
      signal,
      onSecret: (secret) => this.#redaction.add(secret),
      onOutput: (line) => this.#tell({ kind: 'agent-output', line: this.#redaction.line(line) }),
      onAwaited: (missing) => this.#tell({ kind: 'agent-awaited', missing: missing.map(this.#redaction.text) }),
      onCrash: (crash) => this.#fail(crash, [], journal),
      undelivered: undeliveredFile(this.#options.outputDir),
      onDelay: (delay) => this.#tell({ kind: 'reads-delayed', note: delayNote(delay) }),
      onTraces: (effort) => {
        const sum = tracingSum(effort);
        this.#ledger.traced(sum);
        journal.traced(sum);
        const error = effort.forwarded && notForwarded(effort.forwarded);
        if (error !== undefined) this.#tell({ kind: 'not-forwarded', error });
      },
    });
    await using other = await this.#startBase(planned, base, { journal, signal });
    this.#tell({ kind: 'agent', agent: planned, state: 'ready' });
    // Whoever compares is ready by then, too: nothing that was replayed waits for it.
    const hasShift = await this.#ledger.hasShift;
    deadline.start();
    const pairs = other && new Pairs(() => this.#lookAgain(planned));
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
        isInDoubt: () => this.#ledger.isInDoubt(),
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
        this.#takeAll(replays, journal)
          .catch(stop)
          .finally(() => pairs?.end('head')),
        replayedBase &&
          this.#takeAll(replayedBase, journal, 'base')
            .catch(stop)
            .finally(() => pairs?.end('base')),
      ]);
    } finally {
      stopping();
      this.#ledger.log(agent.log());
      journal.log(agent.log());
    }
  }

  /** What answers in other words mean; sessions of which that is said are compared anew. */
  async #askJudge(journal: Journal): Promise<void> {
    const { compare, root } = this.#config;
    if (compare.judge === undefined) return;
    const questions = await this.#ledger.questions();
    if (questions.length === 0) return;
    this.#tell({ kind: 'judging', questions: questions.length });
    const { signal } = this.#options;
    const judge = new AskedJudge(compare.judge, { root, signal, redact: this.#redaction.text });
    const judgements = await judge.ask(questions);
    this.#ledger.judge(judgements);
    journal.judged(judgements);
    const said = new Set(judgements.flatMap(({ session, said }) => (said === 'unsure' ? [] : session)));
    for (const session of said) {
      const before = await journal.findings(session).catch(unknownBefore);
      const behaviours = await this.#ledger.reopen(session, before, []);
      await this.#drop(session);
      await this.#keep(behaviours);
    }
  }

  async #lookAgain({ sessions }: PlannedAgent): Promise<readonly FurtherRuns[]> {
    const looks = await this.#ledger.secondLooks(sessions.map(({ pin }) => pin.session.id));
    if (looks.length === 0) return [];
    for (const { session } of looks) this.#again.add(session);
    const calls = looks.reduce((sum, { turns, from, to }) => sum + turns.length * (to - from + 1), 0);
    this.#tell({ kind: 'looking-again', sessions: new Set(looks.map(({ session }) => session)).size, calls });
    return looks;
  }

  async #takeAll(replays: AsyncIterable<ReplayResult>, journal: Journal, side?: 'base'): Promise<void> {
    const late: ReplayResult[] = [];
    for await (const result of replays) {
      if (result.late === undefined) await this.#take(result, journal, side);
      else late.push(result);
    }
    for (const [session, results] of Map.groupBy(late, (result) => result.session)) {
      await this.#reopen(session, results, journal, side);
    }
  }

  async #take(result: ReplayResult, journal: Journal, side: 'base' | undefined): Promise<void> {
    const { pin } = this.#session(result.session);
    const finding = { ...this.#findingOf(result), ...(side && { side }) };
    await journal.write(finding, pin.session);
    const behaviours = await this.#ledger.take(finding);
    this.#tell({ kind: 'replayed', result });
    if (behaviours === undefined) return;
    if (this.#again.delete(result.session)) await this.#drop(result.session);
    await this.#keep(behaviours);
    this.#tell({ kind: 'session-done', session: result.session });
  }

  /** Judges a session by its traces as they have become. */
  async #reopen(
    session: string,
    results: readonly ReplayResult[],
    journal: Journal,
    side: 'base' | undefined,
  ): Promise<void> {
    const { pin } = this.#session(session);
    const before = await journal.findings(session).catch(unknownBefore);
    const all = before instanceof AgentReplayError ? [] : before;
    const known = all.filter((finding) => finding.side === side);
    const after = results.map((result) => superseding(known, { ...this.#findingOf(result), ...(side && { side }) }));
    for (const finding of after) await journal.write(finding, pin.session);
    const behaviours = await this.#ledger.reopen(session, before, after, side);
    for (const result of results) this.#tell({ kind: 'revised', result });
    if (side === 'base') return;
    await this.#drop(session);
    await this.#keep(behaviours);
  }

  #session(id: string): PlannedSession {
    return this.#sessions.get(id) as PlannedSession;
  }

  #findingOf(result: ReplayResult): Finding {
    const { pin, own } = this.#session(result.session);
    return findingOf(result, pin, this.#redaction.text, withOwn(this.#config, own));
  }

  #isNeedless(call: ReplayCall): boolean {
    if (!this.#isPlanned(call)) return true;
    const isNeedless = this.#ledger.isOver(call.session);
    if (isNeedless) this.#tell({ kind: 'skipped', call });
    return isNeedless;
  }

  /** Those of a second look are no part of what was planned. */
  #isPlanned({ session, run }: ReplayCall): boolean {
    const { runs, own } = this.#session(session);
    return run > withOwn(this.#config, own).runs || runs.includes(run);
  }

  #fail(unredacted: AgentReplayError, sessions: readonly string[], journal: Journal): void {
    const error = redactError(unredacted, this.#redaction.text);
    this.#ledger.fail(error, sessions);
    journal.fail(error, sessions);
  }

  #openLedger(): LedgerApart {
    return LedgerApart.open(settingsOf(this.#config), redactedScopeOf(this.#plan, this.#redaction.text), {
      isPart: this.#plan.part !== undefined,
      signal: this.#options.signal,
    });
  }

  async #openJournal(): Promise<Journal> {
    const { outputDir } = this.#options;
    return openJournal(
      outputDir && path.join(outputDir, JOURNAL_FILE),
      journalHeader(this.#about, settingsOf(this.#config), this.#plan),
      { onError: (error) => this.#tellNotWritten(error), redact: this.#redaction.text },
    );
  }

  /** Behaviours that were kept of a session are others now. */
  async #drop(session: string): Promise<void> {
    const { outputDir } = this.#options;
    if (outputDir !== undefined) await removeBehaviours(path.join(outputDir, 'traces'), session);
  }

  async #keep(behaviours: readonly Behaviour[]): Promise<void> {
    const { outputDir } = this.#options;
    if (outputDir === undefined) return;
    const dir = path.join(outputDir, 'traces');
    await writeBehaviours(behaviours, { dir, redact: this.#redaction.text }).catch((error) =>
      this.#tellNotWritten(error),
    );
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

function unknownBefore(cause: unknown): AgentReplayError {
  return new AgentReplayError('OUTPUT_NOT_WRITABLE', 'Spans came late, and the earlier ones could not be kept.', {
    hint: 'Make room on the disk, or export all spans before the answer is sent (docs/endpoint.md).',
    cause,
  });
}
