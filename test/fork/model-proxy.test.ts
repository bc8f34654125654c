import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { compareRules } from '../../src/compare/index.ts';
import { recordedModelCalls } from '../../src/compare/model-contexts.ts';
import type { AgentReplayError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json/index.ts';
import { type HeldCall, proxyModels, type RecordedModel } from '../../src/proxy/index.ts';
import { redactor, unmasking } from '../../src/redaction/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { recordingOf, type Said } from './recorded-calls.ts';

const RULES = compareRules.parse({});

/** A moment far from the borders of its day. */
const REPLAYED_AT = Date.parse('2026-06-15T12:00:00.000Z');

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

/** Two requests before the step, which is the third. */
const RECORDED: Said[] = [
  { messages: [user('one')], answer: 'first' },
  { messages: [user('one'), assistant('first'), user('two')], answer: 'second' },
  { messages: [user('one'), assistant('second'), user('three')], answer: 'third' },
];

function heldCalls(recording: Recording): HeldCall[] {
  return recordedModelCalls(recording, RULES, undefined).map(({ answer, differs }) => ({
    answer,
    differs: (request) => differs(request, REPLAYED_AT),
  }));
}

/** A model that keeps what it is asked, between an agent and which the proxy stands. */
async function forking(
  said: readonly Said[],
  respond: (response: ServerResponse, asked: readonly JsonObject[]) => void = (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"message":{"content":"new"}}]}'),
  redacted = (request: JsonObject) => request,
  otherwise: RecordedModel['otherwise'] = 'model',
) {
  const asked: JsonObject[] = [];
  const paths: (string | undefined)[] = [];
  const model = createServer(async (request, response) => {
    paths.push(request.url);
    if (request.method === 'POST') asked.push((await json(request)) as JsonObject);
    respond(response, asked);
  });
  await once(model.listen(0, '127.0.0.1'), 'listening');
  const upstream = new URL(`http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`);
  const calls = heldCalls(recordingOf(said));
  const defects: AgentReplayError[] = [];
  const proxy = await proxyModels({
    addresses: [{ variable: 'MODEL_URL', upstream }],
    onDefect: (defect) => defects.push(defect),
  });
  const recorded: RecordedModel = {
    ...(otherwise === 'model' ? { answers: calls.slice(0, -1), from: calls.at(-1) } : { answers: calls }),
    otherwise,
    asPinned: (given) => {
      const request = redacted(given);
      return { request, unmask: unmasking(given, request) };
    },
  };
  const url = proxy.environment.MODEL_URL;
  return {
    asked,
    paths,
    defects,
    url,
    begin: () => proxy.begin(recorded),
    ask: async (messages: unknown, path = '/chat/completions') => {
      const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify({ model: 'm', messages }) });
      const { choices } = response.ok ? ((await response.json()) as { choices: [{ message: JsonObject }] }) : {};
      return choices?.[0].message.content ?? response.status;
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      model.closeAllConnections();
      model.close();
    },
  };
}

const [one, two, three] = RECORDED.map(({ messages }) => messages);

test('the recording answers up to the step, and the model from there on', async () => {
  await using fork = await forking(RECORDED);
  const run = fork.begin();
  expect(await fork.ask(one)).toBe('first');
  expect(await fork.ask(two)).toBe('second');
  expect(await fork.ask(three)).toBe('new');
  expect(await fork.ask([...(three ?? []), assistant('new'), user('four')])).toBe('new');
  expect(run).toMatchObject({ answered: 2, isAsked: true, notHeld: [] });
  expect(fork.asked).toHaveLength(2);
});

test('requests are known by what they ask, whatever their order', async () => {
  await using fork = await forking(RECORDED);
  fork.begin();
  expect([await fork.ask(two), await fork.ask(one)]).toEqual(['second', 'first']);
});

test('a request that the recording does not hold goes to the model, and what tells it apart is said', async () => {
  await using fork = await forking(RECORDED);
  const run = fork.begin();
  expect(await fork.ask([user('something else')])).toBe('new');
  expect(await fork.ask([{ role: 'system', content: 'Be brief.' }, user('one')])).toBe('new');
  expect(run).toMatchObject({
    answered: 0,
    isAsked: false,
    notHeld: [{ part: 'message 1 (user)' }, { part: 'system prompt' }],
  });
});

test('requests of the same content are answered as they were recorded, one after the other, and again when a client repeats the last', async () => {
  const twice: Said[] = [
    { messages: [user('same')], answer: 'a' },
    { messages: [user('same')], answer: 'b' },
    { messages: [user('last')], answer: 'c' },
  ];
  await using fork = await forking(twice);
  fork.begin();
  const same = [user('same')];
  expect([await fork.ask(same), await fork.ask(same), await fork.ask(same)]).toEqual(['a', 'b', 'b']);
  fork.begin();
  expect(await fork.ask(same)).toBe('a');
});

