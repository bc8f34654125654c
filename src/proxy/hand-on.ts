import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { wholeBody } from '../bounded/index.ts';
import { bodyOf, Refusal, type Served, type ServeOptions, serve } from '../http/index.ts';

/** Large media pass through here. */
const MAX_BODY_BYTES = 64 * 2 ** 20;
/** Headers of a connection, not of a message. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'expect', 'host', 'keep-alive', 'transfer-encoding']);

export interface Handing {
  readonly connections: Dispatcher;
  /** Where the server is, and which of its pages is meant. */
  readonly origin: string;
  readonly path: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer | undefined;
  readonly signal: AbortSignal;
  /** What happens to the answer on its way. */
  readonly through?: (came: Dispatcher.ResponseData) => AsyncIterable<Buffer>;
}

/** Passes a request on to a server, and streams its answer back. @throws Refusal if that fails */
export async function handOn(handing: Handing): Promise<void> {
  const { connections, origin, path, request, response, body = null, signal, through } = handing;
  try {
    const came = await connections.request({
      origin,
      path,
      method: request.method as Dispatcher.HttpMethod,
      // No compression, because answers are read on the way.
      headers: { ...without(request.headers), 'accept-encoding': 'identity' },
      body,
      signal,
    });
    response.writeHead(came.statusCode, without(came.headers));
    response.flushHeaders();
    await pipeline(through === undefined ? came.body : Readable.from(through(came)), response);
  } catch (cause) {
    throw new Refusal(502, String(cause));
  }
}

/** Answers one request; the signal is aborted when its client is gone. */
type Answering = (asked: Pick<Handing, 'connections' | 'request' | 'response' | 'signal'>) => Promise<void>;

/**
 * Listens only on the loopback interface. A server that fails is 502; an answer that has begun breaks off.
 * @param options.port 0 for a free one
 */
export async function listenHere(
  options: Pick<ServeOptions, 'port' | 'onDefect'>,
  answering: Answering,
): Promise<Pick<Served, 'origin'> & AsyncDisposable> {
  // A stream may be silent for hours.
  const connections = new EnvHttpProxyAgent({ bodyTimeout: 0, headersTimeout: 0 });
  const served = await serve(
    async (request, response, signal) => {
      try {
        if (isForThisMachine(request)) await answering({ connections, request, response, signal });
        else end(response, 403);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (response.headersSent) response.destroy();
        else end(response, error.status);
      }
    },
    { ...options, name: 'proxy' },
  );
  return {
    origin: served.origin,
    async [Symbol.asyncDispose]() {
      await Promise.all([served[Symbol.asyncDispose](), connections.destroy()]);
    },
  };
}

/** Answers with JSON, or with nothing but the status. */
export function end(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

/** A browser page could point any host name at this machine, and says in `origin` where it comes from. */
function isForThisMachine({ headers: { host = '', origin } }: IncomingMessage): boolean {
  const isOfHere = origin === undefined || /^https?:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(origin);
  return isOfHere && /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host);
}

/** @throws Refusal when it is too large */
export function bodyAsked(request: IncomingMessage): Promise<Buffer> {
  return bodyOf(request, MAX_BODY_BYTES);
}

/** @throws Error when it is too large */
export function bodyAnswered(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return wholeBody(body, MAX_BODY_BYTES, () => new Error('the answer is too large'));
}

function without<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())));
}
