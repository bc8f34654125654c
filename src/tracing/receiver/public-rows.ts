import { isJsonObject, type Json, type JsonObject, textOrJson } from '../../json/index.ts';
import type { Observation, Trace } from '../../trace/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';

/** The one project that a receiver has. */
export const PROJECT_ID = 'agent-replay';

/** A trace of the receiver in the shapes of the platform's two read APIs, with every field that they require. */
export interface PublicTrace {
  readonly trace: Trace;
  /** As in a list, where observations are ids. */
  readonly row: JsonObject;
  /** As `GET /traces/{id}` answers it. */
  body(): JsonObject;
  /** Rows of `GET /v2/observations`. */
  observations(): JsonObject[];
  /** Rows of `GET /observations`. */
  legacyObservations(): JsonObject[];
}

export function publicTrace(records: readonly TraceRecord[]): PublicTrace {
  const trace = assembleTrace(records);
  const row = traceRow(trace);
  const legacyObservations = () => trace.observations.map((observation) => legacyObservation(observation, trace));
  return {
    trace,
    row,
    body: () => ({ ...row, observations: legacyObservations() }),
    observations: () => observationRows(trace, records),
    legacyObservations,
  };
}

function traceRow(trace: Trace): JsonObject {
  const { id, timestamp, name, sessionId, userId, release, version, tags, environment, metadata } = trace;
  const ends = trace.observations.map(({ startTime, endTime }) => endTime ?? startTime);
  const costs = trace.observations.map(({ cost }) => totalOf(cost) ?? 0);
  return {
    id,
    projectId: PROJECT_ID,
    timestamp,
    name: name ?? null,
    sessionId: sessionId ?? null,
    userId: userId ?? null,
    release: release ?? null,
    version: version ?? null,
    tags: tags ?? [],
    environment: environment ?? 'default',
    public: false,
    bookmarked: false,
    externalId: null,
    htmlPath: `/project/${PROJECT_ID}/traces/${encodeURIComponent(id)}`,
    createdAt: timestamp,
    updatedAt: ends.sort().at(-1) ?? timestamp,
    metadata,
    input: trace.input ?? null,
    output: trace.output ?? null,
    latency: seconds(timestamp, ends.sort().at(-1) ?? timestamp),
    totalCost: costs.reduce((sum, cost) => sum + cost, 0),
    observations: trace.observations.map((observation) => observation.id),
    scores: [],
  };
}

/** The fields of an observation in both APIs. */
function shared(observation: Observation, trace: Trace): JsonObject {
  const { id, parentId, type, name, startTime, endTime, level, statusMessage } = observation;
  return {
    id,
    traceId: trace.id,
    parentObservationId: parentId,
    type: type.toUpperCase(),
    name,
    startTime,
    endTime,
    completionStartTime: null,
    environment: trace.environment ?? 'default',
    version: trace.version ?? null,
    level: level ?? 'DEFAULT',
    statusMessage: statusMessage ?? null,
    model: observation.model ?? null,
    modelParameters: observation.modelParameters ?? null,
    usageDetails: observation.usage ?? {},
    costDetails: observation.cost ?? {},
    promptId: null,
    promptName: null,
    promptVersion: null,
    modelId: null,
    inputPrice: null,
    outputPrice: null,
    totalPrice: null,
    latency: endTime === null ? null : seconds(startTime, endTime),
    timeToFirstToken: null,
    createdAt: startTime,
    updatedAt: endTime ?? startTime,
  };
}

function legacyObservation(observation: Observation, trace: Trace): JsonObject {
  const { input, output, usage, cost } = observation;
  return {
    ...shared(observation, trace),
    input: input ?? null,
    output: output ?? null,
    metadata: metadataOf(observation),
    usage: {
      unit: 'TOKENS',
      input: usage?.input ?? 0,
      output: usage?.output ?? 0,
      total: usage?.total ?? (usage?.input ?? 0) + (usage?.output ?? 0),
    },
    calculatedInputCost: cost?.input ?? null,
    calculatedOutputCost: cost?.output ?? null,
    calculatedTotalCost: totalOf(cost) ?? null,
  };
}

function observationRows(trace: Trace, records: readonly TraceRecord[]): JsonObject[] {
  const own = records.find(({ observation }) => observation === undefined);
  // As on the platform, an older SDK's statements about the trace become a row.
  const madeUp = own === undefined ? undefined : `t-${trace.id}`;
  const roots = new Set(records.flatMap(({ isRoot, observation }) => (isRoot && observation ? observation.id : [])));
  const about = {
    projectId: PROJECT_ID,
    bookmarked: false,
    public: false,
    userId: trace.userId ?? '',
    sessionId: trace.sessionId ?? '',
    tags: trace.tags ?? [],
    release: trace.release ?? '',
    traceName: trace.name ?? null,
  };
  const rows = trace.observations.map((observation): JsonObject => {
    const isRoot = roots.has(observation.id);
    return {
      ...shared(observation, trace),
      ...about,
      ...(isRoot && madeUp !== undefined ? { parentObservationId: madeUp } : {}),
      isRootObservation: isRoot && madeUp === undefined,
      input: asText(observation.input),
      output: asText(observation.output),
      metadata: flattened(metadataOf(observation)),
      totalCost: totalOf(observation.cost) ?? null,
    };
  });
  if (madeUp === undefined) return rows;
  const root: Observation = {
    id: madeUp,
    parentId: null,
    type: 'span',
    name: trace.name ?? '',
    startTime: trace.timestamp,
    endTime: null,
  };
  return [
    ...rows,
    {
      ...shared(root, trace),
      ...about,
      isRootObservation: true,
      input: asText(trace.input),
      output: asText(trace.output),
      metadata: flattened(trace.metadata),
      totalCost: null,
    },
  ];
}

/** A tool call's id has no field there, so it stays the attribute that was sent. */
function metadataOf({ metadata, callId }: Observation): JsonObject {
  if (callId === undefined) return { ...metadata };
  const attributes = isJsonObject(metadata?.attributes) ? metadata.attributes : {};
  return { ...metadata, attributes: { ...attributes, 'gen_ai.tool.call.id': callId } };
}

/** This API returns inputs and outputs as the stored text. */
function asText(value: Json | undefined): string | null {
  return textOrJson(value) ?? null;
}

/** Objects in metadata become dotted keys. Recursion is safe: all values here were parsed with bounded depth. */
function flattened(metadata: JsonObject, prefix = ''): JsonObject {
  const entries = Object.entries(metadata).flatMap(([key, value]): [string, Json][] =>
    isJsonObject(value) ? Object.entries(flattened(value, `${prefix}${key}.`)) : [[`${prefix}${key}`, value]],
  );
  return Object.fromEntries(entries);
}

function totalOf(cost: Observation['cost']): number | undefined {
  return cost && (cost.total ?? Object.values(cost).reduce((sum, part) => sum + part, 0));
}

function seconds(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1_000;
}