test('a step that the provider refuses is asked for when the client asks again', async () => {
  await using fork = await forking(RECORDED, (response, asked) =>
    asked.length === 1
      ? response.writeHead(429).end()
      : response.writeHead(200).end('{"choices":[{"message":{"content":"new"}}]}'),
  );
  const run = fork.begin();
  await fork.ask(one);
  await fork.ask(two);
  expect(await fork.ask(three)).toBe(429);
  expect(run).toMatchObject({ isAsked: false, failed: 429 });
  expect(await fork.ask(three)).toBe('new');
  expect(run).toMatchObject({ isAsked: true, failed: undefined });
});

test('a span that only marks a model call beside the one that tells it is no call to be answered', () => {
  const { observations, ...recording } = recordingOf(RECORDED);
  const marked = observations.flatMap((each) =>
    each.type === 'generation' ? [{ ...each, id: `${each.id} own`, input: undefined, output: undefined }, each] : each,
  );
  expect(heldCalls({ ...recording, observations: marked })).toHaveLength(RECORDED.length);
});

test('generated ids and the day of the replay are no other context', async () => {
  const dated = (day: string, id: string): JsonObject[] => [
    { role: 'system', content: `Today is ${day}.` },
    user('one'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: `{"ticket":"${id.replace('call_', 'tk_')}"}` },
  ];
  await using fork = await forking([
    { messages: dated('2026-01-01', 'call_0123456789abcdef01234567'), answer: 'held' },
    { messages: [user('last')], answer: 'c' },
  ]);
  fork.begin();
  expect(await fork.ask(dated('2026-06-15', 'call_fedcba987654321001234567'))).toBe('held');
  expect(await fork.ask(dated('2020-05-05', 'call_fedcba987654321001234567'))).toBe('new');
});

test('a history that is sent byte by byte as it was recorded is the recorded one, whatever times it holds', async () => {
  const asks = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const messagesAt = (time: string): JsonObject[] => [
    user('one'),
    { role: 'assistant', content: null, tool_calls: [asks] },
    { role: 'tool', tool_call_id: 'c1', content: `{"at":"${time}"}` },
    assistant('first'),
    user('two'),
  ];
  const soon = new Date(REPLAYED_AT + 60_000).toISOString();
  for (const time of ['2026-01-01T00:00:01.000Z', '2020-05-05T10:00:00.000Z', soon]) {
    const messages = messagesAt(time);
    await using fork = await forking([
      { messages, answer: 'held' },
      { messages: [user('last')], answer: 'c' },
    ]);
    fork.begin();
    expect([time, await fork.ask(messages)]).toEqual([time, 'held']);
    expect(await fork.ask(messagesAt('2021-06-06T11:00:00.000Z'))).toBe('new');
  }
});

test('what stands masked in a recorded answer reaches the agent as it was in its request', async () => {
  const redact = redactor({ personal: true });
  const [said, other] = [redact('mail ana@example.com'), redact('mail bo@example.com')].map(String) as [string, string];
  const call = (to: string, text: string) => ({
    role: 'assistant',
    content: text,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'mail', arguments: JSON.stringify({ to, n: 1 }) } }],
  });
  const asRecorded = call(said.slice(5), `To ${said.slice(5)}, not to ${other.slice(5)}.`);
  const recorded = [
    { messages: [user(said)], answer: asRecorded },
    { messages: [user('last')], answer: 'c' },
  ];
  await using fork = await forking(recorded, undefined, (request) => redact(request) as JsonObject);
  fork.begin();
  const body = JSON.stringify({ model: 'm', messages: [user('mail ana@example.com')] });
  const response = await fetch(`${fork.url}/chat/completions`, { method: 'POST', body });
  const { choices } = (await response.json()) as { choices: { message: JsonObject }[] };
  expect(choices[0]?.message).toMatchObject(call('ana@example.com', `To ana@example.com, not to ${other.slice(5)}.`));
});

