import './tracing.js';
import { randomUUID } from 'node:crypto';
import { googleAI } from '@genkit-ai/google-genai';
import { trace } from '@opentelemetry/api';
import { genkit, z } from 'genkit';

const SYSTEM = `You are a kind shop assistant.
Refund up to 200 EUR yourself.`;

const ai = genkit({
  plugins: [googleAI({ baseUrl: process.env.GOOGLE_GEMINI_BASE_URL })],
  model: googleAI.model('gemini-2.5-flash'),
});
const order = { order: z.string() };
const tools = [
  ai.defineTool(
    { name: 'lookup', description: 'Looks an order up', inputSchema: z.object(order) },
    async ({ order }) => ({ order, amount: Number(process.env.SHOP_AMOUNT ?? 120) }),
  ),
  ai.defineTool(
    { name: 'refund', description: 'Refunds an order', inputSchema: z.object({ ...order, amount: z.number() }) },
    async () => 'refunded',
  ),
  ai.defineTool(
    { name: 'create_ticket', description: 'Asks a colleague', inputSchema: z.object(order) },
    async () => 'a ticket is open',
  ),
];

const shop = ai.defineFlow('shop', async (messages) => {
  const response = await ai.generate({ system: SYSTEM, messages, tools, config: { temperature: 0.2 } });
  return { text: response.text, messages: response.messages.filter(({ role }) => role !== 'system') };
});

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages) {
  return (await shop(messages)).text;
}

const conversations = new Map();
const tracer = trace.getTracer('shop');

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const messages = [...(conversations.get(session) ?? []), { role: 'user', content: [{ text: question }] }];
  const metadata = { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() };
  const attributes = Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [`langfuse.trace.metadata.${key}`, value]),
  );
  return tracer.startActiveSpan('chat', { attributes }, async (span) => {
    const answer = await shop(messages);
    conversations.set(session, answer.messages);
    span.end();
    return answer.text;
  });
}
