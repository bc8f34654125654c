import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import { loadPins, recordingOf, replayable, savePin, sessionsFromTraces } from '../../src/session/index.ts';
import type { Observation, Trace } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { tracesIn } from '../tracing/traces-in.ts';
import { projectFolder } from './folder.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 10, 0, seconds)).toISOString();

function anObservation(id: string, changes: Partial<Observation> = {}): Observation {
  return { id, parentId: null, type: 'span', name: id, startTime: at(0), endTime: at(1), ...changes };
}

function aTrace(id: string, changes: Partial<Trace> = {}): Trace {
  return { id, timestamp: at(0), metadata: {}, sessionId: 's', observations: [], ...changes };
}

/** The request that is derived from one trace with one generation. */
function requestFor(
  input: Json,
  options: Parameters<typeof sessionsFromTraces>[1] = {},
  changes: Partial<Observation> = {},
) {
  const generation = anObservation('g', { type: 'generation', input, ...changes });
  const { sessions } = sessionsFromTraces([aTrace('t', { observations: [generation] })], options);
  return sessions[0]?.turns[0]?.request;
}

const system = { role: 'system', content: 'Be kind.' };
const user = { role: 'user', content: 'Where is my order?' };
const assistant = { role: 'assistant', content: 'Which one?' };

test('traces of one conversation become one session, its turns in the order of their time', () => {
  const traces = [
    aTrace('t2', { timestamp: at(9), input: 'second', metadata: { agent_id: 'support', run_id: 'r2' } }),
    aTrace('t1', { timestamp: at(1), input: 'first', metadata: { agent_id: 'support', run_id: 'r1' } }),
    aTrace('t3', { sessionId: undefined, metadata: { session_id: 's' }, timestamp: at(11), input: 'third' }),
    aTrace('alone', { sessionId: undefined, input: 'on its own' }),
  ];
  const { sessions, skipped } = sessionsFromTraces(traces);
  expect(skipped).toEqual([]);
  expect(sessions.map(({ id, turns }) => [id, turns.map(({ request }) => request?.input)])).toEqual([
    ['s', ['first', 'second', 'third']],
    ['alone', ['on its own']],
  ]);
  expect(sessions[0]).toMatchObject({ agentId: 'support', title: 'first', recordedAt: at(1) });
  expect(sessions[0]?.turns[0]?.metadata).toEqual({ run_id: 'r1' });
});

test('replays, traces of another agent and traces seen before are skipped, with the reason', () => {
  const traces = [
    aTrace('mine', { metadata: { agent_id: 'a' } }),
    aTrace('nobodys'),
    aTrace('other', { metadata: { agent_id: 'b' } }),
    aTrace('replay', { metadata: { svc_replay_run_id: 'u.t1.r1' } }),
    aTrace('flagged', { metadata: { is_replay: 'True' } }),
    aTrace('mine', { metadata: { agent_id: 'a' } }),
  ];
  const { sessions, skipped } = sessionsFromTraces(traces, { agentId: 'a' });
  expect(sessions[0]?.turns.map(({ recorded }) => recorded.traceId)).toEqual(['mine', 'nobodys']);
  expect(skipped).toEqual([
    { traceId: 'other', reason: 'it is of the agent "b"' },
    { traceId: 'replay', reason: 'it is a replay, not an original' },
    { traceId: 'flagged', reason: 'it is a replay, not an original' },
    { traceId: 'mine', reason: 'an earlier trace has the same id' },
  ]);
});

