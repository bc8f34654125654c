import { callIdIn } from '../../chat/index.ts';
import { type Identifiers, TRACE_SPANS, wireNames } from '../../contract/index.ts';
import { asText, type Json, type JsonObject } from '../../json/index.ts';
import { type Observation, type ObservationType, observationType, withoutHugeTexts } from '../../trace/index.ts';
import { type Attributes, firstText } from './attributes.ts';
import { type ConventionFields, readByConvention, typesNamed, withConvention } from './conventions.ts';
import { MODEL, MODEL_OF_A_CALL, modelCallFields } from './model-call.ts';
import type { Span } from './otlp.ts';
import { addRequest, inputAndOutput } from './payload.ts';
import { ownMetadata, replayRunIdFinder, traceFields } from './trace-fields.ts';
import type { Arrival, TraceRecord } from './trace-record.ts';
import { unreadIn } from './unread.ts';

/**
 * Maps spans as the platform's own server does (v4.16.0), so that a recording read from the platform and a replay
 * read from the receiver agree. First match wins in every list of attributes.
 */
export function spanMapper(options: { identifiers?: Identifiers } = {}): (span: Span) => Arrival {
  const contractKeys = contractKeysOf(options);
  const findRunId = replayRunIdFinder(options);
  return (span) => {
    // Released once it is mapped.
    let unmapped: Span | undefined = span;
    let mapped: TraceRecord | undefined;
    return {
      traceId: span.traceId,
      id: span.spanId,
      replayRunId: findRunId(span),
      record: () => {
        if (unmapped !== undefined) mapped = mapSpan(unmapped, contractKeys);
        unmapped = undefined;
        return mapped as TraceRecord;
      },
    };
  };
}

/** Bare attributes with the contract's metadata are kept, so that `doctor` can say so. */
export function contractKeysOf({ identifiers }: { identifiers?: Identifiers }): string[] {
  return [...Object.values(wireNames(identifiers).keys), 'agent_id', 'session_id', 'run_id', TRACE_SPANS];
}

function mapSpan(span: Span, contractKeys: readonly string[]): TraceRecord {
  const { attributes } = span;
  const byConvention = attributes.has(OWN_TYPE) ? {} : readByConvention(attributes);
  const type = byConvention.type ?? typeOf(span);
  const own = ownMetadata(attributes);
  const misplaced = contractKeys.filter((key) => attributes.has(key));
  const observation: Observation = {
    id: span.spanId,
    parentId: span.parentSpanId,
    type,
    name: byConvention.name ?? nameOf(span, type),
    startTime: new Date(span.startMs).toISOString(),
    endTime: new Date(span.endMs).toISOString(),
    level: levelNamed(firstText(attributes, ['langfuse.observation.level'])) ?? (span.failed ? 'ERROR' : 'DEFAULT'),
  };
  Object.assign(observation, withConvention(inputAndOutput(span), byConvention), modelCallFields(span));
  const statusMessage = firstText(attributes, ['langfuse.observation.status_message']) ?? span.statusMessage;
  if (statusMessage !== undefined) observation.statusMessage = statusMessage;
  finish(observation, { attributes, own, byConvention });
  if (misplaced.length > 0 || observation.level === 'ERROR') {
    const kept = {
      ...Object.fromEntries(misplaced.map((key) => [key, attributes.get(key) ?? null])),
      ...(observation.level === 'ERROR' ? failureAttributes(span, type) : {}),
    };
    if (Object.keys(kept).length > 0) own.attributes = kept;
  }
  if (Object.keys(own).length > 0) observation.metadata = own;
  return {
    traceId: span.traceId,
    observation,
    trace: traceFields(span),
    isRoot: isRootSpan(span),
  };
}

interface Told {
  readonly attributes: Attributes;
  readonly own: JsonObject;
  readonly byConvention: ConventionFields;
}

/** Adds what follows from all that was read of an observation, wherever it came from. */
export function finish(observation: Observation, told: Told): void {
  if (observation.type === 'generation') addRequest(observation, told.own);
  Object.assign(observation, withoutHugeTexts(observation));
  const callId = callIdOf(observation, told);
  if (callId !== undefined) observation.callId = callId;
  const unread = unreadIn(told.attributes, observation);
  if (unread.length > 0) observation.unread = unread;
}

/** Not every sender has a type for tools, so spans with a call id count as tool calls. */
function callIdOf({ type, output }: Observation, { attributes, own, byConvention }: Told): string | undefined {
  if (type !== 'tool' && type !== 'span') return undefined;
  const given = byConvention.callId ?? firstText(attributes, CALL_ID) ?? callIdIn(own);
  return given ?? (type === 'tool' ? callIdIn(output) : undefined);
}

/** Attributes that show why a model call failed, and which provider it was. */
export const FAILURE_ATTRIBUTES = [
  'error.type',
  'exception.type',
  'exception.message',
  'http.response.status_code',
  'http.status_code',
  'gen_ai.provider.name',
  'gen_ai.system',
  'server.address',
  'server.port',
];
/** An error may carry the whole request. */
const MAX_FAILURE_CHARS = 2_000;

