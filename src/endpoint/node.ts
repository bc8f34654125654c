import type { IncomingMessage, ServerResponse } from 'node:http';
import { callers, type Endpoint } from './endpoint.ts';

type Body = RequestInit['body'];

/** The body, if a parser ran before us, as in Express. */
type ParsedMessage = IncomingMessage & { readonly body?: unknown };

/** An endpoint as a request listener of `node:http`, and as a handler of Express and servers like it. */
export function nodeHandler(endpoint: Endpoint): (request: ParsedMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const body = request.readableDidRead ? textOf(request.body) : bodyOf(request);
    const answer = await endpoint(toRequest(request, body, whenGone(response)));
    const text = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
    // The rest of a refused body is read and dropped: closing the connection now could lose the answer.
    request.resume();
  };
}

/** An endpoint as a route handler of Fastify. */
export function fastifyHandler(
  endpoint: Endpoint,
): (
  request: { readonly raw: IncomingMessage; readonly body?: unknown },
  reply: { readonly raw: ServerResponse },
) => Promise<Response> {
  return ({ raw, body }, reply) => endpoint(toRequest(raw, textOf(body), whenGone(reply.raw)));
}

/** The router has already matched the address, and `Request` refuses methods such as TRACE: all but POST are answered alike. */
function toRequest(message: IncomingMessage, body: Body, signal: AbortSignal): Request {
  const method = message.method === 'POST' ? 'POST' : 'GET';
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    // HTTP/2's own headers begin with a colon.
    if (value !== undefined && !name.startsWith(':')) headers.set(name, [value].flat().join(', '));
  }
  // A parser that read the body has also decompressed it.
  if (message.readableDidRead) headers.delete('content-encoding');
  const request = new Request('http://localhost/', {
    method,
    headers,
    signal,
    ...(method === 'POST' && { body, duplex: 'half' }),
  });
  callers.set(request, message.socket.remoteAddress);
  return request;
}

function textOf(parsed: unknown): Body {
  if (parsed === undefined) return null;
  return typeof parsed === 'string' || parsed instanceof Uint8Array ? parsed : JSON.stringify(parsed);
}

/** Cancelling it leaves the connection open, while destroying the message would close it. */
function bodyOf(message: IncomingMessage): Body {
  return ReadableStream.from(message.iterator({ destroyOnReturn: false })) as ReadableStream<Uint8Array>;
}

function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
