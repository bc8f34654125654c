import {
  type Identifiers,
  isJsonObject,
  type Json,
  type JsonObject,
  type Observation,
  type ObservationType,
  observationType,
  wireNames,
} from '../contract/index.ts';
import type { Attributes, Span } from './otlp.ts';
import { inputAndOutput, structured } from './payload.ts';

/** What a record says of its trace. Absent keys were not said. */
export interface TraceFields {
  /** Said outright only by the older ingestion API; else it is the earliest start. */
  timestamp?: string;
  name?: string;
  sessionId?: string;
  userId?: string;
  tags?: string[];
  environment?: string;
  release?: string;
  version?: string;
  /** At trace level, as the platform sees it: what a filter on trace metadata finds. */
  metadata: JsonObject;
  input?: Json;
  output?: Json;
}

/** One record of a trace, as it is stored until the trace is complete. `observation.metadata` is its own, nothing inherited. */
export interface TraceRecord {
  readonly traceId: string;
  /** Undefined when it speaks of the trace alone, which only the older ingestion API does. */
  readonly observation?: Observation;
  readonly trace: TraceFields;
  /** It has no parent, or its SDK marked it as the topmost span that it exports. */
  readonly isRoot: boolean;
  /** Made by a model library around one call, not by the agent around its turn: another may follow. */
  readonly isModelCall: boolean;
}

/** What is known of a record at once. The rest costs more and is made when it is first asked for, if ever. */
export interface Arrival {
  readonly traceId: string;
  readonly id: string;
  /** The replay run id that it carries at any level, also where a platform would not look for it. */
  readonly replayRunId: string | undefined;
  record(): TraceRecord;
  /** Where records come in pieces: this and what came earlier under the same id. Otherwise the later one replaces it. */
  join?(earlier: Arrival): Arrival;
}

/**
 * Maps spans as the platform's own server does (v4.16.0), so that a recording read from the platform and a replay
 * read from the receiver agree. First match wins in every list of attributes.
 */
export function spanMapper(options: { identifiers?: Identifiers | undefined } = {}): (span: Span) => Arrival {
  const { keys } = wireNames(options.identifiers);
  const contractKeys = [...Object.values(keys), 'agent_id', 'session_id', 'run_id'];
  const runIdKeys = ['', ...METADATA_PREFIXES].map((prefix) => `${prefix}${keys.replayRunId}`);
  return (span) => {
    // The span's attributes are let go once they are mapped.
    let unmapped: Span | undefined = span;
    let mapped: TraceRecord | undefined;
    return {
      traceId: span.traceId,
      id: span.spanId,
      replayRunId: replayRunIdOf(span, keys.replayRunId, runIdKeys),
      record: () => {
        if (unmapped !== undefined) mapped = mapSpan(unmapped, contractKeys);
        unmapped = undefined;
        return mapped as TraceRecord;
      },
    };
  };
}

function mapSpan(span: Span, contractKeys: readonly string[]): TraceRecord {
  const { attributes } = span;
  const type = typeOf(span);
  const trace = traceFields(span);
  const own = metadataOf(attributes, OWN_METADATA);
  const misplaced = contractKeys.filter((key) => attributes.has(key));
  const observation: Observation = {
    id: span.spanId,
    parentId: span.parentSpanId,
    type,
    name: nameOf(span),
    startTime: new Date(span.startMs).toISOString(),
    endTime: new Date(span.endMs).toISOString(),
    ...inputAndOutput(span),
    level: levelOf(span),
  };
  const statusMessage = text(attributes, ['langfuse.observation.status_message']) ?? span.statusMessage;
  if (statusMessage !== undefined) observation.statusMessage = statusMessage;
  // Not every sender has a type for tools: spans with a call id are tool calls too.
  if (type === 'tool' || type === 'span') {
    const callId =
      text(attributes, CALL_ID) ?? callIdIn(own) ?? (type === 'tool' ? callIdIn(observation.output) : undefined);
    if (callId !== undefined) observation.callId = callId;
  }
  if (!AGGREGATING.has(String(attributes.get('gen_ai.operation.name')))) {
    const model = text(attributes, MODEL);
    if (model !== undefined) observation.model = model;
    const usage = usageOf(span);
    if (usage !== undefined) observation.usage = usage;
    const cost = costOf(attributes);
    if (cost !== undefined) observation.cost = cost;
  }
  const parameters = modelParametersOf(span);
  if (parameters !== undefined) observation.modelParameters = parameters;
  if (misplaced.length > 0) {
    own.attributes = Object.fromEntries(misplaced.map((key) => [key, attributes.get(key) ?? null]));
  }
  if (Object.keys(own).length > 0) observation.metadata = own;
  return {
    traceId: span.traceId,
    observation,
    trace,
    isRoot: span.parentSpanId === null || ROOT_MARKS.some((mark) => String(attributes.get(mark)) === 'true'),
    isModelCall: type === 'generation' || type === 'embedding' || MODEL_LIBRARIES.has(span.scope.name),
  };
}

