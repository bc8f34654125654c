import { appendFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { isJsonObject, JsonError, parseJson } from '../contract/index.ts';
import { isLoopback } from './platform/connection.ts';

/** Something that an agent has sent, as it was sent. */
export interface Parcel {
  /** On the platform as on the receiver. */
  readonly path: string;
  /** What describes the body and its sender; no credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of a file that was announced: what is uploaded when the platform asks for it. */
  readonly content?: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };
}

export interface ForwardOptions {
  /** Of the platform, without a slash at the end. */
  readonly host: string;
  readonly publicKey: string;
  readonly secretKey: string;
  /** Takes what could not be delivered, as JSON lines. Without it only its number is known. */
  readonly undelivered?: string | undefined;
  /** When it is aborted, nothing more is tried. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes that wait to be delivered. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Before what failed is tried again, at first. Default: 500. */
  readonly retryMs?: number;
  /** At the end of the run, for what still waits. Default: 10,000. */
  readonly graceMs?: number;
}

/** What became of what was to be forwarded. */
export interface Forwarded {
  readonly delivered: number;
  readonly undelivered: number;
  /** Why, most frequent first. */
  readonly reasons: readonly string[];
  /** Where they are kept; undefined when none is. */
  readonly file: string | undefined;
}

const MAX_BYTES = 64 * 2 ** 20;
const RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
const GRACE_MS = 10_000;
/** For one parcel; a platform that needs longer holds up all others. */
const SEND_MS = 30_000;
/** A server that answers but fails on one parcel again and again may take the others. */
const TRIES = 5;
/** Its answers are read for their errors only. */
const MAX_ANSWER_BYTES = 2 ** 20;
const REMEMBERED_REASONS = 20;

/** What became of one try. */
type Outcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing else would be taken either. */
  | { readonly kind: 'shut'; readonly reason: string }
  | {
      readonly kind: 'later';
      readonly reason: string;
      readonly afterMs?: number | undefined;
      readonly counts: boolean;
    };

