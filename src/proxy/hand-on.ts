import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';

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
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** What happens to the answer on its way. */
  readonly through?: ((came: Dispatcher.ResponseData) => AsyncIterable<string | Buffer>) | undefined;
}

/** Passes a request on to a server, and streams its answer back. */
export async function handOn({ connections, origin, path, request, response, ...handing }: Handing): Promise<void> {
  const { body = null, signal, through } = handing;
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
}

/** Answers one request; the signal is aborted when its client is gone. */
type Answering = (request: IncomingMessage, response: ServerResponse, signal: AbortSignal) => Promise<void>;

/**
 * Listens only on the loopback interface. Failures are 502, too large bodies 413; an answer that has begun breaks off.
 * @param port 0 for a free one
 */
export async function listenHere(port: number, answering: Answering): Promise<{ origin: string } & AsyncDisposable> {
  const server = createServer((request, response) => void answer(request, response, answering));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    if (isForThisMachine(request)) await answering(request, response, gone.signal);
    else end(response, 403);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else end(response, error instanceof RangeError ? 413 : 502);
  }
}

/** Answers with JSON, or with nothing but the status. */
export function end(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

/** A browser page could point any host name at this machine. */
function isForThisMachine({ headers }: IncomingMessage): boolean {
  return /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? '');
}

/** @throws RangeError when it is too large */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new RangeError('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

function without<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())));
}
