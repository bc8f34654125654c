import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { inBytes } from '../../counted.ts';
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

/** An answer: JSON, or bytes with their type. */
export type Reply =
  | { readonly status: number; readonly json: Json }
  | { readonly status: number; readonly bytes: Uint8Array; readonly contentType: string };

export interface Route {
  readonly method: string;
  /** Matched against the path without doubled slashes. */
  readonly path: RegExp;
  /** Whether anybody may call it. All others need the keys. */
  readonly isOpen?: boolean;
  /** It takes traces: a request that cannot be taken may have lost some spans. */
  readonly bringsSpans?: boolean;
  /** May throw {@link Refusal}. */
  handle(request: Request): Reply | Promise<Reply>;
}

/** An error status, with the reason for the agent's log. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ServerOptions {
  readonly routes: readonly Route[];
  readonly isAuthorized: (headers: IncomingHttpHeaders) => boolean;
  /** Of one body after decompression. */
  readonly maxBodyBytes: number;
  readonly maxConnections: number;
  /** Called for every refusal. */
  readonly onRefusal: (refusal: Refusal) => void;
  /** Called with the reason if an export with this run's keys cannot be taken. */
  readonly onLost: (reason: string) => void;
  /** Called when a request begins to arrive; the returned function is called once it has been handled. */
  readonly onBegun: () => () => void;
}

/**
 * Idle connections are kept far longer than Node's 5 s: an exporter that reuses one just as it is closed would lose its
 * spans.
 */
const KEEP_ALIVE_MS = 10 * 60_000;

/** The HTTP side of the receiver: authorisation, reading, decompression and routing. */
export function createTraceServer(options: ServerOptions): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const handled = options.onBegun();
    answer(request, options)
      .finally(handled)
      .then(
        (reply) => send(response, reply),
        (error: unknown) => {
          const refusal = error instanceof Refusal ? error : new Refusal(500, `the receiver failed: ${String(error)}`);
          options.onRefusal(refusal);
          // A client that still writes would miss the answer if the connection were closed now.
          request.resume();
          send(response, { status: refusal.status, json: { message: refusal.message, error: refusal.name } });
        },
      );
  });
  const { maxConnections } = options;
  server.maxConnections = maxConnections;
  server.on('drop', () => options.onRefusal(new Refusal(503, `more than ${maxConnections} connections at once`)));
  return server;
}

async function answer(request: IncomingMessage, options: ServerOptions): Promise<Reply> {
  // A base URL with a slash at the end makes `//api/...`, which URL would read as a host.
  const url = new URL((request.url ?? '/').replace(/\/{2,}/g, '/'), 'http://receiver');
  const onPath = options.routes.filter(({ path }) => path.test(url.pathname));
  const route = onPath.find(({ method }) => method === request.method);
  if (route === undefined) {
    throw onPath.length === 0
      ? new Refusal(404, `nothing answers at ${url.pathname}`)
      : new Refusal(405, `${request.method} is not allowed at ${url.pathname}`);
  }
  if (route.isOpen !== true && !options.isAuthorized(request.headers)) {
    throw new Refusal(401, 'the keys are not those of this run: see the environment that the agent is started with');
  }
  try {
    return await handled(request, url, route, options.maxBodyBytes);
  } catch (error) {
    if (route.bringsSpans === true) options.onLost(error instanceof Refusal ? error.message : 'it broke off');
    throw error;
  }
}

async function handled(request: IncomingMessage, url: URL, route: Route, maxBytes: number): Promise<Reply> {
  const sent = { headers: request.headers, body: await readBody(request, maxBytes) };
  const body = await decompressed(sent.body, request, maxBytes);
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return route.handle({ url, host: request.headers.host ?? '', contentType, body, sent });
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
}

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECOMPRESSORS: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

async function decompressed(body: Buffer, request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return body;
  const decompress = DECOMPRESSORS.get(encoding);
  if (decompress === undefined) throw new Refusal(415, `the content encoding ${encoding} is not known`);
  try {
    return await decompress(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new Refusal(400, `the body is not ${encoding}`);
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, `the body is larger than ${inBytes(maxBytes)}`);
}

function send(response: ServerResponse, reply: Reply): void {
  const bytes = 'bytes' in reply ? reply.bytes : Buffer.from(JSON.stringify(reply.json));
  const contentType = 'bytes' in reply ? reply.contentType : 'application/json';
  response.writeHead(reply.status, { 'content-type': contentType, 'content-length': bytes.byteLength });
  response.end(bytes);
}