test('what a server’s auto-instrumentation makes beside its turns is skipped; what may be a turn is not', () => {
  const spans = [anObservation('GET /health'), anObservation('pg.query:SELECT', { parentId: 'GET /health' })];
  const alone = { sessionId: undefined, observations: spans };
  const traces = [
    aTrace('health check', alone),
    aTrace('of a conversation', { ...alone, sessionId: 's' }),
    aTrace('of an agent', { ...alone, metadata: { agent_id: 'a' } }),
    aTrace('asked', { ...alone, input: 'Hello?' }),
    aTrace('without content', { ...alone, observations: [...spans, anObservation('chat', { type: 'generation' })] }),
    aTrace('not read', {
      ...alone,
      observations: [anObservation('turn', { unread: [{ attribute: 'my.input', degree: 'content' }] })],
    }),
  ];
  const { sessions, skipped } = sessionsFromTraces(traces);
  expect(skipped).toEqual([{ traceId: 'health check', reason: 'it holds no step and no content of an agent' }]);
  expect(sessions).toHaveLength(traces.length - 1);
});

test.each<[form: string, input: Json]>([
  ['{messages}', { messages: [system, user] }],
  ['{messages, tools}', { messages: [system, user], tools: [{ name: 'search' }] }],
  ['a bare array', [system, user]],
])('the LLM path: messages are found in %s, and system messages are left out', (_, input) => {
  expect(requestFor(input, {}, { model: 'gpt-5' })).toEqual({
    messages: [user],
    shape: 'chat',
    model: 'gpt-5',
    includesPriorContext: false,
  });
  expect(requestFor(input, { system: 'keep' })?.messages).toEqual([system, user]);
});

test('messages of another shape are sent in the chat form, and what is not understood unchanged, with a note', () => {
  const odd = { role: 'user', content: [{ type: 'hologram', beam: 7 }] };
  const input = [
    { role: 'user', parts: [{ type: 'text', content: 'hi' }] },
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'search', arguments: { q: 1 } }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: [] }] },
    odd,
  ];
  const generation = anObservation('g', { type: 'generation', input });
  const { sessions, notes } = sessionsFromTraces([aTrace('t', { observations: [generation] })]);
  expect(sessions[0]?.turns[0]?.request).toEqual({
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', name: 'search', content: '[]' },
      odd,
    ],
    shape: 'chat',
    includesPriorContext: true,
  });
  expect(notes).toEqual([{ traceId: 't', text: '1 message of a shape that is not known is sent unchanged' }]);
});

const question = (text: string) => ({ role: 'user', content: text });

/** A turn whose root was given a text, and whose first model call was given messages. */
function aTurn(id: string, input: Json, messages: Json[], seconds = 0): Trace {
  const [timestamp, startTime] = [at(seconds), at(seconds)];
  const root = anObservation(`${id}.root`, { type: 'agent', input, startTime });
  const generation = anObservation(`${id}.g`, { type: 'generation', parentId: root.id, input: messages, startTime });
  return aTrace(id, { timestamp, input, observations: [root, generation] });
}

test.each<[what: string, messages: Json[]]>([
  ['a template round the question', [system, question('Context: none.\nQuestion: Where is it?\nAnswer in French.')]],
  ['examples first', [system, question('Where is A?'), assistant, question('Where is it?')]],
  ['a guard model first', [question('Is this harmful? "Where is it?" Say yes or no.')]],
])('with %s the root wins: what is sent is what the agent was given', (what, messages) => {
  const { sessions, notes } = sessionsFromTraces([aTurn('t', 'Where is it?', messages)]);
  expect(sessions[0]?.turns[0]?.request).toEqual({
    messages: [question('Where is it?')],
    input: 'Where is it?',
    shape: 'chat',
    includesPriorContext: false,
  });
  expect(notes).toEqual(
    what.startsWith('examples')
      ? [{ traceId: 't', text: expect.stringContaining("2 messages before the user's are not sent") }]
      : [],
  );
});

