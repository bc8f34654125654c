import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, request } from 'undici';
import { endingIn, free, sleep, wholeBody, within } from '../../bounded/index.ts';
import { retryAfterMs } from '../../http/index.ts';
import { isJsonObject, jsonIn } from '../../json/index.ts';
import { inBytes } from '../../text/index.ts';
import { connectionsTo } from '../connections.ts';
import { type Account, authorizationOf } from '../tracing-environment.ts';

/** Something that an agent sent, unchanged. */
export interface Parcel {
  /** The same on the platform as on the receiver. */
  readonly path: string;
  /** Headers about the body and its sender, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ForwardOptions extends Account {
  /** Nothing more is tried after this is aborted. */
  readonly signal?: AbortSignal;
  /** Bytes that may wait for delivery. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Before the second try, in milliseconds; twice as long before the third. Default: 500. */
  readonly retryMs?: number;
  /** At the end of the run, for parcels that still wait. Default: 5,000. */
  readonly graceMs?: number;
}

export interface Forwarded {
  readonly delivered: number;
  readonly undelivered: number;
  /** Most frequent first. */
  readonly reasons: readonly string[];
}

const MAX_BYTES = 64 * 2 ** 20;
const RETRY_MS = 500;
const GRACE_MS = 5_000;
/** Parallel requests. If answers take a second, this is also the number per second. */
const AT_ONCE = 16;
/** For one request. */
const SEND_MS = 30_000;
const TRIES = 3;
/** Its answers are only read for errors. */
const MAX_ANSWER_BYTES = 2 ** 20;
const REMEMBERED_REASONS = 20;
/** Events of the older API change one another, so its requests go one after another. */
const INGESTION_PATH = '/api/public/ingestion';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Passes on what a receiver got, in the background: each parcel in a request of its own, up to three times. Taking never
 * waits and never fails; what could not be delivered is counted.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #authorization: string;
  readonly #dispatcher: Dispatcher;
  readonly #reasons = new Map<string, number>();
  /** Ends pending requests when the grace time is over, or no other parcel would be accepted either. */
  readonly #over = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  #ordered = Promise.resolve();
  #bytes = 0;
  #delivered = 0;
  #undelivered = 0;
  /** Why no other parcel would be accepted either. */
  #shut: string | undefined;

  constructor(options: ForwardOptions) {
    this.#options = options;
    this.#authorization = authorizationOf(options);
    // Requests beyond the connections wait in the pool.
    const pool = { connections: AT_ONCE, pipelining: 1, headersTimeout: SEND_MS, bodyTimeout: SEND_MS };
    this.#dispatcher = connectionsTo(options.host, pool);
  }

  take(parcel: Parcel): void {
    const { maxBytes = MAX_BYTES } = this.#options;
    const size = parcel.body.length;
    if (this.#bytes + size > maxBytes) {
      free(parcel.body);
      this.#lose(`more than ${inBytes(maxBytes)} waited for the platform`);
      return;
    }
    this.#bytes += size;
    const isOrdered = parcel.path === INGESTION_PATH;
    const sent = isOrdered ? this.#ordered.then(() => this.#deliver(parcel)) : this.#deliver(parcel);
    const counted = sent.then((reason) => {
      this.#bytes -= size;
      if (reason === undefined) this.#delivered++;
      else this.#lose(reason);
    });
    if (isOrdered) this.#ordered = counted;
    this.#sending.add(counted);
    void counted.then(() => this.#sending.delete(counted));
  }

  /** Gives what still waits the grace time. */
  async close(): Promise<Forwarded> {
    const { graceMs = GRACE_MS, signal } = this.#options;
    const end = () => this.#over.abort();
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    const sent = Promise.all(this.#sending);
    await within(graceMs, sent);
    end();
    await sent;
    signal?.removeEventListener('abort', end);
    await this.#dispatcher.destroy();
    const reasons = [...this.#reasons].sort(([, a], [, b]) => b - a).map(([reason]) => reason);
    return { delivered: this.#delivered, undelivered: this.#undelivered, reasons };
  }

  /** @returns why it was not delivered; undefined if it was */
  async #deliver(parcel: Parcel): Promise<string | undefined> {
    const { retryMs = RETRY_MS } = this.#options;
    let reason = 'the run was over before it was sent';
    for (let tries = 1; ; tries++) {
      if (this.#over.signal.aborted) return this.#shut ?? reason;
      let afterMs: number | undefined;
      try {
        const answer = await this.#post(parcel);
        const refusal = refusalOf(answer, parcel.path);
        if (refusal === undefined) return undefined;
        reason = refusal;
        if (answer.status === 401 || answer.status === 403) {
          this.#shut = reason;
          this.#over.abort();
        }
        if (answer.status < 500 && answer.status !== 408 && answer.status !== 429) return reason;
        afterMs = retryAfterMs(answer.headers);
      } catch (error) {
        if (this.#over.signal.aborted) return this.#shut ?? reason;
        const { code, message } = error as NodeJS.ErrnoException;
        reason = `it could not be reached (${code ?? message})`;
      }
      if (tries === TRIES) return reason;
      await sleep(afterMs ?? retryMs * tries, this.#over.signal).catch(() => {});
    }
  }

  async #post({ path, headers, body }: Parcel): Promise<Answer> {
    const answer = await request(`${this.#options.host}${path}`, {
      method: 'POST',
      headers: { ...headers, authorization: this.#authorization },
      body,
      signal: endingIn(SEND_MS, this.#over.signal),
      dispatcher: this.#dispatcher,
    });
    const text = (await wholeBody(answer.body, MAX_ANSWER_BYTES)).toString('utf8');
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  #lose(reason: string): void {
    this.#undelivered++;
    if (this.#reasons.has(reason) || this.#reasons.size < REMEMBERED_REASONS) {
      this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    }
  }
}

/** Undefined if the answer says that all was taken. */
function refusalOf({ status, text }: Answer, path: string): string | undefined {
  if (status === 401 || status === 403) return `the platform refused the keys (${status})`;
  if (status === 429) return 'the platform allows no more (429)';
  if (status >= 300) return `the platform answered ${status} to ${path}`;
  // In the older API each event has a status of its own.
  const { errors } = status === 207 ? objectIn(text) : {};
  if (Array.isArray(errors) && errors.length > 0) return 'the platform refused some of its events';
  const { partialSuccess } = objectIn(text);
  // In Protobuf: one or two bytes of length, then the number of spans, unless it is 0.
  const isPartial = text.startsWith('\n') && [2, 3].some((at) => text[at] === '\b');
  return isPartial || Number(Object(partialSuccess).rejectedSpans) > 0
    ? 'the platform refused some of its spans'
    : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(text);
  return isJsonObject(value) ? value : {};
}
