import type { Trace } from '../trace/index.ts';
import type { TraceSource, WaitOptions } from '../tracing/index.ts';
import { interrupted } from './stop.ts';

/** What others count of the turn. */
type Counts = Pick<WaitOptions, 'announced' | 'answers'>;

/** Waits for the replay trace of one call. It starts before the call is sent, because spans may arrive first. */
export class TraceWatch {
  readonly #trace: Promise<Trace>;
  readonly #deadline = new AbortController();
  readonly #call = Promise.withResolvers<void>();
  #counts: Counts = {};

  /** @param options.signal stops waiting with its reason; a trace that lacks nothing is taken as it is */
  constructor(
    source: TraceSource,
    replayRunId: string,
    options: Pick<WaitOptions, 'habits' | 'recordings' | 'signal'>,
  ) {
    const signal = AbortSignal.any([this.#deadline.signal, options.signal]);
    const counts = { announced: () => this.#counts.announced?.(), answers: () => this.#counts.answers?.() };
    this.#trace = source.waitFor(replayRunId, { ...options, ...counts, signal, responded: this.#call.promise });
    // Awaited later; without this, an early failure would count as unhandled.
    for (const promise of [this.#call.promise, this.#trace]) promise.catch(() => {});
  }

  /**
   * Reports that the call is over, and resolves with its trace.
   * @param call whether its response arrived
   * @param limitMs from now
   * @throws AgentReplayError of the source, or the reason of the signal
   */
  async complete(call: 'answered' | 'broken', limitMs: number, counts: Counts): Promise<Trace> {
    this.#counts = counts;
    if (call === 'answered') this.#call.resolve();
    else this.#call.reject(new Error('the call broke off'));
    const timer = setTimeout(() => this.#deadline.abort(), limitMs);
    return this.#trace.finally(() => clearTimeout(timer));
  }

  /** Stops waiting: the attempt does not count, its response cannot be used, or the trace is here. */
  abandon(): void {
    this.#deadline.abort(interrupted());
  }
}
