import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningExample, type Span, startExample, startTraceSink } from './processes.ts';

let sink: Awaited<ReturnType<typeof startTraceSink>>;
let agent: RunningExample;

beforeAll(async () => {
  sink = await startTraceSink();
  agent = await startAgent();
});

afterAll(async () => {
  await agent?.stop();
  await sink?.[Symbol.asyncDispose]();
});

function startAgent(env: Record<string, string> = {}, program = 'support-agent/demo.ts'): Promise<RunningExample> {
  const tracing = { TRACING_HOST: sink.url, TRACING_PUBLIC_KEY: 'pk-test', TRACING_SECRET_KEY: 'sk-test' };
  return startExample(program, { SVC_AGENT_ID: 'support', ...tracing, ...env });
}

interface Answer {
  session_id: string;
  run_id: string;
  svc_replay_run_id?: string;
  output: string;
}

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(agent.url + path, { method: 'POST', body: JSON.stringify(body), headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

function chat(session_id: string, message: string): Promise<Answer> {
  return post('/chat', { session_id, message });
}

let replays = 0;
/** Replays and returns what the agent answered and did; its trace is there because the agent flushes before it answers. */
async function replay(body: object, url = agent.url) {
  const svc_replay_run_id = `test-run.${++replays}`;
  const response = await fetch(`${url}/replay`, {
    method: 'POST',
    body: JSON.stringify({ ...body, is_replay: true, svc_replay_run_id }),
  });
  const { output } = (await response.json()) as Answer;
  return { output, calls: calls(traceOf(svc_replay_run_id)) };
}

function traceOf(replayRunId: string): Span[] {
  return sink.spans.filter((span) => span.attributes['langfuse.trace.metadata.svc_replay_run_id'] === replayRunId);
}

function calls(spans: readonly Span[]): string[] {
  return spans
    .filter((span) => span.name.startsWith('execute_tool'))
    .map(({ attributes }) => `${attributes['gen_ai.tool.name']} ${attributes['gen_ai.tool.call.arguments']}`);
}

const user = (content: string) => ({ role: 'user', content });
const withoutIds = (text: string) => text.replaceAll(/\b(rf|tk)_\w+/g, '<id>');

test('a conversation is remembered by its session', async () => {
  await chat('remembers', 'Where is my order FO-1007?');
  const { output } = await chat('remembers', 'When will it arrive?');
  expect(output).toContain('FO-1007');
  expect((await chat('another', 'When will it arrive?')).output).toMatch(/which order|order number/i);
});

test('a tool that fails is told to the customer', async () => {
  expect((await chat('unknown', 'Where is FO-9999?')).output).toMatch(/could not find FO-9999/);
});

test('at temperature 0, twenty replays call the same tools and answer the same', async () => {
  const body = { messages: [user('The kettle of order FO-1007 leaks, please refund it.')] };
  const runs = await Promise.all(Array.from({ length: 20 }, () => replay(body)));
  expect(new Set(runs.map((run) => withoutIds(run.output))).size).toBe(1);
  expect(runs.map((run) => run.calls)).toEqual(
    runs.map(() => [
      'lookup_order {"order_id":"FO-1007"}',
      'check_refund_policy {"order_id":"FO-1007"}',
      'refund_order {"order_id":"FO-1007","reason":"damaged"}',
    ]),
  );
  // The ids that tools make up do differ.
  expect(new Set(runs.map((run) => run.output)).size).toBe(20);
});

test('at a temperature, replays answer in other words and call other tools', async () => {
  await using warm = await startAgent({ TEMPERATURE: '1.2' });
  const body = { messages: [user('The kettle of order FO-1007 leaks, please refund it.')] };
  const runs = await Promise.all(Array.from({ length: 20 }, () => replay(body, warm.url)));
  expect(new Set(runs.map((run) => withoutIds(run.output))).size).toBeGreaterThan(1);
  expect(new Set(runs.map((run) => run.calls.join())).size).toBeGreaterThan(1);
});

test('an edited system prompt changes what the agent does', async () => {
  const prompt = new URL('../../examples/support-agent/prompts/system-v2.md', import.meta.url).pathname;
  await using edited = await startAgent({ SYSTEM_PROMPT_FILE: prompt });
  const tools = async (question: string) =>
    (await replay({ messages: [user(question)] }, edited.url)).calls.map((call) => call.split(' ')[0]);
  expect(await tools('Please refund FO-1007.')).toEqual(['lookup_order', 'check_refund_policy', 'create_ticket']);
  expect(await tools('Please refund FO-1034.')).toEqual(['lookup_order', 'check_refund_policy', 'refund_order']);
});

test('replay metadata comes by body or by headers, and goes on every span of the replay trace', async () => {
  const metadata = {
    is_replay: true,
    svc_replay_run_id: 'by-body',
    svc_original_session_id: 'original-1',
    svc_turn_trace_id: '0af7651916cd43dd8448eb211c80319c',
    svc_include_prior_context: false,
  };
  const byBody = await post('/replay', { input: 'Where is FO-1019?', ...metadata });
  const byHeaders = await post(
    '/replay',
    { input: 'Where is FO-1019?' },
    {
      'X-Svc-Replay': 'true',
      'X-Svc-Replay-Run-Id': 'by-headers',
      'X-Svc-Original-Session-Id': 'original-1',
      'X-Svc-Turn-Trace-Id': '0af7651916cd43dd8448eb211c80319c',
      'X-Svc-Include-Prior-Context': 'false',
    },
  );
  for (const answer of [byBody, byHeaders]) {
    expect(answer.session_id).toBe('replay-original-1');
    const spans = traceOf(answer.svc_replay_run_id ?? '');
    expect(spans.filter((span) => span.isRoot)).toHaveLength(1);
    for (const { attributes } of spans) {
      expect(attributes).toMatchObject({
        'session.id': 'replay-original-1',
        'langfuse.trace.metadata.agent_id': 'support',
        'langfuse.trace.metadata.session_id': 'replay-original-1',
        'langfuse.trace.metadata.run_id': answer.run_id,
        'langfuse.trace.metadata.is_replay': 'true',
        'langfuse.trace.metadata.svc_original_session_id': 'original-1',
        'langfuse.trace.metadata.svc_turn_trace_id': '0af7651916cd43dd8448eb211c80319c',
        'langfuse.trace.metadata.svc_include_prior_context': 'false',
      });
    }
  }
});

test('messages win over input, and recorded system messages are left out', async () => {
  const { calls } = await replay({
    input: 'Where is FO-1003?',
    messages: [{ role: 'system', content: 'Never refund more than 1 EUR.' }, user('Please refund FO-1023.')],
  });
  expect(calls).toContain('refund_order {"order_id":"FO-1023","reason":"other"}');
});

test('earlier turns are replayed from messages as chat protocols and as traces hold them', async () => {
  const order = { id: 'FO-1007', customer_id: 'cus_1', total: 89.5, currency: 'EUR', status: 'delivered' };
  const chatMessages = [
    user('Where is FO-1007?'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'lookup_order', arguments: '{"order_id":"FO-1007"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify(order) },
    { role: 'assistant', content: 'It was delivered.' },
    user('It leaks, I want a refund.'),
  ];
  const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const traceMessages = [
    text('user', 'Where is FO-1007?'),
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call_1', name: 'lookup_order', arguments: { order_id: 'FO-1007' } }],
    },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: order }] },
    text('assistant', 'It was delivered.'),
    text('user', 'It leaks, I want a refund.'),
  ];
  for (const messages of [chatMessages, traceMessages]) {
    expect((await replay({ messages })).calls).toEqual([
      'check_refund_policy {"order_id":"FO-1007"}',
      'refund_order {"order_id":"FO-1007","reason":"damaged"}',
    ]);
  }
});

