import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { asAgentReplayError } from '../errors.ts';
import { problemView } from '../report/index.ts';
import { refusalOf } from './access.ts';

/** Requests of the page contain only a few short fields. */
const MAX_BODY_BYTES = 1024 ** 2;

export interface Asked {
  /** A parameter; empty if it is missing. */
  readonly query: (name: string) => string;
  /** The JSON that was sent; an empty object without any. */
  readonly body: unknown;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** By method and path, `POST /api/runs`: each answers a value, or events as they come. */
export type Routes = Readonly<Record<string, (asked: Asked) => Promise<unknown>>>;

/**
 * Serves one page and its requests, to this machine only.
 * @param page HTML of the page, the same under each of `paths`
 * @returns its origin: `http://127.0.0.1:PORT`
 * @throws errors of listening, such as a taken port
 */
export async function serve(
  page: string,
  { paths, routes, token, port }: { paths: readonly string[]; routes: Routes; token: string; port: number },
): Promise<AsyncDisposable & { readonly origin: string }> {
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : port;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
    const isPage = request.method === 'GET' && paths.includes(pathname);
    // The page itself contains no data; its script brings the token.
    const refusal = refusalOf(request, isPage ? { port: own } : { port: own, token });
    if (refusal !== undefined) return sendProblem(response, refusal.status, new Refused(refusal.message));
    if (isPage) return void response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    const route = routes[`${request.method} ${pathname}`];
    if (route === undefined) return sendProblem(response, 404, new Refused('There is nothing here.'));
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await route({
        query: (name) => searchParams.get(name) ?? '',
        body: await bodyOf(request),
        signal: gone.signal,
      });
      if (isEvents(answer)) await sendEvents(response, answer);
      else sendJson(response, 200, answer);
    } catch (error) {
      if (!response.headersSent) sendProblem(response, 400, error);
    }
  }

  return {
    origin: `http://127.0.0.1:${own}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** No embedding, no type sniffing, no caching. The page's own policy says what it may load. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

class Refused extends Error {}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    // Reads the request to its end, so that the client sees the refusal.
    if (bytes <= MAX_BODY_BYTES) parts.push(part);
  }
  if (bytes > MAX_BODY_BYTES) throw new Refused('The request is too large.');
  return parts.length === 0 ? {} : JSON.parse(Buffer.concat(parts).toString('utf8'));
}

function isEvents(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? null));
}

function sendProblem(response: ServerResponse, status: number, error: unknown): void {
  const problem =
    error instanceof Refused || error instanceof SyntaxError
      ? { code: 'USAGE', where: '', message: error.message, evidence: [], hint: '' }
      : problemView(asAgentReplayError(error));
  sendJson(response, status, { problem });
}

/** Server-sent events, one per value. A client that disconnects ends the iteration. */
async function sendEvents(response: ServerResponse, events: AsyncIterable<unknown>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for await (const event of events) {
    if (response.destroyed) return;
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
