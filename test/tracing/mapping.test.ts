import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/json/index.ts';
import { tokensOf } from '../../src/session/index.ts';
import { type Observation, trace as traceSchema } from '../../src/trace/index.ts';
import { rowReader } from '../../src/tracing/mapping/rows.ts';
import { tracesIn } from './traces-in.ts';

/** Of both sides: the platform divides them further. */
function tokensIn(usage: Observation['usage']) {
  return (['input', 'output'] as const).map((side) => tokensOf(usage, side) || undefined);
}

const fixtures = new URL('fixtures/', import.meta.url);

function fixture(name: string): Json {
  return JSON.parse(readFileSync(new URL(name, fixtures), 'utf8')) as Json;
}

/** The bodies of a recorded sender's exports, one a line. */
function exported(capture: string): string {
  const exchanges = fixture(`capture-${capture}.json`) as unknown as { body: Json }[];
  return exchanges.map(({ body }) => JSON.stringify(body)).join('\n');
}

/** One row of the platform's own mapper. */
interface ServerRow {
  spanId: string;
  parentSpanId: string | null;
  name: string;
  type: string;
  startTimeISO: string;
  endTimeISO: string;
  level: string;
  statusMessage: string | null;
  modelName?: string;
  modelParameters: JsonObject;
  providedUsageDetails?: Record<string, number>;
  providedCostDetails: Record<string, number>;
  input?: Json;
  output?: Json;
  metadata: JsonObject;
  traceName: string | null;
  sessionId?: string;
}

/** What the platform's clients read: text that holds an object or array as that. */
function parsed(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value ?? undefined;
  return JSON.parse(value) as Json;
}

function without<T extends Json | undefined>(
  object: Record<string, T>,
  drop: (value: T) => boolean,
): Record<string, T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !drop(value)));
}

/** Nothing said is nothing recorded: the platform's zeros and nulls for it are no keys here. */
function orAbsent<T extends object>(object: T): T | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}

const SENDERS = readdirSync(fixtures)
  .map((file) => /^server-mapping-(.+)\.json$/.exec(file)?.[1])
  .filter((name) => name !== undefined);

test('there is a capture of each sender that the platform’s mapper was run on', () => {
  expect(SENDERS.toSorted()).toEqual([
    'ai-sdk-v6-experimental-telemetry',
    'ai-sdk-v7-langfuse',
    'js-v4-otel',
    'js-v5-otel',
    'plain-otel-genai-protobuf',
  ]);
});

test.each(SENDERS)('%s: observations are what the platform’s own server makes of the same export', (sender) => {
  const rows = (fixture(`server-mapping-${sender}.json`) as unknown as { v4_processToEvent: ServerRow[] })
    .v4_processToEvent;
  const [trace, ...others] = tracesIn(exported(sender));
  expect(others).toEqual([]);
  traceSchema.parse(trace);
  expect(trace?.observations).toHaveLength(rows.length);
  for (const row of rows) {
    const observation = trace?.observations.find(({ id }) => id === row.spanId);
    expect({
      ...observation,
      usage: tokensIn(observation?.usage),
      metadata: undefined,
      callId: undefined,
      unread: undefined,
    }).toEqual({
      id: row.spanId,
      parentId: row.parentSpanId,
      name: row.name,
      type: row.type.toLowerCase(),
      startTime: row.startTimeISO,
      endTime: row.endTimeISO,
      level: row.level === 'ERROR' ? 'ERROR' : 'DEFAULT',
      statusMessage: row.statusMessage ?? undefined,
      model: row.modelName,
      modelParameters: orAbsent(without(row.modelParameters, (value) => value === null)),
      usage: tokensIn(row.providedUsageDetails),
      cost: orAbsent(row.providedCostDetails),
      input: parsed(row.input),
      output: parsed(row.output),
    });
    const { attributes: _a, resourceAttributes: _r, scope: _s, tools: _t, ...metadata } = row.metadata;
    const expected = Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, parsed(value)]));
    expect(observation?.metadata).toEqual({ ...expected, ...trace?.metadata });
  }
});

