import { randomBytes } from 'node:crypto';
import { AgentReplayError } from '../errors.ts';
import { Connections, type Exchange } from './call.ts';
import type { Excerpts } from './excerpt.ts';
import type { ReplayLimits } from './limits.ts';
import type { PayloadOfAttempt, PlannedCall } from './plan.ts';
import type { ReplayMeans } from './replay-means.ts';
import { type Reading, ResponseReader } from './response.ts';
import { retryDelay } from './retries.ts';
import type { Stop } from './stop.ts';
import { Route, type Target } from './target.ts';
import { TraceWatch } from './trace-watch.ts';

/** A call after its last attempt. */
export interface Attempted {
  readonly replayRunId: string;
  readonly attempts: number;
  readonly status?: number;
  readonly callMs?: number;
  /** The reading and its trace, or why nothing was sent. */
  readonly came: { readonly reading: Reading; readonly watch: TraceWatch | undefined } | AgentReplayError;
}

/** What one attempt led to. */
interface Sent {
  readonly exchange: Exchange;
  readonly watch: TraceWatch | undefined;
}

/** Waits without holding a worker. Resolves to false if it was stopped meanwhile. */
export type Patience = (ms: number) => Promise<boolean>;

export interface CallerMeans {
  readonly limits: ReplayLimits;
  readonly excerpts: Excerpts;
  readonly stop: Stop;
  readonly identifiers: NonNullable<ReplayMeans['identifiers']>;
}

/** Sends calls to one agent, and retries those that may be retried. Its connections end with the replay. */
export class Caller {
  readonly #options: ReplayMeans;
  readonly #means: CallerMeans;
  readonly #connections: Connections;
  readonly #route: Route;
  readonly #reader: ResponseReader;

  constructor(target: Target, options: ReplayMeans, means: CallerMeans) {
    const { timeouts, maxResponse, workers, outputPointer } = options.settings;
    const { excerpts, identifiers, stop } = means;
    this.#options = options;
    this.#means = means;
    this.#connections = new Connections(target, { timeoutMs: timeouts.call, maxResponse, workers });
    this.#route = new Route(target);
    this.#reader = new ResponseReader({
      outputPointer,
      identifiers,
      language: options.language,
      needsOutput: options.source === null,
      excerpts,
      target: target.shown,
    });
    stop.signal.addEventListener('abort', () => void this.end(stop.signal.reason), { once: true });
  }

  /** Closes the connections. Calls in flight fail with `reason`. */
  end(reason: AgentReplayError): Promise<void> {
    return this.#connections.destroy(reason);
  }

  /** Sends a call until it is answered or must not be retried. */
  async attempt(call: PlannedCall, wait: Patience): Promise<Attempted> {
    const { retries, idempotent, timeouts } = this.#options.settings;
    const payload = call.prepare();
    let failed: { readonly exchange: Exchange; readonly replayRunId: string } | undefined;
    for (let attempt = 1; ; attempt++) {
      // What a replay presents to our servers is its own: nobody can guess that of another replay, or of another attempt.
      const own = randomBytes(12).toString('hex');
      const replayRunId = `${call.runId}${attempt === 1 ? '' : `.a${attempt}`}.${own}`;
      const sent = await this.#means.limits.work(
        async () => this.#means.stop.reason ?? this.#send(call, payload, replayRunId),
      );
      if (sent instanceof AgentReplayError) {
        if (failed !== undefined) return this.#answered(call, attempt - 1, { ...failed, watch: undefined });
        call.answered(undefined);
        return { replayRunId, attempts: 1, came: sent };
      }
      const { exchange, watch } = sent;
      const delay = retryDelay(exchange, attempt, { retries, idempotent, maxDelayMs: timeouts.call });
      if (delay === undefined || this.#means.limits.budget.refusal(call) !== undefined || !(await wait(delay))) {
        return this.#answered(call, attempt, { ...sent, replayRunId });
      }
      watch?.abandon();
      this.#options.tools?.end(replayRunId);
      failed = { exchange, replayRunId };
    }
  }

  #answered(
    call: PlannedCall,
    attempts: number,
    { exchange, watch, replayRunId }: Sent & { readonly replayRunId: string },
  ): Attempted {
    const reading = this.#reader.read(exchange);
    call.answered(reading.error === undefined ? reading.response?.output : undefined);
    const { status, callMs } = exchange;
    return { replayRunId, attempts, status, callMs, came: { reading, watch } };
  }

  /** Makes one call as one of the workers, or says why not. */
  async #send(
    call: PlannedCall,
    payload: PayloadOfAttempt | undefined,
    replayRunId: string,
  ): Promise<Sent | AgentReplayError> {
    if (payload === undefined) return withoutContext();
    const refusal = this.#means.limits.budget.refusal(call);
    if (refusal !== undefined) return refusal;
    this.#means.limits.budget.take(call);
    const { source, habits } = this.#options;
    const { signal } = this.#means.stop;
    const { recordings } = call;
    const watch = source === null ? undefined : new TraceWatch(source, replayRunId, { habits, recordings, signal });
    await this.#options.tools?.begin(replayRunId, call);
    this.#options.inFlight?.add(call);
    const exchange = await this.#route.send(async (path) => {
      const came = await this.#connections.post(path, payload(replayRunId));
      this.#options.onExchange?.({ ...came, replayRunId, path });
      return came;
    });
    if (exchange.error === undefined) this.#options.inFlight?.delete(call);
    return { exchange, watch };
  }
}

function withoutContext(): AgentReplayError {
  return new AgentReplayError('CALL_FAILED', 'The turn was not sent, because the turn before it has no answer.', {
    hint: 'See why the earlier turn failed, or replay with context: "recorded".',
  });
}
