import { type Config, redactionOf } from '../../config/index.ts';
import type { Redaction } from '../../redaction/index.ts';
import { ReplayLimits, type ReplayResult } from '../../replay/index.ts';
import type { Report } from '../../report/index.ts';
import type { RunBooks } from '../judging/books.ts';
import { AskedJudge } from '../judging/judge.ts';
import type { PlannedSession } from '../judging/run-scope.ts';
import type { RunAbout } from './about.ts';
import { costMeter } from './cost.ts';
import { interruptionOf, reasonOf } from './interruption.ts';
import type { JobEvent } from './job-events.ts';
import { type LiveAgent, type LiveAgentOptions, startLiveAgent } from './live-agent.ts';
import type { ConfiguredAgent } from './plan.ts';

export interface ConductorOptions {
  /** All that may be replayed, asked for costs. */
  readonly sessions: () => readonly PlannedSession[];
  readonly signal?: AbortSignal | undefined;
  /** Values that must not be shown, besides those that the configuration and the environment hold. */
  readonly secrets?: readonly string[] | undefined;
  readonly on?: ((event: JobEvent) => void) | undefined;
}

export interface StartOptions extends Omit<LiveAgentOptions, 'onSecret'> {
  /** Default: that of the conductor. */
  readonly config?: Config | undefined;
  readonly onSecret?: LiveAgentOptions['onSecret'] | undefined;
}

/** A run, or a part of one, that is over. */
export interface Concluding {
  readonly about: RunAbout;
  /** By `performance.now()`: the time of day can be set back meanwhile. */
  readonly startedMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Conducts replays, of a whole job as of one session on demand: starts agents, takes what comes of their replays into
 * books, has the user's judge asked, and reports. All that it conducts shares limits, judge and redaction.
 */
export class Conductor {
  readonly config: Config;
  readonly redaction: Redaction;
  readonly limits: ReplayLimits;
  readonly #judge: AskedJudge | undefined;
  readonly #on: ((event: JobEvent) => void) | undefined;

  constructor(config: Config, { sessions, signal, secrets, on }: ConductorOptions) {
    const { root, compare, prices } = config;
    this.config = config;
    this.redaction = redactionOf(config, secrets);
    this.limits = new ReplayLimits(config, costMeter(sessions, prices));
    this.#judge = compare.judge && new AskedJudge(compare.judge, { root, signal, redact: this.redaction.text });
    this.#on = on;
  }

  tell(event: JobEvent): void {
    this.#on?.(event);
  }

  /**
   * Starts an agent; what it prints is handed on without secrets.
   * @throws AgentReplayError as {@link startLiveAgent}
   */
  start(
    agent: ConfiguredAgent,
    { config = this.config, onSecret, onOutput, ...options }: StartOptions,
  ): Promise<LiveAgent> {
    return startLiveAgent(agent, config, {
      ...options,
      onSecret: (secret) => {
        this.redaction.add(secret);
        onSecret?.(secret);
      },
      onOutput: (line) => onOutput(this.redaction.line(line)),
    });
  }

  /** Takes replays as they finish. Those of which spans came late are judged anew once all are there. */
  async take(replays: AsyncIterable<ReplayResult>, books: RunBooks, side?: 'base'): Promise<void> {
    const late: ReplayResult[] = [];
    for await (const result of replays) {
      if (result.late === undefined) await this.#takeOne(result, books, side);
      else late.push(result);
    }
    for (const results of Map.groupBy(late, (result) => result.session).values()) {
      await books.reopen(results, side);
      for (const result of results) this.tell({ kind: 'revised', result });
    }
  }

  async #takeOne(result: ReplayResult, books: RunBooks, side: 'base' | undefined): Promise<void> {
    const isOver = await books.take(result, side);
    this.tell({ kind: 'replayed', result });
    if (isOver) this.tell({ kind: 'session-done', session: result.session });
  }

  /** Judges what is not judged yet, and reports. Nothing more is taken. */
  async conclude(books: RunBooks, { about, startedMs, signal }: Concluding): Promise<Report> {
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

  /** What answers in other words mean; sessions of which that is said are compared anew. */
  async #askJudge(books: RunBooks): Promise<void> {
    const questions = this.#judge === undefined ? [] : await books.questions();
    if (this.#judge === undefined || questions.length === 0) return;
    this.tell({ kind: 'judging', questions: questions.length });
    await books.judge(await this.#judge.ask(questions));
  }
}