test.each(SENDERS)('%s: the trace is what the platform’s own server makes of the same export', (sender) => {
  const events = (
    fixture(`server-mapping-${sender}.json`) as unknown as {
      legacy_processToIngestionEvents: { type: string; body: JsonObject }[];
    }
  ).legacy_processToIngestionEvents;
  const upserts = events.filter(({ type }) => type === 'trace-create').map(({ body }) => body);
  const said = (key: string): Json | undefined =>
    upserts.map((body) => body[key]).findLast((value) => value !== undefined && value !== null);
  const {
    attributes: _a,
    resourceAttributes: _r,
    scope: _s,
    ...metadata
  } = Object.fromEntries(
    upserts.flatMap((body) => Object.entries(isJsonObject(body.metadata) ? body.metadata : {})),
  ) as JsonObject;
  const [trace] = tracesIn(exported(sender));
  expect({ ...trace, observations: undefined, timestamp: undefined }).toEqual({
    id: said('id'),
    name: said('name'),
    sessionId: said('sessionId'),
    release: said('release'),
    version: said('version'),
    input: parsed(said('input')),
    output: parsed(said('output')),
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, parsed(value)])),
  });
});

test('observations inherit what only the root says at trace level', () => {
  const [trace] = tracesIn(exported('js-v4-otel'));
  expect(trace?.observations.map(({ metadata }) => metadata?.svc_replay_run_id)).toEqual(['rr-123', 'rr-123']);
});

test.each([['ai-sdk-v6-experimental-telemetry'], ['ai-sdk-v7-langfuse'], ['plain-otel-genai-protobuf']])(
  '%s: a tool call keeps the id under which the model asked for it',
  (sender) => {
    const [trace] = tracesIn(exported(sender));
    expect(trace?.observations.filter(({ type }) => type === 'tool').map(({ name, callId }) => [name, callId])).toEqual(
      [['search', 'c1']],
    );
  },
);

function oneSpan(attributes: Record<string, string | boolean>, more: JsonObject = {}): string {
  const list = Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { boolValue: value },
  }));
  const span = { traceId: 'aa', spanId: 'bb', name: 'turn', startTimeUnixNano: '1795219112302999999', ...more };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, attributes: list }] }] }] });
}

test('a replay run id that is a bare span attribute is kept apart from trace metadata, where a platform would not find it', () => {
  const [trace] = tracesIn(oneSpan({ svc_replay_run_id: 'r1' }));
  expect(trace?.metadata).toEqual({});
  expect(trace?.observations[0]?.metadata).toEqual({ attributes: { svc_replay_run_id: 'r1' } });
});

test('of a model call that failed it is kept why, whose model it was and where; of what else failed it is not', () => {
  const at = { startTimeUnixNano: '1000000000', endTimeUnixNano: '2000000000' };
  const attributes = (values: Record<string, string>) =>
    Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }));
  const failed = (spanId: string, operation: string) => ({
    traceId: 'a'.repeat(32),
    spanId,
    name: operation,
    ...at,
    status: { code: 2 },
    attributes: attributes({
      'gen_ai.operation.name': operation,
      'error.type': '429',
      'server.address': 'example.com',
    }),
    events: [
      { name: 'exception', attributes: attributes({ 'exception.type': 'ApiError', 'exception.message': 'too fast' }) },
    ],
  });
  const spans = [failed('b'.repeat(16), 'chat'), failed('c'.repeat(16), 'execute_tool')];
  const [trace] = tracesIn(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  const kept = Object.fromEntries(trace?.observations.map(({ name, metadata }) => [name, metadata?.attributes]) ?? []);
  expect(kept).toEqual({
    chat: {
      'error.type': '429',
      'exception.type': 'ApiError',
      'exception.message': 'too fast',
      'server.address': 'example.com',
    },
    execute_tool: undefined,
  });
});

test.each([
  ['objects', { attributes: { 'error.type': '429', 'http.route': '/chat' } }],
  ['dotted keys', { 'attributes.error.type': '429', 'attributes.http.route': '/chat' }],
])('the same is read from a platform, which has the attributes in %s', (_, metadata) => {
  const at = '2026-01-01T00:00:00.000Z';
  const row = { id: 'g', traceId: 't', type: 'GENERATION', name: 'chat', startTime: at, level: 'ERROR', metadata };
  expect(rowReader().observation(row)?.observation?.metadata).toEqual({ attributes: { 'error.type': '429' } });
});

