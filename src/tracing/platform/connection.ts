import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, request } from 'undici';
import { endingIn, wholeBody } from '../../bounded/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { retryAfterMs } from '../../http/index.ts';
import { type Json, jsonIn } from '../../json/index.ts';
import { Redaction } from '../../redaction/index.ts';
import { cut } from '../../text/index.ts';
import { withoutHugeTextsIn } from '../../trace/index.ts';
import { connectionsTo } from '../connections.ts';
import type { Clock } from '../waiting/clock.ts';
import { ReadBudget, type ReadDelay } from './budget.ts';

/** A 404 counts as an answer: an unknown trace, or an API that this server lacks. */
export interface Answer {
  readonly status: 200 | 404;
  /** Undefined for a 404 without JSON. */
  readonly body: Json | undefined;
  /** Of the body. */
  readonly bytes: number;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** A server, and how a request to it is signed. */
export interface Site {
  /** Without a slash at the end. */
  readonly host: string;
  /** Headers that identify the caller. */
  readonly headers: Readonly<Record<string, string>>;
  /** Secrets, in every form in which an answer may contain them. */
  readonly secrets: readonly string[];
}

/** Parallel reads; more would only queue up at the server. */
export const CONNECTIONS = 4;
const CONNECT_MS = 10_000;
/** For one read with its body: a slower server would hold up all other waiting reads. */
const READ_MS = 30_000;
/** The largest page of traces with 100 KB inputs is around 10 MB. */
const MAX_BYTES = 64 * 2 ** 20;
const TRIES = 4;
const FIRST_RETRY_MS = 500;
/** Limits are per minute. Whoever asks for more is told of, and not waited for. */
const MOST_WAIT_MS = 5 * 60_000;
/** The wait after a 429 without `Retry-After`. */
const DEFAULT_RETRY_AFTER_MS = 20_000;
const MAX_EXCERPT = 200;

/** Signed reads from one platform, through one pool, within one budget. */
export class Connection {
  readonly host: string;
  readonly budget: ReadBudget;
  readonly #site: Site;
  readonly #clock: Clock;
  readonly #dispatcher: Dispatcher;

  constructor(
    site: Site,
    options: {
      clock: Clock;
      readsPerMinute: number | undefined;
      onDelay?: (delay: ReadDelay) => void;
    },
  ) {
    this.host = site.host;
    this.budget = new ReadBudget(options.clock, options.readsPerMinute, options.onDelay);
    this.#site = site;
    this.#clock = options.clock;
    const pool = {
      connections: CONNECTIONS,
      connectTimeout: CONNECT_MS,
      headersTimeout: READ_MS,
      bodyTimeout: READ_MS,
    };
    this.#dispatcher = connectionsTo(this.host, pool);
  }

