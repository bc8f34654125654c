import { serve } from '@hono/node-server';
import { replayEndpoint, toModelMessages } from 'agent-replay/endpoint';
import type { ModelMessage } from 'ai';
import { Hono } from 'hono';
import { streamText } from 'hono/streaming';
import { createTools, takeTurn } from './agent.ts';
import { helpdesk, sandbox } from './helpdesk.ts';
import { flush } from './tracing.ts';

const app = new Hono();

const tools = createTools(helpdesk);
const sandboxed = createTools(sandbox);

/** The same turn as in a chat, with the sandbox at the tool boundary, and nothing is remembered. */
const replay = replayEndpoint(
  ({ sessionId, messages }) => takeTurn({ sessionId, messages: toModelMessages(messages), tools: sandboxed }),
  { flush },
);
app.all('/replay', (context) => replay(context.req.raw));

/** The answer is streamed, as people like to read it. */
app.post('/chat', async (context) => {
  const { session_id, message } = await context.req.json<{ session_id: string; message: string }>();
  const messages: ModelMessage[] = [{ role: 'user', content: message }];
  return streamText(context, async (stream) => {
    await takeTurn({ sessionId: session_id, messages, tools, say: (piece) => stream.write(piece) });
  });
});

const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 4330) },
  ({ port }) => {
    console.log(`night desk listening on http://127.0.0.1:${port}`);
  },
);

process.once('SIGTERM', async () => {
  server.close();
  await flush();
  process.exit(0);
});
