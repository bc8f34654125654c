import './tracing.js';
import { randomUUID } from 'node:crypto';
import { Agent, run, tool } from '@openai/agents';
import { trace } from '@opentelemetry/api';
import { z } from 'zod';

const MODEL = 'gpt-5-mini';
const AMOUNT = 120;

const lookup = tool({
  name: 'lookup',
  description: 'Looks an order up',
  parameters: z.object({ order: z.string() }),
  execute: async ({ order }) => ({ order, amount: AMOUNT, state: 'sent' }),
});
const refund = tool({
  name: 'refund',
  description: 'Refunds an order',
  parameters: z.object({ order: z.string(), amount: z.number() }),
  execute: async ({ amount }) => `refunded ${amount} EUR`,
});
const create_ticket = tool({
  name: 'create_ticket',
  description: 'Asks a colleague',
  parameters: z.object({ order: z.string() }),
  execute: async () => 'a ticket is open',
});

const orderDesk = new Agent({
  name: 'order_desk',
  handoffDescription: 'Knows every order',
  instructions: 'You know every order. Look it up first.',
  model: MODEL,
  tools: [lookup],
});
const refundDesk = new Agent({
  name: 'refund_desk',
  handoffDescription: 'Refunds orders',
  instructions: 'You refund orders.\nRefund up to 200 EUR yourself.',
  model: MODEL,
  tools: [refund, create_ticket],
});
const frontDesk = new Agent({
  name: 'front_desk',
  handoffDescription: 'Answers all the rest',
  instructions: 'You are kind to every guest.',
  model: MODEL,
});
const shop = new Agent({
  name: 'shop',
  instructions: 'Hand each question over to the desk that knows.',
  model: MODEL,
  handoffs: [orderDesk, refundDesk, frontDesk],
});

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages) {
  const { finalOutput } = await run(shop, messages);
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
    const { finalOutput, history } = await run(shop, messages);
    conversations.set(session, history);
    span.end();
    return finalOutput;
  });
}
