import { type Identifiers, wireNames } from '../../contract/index.ts';
import { asText, isJsonObject, type Json, type JsonObject, own } from '../../json/index.ts';
import { type Observation, observationType } from '../../trace/index.ts';
import { metadataIn, observationOf, textIn, timeIn, timeOf, traceFieldsOf } from '../mapping/rows.ts';
import type { Arrival, TraceFields, TraceRecord } from '../mapping/trace-record.ts';
import { numbersIn } from '../mapping/usage.ts';

export interface Batch {
  readonly arrivals: Arrival[];
  /** Ids of all events, for the answer, including kinds that are not used here (scores, logs). */
  readonly eventIds: string[];
  readonly unreadable: number;
}

/** One event: part of a trace or an observation. */
interface Piece {
  readonly eventId: string;
  readonly at: string;
  readonly isUpdate: boolean;
  /** `trace`, or the type of an observation. */
  readonly kind: string;
  readonly body: JsonObject;
}

/**
 * Reads batches of the ingestion API that SDKs before OpenTelemetry use. Traces and observations come in pieces, in an
 * order that need not be the order in which they were made, so merging sorts them.
 */
export function ingestionReader(options: { identifiers?: Identifiers } = {}): (body: Json) => Batch | undefined {
  const { replayRunId } = wireNames(options.identifiers).keys;
  return (body) => {
    if (!isJsonObject(body) || !Array.isArray(body.batch)) return undefined;
    const arrivals: Arrival[] = [];
    const eventIds: string[] = [];
    let unreadable = 0;
    for (const event of body.batch) {
      const arrival = isJsonObject(event) ? arrivalOf(event, replayRunId) : undefined;
      if (isJsonObject(event) && typeof event.id === 'string') eventIds.push(event.id);
      if (arrival === 'unreadable') unreadable++;
      else if (arrival !== undefined) arrivals.push(arrival);
    }
    return { arrivals, eventIds, unreadable };
  };
}

function arrivalOf(event: JsonObject, runIdKey: string): Arrival | 'unreadable' | undefined {
  const [, kind = '', verb] = /^(.+)-(create|update)$/.exec(asText(event.type)) ?? [];
  if (kind !== 'trace' && observationTypeOf(kind) === undefined && kind !== 'observation') return undefined;
  const body = isJsonObject(event.body) ? event.body : {};
  const traceId = textIn(body, kind === 'trace' ? 'id' : 'traceId');
  const id = textIn(body, 'id');
  if (traceId === undefined || id === undefined) return 'unreadable';
  const metadata = isJsonObject(body.metadata) ? body.metadata : {};
  const runId = own(metadata, runIdKey);
  const piece: Piece = {
    eventId: textIn(event, 'id') ?? '',
    at: textIn(event, 'timestamp') ?? '',
    isUpdate: verb === 'update',
    kind,
    body,
  };
  return new PieceArrival(
    traceId,
    kind === 'trace' ? `trace ${id}` : id,
    typeof runId === 'string' || typeof runId === 'number' ? String(runId) : undefined,
    new Map([[piece.eventId, piece]]),
  );
}

class PieceArrival implements Arrival {
  readonly traceId: string;
  readonly id: string;
  readonly replayRunId: string | undefined;
  /** By event id, because the SDK sends a whole batch again if any of it failed. */
  readonly #pieces: ReadonlyMap<string, Piece>;

  constructor(traceId: string, id: string, replayRunId: string | undefined, pieces: ReadonlyMap<string, Piece>) {
    this.traceId = traceId;
    this.id = id;
    this.replayRunId = replayRunId;
    this.#pieces = pieces;
  }

  join(earlier: Arrival): Arrival {
    if (!(earlier instanceof PieceArrival)) return this;
    const runId = this.replayRunId ?? earlier.replayRunId;
    return new PieceArrival(this.traceId, this.id, runId, new Map([...earlier.#pieces, ...this.#pieces]));
  }

  record(): TraceRecord {
    const pieces = [...this.#pieces.values()].sort(inOrderOfMaking);
    const body = pieces.reduce<JsonObject>((merged, piece) => mergedBodies(merged, piece.body), {});
    if (pieces[0]?.kind === 'trace') return traceRecord(this.traceId, body, pieces);
    return observationRecord(this.traceId, this.id, body, pieces);
  }
}

/** Updates after creates, each by time. The sort is stable, so the batch decides between equals. */
function inOrderOfMaking(a: Piece, b: Piece): number {
  return Number(a.isUpdate) - Number(b.isUpdate) || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);
}

/** Null and absent say nothing; metadata is merged, everything else replaced. */
function mergedBodies(earlier: JsonObject, later: JsonObject): JsonObject {
  const said = Object.entries(later).filter(([, value]) => value !== null);
  const merged: JsonObject = Object.fromEntries([...Object.entries(earlier), ...said]);
  if (isJsonObject(earlier.metadata) && isJsonObject(later.metadata)) {
    merged.metadata = mergedMetadata(earlier.metadata, later.metadata);
  }
  return merged;
}

/** Recursion is safe: `parseJson` bounds the depth. */
function mergedMetadata(earlier: JsonObject, later: JsonObject): JsonObject {
  const entries = Object.entries(later).map(([key, value]): [string, Json] => {
    const before = own(earlier, key);
    return [key, isJsonObject(before) && isJsonObject(value) ? mergedMetadata(before, value) : value];
  });
  return Object.fromEntries([...Object.entries(earlier), ...entries]);
}

function traceRecord(traceId: string, body: JsonObject, pieces: readonly Piece[]): TraceRecord {
  // An update has the time of the update, so the trace began at the earliest of them.
  const began = pieces.map((piece) => timeIn(piece.body, 'timestamp') ?? '').filter((time) => time !== '');
  const trace: TraceFields = { ...traceFieldsOf(body, textIn(body, 'name')), metadata: metadataIn(body) };
  const timestamp = began.sort()[0] ?? timeOf(pieces[0]?.at);
  if (timestamp !== undefined) trace.timestamp = timestamp;
  return { traceId, trace, isRoot: true };
}

/** As the platform returns it in a row. */
function observationRecord(traceId: string, id: string, body: JsonObject, pieces: readonly Piece[]): TraceRecord {
  const type = pieces.find((piece) => piece.kind !== 'observation')?.kind ?? textIn(body, 'type') ?? '';
  const startTime = timeIn(body, 'startTime') ?? timeOf(pieces[0]?.at) ?? new Date(0).toISOString();
  const usageDetails = numbersIn(body.usageDetails) ?? usageIn(body.usage);
  const row = { ...body, id, type, startTime, ...(usageDetails && { usageDetails }) };
  const observation = observationOf(row, []) as Observation;
  return { traceId, observation, trace: { metadata: {} }, isRoot: observation.parentId === null };
}

/** The API has its own names for tokens, and older ones after OpenAI's. */
function usageIn(usage: Json | undefined): Record<string, number> | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { promptTokens, completionTokens, totalTokens } = usage;
  return numbersIn({
    input: usage.input ?? promptTokens ?? null,
    output: usage.output ?? completionTokens ?? null,
    total: usage.total ?? totalTokens ?? null,
  });
}

function observationTypeOf(kind: string): Observation['type'] | undefined {
  return observationType.options.find((option) => option === kind.toLowerCase());
}
