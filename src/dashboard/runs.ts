import { comparePair } from '../compare/index.ts';
import type { Config } from '../config/index.ts';
import type { Recording } from '../contract/index.ts';
import { type AgentReplayError, asAgentReplayError } from '../errors.ts';
import { type Finding, findingOf, Interruption, type JobEvent, runJob, secretsOf } from '../job/index.ts';
import { duration, problemView, secretsRedactor, shownText, toProblem } from '../report/index.ts';
import type { PinnedTurn } from '../session/index.ts';
import { type Results, runResult } from './results.ts';
import { type KnownSession, stepsOf } from './sessions.ts';
import type { LiveReplay, RunEvent } from './shapes.ts';

/** Runs that are remembered after their end, for a page that comes back: their results are kept elsewhere. */
const MAX_ENDED = 20;
/** Lines of the agent's output that are passed on; what it says beyond is in its own log. */
const MAX_LOG_LINES = 500;

/** One session that is being replayed, or was. All that happened can be followed from the start, by any number of pages. */
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

  cancel(): void {
    this.#controller.abort(new Interruption('SIGINT'));
  }

  tell(event: RunEvent): void {
    this.#events.push(event);
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** All that happened and happens, until it is over. */
  async *events(): AsyncGenerator<RunEvent> {
    for (let next = 0; ; ) {
      const { promise } = this.#news;
      for (; next < this.#events.length; next++) yield this.#events[next] as RunEvent;
      if (this.isOver) return;
      await promise;
    }
  }
}

/** The runs of this page. Those of one agent go one after another: it has one port, and one state. */
export class Runs {
  readonly #results: Results;
  readonly #runs = new Map<string, Run>();
  /** Settles when the agent is free again. */
  readonly #queues = new Map<string, Promise<void>>();

  constructor(results: Results) {
    this.#results = results;
  }

  get(id: string): Run | undefined {
    return this.#runs.get(id);
  }

  /** The run of a session that is under way. */
  underWay(session: string): Run | undefined {
    return [...this.#runs.values()].find((run) => run.session === session && !run.isOver);
  }

  /** @param config of the session's agent alone */
  start(known: KnownSession, config: Config): Run {
    const run = new Run(this.#results.newId(), known.file.session.id);
    this.#runs.set(run.id, run);
    for (const [id] of [...this.#runs].filter(([, { isOver }]) => isOver).slice(0, -MAX_ENDED)) this.#runs.delete(id);
    const agent = config.agent?.id ?? '';
    const before = this.#queues.get(agent);
    if (before !== undefined) run.tell({ kind: 'waiting', message: 'Another run of this agent is under way.' });
    const over = (before ?? Promise.resolve()).then(() => this.#replay(run, known, config));
    this.#queues.set(agent, over);
    void over.then(() => this.#queues.get(agent) === over && this.#queues.delete(agent));
    return run;
  }

  /** Cancels all that is under way; resolves when nothing is left of it. */
  async end(): Promise<void> {
    for (const run of this.#runs.values()) run.cancel();
    await Promise.all(this.#queues.values());
  }

  async #replay(run: Run, known: KnownSession, config: Config): Promise<void> {
    const { session } = run;
    try {
      const watch = new Watch(run, known, config);
      const report = await runJob(config, {
        patterns: [known.file.path],
        signal: run.signal,
        outputDir: this.#results.folder(session, run.id),
        command: 'agent-replay ui',
        on: (event) => watch.take(event),
      });
      await this.#results.keep(session, run.id, report).catch((error) => watch.warn(asAgentReplayError(error)));
      run.tell({ kind: 'done', result: runResult(run.id, session, report) });
    } catch (error) {
      run.tell({ kind: 'failed', problem: problemView(toProblem(asAgentReplayError(error))) });
    }
  }
}

/** Tells the page what happens in a job, in its own words, redacted. */
class Watch {
  readonly #run: Run;
  readonly #known: KnownSession;
  readonly #config: Config;
  readonly #redact: (text: string) => string;
  #logLines = 0;

  constructor(run: Run, known: KnownSession, config: Config) {
    this.#run = run;
    this.#known = known;
    this.#config = config;
    this.#redact = secretsRedactor(secretsOf(config, process.env));
  }

  take(event: JobEvent): void {
    for (const told of this.#told(event)) this.#run.tell(told);
  }

  warn(error: AgentReplayError): void {
    for (const told of this.#log(`${error.code}: ${error.message}`)) this.#run.tell(told);
  }

  #told(event: JobEvent): RunEvent[] {
    switch (event.kind) {
      case 'planned': {
        const { agents, mutatingCalls } = event.plan;
        const notes = [...mutatingCalls].map(([tool, count]) => mutatingNote(tool, count));
        const turns = agents.flatMap(({ sessions }) => sessions).flatMap((each) => each.turns);
        return [{ kind: 'started', runs: this.#config.runs, turns, notes }];
      }
      case 'agent':
        return [{ kind: 'agent', state: event.state }];
      case 'agent-output':
        return this.#log(event.line);
      case 'answered':
        return [{ kind: 'answered', turn: event.call.turn, run: event.call.run }];
      case 'replayed':
        return [{ kind: 'replayed', ...this.#live(findingOf(event.result, this.#known.file, this.#redact)) }];
      case 'not-forwarded':
      case 'not-written':
        return this.#log(`${event.error.code}: ${event.error.message}`);
      case 'skipped':
      case 'session-done':
        return [];
    }
  }

  #log(line: string): RunEvent[] {
    return this.#logLines++ < MAX_LOG_LINES ? [{ kind: 'log', line: this.#text(line) }] : [];
  }

  #live({ turn, run, outcome, callMs, traceMs }: Finding): LiveReplay {
    const facts = [
      ...(callMs === undefined ? [] : [{ name: 'call', text: duration(callMs) }]),
      ...(traceMs === undefined ? [] : [{ name: 'trace', text: `${duration(traceMs)} later` }]),
    ];
    const place = { turn, run, facts };
    if (outcome.kind === 'inconclusive') {
      const message = this.#text(`${outcome.error.code}: ${outcome.error.message}`);
      return { ...place, outcome: 'could not tell', message, steps: [], more: 0 };
    }
    const { recording } = outcome;
    const { steps, more } = stepsOf(recording);
    const divergence = this.#divergenceOf(recording, turn);
    return {
      ...place,
      outcome: divergence === undefined ? 'as recorded' : 'differs',
      message: this.#text(divergence ?? ''),
      steps,
      more,
    };
  }

  /** How one replay by itself differs from the recording; undefined when it does not. */
  #divergenceOf(replayed: Recording, turn: number): string | undefined {
    const { recorded, baselines = [], request } = this.#known.file.session.turns[turn - 1] as PinnedTurn;
    const { compare, tracing } = this.#config;
    // Without traces both sides are their output.
    const shown = (one: Recording): Recording =>
      tracing.source === 'none' ? { output: one.output, observations: [] } : one;
    const { comparison } = comparePair([shown(recorded), ...baselines.map(shown)], replayed, compare, {
      turn,
      request,
    });
    return comparison.verdict === 'reproduced' ? undefined : (comparison.divergence?.sentence ?? comparison.note ?? '');
  }

  #text(text: string): string {
    return shownText(this.#redact(text));
  }
}

function mutatingNote(tool: string, count: number): string {
  return shownText(
    `The recording holds ${count} ${count === 1 ? 'call' : 'calls'} of ${tool}, which is declared mutating: replays call it for real, unless the agent sandboxes it.`,
  );
}
