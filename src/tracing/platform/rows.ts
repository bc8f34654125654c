import { callIdIn } from '../../chat/index.ts';
import { type Identifiers, wireNames } from '../../contract/index.ts';
import {
  asText,
  canonical,
  isJsonObject,
  type Json,
  type JsonObject,
  spelledOut,
  textOrJson,
} from '../../json/index.ts';
import { type Observation, observationType } from '../../trace/index.ts';
import type { Attributes } from '../mapping/attributes.ts';
import { definitionsBeyond, readByConvention, withConvention } from '../mapping/conventions.ts';
import { CALL_ID, FAILURE_ATTRIBUTES, levelNamed, TOOL_NAME } from '../mapping/mapping.ts';
import { addRequest, withTools } from '../mapping/payload.ts';
import type { TraceFields, TraceRecord } from '../mapping/trace-record.ts';
import { unreadIn } from '../mapping/unread.ts';
import { numbersIn } from '../mapping/usage.ts';

/** Converts rows of both read APIs to the records that the receiver makes of spans. */
export interface RowReader {
  /** From `GET /traces/{id}`: the trace and all its observations. */
  trace(body: JsonObject): TraceRecord[];
  /** From one row of `GET /v2/observations`; undefined without an id. */
  observation(row: JsonObject): TraceRecord | undefined;
  /** The replay run id in a trace's or a row's metadata. */
  replayRunId(row: JsonObject): string | undefined;
}

export function rowReader(options: { identifiers?: Identifiers | undefined } = {}): RowReader {
  const { keys } = wireNames(options.identifiers);
  const contractKeys = [...Object.values(keys), 'agent_id', 'session_id', 'run_id'];
  return {
    trace(body) {
      const traceId = textIn(body, 'id') ?? '';
      const rows = Array.isArray(body.observations) ? body.observations.filter(isJsonObject) : [];
      const records = rows.flatMap((row) => {
        const observation = observationOf(row, contractKeys);
        if (observation === undefined) return [];
        const isRoot = observation.parentId === null;
        return [{ traceId, observation, trace: { metadata: {} }, isRoot }];
      });
      const earliest = records.map(({ observation }) => observation.startTime).sort()[0];
      const trace = traceFieldsOf(body, textIn(body, 'name'));
      trace.metadata = ownMetadata(metadataIn(body), contractKeys);
      delete trace.metadata.attributes;
      Object.assign(trace, contentOfRoot(body, rows, records));
      // The platform's start is that of the first stored record, and on old servers of the last update.
      const timestamp = [timeIn(body, 'timestamp'), earliest].filter((time) => time !== undefined).sort()[0];
      if (timestamp !== undefined) trace.timestamp = timestamp;
      // A trace record exists before its root, and is not a root itself.
      return [{ traceId, trace, isRoot: false }, ...records];
    },
    observation(row) {
      const traceId = textIn(row, 'traceId');
      const observation = observationOf(row, contractKeys);
      if (traceId === undefined || observation === undefined) return undefined;
      const trace = traceFieldsOf(row, textIn(row, 'traceName'));
      const madeUp = `t-${traceId}`;
      if (observation.id === madeUp) {
        // What an older SDK said about the trace, which the platform stores as a row.
        trace.timestamp = observation.startTime;
        trace.metadata = observation.metadata ?? {};
        if (observation.input !== undefined) trace.input = observation.input;
        if (observation.output !== undefined) trace.output = observation.output;
        return { traceId, trace, isRoot: true };
      }
      if (observation.parentId === madeUp) observation.parentId = null;
      const isRoot = asText(row.isRootObservation) === 'true' || textIn(row, 'parentObservationId') === undefined;
      // A row contains its trace's metadata among its own. For the root they are one.
      trace.metadata = isRoot ? {} : picked(observation.metadata, contractKeys);
      return { traceId, observation, trace, isRoot };
    },
    replayRunId(row) {
      const { metadata } = row;
      const value = isJsonObject(metadata) ? own(metadata, keys.replayRunId) : undefined;
      return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    },
  };
}

/**
 * The platform copies the root's input and output, as it understands them, to the trace. If the root says more, in a
 * convention unknown to the platform, that counts for the trace too.
 */
function contentOfRoot(
  body: JsonObject,
  rows: readonly JsonObject[],
  records: readonly TraceRecord[],
): Pick<TraceFields, 'input' | 'output'> {
  const root = records.find(({ isRoot }) => isRoot)?.observation;
  const row = root && rows.find(({ id }) => id === root.id);
  if (row === undefined) return {};
  const sides = (['input', 'output'] as const).flatMap((side) => {
    const isCopied = canonical(contentOf(body[side])) === canonical(contentOf(row[side]));
    return isCopied && root?.[side] !== undefined ? [[side, root[side]] as const] : [];
  });
  return Object.fromEntries(sides);
}

