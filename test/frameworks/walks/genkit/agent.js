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

const shop = ai.defineFlow('shop', async (messages, { context }) => {
  // A flow begins a trace of its own, so what is known of the turn is said on its span.
  for (const [key, value] of Object.entries(context?.about ?? {}))
    trace.getActiveSpan()?.setAttribute(`langfuse.trace.metadata.${key}`, value);
  const response = await ai.generate({ system: SYSTEM, messages, tools, config: { temperature: 0.2 } });
  return { text: response.text, messages: response.messages.filter(({ role }) => role !== 'system') };
});

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages) {
  return (await shop(messages)).text;
}

const conversations = new Map();

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const messages = [...(conversations.get(session) ?? []), { role: 'user', content: [{ text: question }] }];
  const about = { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() };
  const answer = await shop(messages, { context: { about } });
  conversations.set(session, answer.messages);
  return answer.text;
}