test.each(['/chat/completions', '/responses', '/messages'])(
  'answers of %s have ids of their own, as an agent keeps its messages by them; the same request again gets the same',
  async (path) => {
    const twice: Said[] = [
      {
        messages: [user('one')],
        answer: {
          role: 'assistant',
          content: null,
          tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      },
      {
        messages: [user('two')],
        answer: {
          role: 'assistant',
          content: null,
          tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      },
      { messages: [user('last')], answer: 'c' },
    ];
    await using fork = await forking(twice);
    fork.begin();
    const idsOf = async (content: string) => {
      const body = JSON.stringify({ model: 'm', messages: [user(content)], input: [user(content)] });
      const text = await (await fetch(`${fork.url}${path}`, { method: 'POST', body })).text();
      return [...text.matchAll(/"(?:id|call_id)":"([^"]+)"/g)].map(([, id]) => id);
    };
    const [first, second, again] = [await idsOf('one'), await idsOf('two'), await idsOf('two')];
    expect(first.length).toBeGreaterThan(1);
    expect(second.filter((id) => first.includes(id))).toEqual([]);
    expect(again).toEqual(second);
  },
);

const offline = (said: readonly Said[]) => forking(said, undefined, undefined, 'next in order');

test('where the model is never asked, the recording answers every request: by content, else the next one in order, noted', async () => {
  await using fork = await offline(RECORDED);
  const run = fork.begin();
  const edited = [{ role: 'system', content: 'Be brief.' }, ...(one ?? [])];
  expect(await fork.ask(edited)).toBe('first');
  expect(await fork.ask(edited)).toBe('first');
  expect([await fork.ask(three), await fork.ask(two)]).toEqual(['third', 'second']);
  expect(run).toMatchObject({ left: 0, notHeld: [{ request: 1, part: 'system prompt' }], refused: [] });
  expect(fork.asked).toEqual([]);
});

test('where the model is never asked, what the recording cannot answer is refused for good, and told', async () => {
  await using fork = await offline([...RECORDED.slice(0, 1), { messages: [user('unsaid')], answer: undefined }]);
  const run = fork.begin();
  // A request beside the recorded ones takes the answer of one of them, until that one comes.
  expect(await fork.ask([user('a new guard')])).toBe('first');
  expect(await fork.ask(one)).toBe(400);
  expect(await fork.ask([user('unsaid')])).toBe(400);
  expect(await fork.ask([user('once more')])).toBe(400);
  expect((await fetch(`${fork.url}/embeddings`, { method: 'POST', body: '{}' })).status).toBe(400);
  expect(run).toMatchObject({ answered: 1, notHeld: [{ request: 1, part: 'message 1 (user)' }] });
  expect(run.refused).toEqual([
    'a model call that the recording does not hold',
    'a model call of which the recording shows no answer',
    'a model call that the recording does not hold',
    'POST /embeddings',
  ]);
  expect([fork.asked, fork.paths]).toEqual([[], []]);
});

test('a stream reaches the client cut within its events and characters, as a network cuts it, and reads as it was recorded', async () => {
  const said = '— déjà vu — '.repeat(40);
  await using fork = await offline([{ messages: [user('one')], answer: said }]);
  fork.begin();
  const asked = request(`${fork.url}/chat/completions`, { method: 'POST' });
  asked.end(JSON.stringify({ model: 'm', messages: one, stream: true }));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const parts: string[] = [];
  response.on('data', (part: Buffer) => parts.push(part.toString()));
  await once(response, 'end');
  expect(parts.filter((part) => !part.endsWith('\n\n')).length).toBeGreaterThan(2);
  expect(parts.some((part) => part.includes('\ufffd'))).toBe(true);

  const client = new OpenAI({ baseURL: fork.url, apiKey: 'none', maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'one' }];
  const { choices } = await client.chat.completions.stream({ model: 'm', messages }).finalChatCompletion();
  expect(choices[0]?.message.content).toBe(said);
});

test('a client that hangs up in the middle of a large answer is no defect', async () => {
  await using fork = await offline([
    { messages: [user('long')], answer: 'long '.repeat(2 ** 21) },
    { messages: [user('one')], answer: 'first' },
  ]);
  fork.begin();
  const asked = request(`${fork.url}/chat/completions`, { method: 'POST' });
  asked.end(JSON.stringify({ model: 'm', messages: [user('long')] }));
  await once(asked, 'response');
  asked.destroy();
  expect(await fork.ask(one)).toBe('first');
  expect(fork.defects).toEqual([]);
});

test("the paths of Azure's clients, with a deployment and a version, lead to the same answers", async () => {
  await using fork = await offline(RECORDED);
  fork.begin();
  expect(await fork.ask(one, '/openai/deployments/m/chat/completions?api-version=2024-10-21')).toBe('first');
});

test('other pages of the provider are handed on with their queries', async () => {
  await using fork = await forking(RECORDED);
  const run = fork.begin();
  await (await fetch(`${fork.url}/models?limit=2`)).text();
  await (await fetch(`${fork.url}/v1/models`)).text();
  expect(fork.paths).toEqual(['/v1/models?limit=2', '/v1/models']);
  expect(run.notHeld).toEqual([]);
});

test('a page of a browser under another name is refused', async () => {
  await using fork = await forking(RECORDED);
  const { port } = new URL(fork.url ?? '');
  const { request } = await import('node:http');
  const asked = request({
    port,
    host: '127.0.0.1',
    path: '/MODEL_URL/models',
    headers: { host: 'evil.example' },
  }).end();
  const [response] = await once(asked, 'response');
  expect(response.statusCode).toBe(403);
  response.resume();
});

test('fault 133: a defect of the proxy is told as ours with its stack, and not as the model’s answer', async () => {
  const defects: AgentReplayError[] = [];
  const asPinned = () => {
    throw new TypeError('no form');
  };
  await using proxy = await proxyModels({
    addresses: [{ variable: 'MODEL_URL', upstream: new URL('http://127.0.0.1:9/v1') }],
    onDefect: (defect) => defects.push(defect),
  });
  proxy.begin({ answers: [], from: heldCalls(recordingOf(RECORDED))[0], otherwise: 'model', asPinned });
  const url = `${proxy.environment.MODEL_URL}/chat/completions`;
  const { status } = await fetch(url, { method: 'POST', body: JSON.stringify({ model: 'm', messages: [] }) });
  expect(status).toBe(500);
  expect(defects).toMatchObject([{ code: 'INTERNAL', message: 'The proxy of agent-replay failed.' }]);
});