test('replays at the same time act on sandboxes of their own, and never on the real shop', async () => {
  const question = 'Please refund FO-1023, the socks are too small.';
  const replayed = await Promise.all(Array.from({ length: 8 }, () => replay({ input: question })));
  for (const { output } of replayed) expect(output).toMatch(/refund number is rf_/);
  expect((await chat('really', question)).output).toMatch(/refund number is rf_/);
  expect((await chat('again', question)).output).toMatch(/cannot refund order FO-1023: it has been refunded already/);
});

test('a replay leaves nothing in the memory of a session', async () => {
  await replay({ input: 'Where is FO-1019?', svc_original_session_id: 'fresh' });
  for (const session of ['fresh', 'replay-fresh']) {
    expect((await chat(session, 'When will it arrive?')).output).not.toContain('FO-1019');
  }
});

test('a request that cannot be replayed is refused with the reason', async () => {
  for (const [body, reason] of [
    ['{', /no JSON/],
    ['{"is_replay":true}', /messages or input is required/],
  ] as const) {
    const response = await fetch(`${agent.url}/replay`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: string }).error).toMatch(reason);
  }
});

test('a model that fails is an error to the caller, and the failed turn is traced', async () => {
  await using model = await startExample('model-server/server.ts');
  await using stranded = await startAgent({ MODEL_BASE_URL: `${model.url}/nowhere` }, 'support-agent/server.ts');
  const body = JSON.stringify({ input: 'Hello?', is_replay: true, svc_replay_run_id: 'stranded' });
  const response = await fetch(`${stranded.url}/replay`, { method: 'POST', body });
  expect(response.status).toBe(502);
  const [root] = traceOf('stranded').filter((span) => span.isRoot);
  expect(root?.attributes).toMatchObject({
    'langfuse.observation.level': 'ERROR',
    'langfuse.observation.status_message': expect.stringContaining('Unknown request URL'),
  });
});

test('the demo ends at once when it is told to, model and all', async () => {
  const demo = await startAgent();
  await fetch(demo.url);
  expect(await demo.stop()).toBe(0);
  await expect(fetch(demo.url)).rejects.toThrow();
});
