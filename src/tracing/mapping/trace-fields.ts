import { type Identifiers, wireNames } from '../../contract/index.ts';
import { isJsonObject, type Json, type JsonObject, own, present, spelledOut } from '../../json/index.ts';
import { withoutHugeTexts } from '../../trace/index.ts';
import { type Attributes, firstText, holds, onceANameOf } from './attributes.ts';
import type { Span } from './otlp.ts';
import type { TraceFields } from './trace-record.ts';

const OBSERVATION_METADATA = 'langfuse.observation.metadata';
const TRACE_METADATA = 'langfuse.trace.metadata';
const AI_METADATA = 'ai.telemetry.metadata';
/** OpenInference puts these on every span of a context. */
const OPENINFERENCE_METADATA = 'metadata';
/** LangSmith's SDK for OpenTelemetry writes one attribute per key, on every run that inherits it. */
const LANGSMITH_METADATA = 'langsmith.metadata';

/** What LangSmith stores in the metadata of a single run: its model, its settings, its call's id. */
const OF_ONE_RUN =
  /^langsmith\.metadata\.(?:ls_|LANGSMITH_|LANGCHAIN_|invocation_params$|usage_metadata$)|^langsmith\.metadata\.tool_call_id$/;

/** Keys below the AI SDK's metadata that are not metadata. */
const NOT_METADATA = new Set(['userId', 'sessionId', 'tags', 'langfusePrompt'].map((key) => `${AI_METADATA}.${key}`));

/** Metadata is an object under a key, and one attribute per key below it. */
interface MetadataPlaces {
  readonly keys: readonly string[];
  /** The name of metadata in such an attribute; undefined if it is below none of the keys. */
  readonly nameOf: (attribute: string) => string | undefined;
}

function metadataUnder(keys: readonly string[]): MetadataPlaces {
  const nameOf = onceANameOf((attribute) => {
    const place = keys.find((key) => attribute.startsWith(`${key}.`));
    const isOther = NOT_METADATA.has(attribute) || OF_ONE_RUN.test(attribute);
    return place === undefined || isOther ? undefined : attribute.slice(place.length + 1);
  });
  return { keys, nameOf };
}

const OWN_METADATA = metadataUnder([OBSERVATION_METADATA]);
const SHARED_METADATA = metadataUnder([
  OPENINFERENCE_METADATA,
  TRACE_METADATA,
  'langfuse.metadata',
  AI_METADATA,
  LANGSMITH_METADATA,
]);
const ALL_METADATA = [...SHARED_METADATA.keys, ...OWN_METADATA.keys];

export function traceFields({ attributes, resource }: Span): TraceFields {
  const fields = present({
    metadata: metadataOf(attributes, SHARED_METADATA),
    name: firstText(attributes, ['langfuse.trace.name']),
    sessionId: firstText(attributes, SESSION_ID),
    release: firstText(attributes, ['langfuse.release']) ?? firstText(resource, ['langfuse.release']),
    version: firstText(attributes, ['langfuse.version']) ?? firstText(resource, ['service.version']),
    input: spelledOut(attributes.get('langfuse.trace.input')),
    output: spelledOut(attributes.get('langfuse.trace.output')),
  });
  return withoutHugeTexts(fields);
}

const SESSION_ID = [
  'langfuse.session.id',
  'session.id',
  'gen_ai.conversation.id',
  `${OBSERVATION_METADATA}.langfuse_session_id`,
  `${TRACE_METADATA}.langfuse_session_id`,
  `${AI_METADATA}.sessionId`,
  // LangSmith calls any of these a thread.
  ...['session_id', 'thread_id', 'conversation_id'].map((key) => `${LANGSMITH_METADATA}.${key}`),
];
export function ownMetadata(attributes: Attributes): JsonObject {
  return metadataOf(attributes, OWN_METADATA);
}

function metadataOf(attributes: Attributes, known: MetadataPlaces): JsonObject {
  if (!holds(attributes, 'metadata')) return {};
  const entries: [string, Json][] = [];
  for (const key of known.keys) {
    const whole = spelledOut(attributes.get(key));
    if (isJsonObject(whole)) entries.push(...Object.entries(whole));
  }
  for (const [key, value] of attributes) {
    const name = known.nameOf(key);
    if (name !== undefined) entries.push([name, spelledOut(value)]);
  }
  return Object.fromEntries(entries);
}

/** Finds the replay run id on a span at any level, even where a platform would not look for it. */
export function replayRunIdFinder(options: { identifiers?: Identifiers }): (span: Span) => string | undefined {
  const key = wireNames(options.identifiers).keys.replayRunId;
  const metadataKeys = ALL_METADATA.map((place) => `${place}.${key}`);
  return ({ attributes, resource }) => {
    const hasMetadata = holds(attributes, 'metadata');
    let value: Json | undefined;
    for (const metadataKey of hasMetadata ? metadataKeys : []) value ??= attributes.get(metadataKey);
    value ??= attributes.get(key);
    for (const place of hasMetadata ? ALL_METADATA : []) value ??= property(spelledOut(attributes.get(place)), key);
    value ??= resource.get(key);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
}

function property(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? own(value, key) : undefined;
}
