import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import type { Unread } from '../../src/trace/index.ts';
import { unreadError } from '../../src/trace/index.ts';
import { wholeMessage } from '../whole-message.ts';
import { tracesIn } from './traces-in.ts';

type Attributes = { readonly [key: string]: Json };

function exported(name: string, attributes: Attributes, scope = 'a library', more = {}): string {
  const span = {
    traceId: 't',
    spanId: 's',
    name,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001000000000',
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: String(value) } })),
    ...more,
  };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: scope }, spans: [span] }] }] });
}

function unread(name: string, attributes: Attributes, scope?: string, more = {}): readonly Unread[] {
  return tracesIn(exported(name, attributes, scope, more)).flatMap(({ observations }) =>
    observations.flatMap((observation) => observation.unread ?? []),
  );
}

const WHOLE_TOOL = { 'openinference.span.kind': 'TOOL', 'input.value': '{"amount":17}', 'output.value': 'ok' };
const LONG = 'The parcel left the depot on Monday. '.repeat(10);

test.each<[what: string, name: string, attributes: Attributes]>([
  ['by its type', 'refund', { 'gen_ai.operation.name': 'execute_tool', 'myfw.call.payload': '{"amount":17}' }],
  ['by its name', 'execute_tool refund', { 'myfw.call.payload': '{"amount":17}' }],
  [
    'by an attribute of an unknown convention',
    'refund',
    { 'myfw.span_type': 'TOOL', 'myfw.call.payload': '{"amount":17}' },
  ],
  ['by the name of a tool', 'refund', { 'myfw.tool.name': 'refund', 'myfw.call.payload': '{"amount":17}' }],
  ['as a model call', 'chat gpt-5', { 'gen_ai.operation.name': 'chat', 'myfw.call.payload': '[{"say":"Refund it."}]' }],
])('a step that is known %s and whose value nobody reads is told', (_, name, attributes) => {
  expect(unread(name, attributes)).toEqual([{ attribute: 'myfw.call.payload', degree: 'value' }]);
});

test('a result under a name that is not known is told, though the arguments were read', () => {
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.arguments': '{"amount":17}' };
  expect(unread('refund', { ...tool, 'myfw.result': 'ok' })).toEqual([{ attribute: 'myfw.result', degree: 'value' }]);
  expect(unread('refund', { ...tool, 'gen_ai.tool.call.result': 'ok' })).toEqual([]);
});

test.each(['[object Object]', '[tool: refund]'])('%s in the place of a result is a result that was lost', (result) => {
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.arguments': '{"amount":17}' };
  const lost = [{ attribute: 'gen_ai.tool.call.result', degree: 'value' }];
  expect(unread('refund', { ...tool, 'gen_ai.tool.call.result': result })).toEqual(lost);
  expect(unread('refund', { ...tool, 'gen_ai.tool.call.result': `${result} is no order` })).toEqual([]);
});

test('a time of a model call is no value of it, which the SDK of Anthropic writes on a span without content', () => {
  const streamed = { 'gen_ai.operation.name': 'chat', 'gen_ai.response.time_to_first_chunk': '0.13' };
  expect(unread('anthropic.messages.create', streamed)).toEqual([]);
});

test('what the first source that was found hides is told', () => {
  const hidden = { 'openinference.span.kind': 'TOOL', 'input.value': '{"amount":17}', 'gen_ai.tool.call.result': 'ok' };
  expect(unread('refund', hidden)).toEqual([{ attribute: 'gen_ai.tool.call.result', degree: 'value' }]);
});

test('more that is said beside the value of a step is told in the lesser degree', () => {
  const tool = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.call.arguments': '{"amount":17}',
    'gen_ai.tool.call.result': 'ok',
  };
  expect(unread('refund', { ...tool, 'myfw.note': LONG })).toEqual([{ attribute: 'myfw.note', degree: 'content' }]);
  expect(unread('refund', { ...tool, 'myfw.note': 'short' })).toEqual([]);
});

test.each<[what: string, name: string, attributes: Attributes]>([
  ['HTTP', 'POST', { 'http.request.body': LONG, 'url.full': 'https://example.com/chat', 'http.route': '/chat' }],
  ['databases', 'SELECT orders', { 'db.system': 'postgresql', 'db.statement': `SELECT ${LONG}` }],
  ['RPC', 'grpc.Chat/Send', { 'rpc.service': 'Chat', 'rpc.message': LONG }],
  ['files', 'fs readFile', { 'code.function': 'readFile', 'code.stacktrace': LONG }],
  ['messaging', 'orders send', { 'messaging.destination.name': 'orders', 'messaging.message.body': LONG }],
  ['exceptions', 'turn', { 'exception.message': LONG }],
  ['spans of the agent itself', 'load customer', { 'shop.customer': `{"notes":"${LONG}"}` }],
])('spans of %s raise no doubt', (_, name, attributes) => {
  expect(unread(name, attributes)).toEqual([]);
});

