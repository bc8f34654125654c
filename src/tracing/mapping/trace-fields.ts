import { type Identifiers, wireNames } from '../../contract/index.ts';
import { asText, isJsonObject, type Json, type JsonObject, spelledOut } from '../../json/index.ts';
import { type Attributes, firstText, holds } from './attributes.ts';
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
interface MetadataPlace {
  readonly key: string;
  readonly prefix: string;
}
function metadataPlace(key: string): MetadataPlace {
  return { key, prefix: `${key}.` };
}
/** Senders use the same few keys again and again; further keys are not cached. */
const REMEMBERED_KEYS = 2_000;

/** Several prefixes, and a key's name below any of them; undefined if it is below none. */
class MetadataPlaces {
  readonly places: readonly MetadataPlace[];
  /** Null for keys below none. */
  readonly #names = new Map<string, string | null>();

  constructor(keys: readonly string[]) {
    this.places = keys.map(metadataPlace);
  }

  nameOf(key: string): string | undefined {
    const known = this.#names.get(key);
    if (known !== undefined) return known ?? undefined;
    const place = this.places.find(({ prefix }) => key.startsWith(prefix));
    const isOther = NOT_METADATA.has(key) || OF_ONE_RUN.test(key);
    const name = place === undefined || isOther ? undefined : key.slice(place.prefix.length);
    if (this.#names.size < REMEMBERED_KEYS) this.#names.set(key, name ?? null);
    return name;
  }
}

const OWN_METADATA = new MetadataPlaces([OBSERVATION_METADATA]);
const SHARED_METADATA = new MetadataPlaces([
  OPENINFERENCE_METADATA,
  TRACE_METADATA,
  'langfuse.metadata',
  AI_METADATA,
  LANGSMITH_METADATA,
]);
const ALL_METADATA = [...SHARED_METADATA.places, ...OWN_METADATA.places];

/** What a span says about its trace. */
export function traceFields({ attributes, resource }: Span): TraceFields {
  const fields: TraceFields = { metadata: metadataOf(attributes, SHARED_METADATA) };
  const name = firstText(attributes, ['langfuse.trace.name']);
  if (name !== undefined) fields.name = name;
  const sessionId = firstText(attributes, [
    'langfuse.session.id',
    'session.id',
    'gen_ai.conversation.id',
    `${OBSERVATION_METADATA}.langfuse_session_id`,
    `${TRACE_METADATA}.langfuse_session_id`,
    `${AI_METADATA}.sessionId`,
    // LangSmith calls any of these a thread.
    ...['session_id', 'thread_id', 'conversation_id'].map((key) => `${LANGSMITH_METADATA}.${key}`),
  ]);
  if (sessionId !== undefined) fields.sessionId = sessionId;
  const userId = firstText(attributes, [
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
    .map((key) => firstText(attributes, [key]) ?? firstText(resource, [key]))
    .find((value) => value !== undefined);
  if (environment !== undefined) fields.environment = environment.toLowerCase().replace(/^langfuse/, '');
  const release = firstText(attributes, ['langfuse.release']) ?? firstText(resource, ['langfuse.release']);
  if (release !== undefined) fields.release = release;
  const version = firstText(attributes, ['langfuse.version']) ?? firstText(resource, ['service.version']);
  if (version !== undefined) fields.version = version;
  const input = attributes.get('langfuse.trace.input');
  if (input !== undefined) fields.input = spelledOut(input);
  const output = attributes.get('langfuse.trace.output');
  if (output !== undefined) fields.output = spelledOut(output);
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
  const value = spelledOut(attributes.get(key));
  const list = Array.isArray(value) ? value : asText(value).split(',');
  return list.map((tag) => asText(tag).trim()).filter((tag) => tag !== '');
}

/** Metadata of only this observation. */
export function ownMetadata(attributes: Attributes): JsonObject {
  return metadataOf(attributes, OWN_METADATA);
}

function metadataOf(attributes: Attributes, known: MetadataPlaces): JsonObject {
  if (!holds(attributes, 'metadata')) return {};
  const entries: [string, Json][] = [];
  for (const { key } of known.places) {
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
export function replayRunIdFinder(options: {
  identifiers?: Identifiers | undefined;
}): (span: Span) => string | undefined {
  const key = wireNames(options.identifiers).keys.replayRunId;
  const metadataKeys = ALL_METADATA.map(({ prefix }) => `${prefix}${key}`);
  return ({ attributes, resource }) => {
    const hasMetadata = holds(attributes, 'metadata');
    let value: Json | undefined;
    for (const metadataKey of hasMetadata ? metadataKeys : []) value ??= attributes.get(metadataKey);
    value ??= attributes.get(key);
    for (const place of hasMetadata ? ALL_METADATA : []) value ??= property(spelledOut(attributes.get(place.key)), key);
    value ??= resource.get(key);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
}

function property(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
