import type { Dispatcher } from 'undici';
import { within } from '../bounded/index.ts';
import { AgentReplayError } from '../errors.ts';
import type { ServeOptions } from '../http/index.ts';
import { isJsonObject, type Json } from '../json/index.ts';
import { bodyAnswered, bodyAsked, end, handOn, listenHere } from './hand-on.ts';
import { partsOf } from './lines.ts';
import { Exchange, messageIn, type ProxiedServer, ServerTools, spelled } from './server-tools.ts';

/** A proxy that listens. Disposing of it closes it. */
export interface HttpProxy extends AsyncDisposable {
  /** The URL for the client, in place of the server's. */
  readonly url: string;
}

const EVENT_END = /\r?\n\r?\n/;
/** A server that takes longer to read a call has to take its cancellation first. */
const READING_MS = 1_000;
/** The transport of 2024, whose answers come in another stream than the request's. */
const IS_OLD_TRANSPORT = /^event: ?endpoint\r?$/m;

/**
 * Stands between MCP clients and a streamable HTTP server, on the loopback interface. Without recordings it passes
 * everything on unchanged.
 * @param options.port 0 for a free one
 * @param options.readingMs how long a cancellation waits until the server has read its call
 * @throws AgentReplayError `USAGE` if it cannot listen there
 */
export async function proxyHttp(
  target: URL,
  server: ProxiedServer | undefined,
  {
    port,
    onDefect,
    readingMs = READING_MS,
  }: { readonly port: number; readonly readingMs?: number } & Pick<ServeOptions, 'onDefect'>,
): Promise<HttpProxy> {
  const listener = await listenHere({ port, onDefect }, between(target, server, readingMs)).catch(
    (cause: NodeJS.ErrnoException) => {
      throw new AgentReplayError('USAGE', `The proxy cannot listen on port ${port}.`, {
        evidence: [`reason: ${cause.code}`],
        hint: 'Give a free one with --port.',
        cause,
      });
    },
  );
  return { ...listener, url: `${listener.origin}${target.pathname}${target.search}` };
}

/** Takes the requests of clients. */
function between(
  { origin }: URL,
  server: ProxiedServer | undefined,
  readingMs: number,
): Parameters<typeof listenHere>[1] {
  const tools = server && new ServerTools(server);
  /** Requests that the server has not begun to answer: no notification of the same session overtakes them. */
  const unread = new Set<{ readonly session: string; readonly isRead: Promise<unknown> }>();
  return async ({ request, response, ...asked }) => {
    const session = String(request.headers['mcp-session-id'] ?? '');
    const exchange = tools && new Exchange(tools, session);
    const body = request.method === 'POST' ? await bodyAsked(request) : undefined;
    const sorted = body === undefined ? undefined : await exchange?.ofClient(body);
    if (sorted?.answer !== undefined) return end(response, isToNobody(sorted.answer) ? 400 : 200, sorted.answer);
    if (sorted !== undefined && sorted.forward === undefined) return end(response, 202);
    const forward = sorted === undefined ? body : spelled(sorted.forward, sorted.kept);
    if (sorted !== undefined && isNotification(sorted.forward))
      await Promise.all([...unread].map((each) => each.session === session && each.isRead));
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = { session, isRead: within(readingMs, promise) };
    if (sorted !== undefined) unread.add(own);
    const through = (came: Dispatcher.ResponseData) => {
      resolve();
      return exchange === undefined ? came.body : heard(came, exchange);
    };
    const path = request.url ?? '/';
    await handOn({ ...asked, origin, path, request, response, body: forward, through }).finally(() => {
      resolve();
      unread.delete(own);
    });
  };
}

function isNotification(message: Json | undefined): boolean {
  return isJsonObject(message) && message.id === undefined;
}

/** What was sent could not be read, so that its id is not known either. */
function isToNobody(answer: Json): boolean {
  return isJsonObject(answer) && answer.id === null;
}

class OldTransport extends Error {}

/** Reads each message of the server before passing it on. */
async function* heard({ headers, body }: Dispatcher.ResponseData, exchange: Exchange): AsyncGenerator<Buffer> {
  const type = String(headers['content-type'] ?? '');
  if (/^application\/json\b/i.test(type)) {
    const message = await bodyAnswered(body);
    await exchange.ofServer(messageIn(message));
    yield message;
  } else if (/^text\/event-stream\b/i.test(type)) {
    for await (const event of partsOf(body, EVENT_END)) {
      // The server would answer in a stream of its own, where no client waits for recorded answers.
      const text = messageIn(event);
      if (IS_OLD_TRANSPORT.test(text)) throw new OldTransport();
      const data = [...text.matchAll(/^data: ?(.*?)\r?$/gm)].map(([, line]) => line).join('\n');
      if (data !== '') await exchange.ofServer(data);
      yield event;
    }
  } else yield* body;
}
