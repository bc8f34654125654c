import type { Config } from '../../config/index.ts';
import type { ReplayedSession } from '../judging/replayed-session.ts';
import { checkCost } from '../records/cost.ts';
import { Conductor } from './conductor.ts';
import type { JobEvent } from './job-events.ts';
import type { LiveAgent } from './live-agent.ts';
import { type Plan, type PlannedAgent, planJob } from './plan.ts';
import { replaySession, type Wanted } from './replay-session.ts';
import { Started } from './started.ts';
import { checkReachable } from './tracing.ts';

interface ReplayWhen {
  readonly signal?: AbortSignal;
  /** Writes behaviours to the output folder. */
  readonly keep?: boolean;
  /** Makes the replayed behaviour the new original and writes the pin, under the rules of `agent-replay accept`. */
  readonly accepting?: boolean | Promise<boolean>;
}

interface ReplayerOptions {
  /** Gives up: replays fail with its reason, and the agents get less time to end. */
  readonly signal?: AbortSignal;
  /** Takes each line of the agents' output that is to be shown, and failures beside a replay; redacted. */
  readonly onOutput?: (line: string) => void;
  readonly outputDir?: string;
}

/**
 * Starts the agents of all pinned sessions, each with its receiver, and waits until they are ready.
 * @throws AgentReplayError `NO_SESSIONS`, and why an agent did not become ready; nothing is left running then
 */
export async function startReplayer(config: Config, options: ReplayerOptions = {}): Promise<Replayer> {
  await using starting = new Started();
  const replayer = starting.use(new Replayer(config, options));
  await replayer.reload();
  starting.move();
  return replayer;
}

/** Replays sessions on demand, with agents that keep running. Disposing of it ends them. */
class Replayer implements AsyncDisposable {
  readonly #config: Config;
  readonly #options: ReplayerOptions;
  readonly #live = new Map<string | undefined, LiveAgent>();
  /** One conductor for all sessions: they share its limits and the calls of its judge. */
  readonly #conductor: Conductor;
  #plan: Plan | undefined;
  #reloaded: Promise<void> = Promise.resolve();

  constructor(config: Config, options: ReplayerOptions) {
    this.#config = config;
    this.#options = options;
    this.#conductor = new Conductor(config, {
      sessions: () => this.#plan?.sessions ?? [],
      signal: options.signal,
      on: (event) => this.#take(event),
    });
  }

  get agents() {
    return [...this.#live].map(([id, { url, headers, traces }]) => ({
      id,
      url,
      headers,
      receiver: traces?.receiver?.url,
    }));
  }

  /**
   * Reads the pins again, ends the agents with these ids, and starts every agent that is needed and not running, also
   * crashed ones. Nothing may be replayed meanwhile. Calls wait for each other: two must not start the same agent.
   * @throws AgentReplayError `NO_SESSIONS`, and why an agent did not become ready
   */
  reload(options: { restart?: ReadonlySet<string | undefined> } = {}): Promise<void> {
    const reloaded = this.#reloaded.then(() => this.#reload(options));
    this.#reloaded = reloaded.catch(() => {});
    return reloaded;
  }

  async #reload({ restart }: { restart?: ReadonlySet<string | undefined> }): Promise<void> {
    const plan = await planJob(this.#config);
    // Other problems of pins concern only those who replay them.
    const nothing = plan.problems.find(({ code }) => code === 'NO_SESSIONS');
    if (nothing !== undefined) throw nothing;
    checkCost(this.#config, plan.cost);
    for (const { options } of plan.agents) checkReachable(this.#config, options);
    if (this.#plan === undefined) for (const note of plan.notes) this.#tell(`note: ${note}`);
    this.#plan = plan;
    const outdated = [...this.#live].filter(([id, agent]) => restart?.has(id) || agent.crashed.aborted);
    for (const [id, agent] of outdated) {
      this.#live.delete(id);
      await agent[Symbol.asyncDispose]();
    }
    for (const agent of plan.agents) if (!this.#live.has(agent.id)) this.#live.set(agent.id, await this.#start(agent));
  }

  /**
   * Several may run at once. Together they keep to `workers`, `maxCalls` and `maxCost`.
   * @throws AgentReplayError `USAGE`, `NO_SESSIONS`; later failures are in the report
   */
  async replay(wanted: Wanted, { signal, keep = false, accepting = false }: ReplayWhen = {}): Promise<ReplayedSession> {
    const { outputDir } = this.#options;
    const replayed = await replaySession(wanted, {
      plan: this.#plan as Plan,
      live: this.#live,
      conductor: this.#conductor,
      signal: signal ?? this.#options.signal,
      accepting,
      tracesIn: keep ? outputDir : undefined,
    });
    // Later replays are compared with what was accepted.
    if (replayed.acceptance?.accepted.length) this.#plan = await planJob(this.#config);
    return replayed;
  }

  /** Resolves once everything that has been asked for before is being worked on, and a worker is free. */
  free(): Promise<void> {
    return this.#conductor.limits.work(async () => {});
  }

  /** In reverse order. A failure to end one does not keep the others running. */
  async [Symbol.asyncDispose](): Promise<void> {
    const started = new Started();
    started.use(this.#conductor);
    for (const agent of this.#live.values()) started.use(agent);
    this.#live.clear();
    await started[Symbol.asyncDispose]();
  }

  #start(agent: PlannedAgent): Promise<LiveAgent> {
    return this.#conductor.start(agent, {
      signal: this.#options.signal,
      onCrash: (crash) => this.#tell([crash.message, ...crash.evidence].join('\n')),
    });
  }

  #take(event: JobEvent): void {
    if (event.kind === 'agent-output') this.#tell(event.line);
    if (event.kind === 'reads-delayed') this.#tell(event.note);
    if (event.kind === 'not-written') this.#tell(event.error.message);
  }

  #tell(text: string): void {
    this.#options.onOutput?.(this.#conductor.redaction.text(text));
  }
}
