import { AgentReplayError } from '../errors.ts';

/** The first reason is kept. */
export class Stop {
  readonly #controller = new AbortController();

  /** Aborted with an AgentReplayError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Undefined before the end. */
  get reason(): AgentReplayError | undefined {
    return this.signal.aborted ? (this.signal.reason as AgentReplayError) : undefined;
  }

  /** Ends all calls in flight; calls not yet sent fail with the same reason. */
  end(reason: AgentReplayError): void {
    if (!this.signal.aborted) this.#controller.abort(reason);
  }

  /** Also ends when one of these signals is aborted, until disposed of. */
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
  return new AgentReplayError('INTERRUPTED', 'The run was stopped before this replay had ended.', {
    hint: 'Run again: what had finished is in the report.',
    cause,
  });
}