/**
 * Passes on what a receiver was sent, unchanged and in order, in the background. Taking never waits and never fails;
 * what cannot be delivered is counted and kept in a file.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #authorization: string;
  readonly #dispatcher: Dispatcher;
  readonly #queue: Parcel[] = [];
  readonly #reasons = new Map<string, number>();
  /** Ends what is under way, at the end of the grace time. */
  readonly #over = new AbortController();
  #bytes = 0;
  #delivered = 0;
  #undelivered = 0;
  #isKept = false;
  #shut: string | undefined;
  #sending: Promise<void> | undefined;
  #writing = Promise.resolve();

  constructor(options: ForwardOptions) {
    this.#options = options;
    const keys = `${options.publicKey}:${options.secretKey}`;
    this.#authorization = `Basic ${Buffer.from(keys).toString('base64')}`;
    const pool = { connections: 1, headersTimeout: SEND_MS, bodyTimeout: SEND_MS };
    this.#dispatcher = isLoopback(options.host) ? new Agent(pool) : new EnvHttpProxyAgent(pool);
  }

  take(parcel: Parcel): void {
    const { maxBytes = MAX_BYTES } = this.#options;
    const size = sizeOf(parcel);
    if (this.#shut !== undefined) this.#keep(parcel, this.#shut);
    else if (this.#bytes + size > maxBytes) {
      this.#keep(parcel, `more than ${Math.floor(maxBytes / 2 ** 20)} MiB waited for the platform`);
    } else {
      this.#bytes += size;
      this.#queue.push(parcel);
      this.#sending ??= this.#send();
    }
  }

  /** Tries what is left for the grace time, and keeps the rest. */
  async close(): Promise<Forwarded> {
    const { graceMs = GRACE_MS, signal, undelivered } = this.#options;
    const end = () => this.#over.abort();
    const timer = setTimeout(end, graceMs);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    await this.#sending;
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    await this.#writing;
    await this.#dispatcher.destroy();
    const reasons = [...this.#reasons].sort(([, a], [, b]) => b - a).map(([reason]) => reason);
    return {
      delivered: this.#delivered,
      undelivered: this.#undelivered,
      reasons,
      file: this.#isKept ? undelivered : undefined,
    };
  }

  async #send(): Promise<void> {
    for (let parcel = this.#queue[0]; parcel !== undefined; parcel = this.#queue[0]) {
      const reason = this.#shut ?? (await this.#deliver(parcel));
      this.#queue.shift();
      this.#bytes -= sizeOf(parcel);
      if (reason === undefined) this.#delivered++;
      else this.#keep(parcel, reason);
    }
    this.#sending = undefined;
  }

  /** @returns why it was not delivered; undefined when it was */
  async #deliver(parcel: Parcel): Promise<string | undefined> {
    const { retryMs = RETRY_MS } = this.#options;
    let reason = 'the run was over before it was sent';
    for (let tries = 0, waitMs = retryMs; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      if (this.#over.signal.aborted) return reason;
      const outcome = await this.#try(parcel);
      if (outcome.kind === 'delivered') return undefined;
      reason = outcome.reason;
      if (outcome.kind === 'shut') this.#shut = reason;
      if (outcome.kind !== 'later') return reason;
      if (outcome.counts && ++tries === TRIES) return reason;
      await sleep(outcome.afterMs ?? waitMs, undefined, { signal: this.#over.signal }).catch(() => {});
    }
  }

  async #try({ path, headers, body, content }: Parcel): Promise<Outcome> {
    try {
      const url = `${this.#options.host}${path}`;
      const signed = { ...headers, authorization: this.#authorization };
      const answer = await this.#request('POST', url, signed, body);
      const outcome = outcomeOf(answer, path);
      if (outcome.kind !== 'delivered' || content === undefined) return outcome;
      return await this.#upload(answer.text, content, signed);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { kind: 'later', reason: `it could not be reached (${code ?? message})`, counts: false };
    }
  }

  /** Files are stored where the platform says, and then it is told so. */
  async #upload(
    announced: string,
    content: NonNullable<Parcel['content']>,
    signed: Record<string, string>,
  ): Promise<Outcome> {
    const { uploadUrl, mediaId } = objectIn(announced);
    if (typeof uploadUrl !== 'string' || typeof mediaId !== 'string') return { kind: 'delivered' };
    const startedAt = performance.now();
    const { status } = await this.#request('PUT', uploadUrl, content.headers, content.body);
    const told = {
      uploadedAt: new Date().toISOString(),
      uploadHttpStatus: status,
      uploadHttpError: null,
      uploadTimeMs: Math.round(performance.now() - startedAt),
    };
    const path = `/api/public/media/${encodeURIComponent(mediaId)}`;
    const { authorization = '' } = signed;
    const headers = { 'content-type': 'application/json', authorization };
    await this.#request('PATCH', `${this.#options.host}${path}`, headers, Buffer.from(JSON.stringify(told)));
    if (status < 300) return { kind: 'delivered' };
    return { kind: 'later', reason: `its storage answered ${status}`, counts: true };
  }

  async #request(
    method: 'POST' | 'PUT' | 'PATCH',
    url: string,
    headers: Record<string, string>,
    body: Buffer,
  ): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
    const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(SEND_MS)]);
    const answer = await request(url, { method, headers, body, signal, dispatcher: this.#dispatcher });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) break;
      chunks.push(chunk);
    }
    return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString('utf8') };
  }

  #keep(parcel: Parcel, reason: string): void {
    this.#undelivered++;
    if (this.#reasons.has(reason) || this.#reasons.size < REMEMBERED_REASONS) {
      this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    }
    const { undelivered, maxBytes = MAX_BYTES } = this.#options;
    const size = sizeOf(parcel);
    // A disk that is slower than the agent must not fill the memory either.
    if (undelivered === undefined || this.#bytes + size > 2 * maxBytes) return;
    this.#bytes += size;
    const line = `${JSON.stringify({ reason, ...written(parcel) })}\n`;
    this.#writing = this.#writing
      // It holds traces as they are: for nobody but the user.
      .then(() => appendFile(undelivered, line, { mode: 0o600 }))
      .then(
        () => {
          this.#isKept = true;
        },
        (error: NodeJS.ErrnoException) => {
          this.#reasons.set(`${undelivered} could not be written (${error.code})`, 1);
        },
      )
      .finally(() => {
        this.#bytes -= size;
      });
  }
}

function outcomeOf(
  { status, headers, text }: { status: number; headers: IncomingHttpHeaders; text: string },
  path: string,
): Outcome {
  if (status === 401 || status === 403) return { kind: 'shut', reason: `the platform refused the keys (${status})` };
  if (status === 429) return { kind: 'later', reason: 'the platform allows no more (429)', ...retryAfter(headers) };
  if (status >= 500 || status === 408) {
    return { kind: 'later', reason: `the platform answered ${status}`, ...retryAfter(headers), counts: true };
  }
  if (status >= 300) return { kind: 'refused', reason: `the platform answered ${status} to ${path}` };
  // Of the older API each event has a status of its own.
  const { errors } = status === 207 ? objectIn(text) : {};
  return Array.isArray(errors) && errors.length > 0
    ? { kind: 'refused', reason: 'the platform refused some of its events' }
    : { kind: 'delivered' };
}

function retryAfter(headers: IncomingHttpHeaders): { afterMs: number | undefined; counts: false } {
  const seconds = Number(headers['retry-after']);
  return { afterMs: seconds >= 0 ? seconds * 1_000 : undefined, counts: false };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : {};
  } catch (error) {
    if (error instanceof JsonError) return {};
    throw error;
  }
}

function written({ path, headers, body, content }: Parcel): Record<string, unknown> {
  const inBase64 = (bytes: Buffer) => bytes.toString('base64');
  return {
    path,
    headers,
    body: inBase64(body),
    ...(content === undefined ? {} : { content: { headers: content.headers, body: inBase64(content.body) } }),
  };
}

function sizeOf({ body, content }: Parcel): number {
  return body.length + (content?.body.length ?? 0);
}
