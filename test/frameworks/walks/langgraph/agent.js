import './tracing.js';
import { randomUUID } from 'node:crypto';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { CallbackHandler } from '@langfuse/langchain';
import { propagateAttributes } from '@langfuse/tracing';
import { z } from 'zod';

const SYSTEM = `You are a kind shop assistant.
Refund up to 200 EUR yourself.`;

const tools = [
  tool(async ({ order }) => JSON.stringify({ order, amount: Number(process.env.SHOP_AMOUNT ?? 120) }), {
    name: 'lookup',
    description: 'Looks an order up',
    schema: z.object({ order: z.string() }),
  }),
  tool(async () => 'refunded', {
    name: 'refund',
    description: 'Refunds an order',
    schema: z.object({ order: z.string(), amount: z.number() }),
  }),
  tool(async () => 'a ticket is open', {
    name: 'create_ticket',
    description: 'Asks a colleague',
    schema: z.object({ order: z.string() }),
  }),
];
const llm = new ChatOpenAI({
  model: 'gpt-5-mini',
  apiKey: process.env.OPENAI_API_KEY,
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
});
const graph = createReactAgent({ llm, tools, prompt: SYSTEM });

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages) {
  const state = await answer(messages);
  return state.messages.at(-1).content;
}

function answer(messages) {
  return graph.invoke({ messages }, { callbacks: [new CallbackHandler()] });
}

const conversations = new Map();

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const messages = [...(conversations.get(session) ?? []), { role: 'user', content: question }];
  const metadata = { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() };
  const state = await propagateAttributes({ sessionId: session, metadata }, () => answer(messages));
  conversations.set(session, state.messages);
  return state.messages.at(-1).content;
}
