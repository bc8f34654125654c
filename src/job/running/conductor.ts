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
  /** All sessions that may be replayed; costs are estimated from them. */
  readonly sessions: () => readonly PlannedSession[];
  readonly signal?: AbortSignal | undefined;
  /** Further secrets, beside those of the configuration and the environment. */
  readonly secrets?: readonly string[] | undefined;
  readonly on?: ((event: JobEvent) => void) | undefined;
}

export interface StartOptions extends Omit<LiveAgentOptions, 'onSecret'> {
  /** Default: the conductor's own. */
  readonly config?: Config | undefined;
  readonly onSecret?: LiveAgentOptions['onSecret'] | undefined;
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
 * books, asks the user's judge, and reports. Everything it conducts shares one set of limits, one judge and one redaction.
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
   * Starts an agent. Its output is passed on without secrets.
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

  /** Takes replays as they finish. Replays with late spans are judged again at the end. */
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

  /** Judges what is left, and reports. Takes no further replays. */
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

  /** Asks the judge whether reworded answers mean the same; sessions with an answer are compared again. */
  async #askJudge(books: RunBooks): Promise<void> {
    const questions = this.#judge === undefined ? [] : await books.questions();
    if (this.#judge === undefined || questions.length === 0) return;
    this.tell({ kind: 'judging', questions: questions.length });
    await books.judge(await this.#judge.ask(questions));
  }
}