const ROOT_MARKS = ['langfuse.internal.is_app_root', 'langfuse.internal.as_root'];

/** Instrumentation scopes of the Vercel AI SDK, up to 6 and from 7 on. */
const MODEL_LIBRARIES = new Set(['ai', 'gen_ai']);

/** Spans around several model calls: their model, usage and cost would be counted twice. */
const AGGREGATING = new Set(['invoke_agent', 'agent_step']);

const CALL_ID = ['gen_ai.tool.call.id', 'ai.toolCall.id', 'tool_call.id'];

const MODEL = [
  'langfuse.observation.model.name',
  'gen_ai.response.model',
  'ai.model.id',
  'gen_ai.request.model',
  'llm.response.model',
  'llm.model_name',
  'model',
];

/** Attributes whose presence makes a span a model call. `ai.model.id` is not one: the AI SDK sets it on outer spans too. */
const MODEL_OF_A_CALL = MODEL.filter((key) => key !== 'ai.model.id');

const OPERATION_TYPES: ReadonlyMap<string, ObservationType> = new Map([
  ['chat', 'generation'],
  ['completion', 'generation'],
  ['text_completion', 'generation'],
  ['generate_content', 'generation'],
  ['generate', 'generation'],
  ['embeddings', 'embedding'],
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['execute_tool', 'tool'],
]);

function typeOf({ attributes }: Span): ObservationType {
  const named = text(attributes, ['langfuse.observation.type', 'openinference.span.kind'])?.toLowerCase();
  const known = observationType.options.find((option) => option === (named === 'llm' ? 'generation' : named));
  if (known !== undefined) return known;
  const byOperation = OPERATION_TYPES.get(String(attributes.get('gen_ai.operation.name')));
  if (byOperation !== undefined) return byOperation;
  const aiOperation = text(attributes, ['ai.operationId']) ?? '';
  if (/\.do(Generate|Stream)/.test(aiOperation) && text(attributes, MODEL) !== undefined) return 'generation';
  if (aiOperation.includes('.doEmbed')) return 'embedding';
  if (aiOperation === 'ai.toolCall') return 'tool';
  if (attributes.has('gen_ai.tool.name') || attributes.has('gen_ai.tool.call.id')) return 'tool';
  return text(attributes, MODEL_OF_A_CALL) === undefined ? 'span' : 'generation';
}

function nameOf({ attributes, name }: Span): string {
  const given = text(attributes, ['gen_ai.tool.name', 'genkit:name', 'logfire.msg', 'ai.toolCall.name']);
  if (given !== undefined) return given;
  const operation = text(attributes, ['ai.operationId']);
  if (operation === undefined) return name;
  const functionId = text(attributes, ['ai.telemetry.functionId']);
  return functionId === undefined ? operation : `${functionId}:${operation}`;
}

const LEVELS: ReadonlyMap<string, Observation['level']> = new Map([
  ['TRACE', 'DEBUG'],
  ['DEBUG', 'DEBUG'],
  ['DEFAULT', 'DEFAULT'],
  ['INFO', 'DEFAULT'],
  ['WARN', 'WARNING'],
  ['WARNING', 'WARNING'],
  ['ERROR', 'ERROR'],
  ['FATAL', 'ERROR'],
  ['CRITICAL', 'ERROR'],
]);

/** A level under any of its usual names. */
export function levelNamed(name: string | undefined): Observation['level'] {
  return LEVELS.get(name?.toUpperCase() ?? '');
}

function levelOf({ attributes, failed }: Span): Observation['level'] {
  return levelNamed(text(attributes, ['langfuse.observation.level'])) ?? (failed ? 'ERROR' : 'DEFAULT');
}

