import { randomUUID } from 'node:crypto';
import { trace } from '@opentelemetry/api';
import OpenAI from 'openai';

const SYSTEM = `You are a kind shop assistant.
Refund up to 200 EUR yourself.`;

const order = { order: { type: 'string' } };
const declared = (name, description, properties) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } },
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
const openai = new OpenAI();
const tracer = trace.getTracer('shop');

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages) {
  return (await answer(messages)).at(-1).content;
}

async function answer(messages) {
  const all = [...messages];
  for (;;) {
    const { choices } = await openai.chat.completions.create({
      model: 'gpt-5-mini',
      messages: [{ role: 'system', content: SYSTEM }, ...all],
      tools,
    });
    const { message } = choices[0];
    all.push(message);
    if (message.tool_calls === undefined) return all;
    for (const call of message.tool_calls) all.push(await called(call));
  }
}

function called({ id, function: { name, arguments: text } }) {
  const attributes = { 'openinference.span.kind': 'TOOL', 'tool.name': name, 'input.value': text };
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    const content = await work[name](JSON.parse(text));
    span.setAttribute('output.value', content).end();
    return { role: 'tool', tool_call_id: id, content };
  });
}

const conversations = new Map();

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const messages = [...(conversations.get(session) ?? []), { role: 'user', content: question }];
  const metadata = { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() };
  const attributes = Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [`langfuse.trace.metadata.${key}`, value]),
  );
  const all = await tracer.startActiveSpan('chat', { attributes }, (span) =>
    answer(messages).finally(() => span.end()),
  );
  conversations.set(session, all);
  return all.at(-1).content;
}
