import './tracing.js';
import { randomUUID } from 'node:crypto';
import { Agent, run, tool } from '@openai/agents';
import { trace } from '@opentelemetry/api';
import { z } from 'zod';

const SYSTEM = `You are a kind shop assistant.
Refund up to 200 EUR yourself.`;

const tools = [
  tool({
    name: 'lookup',
    description: 'Looks an order up',
    parameters: z.object({ order: z.string() }),
    execute: async ({ order }) => ({ order, amount: Number(process.env.SHOP_AMOUNT ?? 120) }),
  }),
  tool({
    name: 'refund',
    description: 'Refunds an order',
    parameters: z.object({ order: z.string(), amount: z.number() }),
    execute: async () => 'refunded',
  }),
  tool({
    name: 'create_ticket',
    description: 'Asks a colleague',
    parameters: z.object({ order: z.string() }),
    execute: async () => 'a ticket is open',
  }),
];
const agent = new Agent({ name: 'shop', instructions: SYSTEM, model: 'gpt-5-mini', tools });

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages) {
  const { finalOutput } = await run(agent, messages);
  return finalOutput;
}

const conversations = new Map();
const tracer = trace.getTracer('shop');

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const messages = [...(conversations.get(session) ?? []), { role: 'user', content: question }];
  const metadata = { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() };
  const attributes = Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [`langfuse.trace.metadata.${key}`, value]),
  );
  return tracer.startActiveSpan('chat', { attributes }, async (span) => {
    const { finalOutput, history } = await run(agent, messages);
    conversations.set(session, history);
    span.end();
    return finalOutput;
  });
}