test('earlier turns are sent as the agent was given them, without the examples before them', () => {
  const asked = (text: string) => question(`Question: ${text}`);
  const call = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: '{}' } }],
  };
  const result = { role: 'tool', tool_call_id: 'c', content: '7' };
  const examples = [asked('Where is A?'), assistant];
  const first = [...examples, asked('Where is it?')];
  const second = [...first, call, result, { role: 'assistant', content: 'Lost.' }, asked('Refund it.')];
  const { sessions } = sessionsFromTraces([aTurn('t1', 'Where is it?', first), aTurn('t2', 'Refund it.', second, 9)]);
  expect(sessions[0]?.turns.map(({ request }) => request?.messages)).toEqual([
    [question('Where is it?')],
    [question('Where is it?'), call, result, { role: 'assistant', content: 'Lost.' }, question('Refund it.')],
  ]);
});

test('behind a guard model that is given the question alone, earlier turns are sent as the agent was given them', () => {
  const guarded = (id: string, text: string, messages: Json[], seconds = 0): Trace => {
    const trace = aTurn(id, text, [question(`Is this harmful? "${text}" Say yes or no.`)], seconds);
    const [root] = trace.observations;
    const own = {
      type: 'generation',
      parentId: root?.id ?? null,
      input: messages,
      startTime: at(seconds + 1),
    } as const;
    return { ...trace, observations: [...trace.observations, anObservation(`${id}.own`, own)] };
  };
  const examples = [question('Where is A?'), assistant];
  const first = [...examples, question('Where is it?')];
  const second = [...first, { role: 'assistant', content: 'Lost.' }, question('Refund it.')];
  const { sessions } = sessionsFromTraces([
    guarded('t1', 'Where is it?', first),
    guarded('t2', 'Refund it.', second, 9),
  ]);
  expect(sessions[0]?.turns.map(({ request }) => request?.messages)).toEqual([
    [question('Where is it?')],
    [question('Where is it?'), { role: 'assistant', content: 'Lost.' }, question('Refund it.')],
  ]);
});

test('where what earlier turns were given is not traced, all messages before are sent, and that is said', () => {
  const { sessions, notes } = sessionsFromTraces([
    aTurn('t1', { id: 7 }, []),
    aTurn('t2', 'Refund it.', [system, user, assistant, question('Refund it.')], 9),
  ]);
  expect(sessions[0]?.turns[1]?.request?.messages).toEqual([user, assistant, question('Refund it.')]);
  expect(notes).toEqual([{ traceId: 't2', text: expect.stringContaining('is not traced: all 2 messages') }]);
});

test('a root that was given the whole conversation is sent it', () => {
  const conversation = [system, user, assistant, question('Refund it.')];
  const { sessions } = sessionsFromTraces([aTurn('t', { messages: conversation }, [question('Guard: Refund it.')])]);
  expect(sessions[0]?.turns[0]?.request).toMatchObject({ messages: conversation.slice(1), includesPriorContext: true });
});

test('request.from decides: what the root was given, or the first model call', () => {
  const traces = [aTurn('t', 'Where is it?', [system, user, assistant, question('Question: Where is it?')])];
  const messages = (from: 'root' | 'generation') =>
    sessionsFromTraces(traces, { from }).sessions[0]?.turns[0]?.request?.messages;
  expect(messages('root')).toEqual([question('Where is it?')]);
  expect(messages('generation')).toEqual([user, assistant, question('Question: Where is it?')]);
});

test('a root whose text is nothing that the model was asked does not win', () => {
  const trace = aTurn('t', { query: 'kind=chat', id: 7 }, [system, user]);
  expect(sessionsFromTraces([trace]).sessions[0]?.turns[0]?.request?.messages).toEqual([user]);
});

test('with the sequence as context a turn keeps its own messages only', () => {
  const input = [system, user, assistant, { role: 'user', content: 'Number 7.' }];
  expect(requestFor(input)).toMatchObject({ includesPriorContext: true, messages: input.slice(1) });
  expect(requestFor(input, { context: 'sequence' })).toEqual({
    messages: [{ role: 'user', content: 'Number 7.' }],
    shape: 'chat',
    includesPriorContext: false,
  });
});

