import type { Trace } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
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
