import { appendFile, rename, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { z } from 'zod';
import { inBytes } from '../../counted.ts';
import { AgentReplayError } from '../../errors.ts';
import { openFile } from '../../file.ts';
import { isJsonObject, jsonIn } from '../../json/index.ts';
import { isLoopback } from '../platform/connection.ts';

/** Something that an agent sent, unchanged. */
export interface Parcel {
  /** The same on the platform as on the receiver. */
  readonly path: string;
  /** Headers about the body and its sender, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of an announced file, which is uploaded when the platform asks for it. */
  readonly content?: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };
}

export interface ForwardOptions {
  /** The platform's address, without a slash at the end. */
  readonly host: string;
  readonly publicKey: string;
  readonly secretKey: string;
  /** File for undelivered parcels, as JSON lines. Without it only their number is known. */
  readonly undelivered?: string | undefined;
  /** Nothing more is tried after this is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes that may wait for delivery. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Before the first retry, in milliseconds. Default: 500. */
  readonly retryMs?: number;
  /** At the end of the run, for parcels that still wait. Default: 5,000. */
  readonly graceMs?: number;
}

/** The result of forwarding. */
export interface Forwarded {
  readonly delivered: number;
  readonly undelivered: number;
  /** The reasons, most frequent first. */
  readonly reasons: readonly string[];
  /** Where they are kept; undefined if there are none. */
  readonly file: string | undefined;
}

const MAX_BYTES = 64 * 2 ** 20;
const RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
const GRACE_MS = 5_000;
/** Parallel requests. If answers take a second, this is also the number per second. */
const AT_ONCE = 16;
/** Exports in one request, collected while all connections are busy. */
const MAX_BATCH = 100;
/** The vendor's cloud takes 5 MB. */
const MAX_BATCH_BYTES = 2 * 2 ** 20;
/** For one request. */
const SEND_MS = 30_000;
/** A server that works but repeatedly fails on one parcel may take the others. */
const TRIES = 5;
/** Its answers are only read for errors. */
const MAX_ANSWER_BYTES = 2 ** 20;
const REMEMBERED_REASONS = 20;

/** The result of one attempt. */
type Delivery =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** It would take no other parcel either. */
  | { readonly kind: 'shut'; readonly reason: string }
  | {
      readonly kind: 'later';
      readonly reason: string;
      readonly afterMs?: number | undefined;
      readonly counts: boolean;
    };

