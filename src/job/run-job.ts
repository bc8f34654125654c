import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentCrashed, type ProcessExit, type RunningAgent, startAgent } from '../agent/index.ts';
import type { Config } from '../config/index.ts';
import { type JsonObject, wireNames } from '../contract/index.ts';
import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import { type Journal, openJournal, type ReplayResult, type ReplaySession, replaySessions } from '../replay/index.ts';
import { type Report, redactReport, secretsRedactor } from '../report/index.ts';
import { redactRecording } from '../session/index.ts';
import { VERSION } from '../version.ts';
import { removeBehaviours, writeBehaviours } from './behaviours.ts';
import { Ledger } from './ledger.ts';
import { type Plan, type PlannedAgent, type PlannedSession, planJob, plannedSessions, type Selection } from './plan.ts';
import { secretsOf } from './secrets.ts';
import type { Behaviour } from './session-progress.ts';
import { checkReachable, openReceiver } from './tracing.ts';

/** What happens, for those who watch. Lines of the agent's output are redacted and safe to print. */
export type JobEvent =
  | { readonly kind: 'planned'; readonly plan: Plan }
  /** `starting` until it is ready, `ready`, and `stopping` once its replays are over. */
  | { readonly kind: 'agent'; readonly agent: PlannedAgent; readonly state: 'starting' | 'ready' | 'stopping' }
  | { readonly kind: 'agent-output'; readonly line: string }
  | { readonly kind: 'replayed'; readonly result: ReplayResult }
  | { readonly kind: 'session-done'; readonly session: string }
  /** An output that could not be written (`OUTPUT_NOT_WRITABLE`); what is found out does not depend on it. */
  | { readonly kind: 'not-written'; readonly error: AgentReplayError };

export interface JobOptions extends Selection {
  /** Ends the run early, with a report of what had finished; its reason should be an `Interruption`. */
  readonly signal?: AbortSignal | undefined;
  readonly on?: ((event: JobEvent) => void) | undefined;
  /** Folder of the journal and of the distinct behaviours; without it nothing is written. */
  readonly outputDir?: string | undefined;
  /** The command line, and the configuration named on it, for the report. */
  readonly command?: string | undefined;
  readonly configFile?: string | undefined;
}

/** An agent that is stopped because the whole run is given up has less time for it: CI gives 7.5 s for everything. */
const CANCELLED_GRACE_MS = 2_000;
/** Lines of each agent's log that a report keeps. */
const KEPT_LOG_LINES = 200;
/** Last words of a crashed agent may still be on their way; a child of it can hold the pipe open for ever. */
const LAST_WORDS_MS = 200;

/**
 * Replays pinned sessions against the agent and compares: the whole job. What fails on the way is in the report, and
 * whatever was started is ended again, however it goes.
 * @throws AgentReplayError `CONFIG_INVALID`, `RECEIVER_UNREACHABLE`: nothing has been started or sent
 */
export async function runJob(config: Config, options: JobOptions = {}): Promise<Report> {
  const plan = await planJob(config, options);
  for (const agent of plan.agents) checkReachable(config, agent.options);
  options.on?.({ kind: 'planned', plan });

  const job = new Job(config, plan, options);
  await job.replay();
  return job.report();
}

class Job {
  readonly #config: Config;
  readonly #plan: Plan;
  readonly #options: JobOptions;
  readonly #ledger: Ledger;
  /** Those that come up on the way are added. */
  readonly #secrets: string[];

  constructor(config: Config, plan: Plan, options: JobOptions) {
    this.#config = config;
    this.#plan = plan;
    this.#options = options;
    this.#ledger = new Ledger(config, plan);
    this.#secrets = secretsOf(config, process.env);
  }

  /** All sessions of all agents, one agent after another. Never rejects: failures are in the report. */
  async replay(): Promise<void> {
    const { signal } = this.#options;
    await using journal = await this.#openJournal();
    for (const agent of this.#plan.agents) {
      try {
        await this.#replayAgent(agent, journal);
      } catch (error) {
        // That it was cancelled is said anyway.
        if (!signal?.aborted) this.#ledger.fail(asAgentReplayError(error), agent.sessions);
      }
    }
    await this.#keep(this.#ledger.close(signal));
    if (!signal?.aborted) await journal?.end();
  }

