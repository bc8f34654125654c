import type { Config } from '../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import { type JobEvent, runJob } from '../job/index.ts';
import type { Pin } from '../session/index.ts';
import type { RunResult, RunUnderWay } from './api-shapes.ts';
import { type Results, runResult } from './results.ts';

/** Finished runs that are remembered for a page that follows them. Their results are kept elsewhere. */
const MAX_ENDED = 20;

/** A replay, for any number of pages to ask about. */
export class Run {
  readonly id: string;
  readonly session: string;
  readonly #controller = new AbortController();
  readonly #startedAt = Date.now();
  readonly #answered = new Set<string>();
  readonly #came = new Set<string>();
  readonly #notes: string[] = [];
  #total = 0;
  #state = 'Starting';
  #end: RunResult | AgentReplayError | undefined;

  /** @param isWaiting for another run of its agent */
  constructor(id: string, session: string, isWaiting: boolean) {
    this.id = id;
    this.session = session;
    if (isWaiting) this.#state = WAITING;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  get progress(): RunUnderWay {
    const { id, session } = this;
    return {
      id,
      session,
      isWaiting: this.#state === WAITING,
      came: this.#came.size,
      total: this.#total,
      said: this.#said,
      ms: Date.now() - this.#startedAt,
      notes: this.#notes,
    };
  }

  /** Its progress, and its result once it is over. @throws AgentReplayError why there is none */
  get now(): RunUnderWay {
    if (this.#end instanceof AgentReplayError) throw this.#end;
    return { ...this.progress, ...(this.#end && { result: this.#end }) };
  }

  get #said(): string {
    if (this.#answered.size === 0) return this.#state;
    const waiting = this.#answered.size - this.#came.size;
    const beside = waiting > 0 ? `, ${waiting} more wait for their traces` : '';
    return `${this.#came.size} of ${this.#total} replays finished${beside}`;
  }

  cancel(): void {
    this.#controller.abort();
  }

  take(event: JobEvent): void {
    switch (event.kind) {
      case 'planned':
        this.#total = event.plan.calls;
        return;
      case 'look':
        this.#total += event.calls;
        return;
      case 'agent':
        this.#state = STATES[event.state];
        return;
      case 'agent-awaited':
        this.#state = `The agent is not ready yet: ${event.missing}`;
        return;
      case 'answered':
        this.#answered.add(`${event.call.turn} ${event.call.run}`);
        return;
      case 'replayed':
        for (const seen of [this.#answered, this.#came]) seen.add(`${event.result.turn} ${event.result.run}`);
        return;
      case 'not-written':
      case 'not-forwarded':
        this.#notes.push(`${event.error.message} (${event.error.code})`);
    }
  }

  finish(end: RunResult | AgentReplayError): void {
    this.#end = end;
  }
}

const WAITING = 'Another run of this agent is under way';
const STATES = {
  starting: 'Waiting until the agent answers',
  ready: 'The agent is ready',
  stopping: 'Stopping the agent',
} as const;

/** The runs of this page. Runs of one agent wait for each other, because it has one port and one state. */
export class Runs {
  readonly #results: Results;
  readonly #runs = new Map<string, Run>();
  /** Settles when the agent is free again. */
  readonly #queues = new Map<string, Promise<void>>();

  constructor(results: Results) {
    this.#results = results;
  }

  /** @throws AgentReplayError `USAGE` if it is not known any more */
  get(id: string): Run {
    const run = this.#runs.get(id);
    if (run !== undefined) return run;
    throw new AgentReplayError('USAGE', 'This run is over.', { hint: 'See the past results.' });
  }

  /** All running ones, in the order in which they were started. */
  allUnderWay(): RunUnderWay[] {
    return [...this.#runs.values()].filter(({ isOver }) => !isOver).map(({ progress }) => progress);
  }

  /** @param config of the session's agent alone */
  start(pin: Pin, config: Config): Run {
    const agent = config.agent?.id ?? '';
    const before = this.#queues.get(agent);
    const run = new Run(this.#results.newId(), pin.session.id, before !== undefined);
    this.#runs.set(run.id, run);
    for (const [id] of [...this.#runs].filter(([, { isOver }]) => isOver).slice(0, -MAX_ENDED)) this.#runs.delete(id);
    const over = (before ?? Promise.resolve()).then(() => this.#replay(run, pin, config));
    this.#queues.set(agent, over);
    void over.then(() => this.#queues.get(agent) === over && this.#queues.delete(agent));
    return run;
  }

  /** Cancels everything; resolves when nothing is left running. */
  async end(): Promise<void> {
    for (const run of this.#runs.values()) run.cancel();
    await Promise.all(this.#queues.values());
  }

  async #replay(run: Run, pin: Pin, config: Config): Promise<void> {
    const { session } = run;
    try {
      const report = await runJob(
        { ...config, base: undefined },
        {
          patterns: [pin.path],
          signal: run.signal,
          outputDir: this.#results.folder(session, run.id),
          command: 'agent-replay ui',
          on: (event) => run.take(event),
        },
      );
      await this.#results
        .keep(session, run.id, report)
        .catch((error) => run.take({ kind: 'not-written', error: asAgentReplayError(error) }));
      run.finish(runResult(run.id, session, report, config.root));
    } catch (error) {
      run.finish(asAgentReplayError(error));
    }
  }
}