/**
 * Forwards what a receiver got, in the background, several requests at a time; waiting exports are sent together. Data for
 * the older ingestion API keeps its order, because its events change one another. Taking never waits and never fails.
 * Undelivered parcels are counted and kept in a file.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #authorization: string;
  readonly #dispatcher: Dispatcher;
  readonly #queue: Parcel[] = [];
  readonly #reasons = new Map<string, number>();
  /** Ends pending requests when the grace time is over. */
  readonly #over = new AbortController();
  #bytes = 0;
  #delivered = 0;
  #undelivered = 0;
  #isKept = false;
  #shut: string | undefined;
  /** Nothing is sent before this time, because the platform is in trouble. Milliseconds since 1970. */
  #notBefore = 0;
  /** It has accepted something. Until then, a single request tests whether it accepts anything. */
  #isProven = false;
  readonly #sending = new Set<readonly Parcel[]>();
  #idle: PromiseWithResolvers<void> | undefined;
  #writing = Promise.resolve();

  constructor(options: ForwardOptions) {
    this.#options = options;
    const keys = `${options.publicKey}:${options.secretKey}`;
    this.#authorization = `Basic ${Buffer.from(keys).toString('base64')}`;
    const pool = { connections: AT_ONCE, headersTimeout: SEND_MS, bodyTimeout: SEND_MS };
    this.#dispatcher = isLoopback(options.host) ? new Agent(pool) : new EnvHttpProxyAgent(pool);
  }

  take(parcel: Parcel): void {
    const { maxBytes = MAX_BYTES } = this.#options;
    const size = sizeOf(parcel);
    if (this.#shut !== undefined) this.#keep(parcel, this.#shut);
    else if (this.#bytes + size > maxBytes) {
      this.#keep(parcel, `more than ${inBytes(maxBytes)} waited for the platform`);
    } else {
      this.#bytes += size;
      this.#queue.push(parcel);
      this.#pump();
    }
  }

  /** Tries what is left during the grace time, and keeps the rest. */
  async close(): Promise<Forwarded> {
    const { graceMs = GRACE_MS, signal, undelivered } = this.#options;
    const end = () => this.#over.abort();
    const timer = setTimeout(end, graceMs);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    if (this.#sending.size > 0) {
      this.#idle = Promise.withResolvers();
      await this.#idle.promise;
    }
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

  #pump(): void {
    while (this.#sending.size < (this.#isProven ? AT_ONCE : 1)) {
      const batch = this.#nextBatch();
      if (batch === undefined) break;
      this.#sending.add(batch);
      void this.#send(batch).finally(() => {
        this.#sending.delete(batch);
        this.#pump();
      });
    }
    if (this.#sending.size === 0) this.#idle?.resolve();
  }

  /** The oldest parcel that may be sent, with later ones that fit into the same request. */
  #nextBatch(): Parcel[] | undefined {
    const isBusy = [...this.#sending].some(([first]) => first?.path === INGESTION_PATH);
    const start = this.#queue.findIndex(({ path }) => path !== INGESTION_PATH || !isBusy);
    const first = this.#queue[start];
    if (first === undefined) return undefined;
    let [end, bytes] = [start + 1, first.body.length];
    for (let next = this.#queue[end]; next !== undefined && areJoinable(first, next); next = this.#queue[end]) {
      bytes += next.body.length;
      if (bytes > MAX_BATCH_BYTES || end - start === MAX_BATCH) break;
      end++;
    }
    return this.#queue.splice(start, end - start);
  }

  async #send(batch: readonly Parcel[]): Promise<void> {
    const joined = batch.length === 1 ? undefined : joinedBody(batch);
    const [first] = batch as [Parcel];
    const reason =
      batch.length === 1
        ? await this.#deliver(first)
        : joined && (await this.#deliver({ path: first.path, headers: first.headers, body: joined }));
    // A joined request may be refused because of one parcel, so its parts are sent one by one.
    const isApart = batch.length > 1 && (joined === undefined || (reason !== undefined && !this.#isGivenUp));
    for (const parcel of batch) {
      const why = isApart ? await this.#deliver(parcel) : reason;
      this.#bytes -= sizeOf(parcel);
      if (why === undefined) this.#delivered++;
      else this.#keep(parcel, why);
    }
  }

  /** Nothing more is tried. */
  get #isGivenUp(): boolean {
    return this.#shut !== undefined || this.#over.signal.aborted;
  }

  /** @returns why it was not delivered; undefined if it was */
  async #deliver(parcel: Parcel): Promise<string | undefined> {
    const { retryMs = RETRY_MS } = this.#options;
    let reason = 'the run was over before it was sent';
    for (let tries = 0, waitMs = retryMs; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      const pauseMs = this.#notBefore - Date.now();
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: this.#over.signal }).catch(() => {});
      if (this.#shut !== undefined) return this.#shut;
      if (this.#over.signal.aborted) return reason;
      const outcome = await this.#try(parcel);
      if (outcome.kind === 'delivered') {
        this.#isProven = true;
        return undefined;
      }
      reason = outcome.reason;
      if (outcome.kind === 'shut') this.#shut = reason;
      if (outcome.kind !== 'later') return reason;
      if (outcome.counts && ++tries === TRIES) return reason;
      // The other requests would fail for the same reason.
      this.#notBefore = Math.max(this.#notBefore, Date.now() + (outcome.afterMs ?? waitMs));
    }
  }

  async #try({ path, headers, body, content }: Parcel): Promise<Delivery> {
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

  /** A file is stored where the platform says, and the platform is then notified. */
  async #upload(
    announced: string,
    content: NonNullable<Parcel['content']>,
    signed: Record<string, string>,
  ): Promise<Delivery> {
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
    // A disk that is slower than the agent must not fill the memory.
    if (undelivered === undefined || this.#bytes + size > 2 * maxBytes) return;
    this.#bytes += size;
    const line = `${JSON.stringify({ reason, ...parcelJson(parcel) })}\n`;
    this.#writing = this.#writing
      // It holds unredacted traces: only the user may read it.
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

const INGESTION_PATH = '/api/public/ingestion';

/** Exports of one sender that can be joined: JSON or protobuf, uncompressed. */
function areJoinable(one: Parcel, other: Parcel): boolean {
  const isPlain = one.path.endsWith('/v1/traces') && one.headers['content-encoding'] === undefined;
  return isPlain && one.path === other.path && isDeepStrictEqual(one.headers, other.headers);
}

const JSON_HEAD = '{"resourceSpans":[';
const JSON_TAIL = ']}';

/**
 * Joins several exports byte for byte; undefined if they are not written as expected.
 * `{"resourceSpans":[A]}` and `{"resourceSpans":[B]}` become `{"resourceSpans":[A,B]}`; protobuf messages can simply be
 * concatenated.
 */
function joinedBody(parcels: readonly Parcel[]): Buffer | undefined {
  const [{ headers }] = parcels as [Parcel];
  if (headers['content-type']?.includes('json') !== true) return Buffer.concat(parcels.map(({ body }) => body));
  const parts: string[] = [];
  for (const { body } of parcels) {
    const text = body.toString('utf8').trim();
    const { resourceSpans, ...others } = objectIn(text);
    const isPlain = Array.isArray(resourceSpans) && Object.keys(others).length === 0;
    if (!isPlain || !text.startsWith(JSON_HEAD) || !text.endsWith(JSON_TAIL)) return undefined;
    if (resourceSpans.length > 0) parts.push(text.slice(JSON_HEAD.length, -JSON_TAIL.length));
  }
  return Buffer.from(`${JSON_HEAD}${parts.join(',')}${JSON_TAIL}`);
}

function outcomeOf(
  { status, headers, text }: { status: number; headers: IncomingHttpHeaders; text: string },
  path: string,
): Delivery {
  if (status === 401 || status === 403) return { kind: 'shut', reason: `the platform refused the keys (${status})` };
  if (status === 429) return { kind: 'later', reason: 'the platform allows no more (429)', ...retryAfter(headers) };
  if (status >= 500 || status === 408) {
    return { kind: 'later', reason: `the platform answered ${status}`, ...retryAfter(headers), counts: true };
  }
  if (status >= 300) return { kind: 'refused', reason: `the platform answered ${status} to ${path}` };
  // In the older API each event has a status of its own.
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
  const value = jsonIn(text);
  return isJsonObject(value) ? value : {};
}

function parcelJson({ path, headers, body, content }: Parcel): Record<string, unknown> {
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

/** A line of the file with undelivered exports. */
const keptLine = z.object({
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string()),
  body: z.base64(),
  content: z.object({ headers: z.record(z.string(), z.string()), body: z.base64() }).optional(),
});

/** Exports that are sent before more are read. */
const CHUNK_BYTES = 32 * 2 ** 20;
/** For a chunk, if nothing else is waited for. */
const PATIENT_MS = 120_000;

/**
 * Sends what {@link Forwarder} kept. Afterwards the file is gone, or contains what could not be delivered again.
 * @throws AgentReplayError `INPUT_INVALID` if the file cannot be read, or contains a foreign line
 */
export async function forwardKept(
  file: string,
  options: Pick<ForwardOptions, 'host' | 'publicKey' | 'secretKey' | 'signal' | 'graceMs'>,
): Promise<Forwarded> {
  const rest = `${file}.${process.pid}.tmp`;
  let [delivered, undelivered, bytes] = [0, 0, 0];
  const reasons = new Set<string>();
  let chunk: Parcel[] = [];
  const send = async (): Promise<void> => {
    const forwarder = new Forwarder({
      graceMs: PATIENT_MS,
      maxBytes: Number.MAX_SAFE_INTEGER,
      ...options,
      undelivered: rest,
    });
    for (const parcel of chunk) forwarder.take(parcel);
    [chunk, bytes] = [[], 0];
    const done = await forwarder.close();
    delivered += done.delivered;
    undelivered += done.undelivered;
    for (const reason of done.reasons) reasons.add(reason);
  };
  try {
    const input = (await openFile(file)).createReadStream();
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    let number = 0;
    for await (const line of lines) {
      number++;
      if (line.trim() === '') continue;
      const parcel = parcelIn(line);
      if (parcel === undefined) throw notKept(file, `line ${number} is not an export that was kept`);
      chunk.push(parcel);
      bytes += sizeOf(parcel);
      if (bytes >= CHUNK_BYTES) await send();
    }
    await send();
  } catch (error) {
    await rm(rest, { force: true });
    throw error instanceof AgentReplayError
      ? error
      : notKept(file, (error as NodeJS.ErrnoException).code ?? String(error));
  }
  if (undelivered === 0) await rm(file);
  else await rename(rest, file);
  return { delivered, undelivered, reasons: [...reasons], file: undelivered === 0 ? undefined : file };
}

function parcelIn(line: string): Parcel | undefined {
  const { data } = keptLine.safeParse(objectIn(line));
  if (data === undefined) return undefined;
  const { content, body, ...rest } = data;
  const from = (text: string) => Buffer.from(text, 'base64');
  return { ...rest, body: from(body), ...(content && { content: { ...content, body: from(content.body) } }) };
}

function notKept(file: string, evidence: string): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', `${file} could not be read as traces that a run has kept.`, {
    evidence: [evidence],
    location: { file },
    hint: 'Give the output folder of a run that said TRACES_NOT_FORWARDED.',
  });
}
