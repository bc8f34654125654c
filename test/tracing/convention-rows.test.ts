import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import { CONVENTIONS } from '../../src/tracing/mapping/conventions.ts';
import { spanMapper } from '../../src/tracing/mapping/mapping.ts';
import { READ } from '../../src/tracing/mapping/payload.ts';

interface Example {
  readonly scope?: string;
  readonly span: { readonly [attribute: string]: Json };
  /** What is read of it; all else is as in a span without attributes. */
  readonly becomes: { readonly [field: string]: Json };
}

const USER = { role: 'user', content: 'Refund order 7.' };
const DONE = { role: 'assistant', content: 'Refunded.' };

/** By the attribute that identifies a row's spans. */
const MARKED: { readonly [mark: string]: Example } = {
  'traceloop.span.kind': {
    span: {
      'traceloop.span.kind': 'tool',
      'traceloop.entity.name': 'refund',
      'traceloop.entity.input': '{"args":[{"order":7}],"kwargs":{}}',
      'traceloop.entity.output': '"Refunded."',
    },
    becomes: { type: 'tool', name: 'refund', input: { order: 7 }, output: 'Refunded.' },
  },
  'mlflow.spanType': {
    span: { 'mlflow.spanType': '"TOOL"', 'mlflow.spanInputs': '{"order":7}', 'mlflow.spanOutputs': '"Refunded."' },
    becomes: { type: 'tool', input: { order: 7 }, output: 'Refunded.' },
  },
  'langsmith.span.kind': {
    span: {
      'langsmith.span.kind': 'chain',
      'gen_ai.prompt': '{"input":"Refund order 7."}',
      'gen_ai.completion': '{"outputs":"Refunded."}',
    },
    becomes: { type: 'chain', input: 'Refund order 7.', output: 'Refunded.' },
  },
  'braintrust.span_attributes': {
    span: {
      'braintrust.span_attributes': '{"type":"tool","name":"refund"}',
      'braintrust.input_json': '[{"order":7}]',
      'braintrust.output_json': '{"done":true}',
    },
    becomes: { type: 'tool', input: { order: 7 }, output: { done: true } },
  },
  'mastra.span.type': {
    span: {
      'mastra.span.type': 'model_step',
      'mastra.model_step.input': JSON.stringify([USER]),
      'mastra.model_step.output': '{"text":"Refunded."}',
    },
    becomes: { type: 'generation', input: [USER], output: { text: 'Refunded.' } },
  },
  'sentry.op': {
    span: {
      'sentry.op': 'gen_ai.chat',
      'gen_ai.request.messages': JSON.stringify([USER]),
      'gen_ai.response.text': 'At once.',
      'gen_ai.response.tool_calls': '[{"name":"refund","arguments":"{}"}]',
    },
    becomes: {
      type: 'generation',
      input: [USER],
      output: { role: 'assistant', content: 'At once.', tool_calls: [{ name: 'refund', arguments: '{}' }] },
      modelParameters: { messages: JSON.stringify([USER]) },
    },
  },
  'lk.function_tool.name': {
    span: {
      'lk.function_tool.name': 'refund',
      'lk.function_tool.id': 'call_1',
      'lk.function_tool.arguments': '{"order":7}',
      'lk.function_tool.output': 'Refunded.',
    },
    becomes: { type: 'tool', name: 'refund', callId: 'call_1', input: { order: 7 }, output: 'Refunded.' },
  },
  'lk.response.function_calls': {
    span: { 'lk.response.text': 'At once.', 'lk.response.function_calls': '[{"name":"refund"}]' },
    becomes: { output: { role: 'assistant', content: 'At once.', tool_calls: [{ name: 'refund' }] } },
  },
  'mcp.method.name': { span: { 'mcp.method.name': 'tools/call' }, becomes: { type: 'tool' } },
  'gen_ai.operation.name': {
    span: {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': 'refunds',
      'gen_ai.retrieval.documents': '[{"id":"1"}]',
    },
    becomes: { type: 'retriever', input: 'refunds', output: [{ id: '1' }] },
  },
};