test('the first generation that carries messages counts, without what this turn had done before it', () => {
  const call = { role: 'assistant', tool_calls: [{ id: 'c' }] };
  const observations = [
    anObservation('second', {
      type: 'generation',
      startTime: at(2),
      input: [user, call, { role: 'tool', content: '7' }],
    }),
    anObservation('first', { type: 'generation', startTime: at(1), input: 'a prompt as text' }),
  ];
  const { sessions } = sessionsFromTraces([aTrace('t', { observations })]);
  expect(sessions[0]?.turns[0]?.request).toEqual({
    messages: [user],
    shape: 'chat',
    includesPriorContext: false,
  });
});

test('of generations that start in the same millisecond the first by cause counts, whatever their ids and ends', () => {
  const call = { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'search', arguments: '{}' } }] };
  const given = [user, call, { role: 'tool', tool_call_id: 'c', content: '7' }];
  const observations = [
    anObservation('a', { type: 'generation', endTime: at(0), input: given, output: assistant }),
    anObservation('b', { type: 'tool', callId: 'c' }),
    anObservation('c', { type: 'generation', input: [user], output: call }),
  ];
  const { sessions } = sessionsFromTraces([aTrace('t', { observations })]);
  expect(sessions[0]?.turns[0]?.request).toEqual({
    messages: [user],
    shape: 'chat',
    includesPriorContext: false,
  });
  expect(sessions[0]?.turns[0]?.recorded.observations.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
});

test.each<[form: string, input: Json]>([
  ['a text', 'hi'],
  ['{input}', { input: 'hi' }],
  ['{question}, beside other things', { user_id: '7', question: 'hi' }],
  ['the arguments of a function', { args: [{ message: { content: 'hi' } }] }],
])('the user path: the user message is found in %s', (_, input) => {
  const [ofTrace, ofRoot] = [
    aTrace('t', { input }),
    aTrace('t', {
      observations: [anObservation('child', { parentId: 'root', input: 'no' }), anObservation('root', { input })],
    }),
  ];
  for (const trace of [ofTrace, ofRoot]) {
    expect(sessionsFromTraces([trace]).sessions[0]?.turns[0]?.request).toEqual({ input: 'hi' });
  }
});

test.each<[form: string, input: Json]>([
  ['messages', { messages: [system, { role: 'user', content: 'hi' }] }],
  ['messages with parts', [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]],
])('%s at a root without model calls are sent as such', (_, input) => {
  expect(sessionsFromTraces([aTrace('t', { input })]).sessions[0]?.turns[0]?.request).toEqual({
    messages: [{ role: 'user', content: 'hi' }],
    input: 'hi',
    shape: 'chat',
    includesPriorContext: false,
  });
});

test.each<[what: string, input: Json | undefined]>([
  ['nothing', undefined],
  ['numbers', { id: 7 }],
  ['blank text', ' '],
  ['a system message only', [system]],
])('a trace whose input is %s has no request to replay', (_, input) => {
  const trace = aTrace('t', input === undefined ? {} : { input });
  expect(sessionsFromTraces([trace]).sessions[0]?.turns[0]).not.toHaveProperty('request');
});

test('a recording keeps what is compared, and leaves out usage, cost, metadata and the default level', () => {
  const kept = anObservation('a', { input: 1, output: null, callId: 'c', model: 'm', modelParameters: { t: 0 } });
  const observations: Observation[] = [
    { ...kept, level: 'DEFAULT', usage: { input: 1 }, cost: { total: 1 }, metadata: { a: 1 } },
    anObservation('b', { level: 'ERROR', statusMessage: 'no', startTime: at(1) }),
  ];
  const recording = recordingOf(aTrace('t', { observations, output: 'done' }));
  expect(recording).toStrictEqual({ traceId: 't', output: 'done', observations: [kept, observations[1]] });
});

