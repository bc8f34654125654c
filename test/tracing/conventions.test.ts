import { expect, test } from 'vitest';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { recordingOf } from '../../src/session/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { rowReader } from '../../src/tracing/mapping/rows.ts';
import { assembleTrace, tracesIn } from './traces-in.ts';

interface TestSpan {
  readonly name: string;
  readonly attributes: { readonly [key: string]: Json };
  readonly scope?: string;
  readonly events?: readonly { readonly name: string; readonly attributes: { readonly [key: string]: Json } }[];
  readonly parent?: string;
}

function anyValue(value: Json): Json {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { doubleValue: value };
  return { arrayValue: { values: (value as Json[]).map(anyValue) } };
}

function keyValues(attributes: TestSpan['attributes']): Json[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

/** Spans of one trace below a root, one a second. */
function traced(spans: readonly TestSpan[]): Trace {
  const at = (second: number) => `${1_790_000_000 + second}000000000`;
  const root = { traceId: 't', spanId: 'root', name: 'turn', startTimeUnixNano: at(0), endTimeUnixNano: at(99) };
  const scopeSpans = spans.map(({ name, attributes, events = [], parent = 'root', scope = 'test' }, index) => ({
    scope: { name: scope },
    spans: [
      {
        traceId: 't',
        spanId: name,
        parentSpanId: parent,
        name,
        startTimeUnixNano: at(index + 1),
        endTimeUnixNano: at(index + 2),
        attributes: keyValues(attributes),
        events: events.map((event) => ({ name: event.name, attributes: keyValues(event.attributes) })),
      },
    ],
  }));
  const [trace] = tracesIn(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [root] }, ...scopeSpans] }] }));
  return trace as Trace;
}

function stepsOf(trace: Trace): string[] {
  return trajectoryOf(recordingOf(trace)).steps.map(({ kind, name, value }) =>
    [kind, name, JSON.stringify(value)].filter(Boolean).join(' '),
  );
}

const USER = { role: 'user', content: 'Refund order 7.' };
const ASKED = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'refund', arguments: '{"amount":17}' } }],
};
const text = (value: Json) => JSON.stringify(value);

