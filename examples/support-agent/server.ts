import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { takeTurn } from './agent.ts';
import { Memory } from './memory.ts';
import { readReplay } from './replay.ts';
import { settings } from './settings.ts';
import { executedRefunds, Shop } from './shop.ts';
import { flushTraces } from './tracing.ts';

const shop = new Shop();
const memory = new Memory();

const chatBody = z.object({ session_id: z.string().min(1).max(200), message: z.string().min(1) });

async function chat(request: IncomingMessage): Promise<object> {
  const { session_id, message } = chatBody.parse(await json(request));
  const question = { role: 'user' as const, content: message };
  const messages = [...memory.recall(session_id), question];
  const answer = await takeTurn({ sessionId: session_id, messages, shop });
  memory.remember(session_id, [question, ...answer.messages]);
  return { session_id, run_id: answer.runId, output: answer.output };
}

/** The same turn as in a chat, but on a sandbox of the shop, and nothing is remembered. */
async function replay(request: IncomingMessage): Promise<object> {
  const { sessionId, messages, metadata } = readReplay(await json(request), request.headers);
  const answer = await takeTurn({ sessionId, messages, shop: shop.sandbox(), metadata }).finally(flushTraces);
  return {
    session_id: sessionId,
    run_id: answer.runId,
    svc_replay_run_id: metadata.svc_replay_run_id,
    output: answer.output,
  };
}

const routes: Readonly<Record<string, (request: IncomingMessage) => Promise<object>>> = {
  'POST /chat': chat,
  'POST /replay': replay,
};

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = routes[`${request.method} ${request.url}`];
  if (route === undefined) return send(response, 404, { error: 'There is POST /chat and POST /replay.' });
  try {
    send(response, 200, await route(request));
  } catch (error) {
    if (error instanceof SyntaxError) return send(response, 400, { error: 'The body is no JSON.' });
    if (error instanceof z.ZodError) return send(response, 400, { error: z.prettifyError(error) });
    console.error('A turn failed:', error instanceof Error ? error.message : error);
    send(response, 502, { error: 'The model could not be asked.' });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const server = createServer(handle).listen(settings.PORT, '127.0.0.1');
await once(server, 'listening');
console.log(`support agent listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    server.close();
    server.closeIdleConnections();
    await flushTraces();
    console.log(`${executedRefunds()} refunds executed`);
    process.exit(0);
  });
}
