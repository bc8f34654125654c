import { randomUUID } from 'node:crypto';
import { Langfuse, observeOpenAI } from 'langfuse';
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
export const langfuse = new Langfuse();

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages, about) {
  return (await answer(messages, about)).at(-1).content;
}

async function answer(messages, about) {
  const turn = langfuse.trace({ name: 'shop', input: { messages }, ...about });
  const openai = observeOpenAI(new OpenAI(), { parent: turn });
  const all = [...messages];
  for (;;) {
    const { choices } = await openai.chat.completions.create({
      model: 'gpt-5-mini',
      messages: [{ role: 'system', content: SYSTEM }, ...all],
      tools,
    });
    const { message } = choices[0];
    all.push(message);
    if (message.tool_calls === undefined) {
      turn.update({ output: message.content });
      return all;
    }
    for (const call of message.tool_calls) all.push(await called(call, turn));
  }
}

async function called({ id, function: { name, arguments: text } }, turn) {
  const input = JSON.parse(text);
  const tool = turn.span({ name, input, metadata: { tool_call_id: id } });
  const content = await work[name](input);
  tool.end({ output: content });
  return { role: 'tool', tool_call_id: id, content };
}

const conversations = new Map();

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const messages = [...(conversations.get(session) ?? []), { role: 'user', content: question }];
  const metadata = { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() };
  const all = await answer(messages, { sessionId: session, metadata });
  conversations.set(session, all);
  return all.at(-1).content;
}
