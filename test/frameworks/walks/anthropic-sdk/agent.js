import './tracing.js';
import { randomUUID } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import { trace } from '@opentelemetry/api';

const SYSTEM = `You are a kind shop assistant.
Refund up to 200 EUR yourself.`;

const order = { order: { type: 'string' } };
const declared = (name, description, properties) => ({
  name,
  description,
  input_schema: { type: 'object', properties, required: Object.keys(properties) },
});
const tools = [
  declared('lookup', 'Looks an order up', order),
  declared('refund', 'Refunds an order', { ...order, amount: { type: 'number' } }),
  declared('create_ticket', 'Asks a colleague', order),
];
const work = {
  lookup: async ({ order }) => JSON.stringify({ order, amount: Number(process.env.SHOP_AMOUNT ?? 120) }),
  refund: async () => 'refunded',
  create_ticket: async () => 'a ticket is open',
};
const anthropic = new Anthropic();
const tracer = trace.getTracer('shop');

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn({ messages }) {
  return textOf((await answer(messages)).at(-1));
}

function textOf({ content }) {
  return content.map(({ text = '' }) => text).join('');
}

function answer(messages, metadata = {}) {
  const attributes = Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [`langfuse.trace.metadata.${key}`, value]),
  );
  return tracer.startActiveSpan('shop', { attributes }, async (span) => {
    const all = [...messages];
    for (;;) {
      const { content } = await said({
        model: 'claude-haiku-4-5',
        max_tokens: 1_000,
        system: SYSTEM,
        messages: all,
        tools,
      });
      all.push({ role: 'assistant', content });
      const results = await Promise.all(content.filter(({ type }) => type === 'tool_use').map(called));
      if (results.length === 0) {
        span.end();
        return all;
      }
      all.push({ role: 'user', content: results });
    }
  });
}

function said(asked) {
  return process.env.SHOP_STREAMS ? anthropic.messages.stream(asked).finalMessage() : anthropic.messages.create(asked);
}

function called({ id, name, input }) {
  const attributes = { 'openinference.span.kind': 'TOOL', 'tool.name': name, 'input.value': JSON.stringify(input) };
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    const content = await work[name](input);
    span.setAttribute('output.value', content).end();
    return { type: 'tool_result', tool_use_id: id, content };
  });
}

const conversations = new Map();

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const messages = [...(conversations.get(session) ?? []), { role: 'user', content: question }];
  const all = await answer(messages, { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() });
  conversations.set(session, all);
  return textOf(all.at(-1));
}
