import './tracing.js';
import { randomUUID } from 'node:crypto';
import { propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { generateContent } from './gemini.js';

const SYSTEM = `You are a kind shop assistant.
Refund up to 200 EUR yourself.`;

const order = { order: { type: 'string' } };
const declared = (name, description, properties) => ({
  name,
  description,
  parametersJsonSchema: { type: 'object', properties, required: Object.keys(properties) },
});
const functionDeclarations = [
  declared('lookup', 'Looks an order up', order),
  declared('refund', 'Refunds an order', { ...order, amount: { type: 'number' } }),
  declared('create_ticket', 'Asks a colleague', order),
];
const work = {
  lookup: async ({ order }) => ({ order, amount: Number(process.env.SHOP_AMOUNT ?? 120) }),
  refund: async () => 'refunded',
  create_ticket: async () => 'a ticket is open',
};

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn({ contents }) {
  return textOf(await answer(contents));
}

function textOf(contents) {
  return contents
    .at(-1)
    .parts.map(({ text = '' }) => text)
    .join('');
}

function answer(contents) {
  return startActiveObservation('shop', async (span) => {
    span.update({ input: { contents } });
    const all = [...contents];
    for (;;) {
      const { candidates, functionCalls = [] } = await generateContent({
        model: 'gemini-2.5-flash',
        contents: [...all],
        config: { systemInstruction: SYSTEM, temperature: 0.2, tools: [{ functionDeclarations }] },
      });
      all.push(candidates[0].content);
      if (functionCalls.length === 0) {
        span.update({ output: textOf(all) });
        return all;
      }
      all.push({ role: 'user', parts: await Promise.all(functionCalls.map(called)) });
    }
  });
}

function called({ id, name, args }) {
  return startActiveObservation(
    name,
    async (tool) => {
      const output = await work[name](args);
      tool.update({ input: args, output });
      return { functionResponse: { id, name, response: { output } } };
    },
    { asType: 'tool' },
  );
}

const conversations = new Map();

/** One turn of a conversation that is kept here. */
export async function chat(session, question) {
  const contents = [...(conversations.get(session) ?? []), { role: 'user', parts: [{ text: question }] }];
  const metadata = { agent_id: process.env.SVC_AGENT_ID, session_id: session, run_id: randomUUID() };
  const all = await propagateAttributes({ sessionId: session, metadata }, () => answer(contents));
  conversations.set(session, all);
  return textOf(all);
}
