import { withOwn } from '../../config/index.ts';
import { asAgentReplayError } from '../../errors.ts';
import { redactError } from '../../redaction/index.ts';
import type { Deadline, FurtherRuns, ReplayCall } from '../../replay/index.ts';
import { notForwarded, undeliveredFile } from '../journal/undelivered.ts';
import { baseUnavailable } from '../judging/base-verdict.ts';
import type { BooksApart } from '../judging/books-apart.ts';
import type { PlannedSession } from '../judging/run-scope.ts';
import { type Base, type NoBaseAgent, reasonOf } from './base.ts';
import type { Conductor } from './conductor.ts';
import type { JobOptions } from './job-events.ts';
import type { LiveAgent } from './live-agent.ts';
import { Pairs } from './pairs.ts';
import type { PlannedAgent } from './plan.ts';
import { type TracingEffort, tracingSum } from './tracing.ts';

export interface AgentRunMeans {
  readonly conductor: Conductor;
  readonly books: BooksApart;
  readonly deadline: Deadline;
  /** Undefined: sessions are judged by their recordings alone. */
  readonly base: Base | undefined;
  readonly options: JobOptions;
}

export function sessionIds({ sessions }: PlannedAgent): string[] {
  return sessions.map(({ pin }) => pin.session.id);
}

/** The part of a job that belongs to one agent: starts it, replays its sessions, ends it; also the agent of the base. */
export class AgentRun {
  readonly #planned: PlannedAgent;
  readonly #means: AgentRunMeans;
  readonly #conductor: Conductor;
  readonly #books: BooksApart;
  /** By id. */
  readonly #sessions: ReadonlyMap<string, PlannedSession>;
  #isStopping = false;

  constructor(planned: PlannedAgent, means: AgentRunMeans) {
    this.#planned = planned;
    this.#means = means;
    this.#conductor = means.conductor;
    this.#books = means.books;
    this.#sessions = new Map(planned.sessions.map((session) => [session.pin.session.id, session]));
  }

  /** @throws AgentReplayError why the agent did not become ready, or why its sessions could not be replayed */
  async replay(): Promise<void> {
    const { deadline, options } = this.#means;
    const ending = new AbortController();
    const signal = AbortSignal.any([deadline.signal, ending.signal, ...(options.signal ? [options.signal] : [])]);
    signal.throwIfAborted();
    this.#tellState('starting');
    await using agent = await this.#startAgent(signal);
    await using other = await this.#startBase(signal);
    this.#tellState('ready');
    // The thread of the comparison has started by then too, so no finished replay waits for it.
    const hasShift = await this.#books.hasShift;
    deadline.start();
    try {
      await this.#replayAll(agent, other, { hasShift, giveUp: (error) => ending.abort(error) });
    } finally {
      this.#tellStopping();
      this.#books.remark({ type: 'log', lines: agent.log() });
    }
  }

