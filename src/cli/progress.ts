import type { JobEvent, Plan } from '../job/index.ts';
import { counted } from '../text/index.ts';
import { printAside } from './lines.ts';
import { progressLine } from './progress-line.ts';

/** Time between two lines in a log, as of CI. */
const LOG_MS = 10_000;
/** Shortest time between two updates of the live line. */
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Shows the progress of a run on stderr: one live line on a terminal; elsewhere, as in CI, a line every ten seconds. The
 * agent's output is printed in between. Disposing of it clears the live line.
 */
export class ProgressView implements Disposable {
  readonly #isLive: boolean;
  /** Start of the replays: the time before says nothing about how long they take. */
  #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #plan: Plan | undefined;
  #runsDone = 0;
  #moreRuns = 0;
  #answered = 0;
  #sessionsDone = 0;
  #note: string | undefined;
  #isDrawn = false;
  #saidAt = performance.now();

  constructor() {
    this.#isLive = process.stderr.isTTY === true && !process.env.CI && process.env.TERM !== 'dumb';
    this.#timer = this.#isLive ? setInterval(() => this.#draw(), REDRAW_MS).unref() : undefined;
  }

  take(event: JobEvent): void {
    switch (event.kind) {
      case 'planned':
        this.#plan = event.plan;
        if (event.plan.calls > 0)
          this.say(
            `${counted(event.plan.calls, 'call')}${event.plan.cost.money === null ? '' : `, ${event.plan.cost.words}`}`,
          );
        for (const note of event.plan.notes) this.say(`note: ${note}`);
        if (event.plan.looks !== undefined) this.say(event.plan.looks);
        for (const [tool, count] of event.plan.mutatingCalls) {
          this.say(
            `note: the recordings hold ${counted(count, 'call')} of ${tool}, which is declared mutating: replays call it for real, unless the agent sandboxes it`,
          );
        }
        return;
      case 'agent':
        this.#note = { starting: 'starting the agent', ready: undefined, stopping: 'stopping the agent' }[event.state];
        if (event.state === 'ready' && this.#runsDone === 0) this.#startedAt = performance.now();
        if (!this.#isLive && event.state === 'starting')
          this.say(`starting the agent${event.agent.id === undefined ? '' : ` ${event.agent.id}`}`);
        return;
      case 'judging':
        this.say(`asking compare.judge about ${counted(event.questions, 'answer')} in other words`);
        return;
      case 'base':
        this.say(event.note);
        return;
      case 'agent-output':
        this.say(event.line);
        return;
      case 'answered':
        this.#answered++;
        return;
      case 'replayed':
        this.#runsDone++;
        return;
      case 'revised':
      case 'agent-awaited':
        return;
      case 'looking-again':
        this.#moreRuns += event.calls;
        this.#sessionsDone -= event.sessions;
        this.say(`looking again at ${counted(event.sessions, 'session')} with ${event.calls} more calls`);
        return;
      case 'session-done':
        this.#sessionsDone++;
        if (this.#isDue()) this.say(this.#line());
        return;
      case 'reads-delayed':
        this.say(`waiting: ${event.note}`);
        return;
      case 'not-written':
      case 'not-forwarded':
        this.say(`warning: ${event.error.message} (${event.error.code})`);
        return;
    }
  }

  /** Whether a log should hear again how far it is: at the end, too. */
  #isDue(): boolean {
    const isLast = this.#sessionsDone === this.#plan?.sessions.length;
    if (this.#isLive || (!isLast && performance.now() - this.#saidAt < LOG_MS)) return false;
    this.#saidAt = performance.now();
    return true;
  }

  /** Prints one line of ours. */
  say(text: string): void {
    this.#clear();
    printAside(text);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #draw(): void {
    if (this.#plan === undefined) return;
    this.#clear();
    process.stderr.write(this.#line(process.stderr.columns));
    this.#isDrawn = true;
  }

  #clear(): void {
    if (this.#isDrawn) process.stderr.write(CLEAR_LINE);
    this.#isDrawn = false;
  }

  #line(columns?: number): string {
    return progressLine(
      {
        sessionsDone: this.#sessionsDone,
        sessions: this.#plan?.sessions.length ?? 0,
        runsDone: this.#runsDone,
        runs: (this.#plan?.calls ?? 0) + this.#moreRuns,
        waitingForTraces: Math.max(0, this.#answered - this.#runsDone),
        elapsedMs: performance.now() - this.#startedAt,
        note: this.#note,
      },
      columns,
    );
  }
}
