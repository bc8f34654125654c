import { AgentReplayError } from '../errors.ts';

/** One time limit for all replays of a run, over all its agents. It does nothing until it is started. */
export class Deadline implements Disposable {
  readonly #limitMs: number | undefined;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs undefined: no limit */
  constructor(limitMs: number | undefined) {
    this.#limitMs = limitMs;
  }

  /** Aborted with `TOTAL_TIMEOUT` when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time counts from the first start. */
  start(): void {
    const limitMs = this.#limitMs;
    if (limitMs === undefined) return;
    this.#timer ??= setTimeout(() => this.#controller.abort(totalTimeout(limitMs)), limitMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

function totalTimeout(ms: number): AgentReplayError {
  return new AgentReplayError('TOTAL_TIMEOUT', `The replays did not finish within ${ms / 1_000} s.`, {
    hint: 'Raise timeouts.total or workers, replay fewer sessions or runs, or spread them over shards.',
  });
}
