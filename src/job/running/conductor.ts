import { type Config, redactionOf } from '../../config/index.ts';
import type { Redaction } from '../../redaction/index.ts';
import { ReplayLimits, type ReplayResult } from '../../replay/index.ts';
import type { Report } from '../../report/index.ts';
import { delayNote } from '../../tracing/index.ts';
import type { BooksApart } from '../judging/books-apart.ts';
import { AskedJudge } from '../judging/judge.ts';
import type { PlannedSession } from '../judging/run-scope.ts';
import { Thread } from '../judging/thread.ts';
import type { RunAbout } from './about.ts';
import { costMeter } from './cost.ts';
import { interruptionOf, reasonOf } from './interruption.ts';
import type { JobEvent, JobOptions } from './job-events.ts';
import { type LiveAgent, type LiveAgentOptions, type LiveReplayOptions, startLiveAgent } from './live-agent.ts';
import type { ConfiguredAgent } from './plan.ts';

export interface ConductorOptions extends Pick<JobOptions, 'signal' | 'secrets' | 'on'> {
  /** All sessions that may be replayed; costs are estimated from them. */
  readonly sessions: () => readonly PlannedSession[];
}

export interface StartOptions extends Omit<LiveAgentOptions, 'onSecret' | 'onOutput' | 'onDelay'> {
  /** Default: the conductor's own. */
  readonly config?: Config | undefined;
  /** Begins each line of its output. */
  readonly label?: string | undefined;
}

export interface ReplayHow
  extends Omit<LiveReplayOptions, 'settings' | 'limits' | 'redact' | 'onAnswered' | 'isInDoubt'> {
  /** Default: the conductor's own. */
  readonly config?: Config | undefined;
  readonly side?: 'base' | undefined;
}

/** A run, or part of one, that has ended. */
export interface Concluding {
  readonly about: RunAbout;
  /** By `performance.now()`, because the time of day can be set back during a run. */
  readonly startedMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Conducts replays, for a whole job or for one session on demand: starts agents, puts the results of their replays into
 * books, asks the user's judge, and reports. Everything it conducts shares one set of limits, one judge, one redaction, and
 * one thread for its books.
 */
export class Conductor implements AsyncDisposable {
  readonly config: Config;
  readonly redaction: Redaction;
  readonly limits: ReplayLimits;
  readonly #judge: AskedJudge | undefined;
  #thread: Thread;
  readonly #on: ((event: JobEvent) => void) | undefined;

  constructor(config: Config, { sessions, signal, secrets, on }: ConductorOptions) {
    const { root, compare, prices } = config;
    this.config = config;
    this.redaction = redactionOf(config, secrets);
    this.limits = new ReplayLimits(config, costMeter(sessions, prices));
    this.#judge = compare.judge && new AskedJudge(compare.judge, { root, signal, redact: this.redaction.text });
    this.#on = on;
    // Agents can be started while the thread starts.
    this.#thread = new Thread(this.redaction.secrets);
  }

  /** The thread for new books. It replaces a thread that died, so that one huge session costs no later session. */
  get thread(): Thread {
    if (this.#thread.hasDied) this.#thread = new Thread(this.redaction.secrets);
    return this.#thread;
  }

  tell(event: JobEvent): void {
    this.#on?.(event);
  }

  /**
   * Starts an agent. Its output is passed on without secrets.
   * @throws AgentReplayError as {@link startLiveAgent}
   */
  start(agent: ConfiguredAgent, { config = this.config, label = '', ...options }: StartOptions): Promise<LiveAgent> {
    return startLiveAgent(agent, config, {
      ...options,
      onSecret: (secret) => {
        this.redaction.add(secret);
        this.#thread.addSecret(secret);
      },
      onOutput: (line) => this.tell({ kind: 'agent-output', line: `${label}${this.redaction.line(line)}` }),
      onDelay: (delay) => this.tell({ kind: 'reads-delayed', note: delayNote(delay) }),
    });
  }

  /** Takes replays as they finish. Replays with late spans are judged again at the end. */
  async replay(
    agent: LiveAgent,
    sessions: readonly PlannedSession[],
    books: BooksApart,
    { config = this.config, side, ...how }: ReplayHow,
  ): Promise<void> {
    const late: ReplayResult[] = [];
    const replays = agent.replay(sessions, {
      ...how,
      // `timeouts.total` limits all agents together, so the caller keeps it.
      settings: { ...config, timeouts: { ...config.timeouts, total: undefined } },
      limits: this.limits,
      redact: this.redaction.text,
      onAnswered: (call) => this.tell({ kind: 'answered', call }),
      isInDoubt: () => books.isInDoubt(),
    });
    for await (const result of replays) {
      if (result.late === undefined) await this.#takeOne(result, books, side);
      else late.push(result);
    }
    for (const results of Map.groupBy(late, (result) => result.session).values()) {
      const alone = await books.reopen(results, side);
      for (const [index, result] of results.entries()) this.tell({ kind: 'revised', result, alone: alone[index] });
    }
  }

  async #takeOne(result: ReplayResult, books: BooksApart, side: 'base' | undefined): Promise<void> {
    const { isOver, alone } = await books.take(result, side);
    this.tell({ kind: 'replayed', result, alone });
    if (isOver) this.tell({ kind: 'session-done', session: result.session });
  }

  /** Judges what is left, and reports. Takes no further replays. */
  async conclude(books: BooksApart, { about, startedMs, signal }: Concluding): Promise<Report> {
    const reason = reasonOf(signal);
    await books.close(reason);
    if (!signal?.aborted) await this.#askJudge(books);
    const interruption = interruptionOf(signal);
    return books.report({
      about,
      durationMs: Math.round(performance.now() - startedMs),
      ...(interruption && { interruptedBy: interruption.by }),
      ...(reason && { reason }),
    });
  }

  /** Asks the judge whether reworded answers mean the same; sessions with an answer are compared again. */
  async #askJudge(books: BooksApart): Promise<void> {
    const questions = this.#judge === undefined ? [] : await books.questions();
    if (this.#judge === undefined || questions.length === 0) return;
    this.tell({ kind: 'judging', questions: questions.length });
    await books.judge(await this.#judge.ask(questions));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }
}
