import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answererOf, generationOf, type ModelAnswer } from '../../src/chat/index.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import fc from '../fast-check.ts';

const answeredAs = (path: string, answer: ModelAnswer, request: JsonObject) =>
  answererOf(path)?.({ ...answer, number: 1 }, request) ?? { type: '', body: '' };
const asksModel = (path: string) => answererOf(path) !== undefined;

/** What the model of the server below says. */
let answer: ModelAnswer;
const server = createServer(async (request, response) => {
  const { type, body } = answeredAs(request.url ?? '', answer, (await json(request)) as JsonObject);
  response.writeHead(200, { 'content-type': type }).end(body);
});
let client: OpenAI;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => server.close());

const CALLS = {
  text: 'I look both up.',
  calls: [
    { id: 'call_a', name: 'lookup', args: { id: 1 } },
    { id: 'call_b', name: 'lookup', args: { id: 2 } },
  ],
  isCutShort: false,
};
const SAID = { text: 'It is on its way — tomorrow.', calls: [], isCutShort: false };
const CUT = { text: 'It is on', calls: [], isCutShort: true };

/** What a client read, as any generation is read. */
function readOf(output: unknown): Pick<ModelAnswer, 'text' | 'isCutShort'> & { calls: object[] } {
  const { said, calls, cutShort } = generationOf({ output: JSON.parse(JSON.stringify(output)) as Json });
  return {
    text: said.join('\n'),
    calls: calls.map(({ id, name, args }) => ({ id, name, args })),
    isCutShort: cutShort !== undefined,
  };
}

const messages = [{ role: 'user' as const, content: 'Where is it?' }];

test.each([
  ['chat completions', () => client.chat.completions.create({ model: 'm', messages })],
  ['chat completions, streamed', () => client.chat.completions.stream({ model: 'm', messages }).finalChatCompletion()],
  ['responses', () => client.responses.create({ model: 'm', input: 'Where is it?' })],
  ['responses, streamed', () => client.responses.stream({ model: 'm', input: 'Where is it?' }).finalResponse()],
])("OpenAI's client reads a recorded answer as it was put out: %s", async (name, ask) => {
  for (const each of name.startsWith('chat completions, ') ? [CALLS, SAID] : [CALLS, SAID, CUT]) {
    answer = each;
    expect(readOf(await ask())).toEqual(each);
  }
});

test('a stream of chat completions that is cut short says so', async () => {
  answer = CUT;
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
  const reasons: unknown[] = [];
  for await (const { choices } of stream) reasons.push(choices[0]?.finish_reason);
  expect(reasons.at(-1)).toBe('length');
});

test('usage is in a stream of chat completions where it is asked for', async () => {
  answer = SAID;
  const options = { model: 'm', messages, stream: true as const, stream_options: { include_usage: true } };
  const chunks: unknown[] = [];
  for await (const { usage } of await client.chat.completions.create(options)) chunks.push(usage?.total_tokens);
  expect(chunks.at(-1)).toBe(0);
});

const text = fc.string({ unit: 'grapheme' }).filter((each) => each.trim() !== '');
const call = fc.record({
  id: fc.string({ minLength: 1 }).map((id) => `call_${encodeURIComponent(id.toWellFormed())}`),
  name: fc.stringMatching(/^[a-z_]{1,10}$/),
  args: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.integer(), fc.boolean(), text)),
});
const answers = fc.oneof(
  fc.record({ text, calls: fc.constant([]), isCutShort: fc.boolean() }),
  fc.record({
    text: fc.oneof(fc.constant(''), text),
    calls: fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
    isCutShort: fc.constant(false),
  }),
);

test.each(['/v1/chat/completions', '/v1/responses', '/v1/messages'])(
  'what any recorded answer says survives its way to the agent: %s',
  (path) => {
    fc.assert(
      fc.property(answers, (each) => {
        const { body } = answeredAs(path, each, { model: 'm' });
        expect(readOf(JSON.parse(body))).toEqual(each);
      }),
    );
  },
);

test('only the pages on which a model is asked are answered', () => {
  expect(['/chat/completions', '/v1/messages', '/responses'].map(asksModel)).toEqual([true, true, true]);
  expect(['/v1/embeddings', '/v1/models', '/v1/messages/count_tokens'].map(asksModel)).toEqual([false, false, false]);
});
