import type { AddressInfo } from 'node:net';
import { type Message, nodeHandler, replayEndpoint } from 'agent-replay/endpoint';
import express from 'express';
import { takeTurn } from './agent.ts';
import { flush } from './tracing.ts';

const app = express();

/** The replay endpoint: the same function as a chat, on the recorded conversation, and nothing is remembered. */
const replay = replayEndpoint(({ sessionId, messages }) => takeTurn(sessionId, withoutSystem(messages)), { flush });
app.all('/replay', nodeHandler(replay)); // before express.json(), which takes no more than 100 KB

/** This agent brings its own system text: a recorded one would hide an edit. */
function withoutSystem(messages: readonly Message[]): Message[] {
  return messages.filter(({ role }) => role !== 'system');
}

const memory = new Map<string, Message[]>();
app.use(express.json());
app.post('/chat', async (request, response) => {
  const { session_id, message } = request.body as { session_id: string; message: string };
  const conversation: Message[] = [...(memory.get(session_id) ?? []), { role: 'user', content: message }];
  const output = await takeTurn(session_id, conversation);
  memory.set(session_id, [...conversation, { role: 'assistant', content: output }]);
  response.json({ session_id, output });
});

const server = app.listen(Number(process.env.PORT ?? 4320), '127.0.0.1', () => {
  console.log(`order desk listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once('SIGTERM', async () => {
  server.close();
  server.closeIdleConnections();
  await flush();
  process.exit(0);
});
