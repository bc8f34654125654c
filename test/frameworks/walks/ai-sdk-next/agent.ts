import { randomUUID } from 'node:crypto';
import { createOpenAI } from '@ai-sdk/openai';
import { propagateAttributes } from '@langfuse/tracing';
import { type ModelMessage, stepCountIs, streamText, tool } from 'ai';
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

/** Streams the answer of one turn. */
export function answer(messages: ModelMessage[]) {
  return streamText({
    model: openai.chat('gpt-5-mini'),
    instructions: SYSTEM,
    messages,
    tools,
    stopWhen: stepCountIs(5),
  });
}

/** Takes one turn, to its end. */
export async function takeTurn(messages: ModelMessage[]): Promise<string> {
  return await answer(messages).text;
}

/** One turn of a conversation that the page keeps. */
export function chat(session: string, messages: ModelMessage[]) {
  const metadata = { agent_id: process.env.SVC_AGENT_ID ?? 'shop', session_id: session, run_id: randomUUID() };
  return propagateAttributes({ sessionId: session, metadata }, () => answer(messages));
}