/** By the first attribute in which a row has an input. */
const PLACED: { readonly [attribute: string]: Example } = {
  'genkit:input': {
    scope: 'genkit-tracer',
    span: {
      'genkit:input': JSON.stringify({ messages: [USER], tools: [{ name: 'refund' }] }),
      'genkit:output': JSON.stringify({ message: DONE }),
    },
    becomes: { input: { messages: [USER], tools: [{ name: 'refund' }] }, output: DONE },
  },
  'ai.prompt.messages': {
    scope: 'ai',
    span: { 'ai.prompt.messages': JSON.stringify([USER]), 'ai.response.text': 'Refunded.' },
    becomes: { input: [USER], output: 'Refunded.' },
  },
  'flue.turn.input': {
    scope: '@flue/opentelemetry',
    span: { 'flue.tool.arguments': '{"order":7}', 'flue.tool.result': 'Refunded.' },
    becomes: { input: { order: 7 }, output: 'Refunded.' },
  },
  'gcp.vertex.agent.llm_request': {
    span: {
      'gcp.vertex.agent.llm_request': '{}',
      'gcp.vertex.agent.tool_call_args': '{"order":7}',
      'gcp.vertex.agent.llm_response': '{}',
      'gcp.vertex.agent.tool_response': '{"done":true}',
    },
    becomes: { input: { order: 7 }, output: { done: true } },
  },
  prompt: {
    span: { prompt: 'Refund order 7.', all_messages_events: JSON.stringify([DONE]) },
    becomes: { input: 'Refund order 7.', output: [DONE] },
  },
  'lk.input_text': {
    span: { 'lk.user_transcript': 'Refund order 7.', 'lk.response.text': 'Refunded.' },
    becomes: { input: 'Refund order 7.', output: 'Refunded.' },
  },
  events: {
    span: { events: JSON.stringify([USER, { 'event.name': 'gen_ai.choice', message: DONE }]) },
    becomes: { input: [USER], output: { 'event.name': 'gen_ai.choice', message: DONE } },
  },
  'mlflow.spanInputs': {
    span: { 'mlflow.spanInputs': '{"order":7}', 'mlflow.spanOutputs': '{"done":true}' },
    becomes: { input: { order: 7 }, output: { done: true } },
  },
  'traceloop.entity.input': {
    span: { 'traceloop.entity.input': '{"order":7}', 'traceloop.entity.output': '{"done":true}' },
    becomes: { input: { order: 7 }, output: { done: true } },
  },
  'input.value': {
    span: {
      'input.value': 'Refund order 7.',
      'output.value': '',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'refund',
    },
    becomes: {
      input: 'Refund order 7.',
      output: [{ message: { tool_calls: [{ tool_call: { function: { name: 'refund' } } }] } }],
    },
  },
  input: {
    span: { input: 'Refund order 7.', output: 'Refunded.' },
    becomes: { input: 'Refund order 7.', output: 'Refunded.' },
  },
  'pydantic_ai.all_messages': {
    scope: 'pydantic-ai',
    span: {
      'pydantic_ai.all_messages': JSON.stringify([USER]),
      final_result: 'Refunded.',
      'gen_ai.system_instructions': '[{"type":"text","content":"Be kind."}]',
    },
    becomes: { input: [{ role: 'system', content: 'Be kind.' }, USER], output: 'Refunded.' },
  },
  tool_arguments: {
    span: { tool_arguments: '{"order":7}', tool_response: 'Refunded.' },
    becomes: { input: { order: 7 }, output: 'Refunded.' },
  },
  'gen_ai.prompt': {
    span: {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Refund order 7.',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Refunded.',
    },
    becomes: { input: [USER], output: [DONE] },
  },
  'llm.input_messages': {
    span: { 'llm.input_messages.0.message.role': 'user', 'llm.output_messages.0.message.content': 'Refunded.' },
    becomes: { input: [{ message: { role: 'user' } }], output: [{ message: { content: 'Refunded.' } }] },
  },
  'gen_ai.input.messages': {
    span: { 'gen_ai.input.messages': JSON.stringify([USER]), 'gen_ai.output.messages': JSON.stringify([DONE]) },
    becomes: { input: [USER], output: [DONE] },
  },
  'gen_ai.tool.call.arguments': {
    span: { 'gen_ai.tool.call.arguments': '{"order":7}', 'gen_ai.tool.call.result': 'Refunded.' },
    becomes: { input: { order: 7 }, output: 'Refunded.' },
  },
};

test('every row of the tables of conventions has an example, and no example is of another row', () => {
  expect(Object.keys(MARKED)).toEqual(CONVENTIONS.map(({ mark }) => mark));
  expect(Object.keys(PLACED)).toEqual(READ.map(({ input }) => input[0]));
});

test.each(Object.entries({ ...MARKED, ...PLACED }))('a span with %s becomes its observation', (_, example) => {
  const span = {
    traceId: 't',
    spanId: 's',
    parentSpanId: null,
    name: 'span',
    startMs: 0,
    endMs: 1_000,
    attributes: new Map(Object.entries(example.span)),
    events: [],
    failed: false,
    statusMessage: undefined,
    scope: { name: example.scope ?? '', version: '' },
    resource: new Map(),
  };
  const { id, parentId, startTime, endTime, level, ...said } = spanMapper()(span).record().observation ?? {};
  expect({ id, parentId, startTime, endTime, level }).toEqual({
    id: 's',
    parentId: null,
    startTime: '1970-01-01T00:00:00.000Z',
    endTime: '1970-01-01T00:00:01.000Z',
    level: 'DEFAULT',
  });
  expect(said).toEqual({ type: 'span', name: 'span', ...example.becomes });
});
