import { type Identifiers, wireNames } from '../../contract/index.ts';
import {
  asText,
  canonical,
  isJsonObject,
  type Json,
  type JsonObject,
  own,
  present,
  spelledOut,
} from '../../json/index.ts';
import { type Observation, observationType, withoutHugeTexts } from '../../trace/index.ts';
import { type Attributes, firstText } from './attributes.ts';
import { definitionsBeyond, readByConvention, withConvention } from './conventions.ts';
import { contractKeysOf, FAILURE_ATTRIBUTES, finish, levelNamed, TOOL_NAME } from './mapping.ts';
import { withTools } from './payload.ts';
import type { TraceFields, TraceRecord } from './trace-record.ts';
import { numbersIn } from './usage.ts';

/** Converts rows of both read APIs to the records that the receiver makes of spans. */
interface RowReader {
  /** From `GET /traces/{id}`: the trace and all its observations. */
  trace(body: JsonObject): TraceRecord[];
  /** From one row of `GET /v2/observations`; undefined without an id. */
  observation(row: JsonObject): TraceRecord | undefined;
  /** The replay run id in a trace's or a row's metadata. */
  replayRunId(row: JsonObject): string | undefined;
}

export function rowReader(options: { identifiers?: Identifiers } = {}): RowReader {
  const { keys } = wireNames(options.identifiers);
  const contractKeys = contractKeysOf(options);
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
      trace.metadata = ownMetadata(metadataIn(body));
      Object.assign(trace, contentOfRoot(body, rows, records));
      // The platform's start is that of the first stored record, and on old servers of the last update.
      const timestamp = [timeIn(body, 'timestamp'), earliest].filter((time) => time !== undefined).sort()[0];
      if (timestamp !== undefined) trace.timestamp = timestamp;
      // A trace exists before its root, and has an output only after it, unless an SDK before OpenTelemetry has set that.
      const isRoot = records.length === 0 && trace.output !== undefined;
      return [{ traceId, trace, isRoot }, ...records];
    },
    observation(row) {
      const traceId = textIn(row, 'traceId');
      const observation = observationOf(row, contractKeys);
      if (traceId === undefined || observation === undefined) return undefined;
      const trace = traceFieldsOf(row, textIn(row, 'traceName'));
      const madeUp = `t-${traceId}`;
      if (observation.id === madeUp) {
        // What an older SDK said about the trace, which the platform stores as a row.
        const { startTime: timestamp, metadata = {}, input, output } = observation;
        return { traceId, trace: { ...trace, ...present({ timestamp, metadata, input, output }) }, isRoot: true };
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

/** Of a row without its trace's part; undefined without an id or a start. */
export function observationOf(row: JsonObject, contractKeys: readonly string[]): Observation | undefined {
  const id = textIn(row, 'id');
  const startTime = timeIn(row, 'startTime');
  if (id === undefined || startTime === undefined) return undefined;
  const kind = textIn(row, 'type')?.toLowerCase();
  const metadata = metadataIn(row);
  const attributes = attributesIn(metadata);
  const byConvention = attributes.has('langfuse.observation.type') ? {} : readByConvention(attributes);
  const type = byConvention.type ?? observationType.options.find((option) => option === kind) ?? 'span';
  const level = levelNamed(textIn(row, 'level')) ?? 'DEFAULT';
  const toolName = type === 'tool' ? firstText(attributes, [TOOL_NAME]) : undefined;
  const { input, output } = withConvention(present(contentsOf(row)), byConvention);
  const tools = definitionsBeyond(attributes);
  const isFailedModelCall = level === 'ERROR' && (type === 'generation' || type === 'embedding');
  const keptAttributes = isFailedModelCall ? [...contractKeys, ...FAILURE_ATTRIBUTES] : contractKeys;
  const own = { ...ownMetadata(metadata), ...attributesKept(attributes, keptAttributes) };
  const observation: Observation = present({
    id,
    parentId: textIn(row, 'parentObservationId') ?? null,
    type,
    name: byConvention.name ?? toolName ?? textIn(row, 'name') ?? '',
    startTime,
    endTime: timeIn(row, 'endTime') ?? (type === 'event' ? startTime : null),
    level,
    input: tools === undefined ? input : withTools(input, tools),
    output,
    statusMessage: textIn(row, 'statusMessage'),
    model: textIn(row, 'model') ?? textIn(row, 'providedModelName'),
    modelParameters: withoutNulls(spelledOut(row.modelParameters)),
    usage: numbersIn(spelledOut(row.usageDetails)) ?? counted(numbersIn(row.usage)),
    cost: numbersIn(spelledOut(row.costDetails)),
    metadata: Object.keys(own).length > 0 ? own : undefined,
  });
  finish(observation, { attributes, own, byConvention });
  return observation;
}

export function traceFieldsOf(row: JsonObject, name: string | undefined): TraceFields {
  const fields = present({
    metadata: {},
    name,
    sessionId: textIn(row, 'sessionId'),
    release: textIn(row, 'release'),
    version: textIn(row, 'version'),
    ...(row.traceId === undefined && contentsOf(row)),
  });
  return withoutHugeTexts(fields);
}

function contentsOf(row: JsonObject): { input: Json | undefined; output: Json | undefined } {
  return { input: contentOf(row.input), output: contentOf(row.output) };
}

/**
 * One API parses JSON in text and the other does not. Objects and arrays are parsed here, as everywhere; numbers and
 * booleans become the text that they were on the wire.
 */
function contentOf(value: Json | undefined): Json | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'object' ? value : spelledOut(String(value));
}

/** Metadata that is not an object is kept under one key, as on the platform. */
export function metadataIn({ metadata }: JsonObject): JsonObject {
  if (metadata === undefined || metadata === null) return {};
  return isJsonObject(metadata) ? metadata : { metadata };
}

/** What the platform adds about the sender: objects in one API, dotted keys in the other. */
const ADDED = ['resourceAttributes', 'scope', 'attributes'];

function ownMetadata(metadata: JsonObject): JsonObject {
  const own = Object.entries(metadata).filter(
    ([key]) => !ADDED.some((added) => key === added || key.startsWith(`${added}.`)),
  );
  return Object.fromEntries(own.map(([key, value]) => [key, spelledOut(value)]));
}

/** Contract metadata, and the reason why a model call failed, as far as the platform keeps them as attributes. */
function attributesKept(attributes: Attributes, keys: readonly string[]): JsonObject {
  const kept = keys.flatMap((key): [string, Json][] => {
    const value = attributes.get(key) ?? undefined;
    return value === undefined ? [] : [[key, value]];
  });
  return kept.length === 0 ? {} : { attributes: Object.fromEntries(kept) };
}

/** The span's attributes, as far as the platform keeps them beside its own fields. */
function attributesIn(metadata: JsonObject): Attributes {
  const { attributes } = metadata;
  if (isJsonObject(attributes)) return new Map(Object.entries(attributes));
  const prefix = 'attributes.';
  const own = Object.entries(metadata).filter(([key]) => key.startsWith(prefix));
  return new Map(own.map(([key, value]) => [key.slice(prefix.length), value]));
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

/** Depending on the API, unset text is null, empty or absent. */
export function textIn(object: JsonObject, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** ISO 8601 in UTC with milliseconds. */
export function timeIn(object: JsonObject, key: string): string | undefined {
  return timeOf(textIn(object, key));
}

export function timeOf(text = ''): string | undefined {
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}
