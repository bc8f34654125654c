import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { bodyOf, Refusal, type Served, type ServeOptions, serve } from '../../http/index.ts';
import type { Json } from '../../json/index.ts';

/** A request as a route gets it: authorised and fully read. */
export interface Request {
  readonly url: URL;
  /** Host and port by which the client reached this server. */
  readonly host: string;
  /** Lower-case, without parameters. */
  readonly contentType: string;
  /** Decompressed. */
  readonly body: Buffer;
  /** The raw body. */
  readonly sent: { readonly headers: IncomingHttpHeaders; readonly body: Buffer };
}

export type Reply =
  | { readonly status: number; readonly json: Json }
  | { readonly status: number; readonly bytes: Uint8Array; readonly contentType: string };

export interface Route {
  readonly method: string;
  /** Matched against the path without doubled slashes. */
  readonly path: RegExp;
  /** Whether anybody may call it. All others need the keys. Of several for one path the first counts that may be called. */
  readonly isOpen?: boolean;
  /**
   * How much of a body it reads. Default: all that the server takes, but nothing without the keys, nor of a GET.
   * @throws Refusal
   */
  readonly bodyBytes?: (url: URL) => number;
  /** It takes traces: a request that cannot be taken may have lost some spans. */
  readonly bringsSpans?: boolean;
  /** May throw {@link Refusal}. */
  handle(request: Request): Reply | Promise<Reply>;
}

export interface ServerOptions extends ServeOptions {
  readonly routes: readonly Route[];
  readonly isAuthorized: (headers: IncomingHttpHeaders) => boolean;
  /** Of one body after decompression. */
  readonly maxBodyBytes: number;
  readonly onRefusal: (refusal: Refusal) => void;
  /** Called with the reason if an export with this run's keys cannot be taken; `isSent`: it came, and will not come otherwise. */
  readonly onLost: (reason: string, isSent: boolean, isTooLarge: boolean) => void;
  /** Called when a request begins to arrive; the returned function is called once it has been handled. */
  readonly onBegun: () => () => void;
}

/** The HTTP side of the receiver: authorisation, reading, decompression and routing. */
export async function serveTraces(options: ServerOptions): Promise<Served> {
  const { maxConnections, onRefusal } = options;
  const served = await serve(async (request, response) => {
    try {
      send(response, await answer(request, options));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      onRefusal(error);
      send(response, { status: error.status, json: { message: error.message, error: error.name } });
    }
  }, options);
  served.server.on('drop', () => onRefusal(new Refusal(503, `more than ${maxConnections} connections at once`)));
  return served;
}

async function answer(request: IncomingMessage, options: ServerOptions): Promise<Reply> {
  // A base URL with a slash at the end makes `//api/...`, which URL would read as a host.
  const url = URL.parse((request.url ?? '/').replace(/\/{2,}/g, '/'), 'http://receiver');
  if (url === null) throw new Refusal(400, 'the address is malformed');
  const onPath = options.routes.filter(({ path }) => path.test(url.pathname));
  const meant = onPath.filter(({ method }) => method === request.method);
  if (meant.length === 0) {
    throw onPath.length === 0
      ? new Refusal(404, `nothing answers at ${url.pathname}`)
      : new Refusal(405, `${request.method} is not allowed at ${url.pathname}`);
  }
  const isAuthorized = options.isAuthorized(request.headers);
  const route = meant.find(({ isOpen }) => isOpen === true || isAuthorized);
  if (route === undefined) {
    throw new Refusal(401, 'the keys are not those of this run: see the environment that the agent is started with');
  }
  const isUnread = route.isOpen === true || route.method === 'GET';
  const maxBytes = route.bodyBytes?.(url) ?? (isUnread ? 0 : options.maxBodyBytes);
  const over = maxBytes > 0 ? options.onBegun() : () => {};
  try {
    return await handled(request, url, route, maxBytes);
  } catch (error) {
    if (route.bringsSpans === true) {
      const refusal = error instanceof Refusal ? error : undefined;
      const isTooLarge = refusal?.status === 413;
      const isSent = isTooLarge || (refusal !== undefined && request.complete);
      options.onLost(refusal?.message ?? 'the receiver failed', isSent, isTooLarge);
    }
    throw error;
  } finally {
    over();
  }
}

async function handled(request: IncomingMessage, url: URL, route: Route, maxBytes: number): Promise<Reply> {
  const sent = { headers: request.headers, body: maxBytes > 0 ? await bodyOf(request, maxBytes) : Buffer.alloc(0) };
  const body = await decompressed(sent.body, request, maxBytes);
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return route.handle({ url, host: request.headers.host ?? '', contentType, body, sent });
}

const UNPACKERS = new Map<string, (options: { chunkSize: number }) => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);
const UNPACKED_BYTES = 2 ** 16;

async function decompressed(body: Buffer, request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return body;
  const unpack = UNPACKERS.get(encoding)?.({ chunkSize: UNPACKED_BYTES });
  if (unpack === undefined) throw new Refusal(415, `the content encoding ${encoding} is not known`);
  unpack.end(body);
  return bodyOf(request, maxBytes, unpack).catch((error: Refusal) => {
    throw error.status === 400 ? new Refusal(400, `the body is not ${encoding}`) : error;
  });
}

function send(response: ServerResponse, reply: Reply): void {
  const bytes = 'bytes' in reply ? reply.bytes : Buffer.from(JSON.stringify(reply.json));
  const contentType = 'bytes' in reply ? reply.contentType : 'application/json';
  response.writeHead(reply.status, { 'content-type': contentType, 'content-length': bytes.byteLength });
  response.end(bytes);
}