  #startAgent(signal: AbortSignal): Promise<LiveAgent> {
    const { redaction } = this.#conductor;
    return this.#conductor.start(this.#planned, {
      signal,
      onAwaited: (missing) => this.#conductor.tell({ kind: 'agent-awaited', missing: missing.map(redaction.text) }),
      onCrash: (crash) => this.#books.fail(redactError(crash, redaction.text), []),
      undelivered: undeliveredFile(this.#means.options.outputDir),
      onTraces: (effort) => this.#takeEffort(effort),
    });
  }

  #takeEffort(effort: TracingEffort): void {
    this.#books.remark({ type: 'tracing', sum: tracingSum(effort) });
    const error = effort.forwarded && notForwarded(effort.forwarded);
    if (error !== undefined) this.#conductor.tell({ kind: 'not-forwarded', error });
  }

  /** The base's agent, ready; undefined if it is unavailable: then its sessions are judged by their recordings. */
  async #startBase(signal: AbortSignal): Promise<LiveAgent | undefined> {
    const { base } = this.#means;
    if (base === undefined) return undefined;
    const found = await base.agent(this.#planned);
    if ('reason' in found) return this.#withoutBase(found);
    this.#tellBase(`starting the agent of the base ${base.ref}`);
    const { config } = this.#conductor;
    try {
      return await this.#conductor.start(found, {
        // The first agent has the fixed address; this one gets an address of its own.
        config: { ...config, tracing: { ...config.tracing, receiver: {} } },
        signal,
        label: 'base: ',
        onCrash: (crash) => this.#tellBase(this.#conductor.redaction.text(`the base: ${reasonOf(crash)}`)),
      });
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#withoutBase({ reason: reasonOf(asAgentReplayError(error)) });
    }
  }

  /** @throws AgentReplayError `BASE_UNAVAILABLE` if the base is required */
  #withoutBase({ reason: text, isSame }: NoBaseAgent): undefined {
    const reason = this.#conductor.redaction.text(text);
    if (this.#conductor.config.baseRequired && !isSame) throw baseUnavailable(reason);
    const { id: agentId } = this.#planned;
    const sessions = sessionIds(this.#planned);
    this.#books.remark({ type: 'no-base', ...(agentId !== undefined && { agentId }), reason, sessions });
    this.#tellBase(`judged by the recordings, without the base: ${reason}`);
    return undefined;
  }

  /** If there is a base, both agents replay side by side and end together. */
  async #replayAll(
    agent: LiveAgent,
    other: LiveAgent | undefined,
    { hasShift, giveUp }: { hasShift: boolean; giveUp: (error: unknown) => void },
  ): Promise<void> {
    const { sessions } = this.#planned;
    const { config } = this.#conductor;
    // The shift gate can shuffle whole passes over all sessions.
    const byRound = config.stopEarly !== undefined || hasShift;
    const pairs = other && new Pairs(() => this.#lookAgain(2));
    const replays = this.#conductor.replay(agent, sessions, this.#books, {
      byRound,
      further: () => pairs?.further('head') ?? this.#lookAgain(),
      inTurn: pairs && ((call, over) => pairs.inTurn('head', call, over)),
      skip: (call) => this.#isNeedless(call),
      onStopping: () => this.#tellStopping(),
    });
    const replaysOfBase =
      pairs &&
      this.#conductor.replay(other, sessions, this.#books, {
        side: 'base',
        byRound,
        further: () => pairs.further('base'),
        inTurn: (call, over) => pairs.inTurn('base', call, over),
        skip: (call) => !this.#isPlanned(call),
        onStopping: () => {},
      });
    const stop = (error: unknown) => {
      giveUp(error);
      throw error;
    };
    await Promise.all([
      replays.catch(stop).finally(() => pairs?.end('head')),
      replaysOfBase?.catch(stop).finally(() => pairs?.end('base')),
    ]);
  }

  /** @param sides number of agents that make these calls each */
  async #lookAgain(sides = 1): Promise<readonly FurtherRuns[]> {
    const looks = await this.#books.secondLooks(sessionIds(this.#planned));
    if (looks.length === 0) return [];
    const calls = sides * looks.reduce((sum, { turns, from, to }) => sum + turns.length * (to - from + 1), 0);
    const sessions = new Set(looks.map(({ session }) => session)).size;
    this.#conductor.tell({ kind: 'looking-again', sessions, calls });
    return looks;
  }

  #isNeedless(call: ReplayCall): boolean {
    if (!this.#isPlanned(call)) return true;
    const isNeedless = this.#books.isOver(call.session);
    if (isNeedless) this.#conductor.tell({ kind: 'skipped', call });
    return isNeedless;
  }

  /** Calls of a second look were not planned. */
  #isPlanned({ session: id, run }: ReplayCall): boolean {
    const { runs, own } = this.#sessions.get(id) as PlannedSession;
    return run > withOwn(this.#conductor.config, own).runs || runs.includes(run);
  }

  #tellState(state: 'starting' | 'ready' | 'stopping'): void {
    this.#conductor.tell({ kind: 'agent', agent: this.#planned, state });
  }

  /** Reported once: when the replays are over, or given up. */
  #tellStopping(): void {
    if (!this.#isStopping) this.#tellState('stopping');
    this.#isStopping = true;
  }

  #tellBase(note: string): void {
    this.#conductor.tell({ kind: 'base', note });
  }
}
