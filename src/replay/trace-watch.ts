import { AgentReplayError } from '../errors.ts';
import type { Trace } from '../trace/index.ts';
import type { TraceSource, WaitOptions } from '../tracing/index.ts';

/** What others count of the turn. */
type Counts = Pick<WaitOptions, 'announced' | 'answers'>;

/** Waits for the replay trace of one call. It starts before the call is sent, because spans may arrive first. */
export class TraceWatch {
  readonly #trace: Promise<Trace>;
  readonly #deadline = new AbortController();
  readonly #call = Promise.withResolvers<void>();
  #counts: Counts = {};
  #isOver = false;

  constructor(source: TraceSource, replayRunId: string, options: Pick<WaitOptions, 'habits' | 'recordings'>) {
    // Awaited later; without this, an early failure would count as unhandled.
    this.#call.promise.catch(() => {});
    const { signal } = this.#deadline;
    const counts = { announced: () => this.#counts.announced?.(), answers: () => this.#counts.answers?.() };
    this.#trace = source.waitFor(replayRunId, { ...options, ...counts, signal, responded: this.#call.promise });
    const over = (): void => {
      this.#isOver = true;
    };
    this.#trace.then(over, over);
  }

  /**
   * Reports that the call is over, and resolves with its trace.
   * @param call whether its response arrived
   * @param limitMs from now
   * @throws AgentReplayError of the source, or the reason of {@link stop}
   */
  async complete(call: 'answered' | 'broken', limitMs: number, counts: Counts): Promise<Trace> {
    this.#counts = counts;
    if (call === 'answered') this.#call.resolve();
    else this.#call.reject(new Error('the call broke off'));
    const timer = setTimeout(() => this.#deadline.abort(), limitMs);
    return this.#trace.finally(() => clearTimeout(timer));
  }

  /** Stops waiting: the attempt does not count, or its response cannot be used. */
  abandon(): void {
    if (!this.#isOver) this.stop(new AgentReplayError('INTERRUPTED', 'The trace is not needed any more.'));
  }

  /** Stops waiting with `reason`. A trace that lacks nothing is taken as it is. */
  stop(reason: AgentReplayError): void {
    this.#deadline.abort(reason);
  }
}

export class TraceWatches {
  readonly #options: { readonly source: TraceSource | null } & Pick<WaitOptions, 'habits'>;
  readonly #open = new Set<TraceWatch>();

  /** @param options.source null: wait for no trace */
  constructor(options: { readonly source: TraceSource | null } & Pick<WaitOptions, 'habits'>) {
    this.#options = options;
  }

  open(replayRunId: string, recordings: WaitOptions['recordings']): TraceWatch | undefined {
    const { source, habits } = this.#options;
    if (source === null) return undefined;
    const watch = new TraceWatch(source, replayRunId, { habits, recordings });
    this.#open.add(watch);
    return watch;
  }

  close(watch: TraceWatch | undefined): void {
    if (watch === undefined) return;
    this.#open.delete(watch);
    watch.abandon();
  }

  /** Stops all open waits: see {@link TraceWatch.stop}. */
  stop(reason: AgentReplayError): void {
    for (const watch of this.#open) watch.stop(reason);
  }
}
