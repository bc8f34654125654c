import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';

/** Large media go through here. */
const MAX_BODY_BYTES = 64 * 2 ** 20;
/** They are of one connection, not of a message. */
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
  /** What becomes of the answer on its way. */
  readonly through?: ((came: Dispatcher.ResponseData) => AsyncIterable<string | Buffer>) | undefined;
}

/** Hands a request on to a server, and its answer back while it comes. */
export async function handOn({ connections, origin, path, request, response, ...handing }: Handing): Promise<void> {
  const { body = null, signal, through } = handing;
  const came = await connections.request({
    origin,
    path,
    method: request.method as Dispatcher.HttpMethod,
    // Nothing to unpack: it is read on the way.
    headers: { ...without(request.headers), 'accept-encoding': 'identity' },
    body,
    signal,
  });
  response.writeHead(came.statusCode, without(came.headers));
  response.flushHeaders();
  await pipeline(through === undefined ? came.body : Readable.from(through(came)), response);
}

/** A page in a browser could have any name point to this machine. */
export function isForThisMachine({ headers }: IncomingMessage): boolean {
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
