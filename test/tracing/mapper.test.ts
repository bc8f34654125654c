import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { trajectoryOf } from '../../src/compare/steps/recorded-steps.ts';
import { isJsonObject, type Json, type JsonObject, spelledOut } from '../../src/json/index.ts';
import { recordingOf, tokensOf } from '../../src/session/index.ts';
import type { Observation, Trace } from '../../src/trace/index.ts';
import { rowReader } from '../../src/tracing/mapping/rows.ts';
import { assembleTrace, tracesIn } from './traces-in.ts';

/**
 * Exports in every convention that the platform's own server reads, and in some that it does not, each beside what that
 * server (4.16.0) makes of it (`fixtures/mapper/README.md`). The receiver maps the same, and where it reads more, the rest
 * is read from what the platform keeps: a recording from there and a replay from here are the same behaviour.
 */
const FOLDER = new URL('fixtures/mapper/', import.meta.url);
const CASES = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []));

/** One span as the server maps it. */
interface Mapped {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly isAppRoot?: boolean;
  readonly name: string;
  readonly type: string;
  readonly startTimeISO: string;
  readonly endTimeISO: string;
  readonly level: string;
  readonly statusMessage?: string;
  readonly modelName?: string;
  readonly modelParameters: JsonObject;
  readonly providedUsageDetails?: JsonObject;
  readonly providedCostDetails: JsonObject;
  readonly tags: Json[];
  readonly input?: Json;
  readonly output?: Json;
  readonly metadata: JsonObject;
  readonly traceName?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly environment?: string;
  readonly release?: string;
  readonly version?: string;
}

interface Case {
  /** Of a real SDK, in `test/chat/fixtures`. */
  readonly capture?: string;
  readonly exports?: Json[];
  readonly rows: Mapped[];
}

function read<T>(folder: URL, file: string): T {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T;
}

function caseOf(name: string): { traces: Trace[]; rows: readonly Mapped[] } {
  const { capture, exports, rows } = read<Case>(FOLDER, `${name}.json`);
  const bodies =
    exports ?? read<{ exports: Json[] }>(new URL('../chat/fixtures/', import.meta.url), capture ?? '').exports;
  return { traces: tracesIn(bodies.map((body) => JSON.stringify(body)).join('\n')), rows };
}

/** As text, with null and nothing for what is not said. */
function stored(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value);
}

function flattened(metadata: JsonObject, prefix = ''): [string, Json][] {
  return Object.entries(metadata).flatMap(([key, value]) =>
    isJsonObject(value)
      ? flattened(value, `${prefix}${key}.`)
      : [[`${prefix}${key}`, spelledOut(value)] as [string, Json]],
  );
}

/** A row of `GET /v2/observations`, as recorded ones look. */
function newerRow(row: Mapped): JsonObject {
  return {
    ...common(row),
    traceId: row.traceId,
    isRootObservation: row.parentSpanId === undefined || row.isAppRoot === true,
    traceName: row.traceName ?? null,
    sessionId: row.sessionId ?? '',
    userId: row.userId ?? null,
    tags: row.tags,
    release: row.release ?? null,
    input: stored(row.input),
    output: stored(row.output),
    metadata: Object.fromEntries(flattened(row.metadata)),
  };
}

/** An observation of `GET /traces/{id}`. */
function olderRow(row: Mapped): JsonObject {
  return {
    ...common(row),
    input: spelledOut(row.input) ?? null,
    output: spelledOut(row.output) ?? null,
    metadata: row.metadata,
  };
}

function common(row: Mapped): JsonObject {
  return {
    id: row.spanId,
    parentObservationId: row.parentSpanId ?? null,
    type: row.type,
    name: row.name,
    startTime: row.startTimeISO,
    endTime: row.endTimeISO,
    level: row.level,
    statusMessage: row.statusMessage ?? '',
    model: row.modelName ?? '',
    modelParameters: row.modelParameters,
    usageDetails: row.providedUsageDetails ?? {},
    costDetails: row.providedCostDetails,
    environment: row.environment ?? 'default',
    version: row.version ?? null,
  };
}

