import { type Config, redactionOf } from '../../config/index.ts';
import { type Redaction, redactError } from '../../redaction/index.ts';
import { ReplayLimits, type ReplayResult } from '../../replay/index.ts';
import type { Report } from '../../report/index.ts';
import { delayNote } from '../../tracing/index.ts';
import { AskedJudge } from '../judging/judge.ts';
import type { PlacedLedger } from '../ledger/placed-ledger.ts';
import { Thread } from '../ledger/thread.ts';
import type { RunAbout } from '../records/about.ts';
import { costMeter } from '../records/cost.ts';
import { endReason, interruptionOf } from '../records/interruption.ts';
import { type PlannedSession, runNumbers } from '../records/run-scope.ts';
import type { JobEvent, JobOptions } from './job-events.ts';
import { type LiveAgent, type LiveAgentOptions, startLiveAgent } from './live-agent.ts';
import type { ConfiguredAgent } from './plan.ts';
import { type RoundsOptions, replayRounds } from './rounds.ts';

interface ConductorOptions extends Pick<JobOptions, 'signal' | 'secrets' | 'on'> {
  /** All sessions that may be replayed; costs are estimated from them. */
  readonly sessions: () => readonly PlannedSession[];
}

interface StartOptions extends Omit<LiveAgentOptions, 'onSecret' | 'onOutput' | 'onDelay'> {
  /** Default: the conductor's own. */
  readonly config?: Config;
  /** Begins each line of its output. */
  readonly label?: string;
}

export interface ReplayHow extends Pick<RoundsOptions, 'signal' | 'byRound' | 'onStopping'> {
  /** Default: the conductor's own. */
  readonly config?: Config;
  /** No gate adds a look. */
  readonly isExact?: boolean | undefined;
}

/** A run, or part of one, that has ended. */
export interface Concluding {
  readonly about: RunAbout;
  /** By `performance.now()`, because the time of day can be set back during a run. */
  readonly startedMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Conducts the replays of a whole job or of one session on demand. Everything it conducts shares one set of limits, one
 * judge, one redaction, and one thread for ledgers with big pieces.
 */
export class Conductor implements AsyncDisposable {
  readonly config: Config;
  readonly redaction: Redaction;
  readonly limits: ReplayLimits;
  readonly #judge: AskedJudge | undefined;
  #thread: Thread | undefined;
  readonly #on: ((event: JobEvent) => void) | undefined;

  constructor(config: Config, { sessions, signal, secrets, on }: ConductorOptions) {
    const { root, compare, prices } = config;
    this.config = config;
    this.redaction = redactionOf(config, secrets);
    this.limits = new ReplayLimits(config, costMeter(sessions, prices));
    this.#judge = compare.judge && new AskedJudge(compare.judge, { root, signal, redact: this.redaction.text });
    this.#on = on;
  }

  /** The thread for ledgers with big pieces. It replaces one that died, so that one huge session costs no later one. */
  get thread(): Thread {
    if (this.#thread === undefined || this.#thread.hasDied) this.#thread = new Thread(this.redaction.secrets);
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
        this.#thread?.addSecret(secret);
      },
      onOutput: (line) => this.tell({ kind: 'agent-output', line: `${label}${this.redaction.line(line)}` }),
      onDelay: (delay) => this.tell({ kind: 'reads-delayed', note: delayNote(delay) }),
    });
  }

  /**
   * Takes replays as they finish, round by round, until no gate wants another. Replays with late spans are judged again at
   * the end.
   * @param agents the agent, and that of the base
   */
  async replay(
    agents: readonly [LiveAgent, ...LiveAgent[]],
    sessions: readonly PlannedSession[],
    ledger: PlacedLedger,
    { config = this.config, isExact = false, ...how }: ReplayHow,
  ): Promise<void> {
    const late: ReplayResult[] = [];
    const taking: Promise<void>[] = [];
    const takeAll = async () => {
      while (taking.length > 0) await taking.shift();
    };
    const replays = replayRounds(agents, sessions, {
      ...how,
      // `timeouts.total` limits all agents together, so the caller keeps it.
      settings: { ...config, timeouts: { ...config.timeouts, total: undefined } },
      limits: this.limits,
      redact: this.redaction.text,
      onAnswered: (call) => this.tell({ kind: 'answered', call }),
      onUnproved: ({ error, sessions: ids }) => ledger.fail(redactError(error, this.redaction.text), ids),
      next: async () => {
        await takeAll();
        return isExact ? [] : this.#nextLooks(sessions, ledger, agents.length);
      },
      isInDoubt: () => takeAll().then(() => ledger.ask('isInDoubt')),
    });
    for await (const result of replays) {
      if (result.late !== undefined) {
        late.push(result);
        continue;
      }
      const taken = this.#takeOne(result, ledger);
      // Awaited later.
      taken.catch(() => {});
      if (taking.push(taken) >= 2 * config.workers) await taking.shift();
    }
    await takeAll();
    for (const results of Map.groupBy(late, ({ side, session }) => `${side} ${session}`).values()) {
      await ledger.takeLate(results);
    }
  }

  /** @param sides number of agents that make these calls each */
  async #nextLooks(
    sessions: readonly PlannedSession[],
    ledger: PlacedLedger,
    sides: number,
  ): Promise<readonly PlannedSession[]> {
    const byId = new Map(sessions.map((session) => [session.pin.session.id, session]));
    const looks = await ledger.ask('nextLooks', [...byId.keys()]);
    const round = looks.flatMap(({ session: id, turns, from, to }) => {
      const session = byId.get(id);
      return session === undefined ? [] : { ...session, turns, runs: runNumbers(to).slice(from - 1) };
    });
    const calls = sides * round.reduce((sum, { turns, runs }) => sum + turns.length * runs.length, 0);
    const again = new Set(looks.map(({ session }) => session)).size;
    if (calls > 0)
      this.tell({ kind: 'look', sessions: again, calls, why: [...new Set(looks.flatMap(({ why = [] }) => why))] });
    return round;
  }

  async #takeOne(result: ReplayResult, ledger: PlacedLedger): Promise<void> {
    const isOver = await ledger.take(result);
    this.tell({ kind: 'replayed', result });
    if (isOver) this.tell({ kind: 'session-done', session: this.redaction.line(result.session) });
  }

  /** Judges what is left as it is, and asks the user's judge, unless the run was cancelled. Takes no further replays. */
  async judge(ledger: PlacedLedger, signal: AbortSignal | undefined): Promise<void> {
    await ledger.close(endReason(signal));
    if (!signal?.aborted) await this.#askJudge(ledger);
  }

  /** After {@link judge}. */
  report(ledger: PlacedLedger, { about, startedMs, signal }: Concluding): Promise<Report> {
    const reason = endReason(signal);
    const interruption = interruptionOf(signal);
    return ledger.conclude({
      about,
      durationMs: Math.round(performance.now() - startedMs),
      ...(interruption && { interruptedBy: interruption.by }),
      ...(reason && { reason }),
    });
  }

  /** Sessions with an answer are compared again. */
  async #askJudge(ledger: PlacedLedger): Promise<void> {
    // None if the ledger was given up.
    const questions = this.#judge === undefined ? [] : await ledger.ask('questions').catch(() => []);
    if (this.#judge === undefined || questions.length === 0) return;
    this.tell({ kind: 'judging', questions: questions.length });
    await ledger.judge(await this.#judge.ask(questions));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.[Symbol.asyncDispose]();
  }
}
