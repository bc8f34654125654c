import { AgentReplayError } from '../errors.ts';
import type { Trace } from '../trace/index.ts';
import type { TraceSource, WaitOptions } from '../tracing/index.ts';

/** Waits for the replay trace of one call, from before the call is sent: its spans may come first. */
export class TraceWatch {
  readonly #trace: Promise<Trace>;
  readonly #deadline = new AbortController();
  readonly #call = Promise.withResolvers<void>();
  #announced: number | undefined;
  #isOver = false;

  constructor(source: TraceSource, replayRunId: string, options: Pick<WaitOptions, 'habits'>) {
    // Handled where it is awaited, which may be later than it fails.
    this.#call.promise.catch(() => {});
    const { signal } = this.#deadline;
    const announced = () => this.#announced;
    this.#trace = source.waitFor(replayRunId, { ...options, signal, responded: this.#call.promise, announced });
    const over = (): void => {
      this.#isOver = true;
    };
    this.#trace.then(over, over);
  }

  /**
   * Says that the call is over, and resolves with the trace.
   * @param call whether its response came
   * @param limitMs from now
   * @param announced spans of the turn, as far as the response counts them
   * @throws AgentReplayError of the source, or the reason of {@link stop}
   */
  async complete(call: 'answered' | 'broken', limitMs: number, announced: number | undefined): Promise<Trace> {
    this.#announced = announced;
    if (call === 'answered') this.#call.resolve();
    else this.#call.reject(new Error('the call broke off'));
    const timer = setTimeout(() => this.#deadline.abort(), limitMs);
    return this.#trace.finally(() => clearTimeout(timer));
  }

  /** Ends the waiting, if it is not over: an attempt that does not count, or a response that cannot be used. */
  abandon(): void {
    if (!this.#isOver) this.stop(new AgentReplayError('INTERRUPTED', 'The trace is not needed any more.'));
  }

  /** Ends the waiting with `reason`; a trace that lacks nothing is taken as it stands. */
  stop(reason: AgentReplayError): void {
    this.#deadline.abort(reason);
  }
}

/** The waits of one replay for its traces. */
export class TraceWatches {
  readonly #options: { readonly source: TraceSource | null } & Pick<WaitOptions, 'habits'>;
  readonly #open = new Set<TraceWatch>();

  /** @param options.source null: no trace is waited for */
  constructor(options: { readonly source: TraceSource | null } & Pick<WaitOptions, 'habits'>) {
    this.#options = options;
  }

  open(replayRunId: string): TraceWatch | undefined {
    const { source, habits } = this.#options;
    if (source === null) return undefined;
    const watch = new TraceWatch(source, replayRunId, { habits });
    this.#open.add(watch);
    return watch;
  }

  close(watch: TraceWatch | undefined): void {
    if (watch === undefined) return;
    this.#open.delete(watch);
    watch.abandon();
  }

  /** Ends all that are open: see {@link TraceWatch.stop}. */
  stop(reason: AgentReplayError): void {
    for (const watch of this.#open) watch.stop(reason);
  }
}