test('fault 58: keys such as __proto__ in metadata, input and flattened messages are data', () => {
  const [trace] = tracesIn(
    oneSpan({
      'langfuse.trace.metadata.__proto__': '{"polluted":true}',
      'langfuse.observation.metadata': '{"__proto__":{"polluted":true}}',
      'gen_ai.prompt.__proto__.polluted': 'yes',
      'gen_ai.prompt.0.constructor.prototype': 'yes',
    }),
  );
  expect(Object.hasOwn(trace?.metadata ?? {}, '__proto__')).toBe(true);
  expect(Object.hasOwn((trace?.observations[0]?.input ?? {}) as object, '__proto__')).toBe(true);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('fault 59: a value that is nested too deep stays text, an attribute that is nested too deep is an error', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(tracesIn(oneSpan({ 'input.value': deep }))[0]?.input).toBe(deep);
  const value = `${'{"arrayValue":{"values":['.repeat(5_000)}${']}}'.repeat(5_000)}`;
  const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","attributes":[{"key":"k","value":${value}}]}]}]}]}`;
  expect(() => tracesIn(text)).toThrow(expect.objectContaining({ code: 'TRACE_INVALID' }));
});

test.each([
  ['as text', '1795219112302999999', '2026-11-20T23:58:32.302Z'],
  ['as text, on the millisecond', '1795219112302000000', '2026-11-20T23:58:32.302Z'],
  ['as a number that a double rounds down', 1795219112306000000, '2026-11-20T23:58:32.306Z'],
  ['out of range', '9'.repeat(40), '1970-01-01T00:00:00.000Z'],
  ['no number', 'soon', '1970-01-01T00:00:00.000Z'],
])('a time %s is read to the millisecond, and one that is none breaks nothing', (_, startTimeUnixNano, expected) => {
  expect(tracesIn(oneSpan({}, { startTimeUnixNano }))[0]?.timestamp).toBe(expected);
});

test.each([
  ['null', 'null'],
  ['a number', '5'],
  ['no spans', '{"resourceSpans":[{"scopeSpans":{}}]}'],
  ['odd members', '{"resourceSpans":[null,5,{"scopeSpans":[{"spans":[null,{"traceId":"a"},{"spanId":1}]}]}]}'],
])('an export that holds %s makes no trace and no error', (_, text) => {
  expect(tracesIn(text)).toEqual([]);
});

test('a file with one export a line is read, and a bad line is named', () => {
  const text = `${oneSpan({})}\n\n${oneSpan({}, { spanId: 'cc', parentSpanId: 'bb' })}`;
  expect(tracesIn(text).map(({ observations }) => observations.length)).toEqual([2]);
  expect(() => tracesIn(`${text}\n{"resourceSpans":`)).toThrow(/in line 4/);
});

test('OpenLLMetry and OpenInference messages are rebuilt from their flattened attributes', () => {
  const [llmetry] = tracesIn(
    oneSpan({
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.tool_calls.0.id': 'c1',
    }),
  );
  expect(llmetry?.input).toEqual([{ role: 'user', content: 'hi' }]);
  expect(llmetry?.output).toEqual([{ role: 'assistant', tool_calls: [{ id: 'c1' }] }]);
  const [inference] = tracesIn(
    oneSpan({ 'openinference.span.kind': 'LLM', 'llm.input_messages.0.message.role': 'user' }),
  );
  expect(inference?.observations[0]).toMatchObject({ type: 'generation', input: [{ message: { role: 'user' } }] });
});

test('the marked root speaks for the trace, also when a span of an unseen parent began earlier', () => {
  const [trace] = tracesIn(
    [
      oneSpan({}, { spanId: 'r', name: 'root' }),
      oneSpan({}, { spanId: 'o', name: 'orphan', parentSpanId: 'unseen', startTimeUnixNano: '1795219112300000000' }),
    ].join('\n'),
  );
  expect([trace?.name, trace?.timestamp]).toEqual(['root', '2026-11-20T23:58:32.300Z']);
});
