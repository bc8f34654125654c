import type { Config } from '../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../errors.ts';
import { runJob } from '../job/index.ts';
import { toProblem } from '../report/index.ts';
import type { Pin } from '../session/index.ts';
import type { RunEvent, RunUnderWay } from './api-shapes.ts';
import { type Results, runResult } from './results.ts';
import { Watch } from './watch.ts';

/** Finished runs that are remembered for a page that reconnects. Their results are kept elsewhere. */
const MAX_ENDED = 20;

/** Any number of pages can follow all events of a replay from the start. */
export class Run {
  readonly id: string;
  readonly session: string;
  readonly #events: RunEvent[] = [];
  readonly #controller = new AbortController();
  #news = Promise.withResolvers<void>();

  constructor(id: string, session: string) {
    this.id = id;
    this.session = session;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    const last = this.#events.at(-1)?.kind;
    return last === 'done' || last === 'failed';
  }

  get progress(): RunUnderWay {
    const { id, session } = this;
    const started = this.#events.find((event) => event.kind === 'started');
    const came = new Set(
      this.#events.flatMap((each) => (each.kind === 'replayed' ? [`${each.turn} ${each.run}`] : [])),
    );
    const total = (started?.turns.length ?? 0) * (started?.runs ?? 0);
    return { id, session, isWaiting: this.#events.at(-1)?.kind === 'waiting', came: came.size, total };
  }

  cancel(): void {
    this.#controller.abort();
  }

  tell(event: RunEvent): void {
    this.#events.push(event);
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** All past and future events, until it is over. */
  async *events(): AsyncGenerator<RunEvent> {
    for (let next = 0; ; ) {
      const { promise } = this.#news;
      for (; next < this.#events.length; next++) yield this.#events[next] as RunEvent;
      if (this.isOver) return;
      await promise;
    }
  }
}

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

  underWay(session: string): Run | undefined {
    return [...this.#runs.values()].find((run) => run.session === session && !run.isOver);
  }

  /** @param config of the session's agent alone */
  start(pin: Pin, config: Config): Run {
    const run = new Run(this.#results.newId(), pin.session.id);
    this.#runs.set(run.id, run);
    for (const [id] of [...this.#runs].filter(([, { isOver }]) => isOver).slice(0, -MAX_ENDED)) this.#runs.delete(id);
    const agent = config.agent?.id ?? '';
    const before = this.#queues.get(agent);
    if (before !== undefined) run.tell({ kind: 'waiting', message: 'Another run of this agent is under way.' });
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
      const watch = new Watch(config, (event) => run.tell(event));
      const report = await runJob(
        { ...config, base: undefined },
        {
          patterns: [pin.path],
          signal: run.signal,
          outputDir: this.#results.folder(session, run.id),
          command: 'agent-replay ui',
          isFollowed: true,
          on: (event) => watch.take(event),
        },
      );
      await this.#results
        .keep(session, run.id, report)
        .catch((error) => watch.take({ kind: 'not-written', error: asAgentReplayError(error) }));
      run.tell({ kind: 'done', result: runResult(run.id, session, report, config.root) });
    } catch (error) {
      run.tell({ kind: 'failed', problem: toProblem(asAgentReplayError(error)) });
    }
  }
}