/** Bare attributes, and those of the last recorded exception. */
function failureAttributes({ attributes, events }: Span, type: ObservationType): JsonObject {
  if (type !== 'generation' && type !== 'embedding') return {};
  const exception = events.findLast(({ name }) => name === 'exception')?.attributes;
  const entries = FAILURE_ATTRIBUTES.flatMap((key): [string, Json][] => {
    const value = attributes.get(key) ?? exception?.get(key);
    return value === undefined ? [] : [[key, typeof value === 'string' ? value.slice(0, MAX_FAILURE_CHARS) : value]];
  });
  return Object.fromEntries(entries);
}

/** No other convention is better than what the platform's own SDKs say. */
const OWN_TYPE = 'langfuse.observation.type';

/** It has no parent, or its SDK marked it as the topmost exported span. */
export function isRootSpan({ parentSpanId, attributes }: Span): boolean {
  return parentSpanId === null || ROOT_MARKS.some((mark) => asText(attributes.get(mark)) === 'true');
}

const ROOT_MARKS = ['langfuse.internal.is_app_root', 'langfuse.internal.as_root'];

/** Attributes with the id under which a model asked for a tool. */
const CALL_ID = ['gen_ai.tool.call.id', 'ai.toolCall.id', 'flue.tool.call_id', 'tool_call.id', 'tool.id'];
/** OpenInference's; the span may have the name of the framework's class. */
export const TOOL_NAME = 'tool.name';

/** Attributes that name a type, in the order in which they count. */
const TYPES_BY_NAME = [
  [
    [OWN_TYPE, 'openinference.span.kind'],
    typesNamed({
      ...Object.fromEntries(observationType.options.map((type) => [type, type])),
      generation: 'generation llm',
    }),
  ],
  [
    ['gen_ai.operation.name'],
    typesNamed({
      generation: 'chat completion text_completion generate_content generate',
      embedding: 'embeddings',
      agent: 'invoke_agent create_agent',
      tool: 'execute_tool',
    }),
  ],
  [
    ['genkit:metadata:subtype'],
    typesNamed({
      generation: 'model background-model',
      embedding: 'embedder',
      tool: 'tool tool.v2',
      retriever: 'retriever',
      evaluator: 'evaluator',
    }),
  ],
] as const;
const LIVEKIT_TYPES = typesNamed({ agent: 'agent_turn start_agent_activity', tool: 'function_tool' });

function typeOf(span: Span): ObservationType {
  const { attributes, scope, name } = span;
  for (const [keys, types] of TYPES_BY_NAME) {
    const name = firstText(attributes, keys) ?? '';
    const type = types.get(keys.length > 1 ? name.toLowerCase() : name);
    if (type !== undefined) return type;
  }
  // The id of the operation is newer; its name is followed by the function's name.
  const aiOperation = firstText(attributes, ['ai.operationId', 'operation.name']) ?? '';
  if (/\.do(Generate|Stream)/.test(aiOperation) && firstText(attributes, MODEL) !== undefined) return 'generation';
  if (aiOperation.includes('.doEmbed')) return 'embedding';
  if (/^ai\.toolCall\b/.test(aiOperation)) return 'tool';
  if (attributes.has('gen_ai.tool.name') || attributes.has('gen_ai.tool.call.id')) return 'tool';
  if (firstText(attributes, ['flue.tool.name', 'flue.tool.call_id']) !== undefined) return 'tool';
  if (firstText(attributes, ['flue.task.id', 'flue.task.agent']) !== undefined) return 'agent';
  const liveKit = scope.name === 'livekit-agents' ? LIVEKIT_TYPES.get(name) : undefined;
  if (liveKit !== undefined) return liveKit;
  return firstText(attributes, MODEL_OF_A_CALL) === undefined ? 'span' : 'generation';
}

function nameOf({ attributes, name }: Span, type: ObservationType): string {
  const given = firstText(attributes, ['gen_ai.tool.name', 'genkit:name', 'logfire.msg', 'ai.toolCall.name']);
  if (given !== undefined) return given;
  const tool = type === 'tool' ? firstText(attributes, [TOOL_NAME]) : undefined;
  if (tool !== undefined) return tool;
  const operation = firstText(attributes, ['ai.operationId']);
  if (operation === undefined) return name;
  const functionId = firstText(attributes, ['ai.telemetry.functionId']);
  return functionId === undefined ? operation : `${functionId}:${operation}`;
}

const LEVELS = [
  ['ERROR', /^(ERROR|FATAL|CRITICAL)$/i],
  ['DEFAULT', /^(TRACE|VERBOSE|DEBUG|DEFAULT|INFO|LOG|NOTICE|OK|SUCCESS|WARN|WARNING)$/i],
] as const;

/** Whether a level is that of a failure: no other one counts. Undefined if its name is unknown. */
export function levelNamed(name: string | undefined): 'ERROR' | 'DEFAULT' | undefined {
  return LEVELS.find(([, names]) => names.test(name ?? ''))?.[0];
}
