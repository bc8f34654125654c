import { type JobEvent, linesOf, type Plan } from '../job/index.ts';
import { AlikeErrors } from './alike-errors.ts';
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
  #replaysDone = 0;
  #moreReplays = 0;
  #answered = 0;
  #sessionsDone = 0;
  #note: string | undefined;
  #isDrawn = false;
  #isCutOff = false;
  readonly #errors = new AlikeErrors();
  #saidAt = performance.now();

  constructor() {
    this.#isLive = process.stderr.isTTY === true && !process.env.CI && process.env.TERM !== 'dumb';
    this.#timer = this.#isLive ? setInterval(() => this.#draw(), REDRAW_MS).unref() : undefined;
  }

  take(event: JobEvent): void {
    switch (event.kind) {
      case 'planned':
        this.#plan = event.plan;
        break;
      case 'agent':
        this.#note = { starting: 'starting the agent', ready: undefined, stopping: 'stopping the agent' }[event.state];
        if (event.state === 'ready' && this.#replaysDone === 0) this.#startedAt = performance.now();
        if (!this.#isLive && event.state === 'starting')
          this.say(`starting the agent${event.agent.id === undefined ? '' : ` ${event.agent.id}`}`);
        return;
      case 'agent-output':
        if (this.#errors.isNew(event.line)) this.say(event.line);
        return;
      case 'answered':
        this.#answered++;
        return;
      case 'replayed':
        // After a signal the others come as interrupted.
        if (event.result.callMs !== undefined) this.#replaysDone++;
        else this.#isCutOff = true;
        return;
      case 'base':
        this.#moreReplays -= event.unmade ?? 0;
        break;
      case 'look':
        this.#moreReplays += event.calls;
        this.#sessionsDone -= event.sessions;
        break;
      case 'session-done':
        if (!this.#isCutOff) this.#sessionsDone++;
        if (!this.#isCutOff && this.#isDue()) this.say(this.#line());
        return;
    }
    for (const line of linesOf(event)) this.say(line);
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
    for (const line of this.#errors.summary()) printAside(line);
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
        replaysDone: this.#replaysDone,
        replays: (this.#plan?.calls ?? 0) + this.#moreReplays,
        waitingForTraces: Math.max(0, this.#answered - this.#replaysDone),
        elapsedMs: performance.now() - this.#startedAt,
        note: this.#note,
      },
      columns,
    );
  }
}
