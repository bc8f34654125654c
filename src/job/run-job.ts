import path from 'node:path';
import type { Config } from '../config/index.ts';
import type { JsonObject } from '../contract/index.ts';
import { type AgentReplayError, asAgentReplayError } from '../errors.ts';
import { type Journal, openJournal, type ReplayCall, type ReplayResult } from '../replay/index.ts';
import { type Report, redactReport, secretsRedactor } from '../report/index.ts';
import { redactRecording } from '../session/index.ts';
import { VERSION } from '../version.ts';
import { removeBehaviours, writeBehaviours } from './behaviours.ts';
import { Ledger } from './ledger.ts';
import { startLiveAgent } from './live-agent.ts';
import { type Plan, type PlannedAgent, planJob, plannedSessions, type Selection } from './plan.ts';
import { type Revision, revisionOf } from './revision.ts';
import { secretsOf } from './secrets.ts';
import type { Behaviour } from './session-progress.ts';
import { checkReachable } from './tracing.ts';

/** What happens, for those who watch. Lines of the agent's output are redacted and safe to print. */
export type JobEvent =
  | { readonly kind: 'planned'; readonly plan: Plan }
  /** `starting` until it is ready, `ready`, and `stopping` once its replays are over. */
  | { readonly kind: 'agent'; readonly agent: PlannedAgent; readonly state: 'starting' | 'ready' | 'stopping' }
  | { readonly kind: 'agent-output'; readonly line: string }
  | { readonly kind: 'replayed'; readonly result: ReplayResult }
  | { readonly kind: 'session-done'; readonly session: string }
  /** A planned call that is not made, as its session was stopped early. */
  | { readonly kind: 'skipped'; readonly call: ReplayCall }
  /** An output that could not be written (`OUTPUT_NOT_WRITABLE`); what is found out does not depend on it. */
  | { readonly kind: 'not-written'; readonly error: AgentReplayError };

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
 * @throws AgentReplayError `CONFIG_INVALID`, `RECEIVER_UNREACHABLE`, `PLATFORM_NOT_CONFIGURED`: nothing has been
 *   started or sent
 */
export async function runJob(config: Config, options: JobOptions = {}): Promise<Report> {
  const plan = await planJob(config, options);
  for (const agent of plan.agents) checkReachable(config, agent.options);
  options.on?.({ kind: 'planned', plan });

  const job = new Job(config, plan, options);
  const [revision] = await Promise.all([revisionOf(config.root, process.env), job.replay()]);
  return job.report(revision);
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
    this.#secrets = secretsOf(config, process.env, options.secrets);
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

  report(revision: Revision): Report {
    return redactReport(this.#ledger.report({ ...this.#options, revision }), secretsRedactor(this.#secrets));
  }

  /** Starts one agent, replays its sessions, and ends it. */
  async #replayAgent(planned: PlannedAgent, journal: Journal | undefined): Promise<void> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    let redact = secretsRedactor(this.#secrets);
    this.#tell({ kind: 'agent', agent: planned, state: 'starting' });
    await using agent = await startLiveAgent(planned, this.#config, {
      signal,
      onSecret: (secret) => {
        this.#secrets.push(secret);
        redact = secretsRedactor(this.#secrets);
      },
      onOutput: (line) => this.#tell({ kind: 'agent-output', line: redact(line) }),
      onCrash: (crash) => this.#ledger.fail(crash, []),
    });
    this.#tell({ kind: 'agent', agent: planned, state: 'ready' });
    try {
      const replays = agent.replay(planned.sessions, {
        byRound: this.#config.stopEarly !== undefined,
        skip: (call) => this.#isNeedless(call),
      });
      for await (const result of replays) await this.#take(result, journal);
    } finally {
      this.#tell({ kind: 'agent', agent: planned, state: 'stopping' });
      this.#ledger.log(agent.log());
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

  #isNeedless(call: ReplayCall): boolean {
    const isNeedless = this.#ledger.isOver(call.session);
    if (isNeedless) this.#tell({ kind: 'skipped', call });
    return isNeedless;
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