function usageOf({ attributes, scope }: Span): Record<string, number> | undefined {
  const given = numbersIn(structured(attributes.get('langfuse.observation.usage_details')));
  if (given !== undefined) return given;
  const usage = new Map<string, number>();
  for (const [key, value] of attributes) {
    const prefix = USAGE_PREFIXES.find((candidate) => key.startsWith(candidate));
    if (prefix === undefined || key === 'gen_ai.usage.cost') continue;
    const kind = key.slice(prefix.length);
    const count = Number(value);
    if (Number.isFinite(count)) usage.set(USAGE_NAMES.get(kind) ?? kind, count);
  }
  if (usage.size === 0) return undefined;
  if (scope.name === 'ai') {
    const cached = Number(attributes.get('ai.usage.cachedInputTokens') ?? 0);
    const reasoning = Number(attributes.get('ai.usage.reasoningTokens') ?? 0);
    usage.set('input', Math.max((usage.get('input') ?? 0) - cached, 0));
    usage.set('output', Math.max((usage.get('output') ?? 0) - reasoning, 0));
    if (attributes.has('ai.usage.cachedInputTokens')) usage.set('input_cached_tokens', cached);
    if (attributes.has('ai.usage.reasoningTokens')) usage.set('output_reasoning_tokens', reasoning);
  }
  return Object.fromEntries(usage);
}

const USAGE_PREFIXES = ['gen_ai.usage.', 'llm.token_count.'];
const USAGE_NAMES: ReadonlyMap<string, string> = new Map([
  ['prompt_tokens', 'input'],
  ['input_tokens', 'input'],
  ['prompt', 'input'],
  ['completion_tokens', 'output'],
  ['output_tokens', 'output'],
  ['completion', 'output'],
  ['total_tokens', 'total'],
  ['cache_read.input_tokens', 'input_cached_tokens'],
  ['cache_creation.input_tokens', 'input_cache_creation'],
]);

function costOf(attributes: Attributes): Record<string, number> | undefined {
  const given = numbersIn(structured(attributes.get('langfuse.observation.cost_details')));
  if (given !== undefined) return given;
  const total = attributes.get('gen_ai.usage.cost') ?? attributes.get('llm.cost.total');
  return total === undefined || !Number.isFinite(Number(total)) ? undefined : { total: Number(total) };
}

/** The members of an object that are numbers; undefined when none is. */
export function numbersIn(value: Json | undefined): Record<string, number> | undefined {
  if (!isJsonObject(value)) return undefined;
  const numbers = Object.entries(value).filter(([, count]) => typeof count === 'number');
  return numbers.length === 0 ? undefined : (Object.fromEntries(numbers) as Record<string, number>);
}

const REQUEST_PARAMETER = 'gen_ai.request.';

/** What the AI SDK up to version 6 says of a call, under the names by which the platform keeps it. */
const AI_SDK_PARAMETERS: readonly (readonly [string, readonly string[]])[] = [
  ['maxSteps', ['ai.settings.maxSteps']],
  ['toolChoice', ['ai.prompt.toolChoice']],
  ['maxTokens', ['gen_ai.request.max_tokens']],
  ['finishReason', ['gen_ai.response.finish_reasons', 'gen_ai.finishReason']],
  ['system', ['gen_ai.system', 'ai.model.provider']],
  ['maxRetries', ['ai.settings.maxRetries']],
  ['mode', ['ai.settings.mode']],
  ['temperature', ['gen_ai.request.temperature']],
];

