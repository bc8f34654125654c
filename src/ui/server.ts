import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSameToken } from '../contract/index.ts';
import { asAgentReplayError } from '../errors.ts';
import { bodyOf, Refusal, type Served, serve } from '../http/index.ts';
import { sealed } from '../redaction/index.ts';
import { toProblem } from '../report/index.ts';

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

/** By method and path, `POST /api/runs`. */
export type Routes = Readonly<Record<string, (asked: Asked) => Promise<unknown>>>;

/**
 * To this machine only.
 * @param page HTML, the same under each of `paths`
 * @throws errors of listening, such as a taken port
 */
export function servePage(
  page: string,
  { paths, routes, token, port }: { paths: readonly string[]; routes: Routes; token: string; port: number },
): Promise<Served> {
  return serve(
    async (request, response, gone) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      try {
        const url = URL.parse(request.url ?? '/', 'http://page');
        const at = url?.pathname.replace(/(?<=[^/])\/+$/, '') ?? '';
        const isPage = request.method === 'GET' && paths.includes(at);
        if (!isPage && !at.startsWith('/api/')) throw new Refusal(404, 'There is nothing here.');
        // The page itself contains no data; its script brings the token.
        checkAccess(request, request.socket.localPort ?? port, isPage ? undefined : token);
        if (isPage) return void response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
        const route = routes[`${request.method} ${at}`];
        if (route === undefined) throw new Refusal(404, 'There is nothing here.');
        const answer = await route({
          query: (name) => url?.searchParams.get(name) ?? '',
          body: jsonOf(await bodyOf(request, MAX_BODY_BYTES)),
          signal: gone,
        });
        sendJson(response, 200, answer);
      } catch (error) {
        if (!response.headersSent) sendProblem(response, error, request.method);
      }
    },
    { port },
  );
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

function jsonOf(body: Buffer): unknown {
  try {
    return body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(sealed('the page', JSON.stringify(value ?? null)));
}

/** An id that nobody knows is an answer to whoever looks for it, and no failure of the request. */
function sendProblem(response: ServerResponse, error: unknown, method: string | undefined): void {
  if (error instanceof Refusal) {
    sendJson(response, error.status, { problem: { code: 'USAGE', message: error.message, evidence: [] } });
    return;
  }
  const problem = toProblem(asAgentReplayError(error));
  sendJson(response, problem.code === 'NO_SESSIONS' && method === 'GET' ? 200 : 400, { problem });
}

/** This machine's own names. Any other `Host` is a foreign name that points here. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Lets through what comes from our page on this machine. Other pages cannot claim its `Host` and `Origin`, and whoever only
 * found the port lacks the token.
 * @param token of this start; undefined for the page itself, which contains no data
 * @throws Refusal
 */
function checkAccess(request: IncomingMessage, port: number, token?: string): void {
  const { host = '', origin, authorization = '' } = request.headers;
  const hosts = LOOPBACK.map((name) => `${name}:${port}`);
  if (!hosts.includes(host.toLowerCase())) throw new Refusal(403, 'This page answers on localhost only.');
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`)
    throw new Refusal(403, 'Requests of other pages are refused.');
  if (token !== undefined && !isSameToken(authorization, `Bearer ${token}`))
    throw new Refusal(401, 'Open the address that agent-replay ui has printed: its token is missing or old.');
}