type Compared = Pick<
  Observation,
  'parentId' | 'name' | 'type' | 'startTime' | 'endTime' | 'level' | 'statusMessage' | 'model' | 'usage' | 'cost'
> & { readonly modelParameters: Json | undefined; readonly input: Json | undefined; readonly output: Json | undefined };

/** What the platform does not count, it says nothing of, or zero. */
function counts(given: JsonObject | undefined): Record<string, number> | undefined {
  const entries = Object.entries(given ?? {}).flatMap(([key, value]) => {
    const count = Number(value);
    return Number.isFinite(count) && count !== 0 && value !== null ? [[key, count] as const] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The platform divides them further. */
function tokensIn(usage: Observation['usage']): Record<string, number> | undefined {
  return counts({ input: tokensOf(usage, 'input') ?? null, output: tokensOf(usage, 'output') ?? null });
}

function set(given: JsonObject | undefined): JsonObject | undefined {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function byServer(row: Mapped): Compared {
  return {
    parentId: row.parentSpanId ?? null,
    name: row.name,
    type: row.type.toLowerCase() as Observation['type'],
    startTime: row.startTimeISO,
    endTime: row.endTimeISO,
    level: row.level === 'ERROR' ? 'ERROR' : 'DEFAULT',
    statusMessage: row.statusMessage || undefined,
    model: row.modelName,
    usage: tokensIn(counts(row.providedUsageDetails)),
    cost: counts(row.providedCostDetails),
    modelParameters: set(row.modelParameters),
    input: spelledOut(row.input),
    output: spelledOut(row.output),
  };
}

function byUs(observation: Observation): Compared {
  const { parentId, name, type, startTime, endTime, level, statusMessage, model } = observation;
  return {
    parentId,
    name,
    type,
    startTime,
    endTime,
    level,
    statusMessage,
    model,
    usage: tokensIn(observation.usage),
    cost: counts(observation.cost),
    modelParameters: set(observation.modelParameters),
    input: observation.input,
    output: observation.output,
  };
}

/** Where the receiver tells more than the server, or takes off what a convention has wrapped it in. */
const READ_FURTHER: Readonly<Record<string, readonly string[]>> = {
  // The server counts what Bedrock wrote to its cache twice.
  'ai-sdk-others': ['ai.streamText.doStream shop: usage'],
  braintrust: [
    'Chat Completion: input',
    'Chat Completion: output',
    'Chat Completion: type',
    'refund: input',
    'refund: output',
    'refund: type',
    'shop: input',
    'shop: output',
    'shop: type',
  ],
  'captured.genkit': ['oai/gpt-5: input'],
  'captured.genkit.google-genai': ['googleai/gemini-2.5-flash: input'],
  'captured.langsmith.openai': ['shop: input', 'shop: output', 'shop: type'],
  'captured.mastra.otel-exporter': [
    'agent_step shop: input',
    'agent_step shop: output',
    'agent_step shop: type',
    'chat gpt-5: type',
    'invoke_agent shop: input',
    'invoke_agent shop: output',
    'model_chunk shop: output',
    'model_generation gpt-5: input',
    'model_generation gpt-5: output',
  ],
  'captured.openai-responses.langfuse': ['OpenAI.responses: input'],
  'captured.traceloop.anthropic': [
    'lookup.tool: input',
    'lookup.tool: name',
    'lookup.tool: type',
    'refund.tool: input',
    'refund.tool: name',
    'refund.tool: type',
    'shop.workflow: input',
    'shop.workflow: output',
    'shop.workflow: type',
  ],
  'captured.traceloop.openai': [
    'lookup.tool: input',
    'lookup.tool: name',
    'lookup.tool: type',
    'refund.tool: input',
    'refund.tool: name',
    'refund.tool: type',
    'shop.workflow: input',
    'shop.workflow: output',
    'shop.workflow: type',
  ],
  genkit: ['openai/gpt-5: input'],
  'langfuse-responses': ['OpenAI.responses: input'],
  langsmith: ['LangGraph: type'],
  livekit: ['function_tool: input', 'function_tool: name', 'llm_request: output'],
  mlflow: ['completions: type', 'predict: output', 'predict: type', 'refund: type'],
  openllmetry: [
    'openai.chat: input',
    'refund.tool: input',
    'refund.tool: name',
    'refund.tool: type',
    'shop.agent: input',
    'shop.agent: name',
    'shop.agent: output',
    'shop.agent: type',
  ],
  sentry: ['chat gpt-5: input', 'chat gpt-5: output', 'invoke_agent shop: type', 'refund: input', 'refund: output'],
};

test.each(CASES)('%s: a span is what the platform’s own server makes of it', (name) => {
  const { traces, rows } = caseOf(name);
  const observations = new Map(traces.flatMap((trace) => trace.observations.map((each) => [each.id, each])));
  expect(observations.size).toBe(rows.length);
  const fields = rows.flatMap((row) => {
    const [server, ours] = [byServer(row), byUs(observations.get(row.spanId) as Observation)];
    const keys = Object.keys(server) as (keyof Compared)[];
    return keys.map((key) => ({
      field: `${row.name}: ${key}`,
      server: spelled(server[key]),
      ours: spelled(ours[key]),
    }));
  });
  const further = READ_FURTHER[name] ?? [];
  const differing = fields.filter(({ server, ours }) => !isDeepStrictEqual(server, ours));
  expect(differing.filter(({ field }) => !further.includes(field))).toEqual([]);
  expect(further.filter((field) => !differing.some((each) => each.field === field))).toEqual([]);
});

/** With all JSON in texts spelled out: that one side has it as text says nothing. */
function spelled(value: Json | undefined): Json | undefined {
  const inner = spelledOut(value);
  if (Array.isArray(inner)) return inner.map((each) => spelled(each) ?? null);
  if (!isJsonObject(inner)) return inner;
  return Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, spelled(each) ?? null]));
}

/** All that is compared of a trace. */
function behaviour(trace: Trace) {
  const { steps, modelCalls } = trajectoryOf(recordingOf(trace));
  return {
    input: trace.input,
    output: trace.output,
    steps: steps.map(({ kind, name, value }) => ({ kind, name, value })),
    modelCalls: modelCalls.map(({ generation, outcome }) => {
      const { system, messages, tools, said, calls, model, parameters } = generation;
      return { system, messages, tools, said, calls, model, parameters, outcome };
    }),
  };
}

/** Attributes that the server takes away without making anything of what is compared: it is not told, and not another. */
const UNTOLD: Readonly<Record<string, 'tools'>> = {
  genkit: 'tools',
  'captured.genkit': 'tools',
  'captured.genkit.google-genai': 'tools',
};

test.each(CASES)('%s: a recording from the platform and a replay from the receiver are the same behaviour', (name) => {
  const { traces, rows } = caseOf(name);
  const reader = rowReader();
  for (const trace of traces) {
    const own = rows.filter(({ traceId }) => traceId === trace.id);
    const expected = behaviour(trace);
    if (UNTOLD[name] !== undefined) for (const call of expected.modelCalls) call[UNTOLD[name]] = undefined;
    const newer = assembleTrace(own.flatMap((row) => reader.observation(newerRow(row)) ?? []));
    expect(behaviour(newer)).toEqual(expected);
    expect(behaviour(assembleTrace(reader.trace(bodyOf(own))))).toEqual(expected);
  }
});

/** A body of `GET /traces/{id}`: the trace has what the root has. */
function bodyOf(rows: readonly Mapped[]): JsonObject {
  const isRoot = ({ parentSpanId, isAppRoot }: Mapped) => parentSpanId === undefined || isAppRoot === true;
  const root = rows.find(isRoot) ?? rows[0];
  return {
    id: root?.traceId ?? '',
    timestamp: root?.startTimeISO ?? '',
    name: root?.name ?? '',
    metadata: {},
    input: spelledOut(root?.input) ?? null,
    output: spelledOut(root?.output) ?? null,
    observations: rows.map(olderRow),
  };
}

test('the page says how many exports were tried', () => {
  const page = readFileSync(new URL('../../docs/platform.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
  const captured = CASES.filter((name) => name.startsWith('captured.'));
  expect(page).toContain(`makes of ${CASES.length} exports, ${captured.length} of them by real SDKs`);
});
