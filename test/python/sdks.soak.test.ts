import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REQUESTS } from '../endpoint/requests.ts';
import { askBoth, PACKAGE_ROOT, pythonWith, startEndpoints } from './python.ts';

/** With the packages that a machine has: Debian's, or those of the interpreter in AGENT_REPLAY_PYTHON. */
const FIXTURES = path.join(import.meta.dirname, 'fixtures');

test.for([
  ['fastapi-asgi', ['fastapi', 'uvicorn']],
  ['flask', ['flask']],
] as const)(
  'served with %s, the endpoint answers every request as the one in TypeScript',
  async ([kind, modules], { skip }) => {
    const python = pythonWith(...modules);
    if (python === undefined) return skip(`no python3 here has ${modules.join(' and ')}`);
    await using endpoints = await startEndpoints(python, kind);
    for (const asked of REQUESTS) {
      const [here, there] = await askBoth(endpoints, asked);
      expect({ what: asked.what, ...there }).toEqual({ what: asked.what, ...here });
    }
  },
);

test("spans of OpenTelemetry's own SDK carry what tells one replay from another, and are counted", ({ skip }) => {
  const modules = ['opentelemetry.sdk.trace', 'opentelemetry.exporter.otlp.proto.http.trace_exporter'];
  const python = pythonWith(...modules);
  if (python === undefined) return skip('no python3 here has the SDK of OpenTelemetry');
  const printed = run(
    python,
    `
import json
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry_agent import endpoint, provider, tracer
from agent_replay._http import Head
sent = InMemorySpanExporter()
provider.add_span_processor(SimpleSpanProcessor(sent))
tracer.start_span("outside").end()
body = {"is_replay": True, "input": "hello", "svc_replay_run_id": "r-1"}
answer = endpoint.answer(Head("POST", {"content-type": "application/json"}), json.dumps(body).encode())
ids = {span.name: span.attributes.get("langfuse.trace.metadata.svc_replay_run_id") for span in sent.get_finished_spans()}
print(json.dumps([answer.headers.get("x-svc-trace-spans"), ids]))
`,
  );
  expect(printed).toEqual(['2', { outside: null, chat: 'r-1', invoke_agent: 'r-1' }]);
});

const CONVERSATION = [
  { role: 'system', content: 'Be kind.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Where is it?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'lookup', arguments: '{"order":7}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: 'no such order', is_error: true },
  { role: 'assistant', content: 'I cannot find it.' },
];

test.for([
  [
    "LangChain's own reader",
    ['langchain_core.messages'],
    `from langchain_core.messages import convert_to_messages
made = [each.type for each in convert_to_messages(to_langchain_messages(conversation))]`,
    ['system', 'human', 'ai', 'tool', 'ai'],
  ],
  [
    "the types of OpenAI's chat",
    ['openai', 'pydantic'],
    `from openai.types.chat import ChatCompletionMessageParam
made = [each["role"] for each in TypeAdapter(list[ChatCompletionMessageParam]).validate_python(to_chat_messages(conversation))]`,
    ['system', 'user', 'assistant', 'tool', 'assistant'],
  ],
  [
    "the types of OpenAI's Responses",
    ['openai', 'pydantic'],
    `from openai.types.responses import ResponseInputParam
made = [each.get("type", each.get("role")) for each in TypeAdapter(ResponseInputParam).validate_python(to_responses_input(conversation))]`,
    ['system', 'user', 'function_call', 'function_call_output', 'assistant'],
  ],
  [
    'the types of Anthropic',
    ['anthropic', 'pydantic'],
    `from anthropic.types import MessageParam
made = [each["role"] for each in TypeAdapter(list[MessageParam]).validate_python(to_anthropic_messages(conversation)["messages"])]`,
    ['user', 'assistant', 'user', 'assistant'],
  ],
] as const)('what a converter in Python makes is taken by %s', ([, modules, check, expected], { skip }) => {
  const python = pythonWith(...modules);
  if (python === undefined) return skip(`no python3 here has ${modules.join(' and ')}`);
  const adapter = modules.some((name) => name === 'pydantic') ? 'from pydantic import TypeAdapter' : '';
  const script = `
import json
from agent_replay.messages import *
${adapter}
conversation = json.loads(${JSON.stringify(JSON.stringify(CONVERSATION))})
${check}
print(json.dumps(made))
`;
  expect(run(python, script)).toEqual(expected);
});

function run(python: string, script: string): unknown {
  const { stdout, stderr } = spawnSync(python, ['-c', script], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: [path.join(PACKAGE_ROOT, 'src'), FIXTURES, process.env.PYTHONPATH].filter(Boolean).join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
      // Nobody listens there: what is exported does not matter here.
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1',
    },
  });
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (line === '') throw new Error(stderr);
  return JSON.parse(line);
}