  report(): Report {
    return redactReport(this.#ledger.report(this.#options), secretsRedactor(this.#secrets));
  }

  /** Starts one agent, replays its sessions, and ends it. */
  async #replayAgent(planned: PlannedAgent, journal: Journal | undefined): Promise<void> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    await using receiver = await openReceiver(this.#config, process.env);
    if (receiver !== undefined) this.#secrets.push(receiver.secretKey);
    const redact = secretsRedactor(this.#secrets);

    this.#tell({ kind: 'agent', agent: planned, state: 'starting' });
    const agent = await startAgent(planned.options, {
      env: { ...receiver?.environment(), ...identityOf(planned, this.#config) },
      log: (line) => this.#tell({ kind: 'agent-output', line: redact(line) }),
      signal,
    });
    await using _ = endedInTime(agent, signal);
    checkReachable(this.#config, planned.options, agent);
    this.#tell({ kind: 'agent', agent: planned, state: 'ready' });

    await using crash = watchForCrash(agent, (error) => this.#ledger.fail(error, []));
    const replays = replaySessions(planned.sessions.map(replaySession), {
      target: agent.url,
      source: receiver ?? null,
      settings: this.#config,
      identifiers: this.#config.identifiers,
      signal,
      crashed: crash.signal,
    });
    try {
      for await (const result of replays) await this.#take(result, journal);
    } finally {
      this.#tell({ kind: 'agent', agent: planned, state: 'stopping' });
      this.#ledger.log(agent.output.tail(KEPT_LOG_LINES));
    }
  }

  async #take(result: ReplayResult, journal: Journal | undefined): Promise<void> {
    await journal?.write(result);
    const behaviours = this.#ledger.take(result);
    this.#tell({ kind: 'replayed', result });
    if (behaviours === undefined) return;
    await this.#keep(behaviours);
    this.#tell({ kind: 'session-done', session: result.session });
  }

  async #openJournal(): Promise<Journal | undefined> {
    const { outputDir } = this.#options;
    if (outputDir === undefined) return undefined;
    await removeBehaviours(path.join(outputDir, 'traces')).catch(() => {});
    const sessions = plannedSessions(this.#plan);
    const redaction = new Map(sessions.map(({ pin }) => [pin.session.id, pin.session.redacted]));
    return openJournal(
      path.join(outputDir, 'journal.ndjson'),
      {
        tool: VERSION,
        startedAt: new Date().toISOString(),
        rules: this.#config.compare as unknown as JsonObject,
        runs: this.#config.runs,
        sessions: sessions.map(({ pin, turns }) => ({ id: pin.session.id, turns: [...turns] })),
      },
      {
        onError: (error) => this.#tell({ kind: 'not-written', error }),
        redactRecording: (recording, { session }) => {
          const personal = redaction.get(session);
          return personal === undefined ? recording : redactRecording(recording, personal);
        },
        redactText: (text) => secretsRedactor(this.#secrets)(text),
      },
    );
  }

  async #keep(behaviours: readonly Behaviour[]): Promise<void> {
    const { outputDir } = this.#options;
    if (outputDir === undefined) return;
    const redact = secretsRedactor(this.#secrets);
    await writeBehaviours(behaviours, { dir: path.join(outputDir, 'traces'), redact }).catch((error) =>
      this.#tell({ kind: 'not-written', error }),
    );
  }

  #tell(event: JobEvent): void {
    this.#options.on?.(event);
  }
}

/** Ends the agent when it is disposed of; with less grace once the run is cancelled, also when it is ending already. */
function endedInTime(agent: RunningAgent, signal: AbortSignal | undefined): AsyncDisposable {
  const hasten = () => void agent.stop({ graceMs: CANCELLED_GRACE_MS });
  signal?.addEventListener('abort', hasten, { once: true });
  return {
    [Symbol.asyncDispose]: async () => {
      await agent.stop(signal?.aborted ? { graceMs: CANCELLED_GRACE_MS } : {});
      signal?.removeEventListener('abort', hasten);
    },
  };
}

/**
 * Its signal is aborted when the agent ends by itself.
 * @param tell takes the story of it, once; each replay that it cost only says that it happened
 */
function watchForCrash(
  agent: RunningAgent,
  tell: (crash: AgentReplayError) => void,
): AsyncDisposable & { signal: AbortSignal } {
  const controller = new AbortController();
  let isOver = false;
  let telling: Promise<void> | undefined;
  const tellStory = async (exit: ProcessExit) => {
    await Promise.race([agent.output.ended, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    const crash = agentCrashed(exit, agent.output);
    tell(crash);
    const hint = 'See the problems of the whole run for its last lines.';
    controller.abort(new AgentReplayError(crash.code, crash.message, { hint }));
  };
  void agent.exited.then((exit) => {
    // Later we end it ourselves.
    if (!isOver) telling = tellStory(exit);
  });
  return {
    signal: controller.signal,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await telling;
    },
  };
}

function replaySession({ pin, turns }: PlannedSession): ReplaySession {
  return {
    id: pin.session.id,
    turns: turns.flatMap((turn) => {
      const { request, recorded } = pin.session.turns[turn - 1] ?? {};
      return request === undefined ? [] : { turn, request, traceId: recorded?.traceId };
    }),
  };
}

function identityOf({ id }: PlannedAgent, { identifiers }: Config): Record<string, string> {
  return id === undefined ? {} : { [wireNames(identifiers).env.agentId]: id };
}