  /**
   * Reads JSON. Retries on 5xx, on a broken connection, and on 429 when the server says.
   * @throws AgentReplayError `PLATFORM_*`; never contains a key
   */
  async get(path: string, query: Query, options: { signal: AbortSignal }): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      await this.budget.take(options.signal);
      const { answer, failure, afterMs } = await this.#once(path, query, options.signal);
      if (answer !== undefined) return answer;
      options.signal.throwIfAborted();
      if (afterMs === undefined || afterMs > MOST_WAIT_MS || attempt === TRIES) throw failure;
      await this.#clock.sleep(Math.max(afterMs, FIRST_RETRY_MS * 2 ** (attempt - 1)), options.signal);
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async #once(
    pathname: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<{ answer?: Answer; failure?: AgentReplayError; afterMs?: number }> {
    const url = new URL(`${this.host}${pathname}`);
    const path = `GET ${pathname}`;
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, String(value));
    let response: { status: number; headers: IncomingHttpHeaders; text: string };
    try {
      response = await this.#send(url, endingIn(READ_MS, signal));
    } catch (error) {
      if (error instanceof AgentReplayError) return { failure: error };
      return { failure: this.#unreachable(path, explainRequestError(error)), afterMs: 0 };
    }
    const { status, headers, text } = response;
    const limit = Number(headers['x-ratelimit-limit']);
    if (limit > 0) this.budget.limitTo(limit);
    if (status === 429) {
      const afterMs = retryAfterMs(headers, this.#clock.now()) ?? DEFAULT_RETRY_AFTER_MS;
      this.budget.pauseFor(afterMs);
      return { failure: this.#rateLimited(path, afterMs), afterMs };
    }
    if (status >= 500) {
      const evidence = `${status} ${this.#excerpt(text)}`;
      return { failure: this.#unreachable(path, evidence), afterMs: retryAfterMs(headers, this.#clock.now()) ?? 0 };
    }
    if (status >= 300 && status < 400) return { failure: this.#redirected(path, headers) };
    if (status === 401 || status === 403) return { failure: this.#unauthorized(path, status, text) };
    const body = jsonIn(text);
    // 410: an API that the server used to have.
    if (status === 404 || status === 410) return { answer: { status: 404, body, bytes: text.length } };
    if (status !== 200 || body === undefined) return { failure: this.#unexpected(path, status, headers, text) };
    return { answer: { status, body, bytes: text.length } };
  }

  async #send(url: URL, signal: AbortSignal): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
    const headers = { accept: 'application/json', ...this.#site.headers };
    const {
      statusCode,
      headers: answered,
      body,
    } = await request(url, { headers, signal, dispatcher: this.#dispatcher });
    const bytes = withoutHugeTextsIn(await bytesOf(body, url.pathname));
    return { status: statusCode, headers: answered, text: bytes.toString('utf8') };
  }

  #unreachable(path: string, evidence: string): AgentReplayError {
    return new AgentReplayError('PLATFORM_UNREACHABLE', `The tracing platform at ${this.host} is not available.`, {
      evidence: [`${path}: ${evidence}`],
      hint: 'Check the host and the network. With tracing: embedded a run needs neither.',
    });
  }

  #unauthorized(path: string, status: number, text: string): AgentReplayError {
    return new AgentReplayError('PLATFORM_UNAUTHORIZED', `The tracing platform at ${this.host} refused the keys.`, {
      evidence: [`${path}: ${status} ${this.#excerpt(text)}`],
      hint: 'Check that the keys are those of one project (not of an organisation) and that the host is the one where it lives; new keys can take minutes to be known.',
    });
  }

  #redirected(path: string, { location }: IncomingHttpHeaders): AgentReplayError {
    return new AgentReplayError('PLATFORM_REDIRECT', `The tracing platform at ${this.host} answers with a redirect.`, {
      evidence: [`${path}: to ${this.#excerpt(location ?? 'nowhere')}`],
      hint: 'Set the host to the address that it redirects to; if that is a login page, the API is behind a proxy that wants a login. Keys are not sent along a redirect.',
    });
  }

  #rateLimited(path: string, retryAfterMs: number): AgentReplayError {
    return new AgentReplayError('PLATFORM_RATE_LIMITED', 'The tracing platform allows no more reads for now.', {
      evidence: [`${path}: 429, try again in ${Math.ceil(retryAfterMs / 1_000)} s`],
      hint: 'Run fewer replays at once, raise the trace timeout, or use tracing: embedded, which has no limits.',
    });
  }

  #unexpected(path: string, status: number, headers: IncomingHttpHeaders, text: string): AgentReplayError {
    return unexpectedAnswer(
      this.host,
      `${path}: ${status} ${this.#excerpt(headers['content-type'] ?? '')} ${this.#excerpt(text)}`.trim(),
    );
  }

  /** A proxy may print the request in its error page. */
  #excerpt(text: string): string {
    return cut(new Redaction(this.#site.secrets).text(text).replace(/\s+/g, ' ').trim(), MAX_EXCERPT);
  }
}

function bytesOf(body: AsyncIterable<Buffer>, path: string): Promise<Buffer> {
  return wholeBody(body, MAX_BYTES, () =>
    tooMuchData(`GET ${path}`, `more than ${MAX_BYTES / 2 ** 20} MiB in one answer`),
  );
}

export function unexpectedAnswer(host: string, evidence: string): AgentReplayError {
  return new AgentReplayError(
    'PLATFORM_UNEXPECTED_ANSWER',
    `What answers at ${host} is not the tracing platform's API.`,
    {
      evidence: [evidence],
      hint: 'Check the host: it must be the address of the platform itself, without a path of its user interface and not behind a login page.',
    },
  );
}

export function tooMuchData(asked: string, evidence: string): AgentReplayError {
  return new AgentReplayError('PLATFORM_TOO_MUCH_DATA', 'The tracing platform sends more than can be read.', {
    evidence: [`${asked}: ${evidence}`],
    hint: 'Narrow the time range or the search.',
  });
}

function explainRequestError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no whole answer in ${READ_MS / 1_000} s`;
  const { code } = error as NodeJS.ErrnoException;
  return error.message === '' ? (code ?? error.name) : error.message;
}