/** As on the platform: flat, other values than text and numbers as JSON text. What was not set is absent, not null. */
function modelParametersOf({ attributes, scope }: Span): JsonObject | undefined {
  const entries: [string, Json][] = [];
  const given = ['langfuse.observation.model.parameters', 'llm.invocation_parameters', 'model_config']
    .map((key) => structured(attributes.get(key)))
    .find(isJsonObject);
  if (given !== undefined) {
    entries.push(...Object.entries(given).map(([key, value]): [string, Json] => [key, flat(value)]));
  } else if (scope.name === 'ai') {
    for (const [name, keys] of AI_SDK_PARAMETERS) {
      const value = keys.map((key) => attributes.get(key)).find((candidate) => candidate !== undefined);
      if (value !== undefined && value !== null) entries.push([name, String(value)]);
    }
  } else {
    for (const [key, value] of attributes) {
      if (!key.startsWith(REQUEST_PARAMETER) || key === 'gen_ai.request.model') continue;
      entries.push([key.slice(REQUEST_PARAMETER.length), flat(value)]);
    }
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function flat(value: Json): Json {
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}

const OBSERVATION_METADATA = 'langfuse.observation.metadata';
const TRACE_METADATA = 'langfuse.trace.metadata';
const AI_METADATA = 'ai.telemetry.metadata';

/** Metadata stands under a key as an object, and in one attribute per key below it. */
interface MetadataPlace {
  readonly key: string;
  readonly prefix: string;
}
function metadataPlace(key: string): MetadataPlace {
  return { key, prefix: `${key}.` };
}
const OWN_METADATA = [OBSERVATION_METADATA].map(metadataPlace);
const SHARED_METADATA = [TRACE_METADATA, 'langfuse.metadata', AI_METADATA].map(metadataPlace);
const METADATA_PREFIXES = [...SHARED_METADATA, ...OWN_METADATA].map(({ prefix }) => prefix);

function traceFields({ attributes, resource }: Span): TraceFields {
  const fields: TraceFields = { metadata: metadataOf(attributes, SHARED_METADATA) };
  const name = text(attributes, ['langfuse.trace.name']);
  if (name !== undefined) fields.name = name;
  const sessionId = text(attributes, [
    'langfuse.session.id',
    'session.id',
    'gen_ai.conversation.id',
    `${OBSERVATION_METADATA}.langfuse_session_id`,
    `${TRACE_METADATA}.langfuse_session_id`,
    `${AI_METADATA}.sessionId`,
  ]);
  if (sessionId !== undefined) fields.sessionId = sessionId;
  const userId = text(attributes, [
    'langfuse.user.id',
    'user.id',
    `${OBSERVATION_METADATA}.langfuse_user_id`,
    `${TRACE_METADATA}.langfuse_user_id`,
    `${AI_METADATA}.userId`,
  ]);
  if (userId !== undefined) fields.userId = userId;
  const tags = tagsOf(attributes);
  if (tags.length > 0) fields.tags = tags;
  const environment = ['langfuse.environment', 'deployment.environment.name', 'deployment.environment']
    .map((key) => text(attributes, [key]) ?? text(resource, [key]))
    .find((value) => value !== undefined);
  if (environment !== undefined) fields.environment = environment.toLowerCase().replace(/^langfuse/, '');
  const release = text(attributes, ['langfuse.release']) ?? text(resource, ['langfuse.release']);
  if (release !== undefined) fields.release = release;
  const version = text(attributes, ['langfuse.version']) ?? text(resource, ['service.version']);
  if (version !== undefined) fields.version = version;
  const input = attributes.get('langfuse.trace.input');
  if (input !== undefined) fields.input = structured(input);
  const output = attributes.get('langfuse.trace.output');
  if (output !== undefined) fields.output = structured(output);
  return fields;
}

const TAGS = [
  'langfuse.trace.tags',
  'langfuse.tags',
  `${OBSERVATION_METADATA}.langfuse_tags`,
  `${TRACE_METADATA}.langfuse_tags`,
  `${AI_METADATA}.tags`,
  'tag.tags',
];

/** Tags come as an array, as a JSON array in text, or as a comma list. */
function tagsOf(attributes: Attributes): string[] {
  const key = TAGS.find((candidate) => attributes.get(candidate));
  if (key === undefined) return [];
  const value = structured(attributes.get(key));
  const list = Array.isArray(value) ? value : String(value).split(',');
  return list.map((tag) => String(tag).trim()).filter((tag) => tag !== '');
}

/** Keys below the AI SDK's metadata that are not metadata. */
const NOT_METADATA = new Set(['userId', 'sessionId', 'tags', 'langfusePrompt'].map((key) => `${AI_METADATA}.${key}`));

function metadataOf(attributes: Attributes, places: readonly MetadataPlace[]): JsonObject {
  const entries: [string, Json][] = [];
  for (const { key } of places) {
    const whole = structured(attributes.get(key));
    if (isJsonObject(whole)) entries.push(...Object.entries(whole));
  }
  for (const [key, value] of attributes) {
    const place = places.find(({ prefix }) => key.startsWith(prefix));
    if (place === undefined || NOT_METADATA.has(key)) continue;
    entries.push([key.slice(place.prefix.length), structured(value)]);
  }
  return Object.fromEntries(entries);
}

function replayRunIdOf({ attributes, resource }: Span, key: string, attributeKeys: string[]): string | undefined {
  let value = attributeKeys.map((candidate) => attributes.get(candidate)).find((found) => found !== undefined);
  for (const place of [...SHARED_METADATA, ...OWN_METADATA]) {
    const whole = value === undefined ? structured(attributes.get(place.key)) : undefined;
    if (isJsonObject(whole)) value = property(whole, key);
  }
  value ??= resource.get(key);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function property(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The names under which agents and frameworks note the model's call id in metadata, or return it with the result. */
export function callIdIn(value: Json | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = ['tool_call_id', 'toolCallId', 'call_id', 'callId', 'tool_use_id']
    .map((key) => property(value, key))
    .find((candidate) => typeof candidate === 'string' && candidate !== '');
  return id as string | undefined;
}

/** The first of some attributes that is set to something. */
function text(attributes: Attributes, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (value === undefined || value === null || value === '' || value === false) continue;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  return undefined;
}