function observationOf(row: JsonObject, contractKeys: readonly string[]): Observation | undefined {
  const id = textIn(row, 'id');
  const startTime = timeIn(row, 'startTime');
  if (id === undefined || startTime === undefined) return undefined;
  const kind = textIn(row, 'type')?.toLowerCase();
  const attributes = attributesIn(metadataIn(row));
  const byConvention =
    attributes.size === 0 || attributes.has('langfuse.observation.type') ? {} : readByConvention(attributes);
  const type = byConvention.type ?? observationType.options.find((option) => option === kind) ?? 'span';
  const observation: Observation = {
    id,
    parentId: textIn(row, 'parentObservationId') ?? null,
    type,
    name:
      byConvention.name ??
      (type === 'tool' ? attributeIn(metadataIn(row), [TOOL_NAME]) : undefined) ??
      textIn(row, 'name') ??
      '',
    startTime,
    endTime: timeIn(row, 'endTime') ?? (type === 'event' ? startTime : null),
    level: levelNamed(textIn(row, 'level')) ?? 'DEFAULT',
  };
  const [input, output] = [contentOf(row.input), contentOf(row.output)];
  const found = { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) };
  Object.assign(observation, withConvention(found, byConvention));
  const tools = definitionsBeyond(attributes);
  if (tools !== undefined) observation.input = withTools(observation.input, tools);
  const statusMessage = textIn(row, 'statusMessage');
  if (statusMessage !== undefined) observation.statusMessage = statusMessage;
  const model = textIn(row, 'model') ?? textIn(row, 'providedModelName');
  if (model !== undefined) observation.model = model;
  const parameters = withoutNulls(spelledOut(row.modelParameters));
  if (parameters !== undefined) observation.modelParameters = parameters;
  const usage = numbersIn(spelledOut(row.usageDetails)) ?? counted(numbersIn(row.usage));
  if (usage !== undefined) observation.usage = usage;
  const cost = numbersIn(spelledOut(row.costDetails));
  if (cost !== undefined) observation.cost = cost;
  const metadata = metadataIn(row);
  const isFailedModelCall = observation.level === 'ERROR' && (type === 'generation' || type === 'embedding');
  const kept = ownMetadata(metadata, isFailedModelCall ? [...contractKeys, ...FAILURE_ATTRIBUTES] : contractKeys);
  if (Object.keys(kept).length > 0) observation.metadata = kept;
  if (type === 'generation') addRequest(observation, kept);
  if (type === 'tool' || type === 'span') {
    const callId =
      byConvention.callId ??
      attributeIn(metadata, CALL_ID) ??
      callIdIn(kept) ??
      (type === 'tool' ? callIdIn(observation.output) : undefined);
    if (callId !== undefined) observation.callId = callId;
  }
  const unread = unreadIn(attributes, observation);
  if (unread.length > 0) observation.unread = unread;
  return observation;
}

function traceFieldsOf(row: JsonObject, name: string | undefined): TraceFields {
  const fields: TraceFields = { metadata: {} };
  if (name !== undefined) fields.name = name;
  for (const key of ['sessionId', 'userId', 'environment', 'release', 'version'] as const) {
    const value = textIn(row, key);
    if (value !== undefined) fields[key] = value;
  }
  if (Array.isArray(row.tags) && row.tags.length > 0) fields.tags = row.tags.map(asText);
  if (row.traceId === undefined) {
    const input = contentOf(row.input);
    if (input !== undefined) fields.input = input;
    const output = contentOf(row.output);
    if (output !== undefined) fields.output = output;
  }
  return fields;
}

/**
 * One API parses JSON in text and the other does not. Objects and arrays are parsed here, as everywhere; numbers and
 * booleans become the text that they were on the wire.
 */
function contentOf(value: Json | undefined): Json | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'object' ? value : spelledOut(String(value));
}

function metadataIn({ metadata }: JsonObject): JsonObject {
  if (metadata === undefined || metadata === null) return {};
  return isJsonObject(metadata) ? metadata : { metadata };
}

/** What the platform adds about the sender: objects in one API, dotted keys in the other. */
const ADDED = ['resourceAttributes', 'scope', 'attributes'];

/** Without what the platform added, except contract metadata and the reason why a model call failed. */
function ownMetadata(metadata: JsonObject, keptAttributes: readonly string[]): JsonObject {
  const entries = Object.entries(metadata).filter(
    ([key]) => !ADDED.some((added) => key === added || key.startsWith(`${added}.`)),
  );
  const kept: JsonObject = Object.fromEntries(entries.map(([key, value]) => [key, spelledOut(value)]));
  const attributes = keptAttributes.flatMap((key): [string, Json][] => {
    const value = attribute(metadata, key);
    return value === undefined ? [] : [[key, value]];
  });
  if (attributes.length > 0) kept.attributes = Object.fromEntries(attributes);
  return kept;
}

/** The span's attributes, as far as the platform keeps them beside its own fields. */
function attributesIn(metadata: JsonObject): Attributes {
  const { attributes } = metadata;
  if (isJsonObject(attributes)) return new Map(Object.entries(attributes));
  const prefix = 'attributes.';
  const own = Object.entries(metadata).filter(([key]) => key.startsWith(prefix));
  return new Map(own.map(([key, value]) => [key.slice(prefix.length), value]));
}

function attribute(metadata: JsonObject, key: string): Json | undefined {
  const { attributes } = metadata;
  return (isJsonObject(attributes) ? own(attributes, key) : undefined) ?? own(metadata, `attributes.${key}`);
}

function attributeIn(metadata: JsonObject, keys: readonly string[]): string | undefined {
  const value = keys.map((key) => attribute(metadata, key)).find((found) => found !== undefined && found !== '');
  return textOrJson(value);
}

function picked(metadata: JsonObject | undefined, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => keys.includes(key)));
}

function withoutNulls(value: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Old servers report zero for what was not counted. */
function counted(usage: Record<string, number> | undefined): Record<string, number> | undefined {
  return usage !== undefined && Object.values(usage).some((count) => count > 0) ? usage : undefined;
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Depending on the API, unset text is null, empty or absent. */
export function textIn(object: JsonObject, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** ISO 8601 in UTC with milliseconds. */
export function timeIn(object: JsonObject, key: string): string | undefined {
  const milliseconds = Date.parse(textIn(object, key) ?? '');
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}
