import { AgentReplayError } from '../errors.ts';

/** The end of a replay before its time: the first reason stays. */
export class Stop {
  readonly #controller = new AbortController();

  /** Aborted with an AgentReplayError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why everything was ended, once it was. */
  get reason(): AgentReplayError | undefined {
    return this.signal.aborted ? (this.signal.reason as AgentReplayError) : undefined;
  }

  /** Ends everything that is in flight; what was not sent yet fails with the same reason. */
  end(reason: AgentReplayError): void {
    if (!this.signal.aborted) this.#controller.abort(reason);
  }

  /** Ends with any of these signals, until it is disposed of. */
  with(signals: readonly (AbortSignal | undefined)[]): Disposable {
    const over = new AbortController();
    for (const one of signals) {
      if (one === undefined) continue;
      const onAbort = (): void =>
        this.end(one.reason instanceof AgentReplayError ? one.reason : interrupted(one.reason));
      if (one.aborted) onAbort();
      one.addEventListener('abort', onAbort, { once: true, signal: over.signal });
    }
    return { [Symbol.dispose]: () => over.abort() };
  }
}

export function interrupted(cause?: unknown): AgentReplayError {
  return new AgentReplayError('INTERRUPTED', 'The replay was ended before it was over.', { cause });
}
