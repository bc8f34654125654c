import './tracing.js';
import { randomUUID } from 'node:crypto';
import { createOpenAI } from '@ai-sdk/openai';
import { propagateAttributes } from '@langfuse/tracing';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

const SYSTEM = `You are a kind shop assistant.
Refund up to 200 EUR yourself.`;
const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY });

const tools = {
  lookup: tool({
    description: 'Looks an order up',
    inputSchema: z.object({ order: z.string() }),
    execute: async ({ order }) => ({ order, amount: Number(process.env.SHOP_AMOUNT ?? 120) }),
  }),
  refund: tool({
    description: 'Refunds an order',
    inputSchema: z.object({ order: z.string(), amount: z.number() }),
    execute: async () => 'refunded',
  }),
  create_ticket: tool({
    description: 'Asks a colleague',
    inputSchema: z.object({ order: z.string() }),
    execute: async () => 'a ticket is open',
  }),
};

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages) {
  const { text } = await answer(messages);
  return text;
}

function answer(messages) {
  return generateText({
    model: openai.chat('gpt-5-mini'),
    instructions: SYSTEM,
    messages,
    tools,
    stopWhen: stepCountIs(5),
  });
}

const conversations = new Map();

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const messages = conversations.get(session) ?? [];
  messages.push({ role: 'user', content: question });
  conversations.set(session, messages);
  const metadata = { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() };
  const { text, responseMessages, response } = await propagateAttributes({ sessionId: session, metadata }, () =>
    answer(messages),
  );
  messages.push(...(responseMessages ?? response.messages));
  return text;
}
