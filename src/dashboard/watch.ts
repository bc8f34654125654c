import { RecordedTurn, type TurnComparison, whereAndWhat } from '../compare/index.ts';
import { type Config, redactionOf } from '../config/index.ts';
import { counted, duration } from '../counted.ts';
import type { AgentReplayError } from '../errors.ts';
import { findingOf, type JobEvent } from '../job/index.ts';
import { laidSteps } from '../report/index.ts';
import type { PinnedTurn } from '../session/index.ts';
import type { Recording } from '../trace/index.ts';
import { pageText } from './page-text.ts';
import type { KnownSession } from './sessions.ts';
import type { LiveReplay, RunEvent } from './shapes.ts';

type FindingOnPage = ReturnType<typeof findingOf>;

/** Lines of the agent's output that are passed on; what it says beyond is in its own log. */
const MAX_LOG_LINES = 500;

/** Tells the page what happens in a job, in its own words, redacted. */
export class Watch {
  readonly #tell: (event: RunEvent) => void;
  readonly #known: KnownSession;
  readonly #config: Config;
  readonly #redact: (text: string) => string;
  #logLines = 0;
  #awaited = '';

  constructor(known: KnownSession, config: Config, tell: (event: RunEvent) => void) {
    this.#tell = tell;
    this.#known = known;
    this.#config = config;
    this.#redact = redactionOf(config).text;
  }

  take(event: JobEvent): void {
    for (const told of this.#told(event)) this.#tell(told);
  }

  warn(error: AgentReplayError): void {
    for (const told of this.#log(`${error.code}: ${error.message}`)) this.#tell(told);
  }

  #told(event: JobEvent): RunEvent[] {
    switch (event.kind) {
      case 'planned': {
        const { sessions, mutatingCalls } = event.plan;
        const notes = [...mutatingCalls].map(([tool, count]) => mutatingNote(tool, count));
        const turns = sessions.flatMap((each) => each.turns);
        return [{ kind: 'started', runs: this.#config.runs, turns, notes }];
      }
      case 'agent':
        return [{ kind: 'agent', state: event.state }];
      case 'agent-awaited':
        return this.#isNews(event.missing) ? [{ kind: 'awaited', missing: event.missing.map(pageText) }] : [];
      case 'agent-output':
        return this.#log(event.line);
      case 'base':
        return this.#log(event.note);
      case 'judging':
        return this.#log(`asking compare.judge about ${event.questions} answers in other words`);
      case 'answered':
        return [{ kind: 'answered', turn: event.call.turn, run: event.call.run }];
      case 'replayed':
      case 'revised':
        return [
          { kind: 'replayed', ...this.#live(findingOf(event.result, this.#known.file, this.#redact, this.#config)) },
        ];
      case 'reads-delayed':
        return this.#log(event.note);
      case 'not-forwarded':
      case 'not-written':
        return this.#log(`${event.error.code}: ${event.error.message}`);
      case 'looking-again':
        return this.#log(`looking again, with ${event.calls} more calls`);
      case 'skipped':
      case 'session-done':
        return [];
    }
  }

  #isNews(missing: readonly string[]): boolean {
    const [before, now] = [this.#awaited, missing.join()];
    this.#awaited = now;
    return before !== now;
  }

  #log(line: string): RunEvent[] {
    return this.#logLines++ < MAX_LOG_LINES ? [{ kind: 'log', line: this.#text(line) }] : [];
  }

  #live({ turn, run, outcome, callMs, traceMs }: FindingOnPage): LiveReplay {
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
    const { steps, more } = laidSteps(recording);
    const { verdict, divergence, note, clusters } = this.#comparisonOf(recording, turn);
    const reworded = clusters.flatMap(({ texts }) => texts).filter(({ kind }) => kind !== 'text');
    const minor = clusters.flatMap((cluster) => cluster.minor);
    const told = {
      reproduced: { outcome: 'as recorded', message: minor.map((each) => `${whereAndWhat(each)} (minor)`).join('; ') },
      reworded: { outcome: 'in other words', message: [...minor, ...reworded].map(whereAndWhat).join('; ') },
    } as const;
    const differs = { outcome: 'differs', message: divergence?.sentence ?? note ?? '' } as const;
    const { outcome: word, message } = verdict === 'reproduced' || verdict === 'reworded' ? told[verdict] : differs;
    return { ...place, outcome: word, message: this.#text(message), steps, more };
  }

  /** How one replay by itself compares with the recordings. */
  #comparisonOf(replayed: Recording, turn: number): TurnComparison {
    const pinned = this.#known.file.session.turns[turn - 1] as PinnedTurn;
    const { compare, tracing } = this.#config;
    return new RecordedTurn(pinned, compare, { turn, hasTraces: tracing.source !== 'none' }).pairWith(replayed)
      .comparison;
  }

  #text(text: string): string {
    return pageText(this.#redact(text));
  }
}

function mutatingNote(tool: string, count: number): string {
  return pageText(
    `The recording holds ${counted(count, 'call')} of ${tool}, which is declared mutating: replays call it for real, unless the agent sandboxes it.`,
  );
}