test('tokens that are counted apart are of their side in a recording: from a cache, into one, thought, spoken', () => {
  const usage = { input: 20, input_cached_tokens: 10, input_cache_creation: 5, output: 6, output_reasoning_tokens: 3 };
  const observations = [anObservation('a', { type: 'generation', model: 'm', usage: { ...usage, total: 44 } })];
  expect(recordingOf(aTrace('t', { observations })).usage).toEqual([
    { model: 'm', calls: 1, inputTokens: 35, outputTokens: 9 },
  ]);
});

test('fault 32: observations stand in tree order, however they arrive and whatever is odd about them', () => {
  const observations = [
    anObservation('root', { startTime: at(5) }),
    anObservation('b', { parentId: 'root', startTime: at(1) }),
    anObservation('a', { parentId: 'root', startTime: at(1) }),
    anObservation('b1', { parentId: 'b', startTime: at(0) }),
    anObservation('orphan', { parentId: 'filtered away', startTime: at(7) }),
    anObservation('loop1', { parentId: 'loop2', startTime: at(8) }),
    anObservation('loop2', { parentId: 'loop1', startTime: at(9) }),
    anObservation('self', { parentId: 'self', startTime: at(6) }),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(observations, { minLength: observations.length }), (shuffled) => {
      const ids = recordingOf(aTrace('t', { observations: shuffled })).observations.map(({ id }) => id);
      expect(ids).toEqual(['root', 'a', 'b', 'b1', 'self', 'orphan', 'loop1', 'loop2']);
    }),
  );
});

test('fault 59: a chain of very many observations is put in order without recursion', () => {
  const chain = Array.from({ length: 50_000 }, (_, i) =>
    anObservation(`o${i}`, { parentId: i === 0 ? null : `o${i - 1}` }),
  );
  expect(recordingOf(aTrace('t', { observations: chain })).observations.at(-1)?.id).toBe('o49999');
});

test('derived sessions are pins: saved and loaded they are the same', async () => {
  await using project = await projectFolder();
  const observations = [
    anObservation('g', { type: 'generation', input: { messages: [system, user], tools: [] }, output: assistant }),
  ];
  const { sessions } = sessionsFromTraces([aTrace('t', { observations, release: 'v1' })]);
  for (const session of sessions) await savePin(session, { dir: 'replays', root: project.root, overwrite: false });
  const { pins, problems } = await loadPins('replays/*', { root: project.root });
  expect(problems).toEqual([]);
  expect(pins.map(({ session }) => session)).toEqual(sessions);
});

test.each<[sdk: string, capture: string, message: object]>([
  ['Langfuse 5', 'js-v5-otel', { role: 'user', content: 'hi' }],
  ['Langfuse 4', 'js-v4-otel', { role: 'user', content: 'hi' }],
  ['OpenTelemetry', 'plain-otel-genai-protobuf', { role: 'user', content: 'hi' }],
  ['AI SDK 6', 'ai-sdk-v6-experimental-telemetry', { role: 'user', content: 'hi' }],
  ['AI SDK 7', 'ai-sdk-v7-langfuse', { role: 'user', content: 'hi' }],
])('a trace as %s really sends it becomes a session that can be replayed', async (_, capture, message) => {
  const fixture = path.join(import.meta.dirname, '..', 'tracing', 'fixtures', `capture-${capture}.json`);
  const requests: { body?: { resourceSpans?: unknown } }[] = JSON.parse(await readFile(fixture, 'utf8'));
  const exports = requests.filter(({ body }) => body?.resourceSpans).map(({ body }) => JSON.stringify(body));
  // The captures are of replays: as originals they carry no such metadata.
  const text = exports.join('\n').replaceAll('svc_replay_run_id', 'was_run').replaceAll('is_replay', 'was_replay');
  const { sessions } = sessionsFromTraces(tracesIn(text));
  expect(sessions).toHaveLength(1);
  expect(sessions[0]).toMatchObject({ id: 'sess-1', title: 'hi' });
  expect(sessions[0]?.turns[0]?.request).toMatchObject({ messages: [message], includesPriorContext: false });
  expect(sessions[0]?.turns.map(replayable)).toEqual([{ ok: true }]);
});