/** A model call that asks for a refund, and the tool. After the specification or the source of the sender. */
const CONVENTIONS: Readonly<Record<string, readonly TestSpan[]>> = {
  MLflow: [
    {
      name: 'completions',
      attributes: {
        'mlflow.spanType': '"CHAT_MODEL"',
        'mlflow.spanInputs': text({ messages: [USER] }),
        'mlflow.spanOutputs': text({ choices: [{ message: ASKED }] }),
      },
    },
    {
      name: 'refund',
      attributes: {
        'mlflow.spanType': '"TOOL"',
        'mlflow.spanInputs': '{"amount":17}',
        'mlflow.spanOutputs': '{"refunded":17}',
      },
    },
  ],
  'LangSmith over OpenTelemetry': [
    {
      name: 'ChatOpenAI',
      attributes: {
        'langsmith.span.kind': 'llm',
        'gen_ai.operation.name': 'chat',
        'gen_ai.prompt': text({ messages: [[lc('HumanMessage', { content: USER.content })]] }),
        'gen_ai.completion': text({
          generations: [
            [
              {
                message: lc('AIMessage', {
                  content: '',
                  tool_calls: [{ name: 'refund', args: { amount: 17 }, id: 'c1' }],
                }),
              },
            ],
          ],
        }),
      },
    },
    { name: 'a template', attributes: { 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' } },
    {
      name: 'refund',
      attributes: {
        'langsmith.span.kind': 'tool',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'refund',
        'gen_ai.prompt': '{"amount":17}',
        'gen_ai.completion': text({ output: lc('ToolMessage', { content: '{"refunded":17}', tool_call_id: 'c1' }) }),
      },
    },
  ],
  Braintrust: [
    {
      name: 'Chat Completion',
      attributes: {
        'braintrust.span_attributes': text({ type: 'llm', name: 'Chat Completion' }),
        'braintrust.input_json': text([USER]),
        'braintrust.output_json': text([{ index: 0, message: ASKED }]),
      },
    },
    {
      name: 'refund',
      attributes: {
        'braintrust.span_attributes': text({ type: 'tool' }),
        'braintrust.input': '{"amount":17}',
        'braintrust.output': '{"refunded":17}',
      },
    },
  ],
  Sentry: [
    {
      name: 'chat gpt',
      attributes: {
        'sentry.op': 'gen_ai.chat',
        'gen_ai.request.messages': text([USER]),
        'gen_ai.response.tool_calls': text(ASKED.tool_calls),
      },
    },
    {
      name: 'execute_tool refund',
      attributes: {
        'sentry.op': 'gen_ai.execute_tool',
        'gen_ai.tool.name': 'refund',
        'gen_ai.tool.input': '{"amount":17}',
        'gen_ai.tool.output': '{"refunded":17}',
      },
    },
  ],
  LiveKit: [
    {
      name: 'llm_request',
      scope: 'livekit-agents',
      attributes: {
        'gen_ai.request.model': 'gpt',
        'lk.chat_ctx': text({ items: [{ type: 'message', role: 'user', content: [USER.content] }] }),
        'lk.response.function_calls': text([{ call_id: 'c1', name: 'refund', arguments: '{"amount":17}' }]),
      },
    },
    {
      name: 'function_tool',
      scope: 'livekit-agents',
      attributes: {
        'lk.function_tool.id': 'c1',
        'lk.function_tool.name': 'refund',
        'lk.function_tool.arguments': '{"amount":17}',
        'lk.function_tool.output': '{"refunded":17}',
      },
    },
  ],
  'Google ADK': [
    {
      name: 'call_llm',
      attributes: {
        'gen_ai.request.model': 'gemini',
        'gcp.vertex.agent.llm_request': text({
          model: 'gemini',
          contents: [{ role: 'user', parts: [{ text: USER.content }] }],
        }),
        'gcp.vertex.agent.llm_response': text({
          content: { role: 'model', parts: [{ function_call: { id: 'c1', name: 'refund', args: { amount: 17 } } }] },
        }),
      },
    },
    {
      name: 'execute_tool refund',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'refund',
        'gcp.vertex.agent.llm_request': '{}',
        'gcp.vertex.agent.llm_response': '{}',
        'gcp.vertex.agent.tool_call_args': '{"amount":17}',
        'gcp.vertex.agent.tool_response': text({ refunded: 17 }),
      },
    },
  ],
  'Logfire: a list of events': [
    {
      name: 'chat gpt',
      attributes: {
        'gen_ai.operation.name': 'chat',
        events: text([
          { 'event.name': 'gen_ai.user.message', ...USER },
          { 'event.name': 'gen_ai.choice', index: 0, message: ASKED },
        ]),
      },
    },
    {
      name: 'running tool',
      attributes: { 'gen_ai.tool.name': 'refund', tool_arguments: '{"amount":17}', tool_response: '{"refunded":17}' },
    },
  ],
  'GenAI: an event with the details': [
    {
      name: 'chat gpt',
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [
        {
          name: 'gen_ai.client.inference.operation.details',
          attributes: {
            'gen_ai.input.messages': text([{ role: 'user', parts: [{ type: 'text', content: USER.content }] }]),
            'gen_ai.output.messages': text([
              {
                role: 'assistant',
                parts: [{ type: 'tool_call', id: 'c1', name: 'refund', arguments: { amount: 17 } }],
              },
            ]),
          },
        },
      ],
    },
    {
      name: 'execute_tool refund',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'refund',
        'gen_ai.tool.call.arguments': '{"amount":17}',
        'gen_ai.tool.call.result': '{"refunded":17}',
      },
    },
  ],
  'OpenLLMetry, flattened': [
    {
      name: 'openai.chat',
      attributes: {
        'llm.request.type': 'chat',
        'gen_ai.request.model': 'gpt',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': USER.content,
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.finish_reason': 'tool_calls',
        'gen_ai.completion.0.tool_calls.0.id': 'c1',
        'gen_ai.completion.0.tool_calls.0.name': 'refund',
        'gen_ai.completion.0.tool_calls.0.arguments': '{"amount":17}',
      },
    },
    {
      name: 'refund.tool',
      attributes: {
        'traceloop.span.kind': 'tool',
        'traceloop.entity.name': 'refund',
        'traceloop.entity.input': '{"args":[],"kwargs":{"amount":17}}',
        'traceloop.entity.output': '{"refunded":17}',
      },
    },
  ],
};