test.each<[what: string, attributes: Attributes]>([
  ['tool definitions', { 'gen_ai.tool.definitions': `[{"name":"refund","description":"${LONG}"}]` }],
  ['settings', { 'llm.invocation_parameters': `{"temperature":0.2,"metadata":{"note":"${LONG}"}}` }],
  ['metadata', { metadata: `{"note":"${LONG}"}`, 'myfw.metadata.note': LONG }],
])('%s beside a model call raise no doubt', (_, attributes) => {
  const read = { 'gen_ai.operation.name': 'chat', 'input.value': '[]', 'output.value': 'hi' };
  expect(unread('chat gpt', { ...read, ...attributes })).toEqual([]);
});

const CAPTURES = new URL('../chat/fixtures/', import.meta.url);

test.each(readdirSync(CAPTURES).filter((file) => file.endsWith('.json')))(
  'all that real SDKs record of steps is read: %s',
  (file) => {
    const { exports } = JSON.parse(readFileSync(new URL(file, CAPTURES), 'utf8')) as { exports: Json[] };
    const traces = tracesIn(exports.map((body) => JSON.stringify(body)).join('\n'));
    expect(unreadError(traces, 'value', [])).toBeUndefined();
    expect(unreadError(traces, 'content', [])).toBeUndefined();
  },
);

test('the error names span and attribute, and what the user knows of is not told again', () => {
  const traces = tracesIn(exported('execute_tool refund', { 'myfw.call.payload': '{"amount":17}' }));
  expect(wholeMessage(unreadError(traces, 'value', [])!)).toMatchInlineSnapshot(`
    "The trace holds values of steps that agent-replay cannot read, so they would not be compared. (TRACE_UNREAD)
      span "execute_tool refund": myfw.call.payload
      -> Trace the values themselves, under a convention that is known (docs/endpoint.md, "What is read of traces"), or take note of it: tracing: { acknowledge: [{ span: 'execute_tool refund', attribute: 'myfw.call.payload' }] }."
  `);
  for (const span of ['execute_tool refund', '*']) {
    expect(unreadError(traces, 'value', [{ span, attribute: 'myfw.call.payload' }])).toBeUndefined();
  }
  expect(unreadError(traces, 'value', [{ span: 'other', attribute: 'myfw.call.payload' }])).toBeDefined();
});

test.each<[what: string, attributes: Attributes, counts: object, degree: Unread['degree']]>([
  ['attributes of a tool call', WHOLE_TOOL, { droppedAttributesCount: 2 }, 'value'],
  ['attributes of a span that may be a step', {}, { droppedAttributesCount: 2 }, 'value'],
  ['attributes of an agent', { 'openinference.span.kind': 'AGENT' }, { droppedAttributesCount: 2 }, 'content'],
  [
    'events of a model call that shows no answer',
    { 'openinference.span.kind': 'LLM' },
    { droppedEventsCount: 1 },
    'value',
  ],
  ['events of a tool call', WHOLE_TOOL, { droppedEventsCount: 1 }, 'content'],
])('fault 148: %s that the SDK has dropped are told', (_, attributes, counts, degree) => {
  const [attribute = ''] = Object.keys(counts);
  expect(unread('refund', attributes, undefined, counts)).toEqual([{ attribute, degree }]);
  expect(unread('refund', attributes, undefined, { [attribute]: 0 })).toEqual([]);
});

test('fault 148: the error names the limits of the SDK', () => {
  const traces = tracesIn(exported('refund', WHOLE_TOOL, undefined, { droppedAttributesCount: 2 }));
  expect(wholeMessage(unreadError(traces, 'value', [])!)).toMatchInlineSnapshot(`
    "The agent's SDK has left out a part of its spans, which is not compared. (TRACE_UNREAD)
      tool "refund": droppedAttributesCount
      -> Raise the limits of its SDK (OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, OTEL_SPAN_EVENT_COUNT_LIMIT), or take note of it: tracing: { acknowledge: [{ span: 'refund', attribute: 'droppedAttributesCount' }] }."
  `);
});
