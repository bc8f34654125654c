import { type Config, redactionOf } from '../config/index.ts';
import { type JobEvent, linesOf, mutatingNote, type ReplayAlone } from '../job/index.ts';
import type { ReplayResult } from '../replay/index.ts';
import { duration } from '../text/index.ts';
import type { LiveReplay, RunEvent } from './api-shapes.ts';

/** Lines of the agent's output that are passed on; what it says beyond is in its own log. */
const MAX_LOG_LINES = 500;

/** Reports a job's events to the page, in its own words, redacted. */
export class Watch {
  readonly #tell: (event: RunEvent) => void;
  readonly #config: Config;
  readonly #redact: (text: string) => string;
  #logLines = 0;
  #awaited = '';

  constructor(config: Config, tell: (event: RunEvent) => void) {
    this.#tell = tell;
    this.#config = config;
    this.#redact = redactionOf(config).text;
  }

  take(event: JobEvent): void {
    for (const told of this.#eventsOf(event)) this.#tell(told);
  }

  #eventsOf(event: JobEvent): RunEvent[] {
    switch (event.kind) {
      case 'planned': {
        const { sessions, mutatingCalls } = event.plan;
        const notes = [...mutatingCalls].map(([tool, count]) => asSentence(mutatingNote(tool, count)));
        const turns = sessions.flatMap((each) => each.turns);
        return [{ kind: 'started', runs: this.#config.runs, turns, notes }];
      }
      case 'agent':
        return [{ kind: 'agent', state: event.state }];
      case 'agent-awaited':
        return this.#isNews(event.missing) ? [{ kind: 'awaited', missing: [...event.missing] }] : [];
      case 'agent-output':
        return this.#log(event.line);
      case 'base':
      case 'judging':
      case 'look':
      case 'reads-delayed':
      case 'not-forwarded':
      case 'not-written':
        return linesOf(event).flatMap((line) => this.#log(line));
      case 'answered':
        return [{ kind: 'answered', turn: event.call.turn, run: event.call.run }];
      case 'replayed':
      case 'revised':
        return event.alone === undefined ? [] : [{ kind: 'replayed', ...live(event.result, event.alone) }];
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
    return this.#logLines++ < MAX_LOG_LINES ? [{ kind: 'log', line: this.#redact(line) }] : [];
  }
}

function live({ turn, run, callMs, traceMs }: ReplayResult, alone: ReplayAlone): LiveReplay {
  const took = [
    ...(callMs === undefined ? [] : [`call ${duration(callMs)}`]),
    ...(traceMs === undefined ? [] : [`trace ${duration(traceMs)} later`]),
  ];
  return { turn, run, took: took.join(', '), ...alone };
}

function asSentence(note: string): string {
  return `${note[0]?.toUpperCase()}${note.slice(1)}.`;
}
