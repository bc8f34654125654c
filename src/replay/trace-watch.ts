import type { Trace } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import type { TraceSource } from '../tracing/index.ts';

/** Waits for the replay trace of one call, from before the call is sent: its spans may come first. */
export class TraceWatch {
  readonly #trace: Promise<Trace>;
  readonly #deadline = new AbortController();
  readonly #call = Promise.withResolvers<void>();

  constructor(source: TraceSource, replayRunId: string) {
    // Handled where it is awaited, which may be later than it fails.
    this.#call.promise.catch(() => {});
    this.#trace = source.waitFor(replayRunId, { signal: this.#deadline.signal, responded: this.#call.promise });
    this.#trace.catch(() => {});
  }

  /**
   * Says that the call is over, and resolves with the trace.
   * @param call whether its response came
   * @param limitMs from now
   * @throws AgentReplayError of the source, or the reason of {@link stop}
   */
  async complete(call: 'answered' | 'broken', limitMs: number): Promise<Trace> {
    if (call === 'answered') this.#call.resolve();
    else this.#call.reject(new Error('the call broke off'));
    const timer = setTimeout(() => this.#deadline.abort(), limitMs);
    return this.#trace.finally(() => clearTimeout(timer));
  }

  /** Ends the waiting: nobody wants the trace any more. */
  stop(reason: AgentReplayError): void {
    this.#deadline.abort(reason);
  }
}

/** A trace that belongs to an attempt that is not counted, or to a call whose response cannot be used. */
export function notWanted(): AgentReplayError {
  return new AgentReplayError('INTERRUPTED', 'The trace is not needed any more.');
}