function lc(name: string, kwargs: JsonObject): JsonObject {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs };
}

const REFUNDED = ['call refund {"amount":17}', 'result refund {"refunded":17}', 'end "no output"'];

test.each(Object.keys(CONVENTIONS))('%s: a model call and its tool are read', (name) => {
  expect(stepsOf(traced(CONVENTIONS[name] ?? []))).toEqual(REFUNDED);
});

test('what the platform does not read of a convention is read of the attributes that it keeps', () => {
  const { observations } = traced(CONVENTIONS.MLflow ?? []);
  const rows = rowReader();
  const records = observations.map(({ id, parentId, name, startTime, endTime, input, output }) => {
    const kind = { completions: '"CHAT_MODEL"', refund: '"TOOL"' }[name];
    return rows.observation({
      id,
      traceId: 't',
      parentObservationId: parentId,
      type: 'SPAN',
      name,
      startTime,
      endTime,
      input: input === undefined ? null : JSON.stringify(input),
      output: output === undefined ? null : JSON.stringify(output),
      metadata: kind === undefined ? {} : { attributes: { 'mlflow.spanType': kind } },
    });
  });
  expect(stepsOf(assembleTrace(records.filter((record) => record !== undefined)))).toEqual(REFUNDED);
});

test('retrievals and memory are steps like tools', () => {
  const steps = stepsOf(
    traced([
      {
        name: 'retrieval docs',
        attributes: {
          'gen_ai.operation.name': 'retrieval',
          'gen_ai.retrieval.query.text': 'refunds',
          'gen_ai.retrieval.documents': text([{ id: 'd1' }]),
        },
      },
      {
        name: 'search_memory',
        attributes: {
          'gen_ai.operation.name': 'search_memory',
          'gen_ai.memory.query.text': 'the user',
          'gen_ai.memory.records': text(['likes tea']),
        },
      },
    ]),
  );
  expect(steps).toEqual([
    'call retrieval docs "refunds"',
    'result retrieval docs [{"id":"d1"}]',
    'call search_memory "the user"',
    'result search_memory ["likes tea"]',
    'end "no output"',
  ]);
});

test('the client span of MCP below the span of the same call is no second call', () => {
  const call = { 'gen_ai.tool.call.arguments': '{"amount":17}', 'gen_ai.tool.call.result': '{"refunded":17}' };
  const steps = stepsOf(
    traced([
      {
        name: 'execute_tool refund',
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'refund', ...call },
      },
      {
        name: 'tools/call refund',
        parent: 'execute_tool refund',
        attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'refund', ...call },
      },
    ]),
  );
  expect(steps).toEqual(REFUNDED);
});

test('a model call that two instrumentations see is told once, by the one that says what it was', () => {
  const inner = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt' };
  const outer = { 'openinference.span.kind': 'LLM', 'input.value': text([USER]), 'output.value': text(ASKED) };
  const both = (above: TestSpan['attributes'], below: TestSpan['attributes']) =>
    stepsOf(
      traced([
        { name: 'a', attributes: above },
        { name: 'b', parent: 'a', attributes: below },
      ]),
    );
  const expected = ['call refund {"amount":17}', 'end "tool calls not executed"'];
  expect(both(outer, inner)).toEqual(expected);
  expect(both(inner, outer)).toEqual(expected);
});

test('calls that a model streamed are read beside its text, where OpenInference writes them among the messages alone', () => {
  const streamed = (text: string) => ({
    'openinference.span.kind': 'LLM',
    'input.value': JSON.stringify({ messages: [USER] }),
    'output.value': text,
    'llm.output_messages.0.message.role': 'assistant',
    ...(text === '' ? {} : { 'llm.output_messages.0.message.content': text }),
    'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'call_1',
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'refund',
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"order":"7"}',
  });
  const stepsWith = (text: string) => stepsOf(traced([{ name: 'Anthropic Messages', attributes: streamed(text) }]));
  const call = ['call refund {"order":"7"}', 'end "tool calls not executed"'];
  expect(stepsWith('')).toEqual(call);
  expect(stepsWith('I refund it.')).toEqual(['text "I refund it."', ...call]);
});
