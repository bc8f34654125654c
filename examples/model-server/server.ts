import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { readConversation } from './conversation.ts';
import { decide } from './policy.ts';
import { chatRequest, completion, completionChunks, errorBody } from './protocol.ts';
import { createSampling, type Sampler } from './sampling.ts';

export interface ModelServer {
  /** Base URL of the protocol, such as `http://127.0.0.1:4311/v1`. */
  readonly url: string;
  close(): void;
}

/**
 * Starts a model that any OpenAI-compatible client can talk to.
 * @param options.port 0, the default, takes a free one
 * @param options.seed for requests that carry none
 */
export async function startModelServer({ port = 0, seed = 0 } = {}): Promise<ModelServer> {
  const sampling = createSampling();
  const server = createServer((request, response) => {
    answer(request, response, (payload) => sampling({ ...payload, seed: payload.seed ?? seed })).catch((error) => {
      console.error(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, errorBody('The model failed.', 'server_error'));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Sampling = (request: { seed: number | undefined; temperature: number; payload: unknown }) => Sampler;

async function answer(request: IncomingMessage, response: ServerResponse, sampling: Sampling): Promise<void> {
  const route = `${request.method} ${request.url}`;
  if (route === 'GET /v1/models') return sendJson(response, 200, { object: 'list', data: [] });
  if (route !== 'POST /v1/chat/completions') {
    return sendJson(response, 404, errorBody(`Unknown request URL: ${route}.`, 'invalid_request_error'));
  }
  const parsed = chatRequest.safeParse(json(await text(request)));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const body = errorBody(issue?.message ?? 'Invalid request', 'invalid_request_error', issue?.path.join('.'));
    return sendJson(response, 400, body);
  }
  const chat = parsed.data;
  const { seed, temperature, messages, tools } = chat;
  const sampler = sampling({ seed, temperature, payload: { messages, tools, temperature } });
  const move = decide(readConversation(chat), sampler);
  if (!chat.stream) return sendJson(response, 200, completion(chat, move));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const chunk of completionChunks(chat, move)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
}

/** Undefined for what is no JSON: the schema then says what is missing. */
function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string' }, seed: { type: 'string' } } });
  const { url } = await startModelServer({
    port: Number(values.port ?? process.env.PORT ?? 0),
    seed: Number(values.seed ?? process.env.SEED ?? 0),
  });
  console.log(`model server listening on ${url}`);
}
