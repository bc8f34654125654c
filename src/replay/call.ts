import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { AgentReplayError } from '../errors.ts';
import { isUntrusted, lookupWithLoopback, TRUST_IT } from '../http/index.ts';
import { inBytes } from '../text/index.ts';
import type { Payload } from './payload.ts';
import type { Target } from './target.ts';

export interface Exchange {
  /** Undefined if no response began. */
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Why there is no complete response. */
  readonly error: AgentReplayError | undefined;
  /** Whether any byte of the request may have reached the agent. */
  readonly wasSent: boolean;
  /** From the first byte sent to the end of the response, in milliseconds. */
  readonly callMs: number;
}

interface CallLimits {
  /** For the whole call: a response that drips does not extend it. */
  readonly timeoutMs: number;
  /** Largest response, in bytes. */
  readonly maxResponse: number;
}

/** A server that does not accept a connection in this time is not there. */
const CONNECT_MS = 10_000;
/**
 * A server closes idle connections (gunicorn after 2 s; Node and uvicorn after 5 s), which would break a call that is just
 * being sent, as happens on a busy machine. So none is left idle, and none is used again where the server names its limit.
 */
const KEEP_ALIVE_MS = 1;
const LONGEST_LIMIT_MS = 2 ** 31;

/** Connections to one agent. They ignore proxies in the environment: undici's pool reads none. */
export class Connections {
  readonly #pool: Pool;
  readonly #limits: CallLimits;
  readonly #shown: string;

  constructor(target: Target, { workers, ...limits }: CallLimits & { workers: number }) {
    this.#limits = limits;
    this.#shown = target.shown;
    this.#pool = new Pool(target.origin, {
      connections: workers,
      connect: {
        timeout: Math.min(CONNECT_MS, limits.timeoutMs),
        lookup: lookupWithLoopback,
        autoSelectFamily: true,
      },
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: LONGEST_LIMIT_MS,
      // We have one deadline for the whole call. These limits are for gaps, and would end a slow agent's call early.
      headersTimeout: 0,
      bodyTimeout: 0,
      // One connection per call: whatever breaks one call must not end the others.
      allowH2: false,
    });
  }

  /** Never rejects. */
  post(path: string, { body, headers }: Payload): Promise<Exchange> {
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    const call = new Call(resolve, this.#limits, this.#shown);
    try {
      this.#pool.dispatch({ path, method: 'POST', headers, body }, call);
    } catch (error) {
      call.onResponseError(null, error as Error);
    }
    return promise;
  }

  /** Ends all calls with `reason`. */
  async destroy(reason: AgentReplayError): Promise<void> {
    await this.#pool.destroy(reason);
  }
}

class Call implements Dispatcher.DispatchHandler {
  readonly #resolve: (exchange: Exchange) => void;
  readonly #limits: CallLimits;
  readonly #shown: string;
  // A plain timer, because timers of equal length cost almost nothing, while one AbortSignal per call does.
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #startedAt = performance.now();
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(resolve: (exchange: Exchange) => void, limits: CallLimits, shown: string) {
    this.#resolve = resolve;
    this.#limits = limits;
    this.#shown = shown;
    this.#timer = setTimeout(() => this.#fail(this.#timedOut()), limits.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call was given up while it waited for its connection.
    if (this.#isOver) controller.abort(new Error('given up'));
    this.#controller = controller;
    this.#startedAt = performance.now();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers['content-length']) > this.#limits.maxResponse) this.#fail(this.#tooLarge());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.maxResponse) this.#fail(this.#tooLarge());
    else if (!this.#isOver) this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(undefined);
  }

  onResponseError(_: unknown, error: Error): void {
    const failure =
      error instanceof AgentReplayError
        ? error
        : this.#controller === undefined
          ? unreachable(error, this.#shown)
          : this.#broken(error);
    this.#end(failure);
  }

  #fail(error: AgentReplayError): void {
    this.#end(error);
    this.#controller?.abort(error);
  }

  #end(error: AgentReplayError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
      error,
      wasSent: this.#controller !== undefined,
      callMs: performance.now() - this.#startedAt,
    });
    this.#chunks = [];
  }

  #timedOut(): AgentReplayError {
    const limit = `${this.#limits.timeoutMs / 1_000} s`;
    const message =
      this.#status === undefined
        ? `The agent did not finish its answer within ${limit}.`
        : `The agent answered with status ${this.#status}, but its body did not end within ${limit}.`;
    return new AgentReplayError('CALL_TIMEOUT', message, {
      evidence: [`target: ${this.#shown}`, `came: ${this.#came()}`],
      hint: 'Find out what the agent waits for; raise timeouts.call if it only needs longer.',
    });
  }

  #broken(error: Error): AgentReplayError {
    return new AgentReplayError('CALL_FAILED', 'The connection broke off during the call.', {
      evidence: [`target: ${this.#shown}`, `came: ${this.#came()}`, `reason: ${explainNetworkError(error)}`],
      hint: 'The agent or something before it closed the connection: read its log. Set idempotent: true if such calls may be sent again.',
      cause: error,
    });
  }

  #tooLarge(): AgentReplayError {
    const message = `The response is larger than ${inBytes(this.#limits.maxResponse)}.`;
    return new AgentReplayError('RESPONSE_TOO_LARGE', message, {
      evidence: [`target: ${this.#shown}`, `status: ${this.#status}`],
      hint: 'Let the agent answer with less, or raise maxResponse.',
    });
  }

  #came(): string {
    if (this.#controller === undefined) return 'no connection';
    return this.#status === undefined ? 'nothing' : `status ${this.#status}, then ${this.#bytes} bytes of the body`;
  }
}

function unreachable(error: Error, shown: string): AgentReplayError {
  const code = codeOf(error);
  if (isUntrusted(code)) {
    return new AgentReplayError('TARGET_UNREACHABLE', 'The TLS certificate of the target is not trusted.', {
      evidence: [`target: ${shown}`, `certificate: ${code}`],
      hint: TRUST_IT,
      cause: error,
    });
  }
  return new AgentReplayError('TARGET_UNREACHABLE', 'No connection to the target could be made.', {
    evidence: [`target: ${shown}`, `reason: ${explainNetworkError(error)}`],
    hint:
      code === 'ENOTFOUND'
        ? 'Correct the host name in the target URL.'
        : 'Check that the agent runs and listens where the target URL says.',
    cause: error,
  });
}

/** Connection errors that another attempt cannot mend. */
export function isHopeless({ cause }: AgentReplayError): boolean {
  const code = codeOf(cause);
  return code === 'ENOTFOUND' || isUntrusted(code) || code.startsWith('UND_ERR_INVALID');
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['UND_ERR_SOCKET', 'connection closed before the response was whole'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
]);

function explainNetworkError(error: Error): string {
  const code = codeOf(error);
  return REASONS.get(code) ?? `${code} ${error.message}`.trim();
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}
