import type { Json, JsonObject } from '../../../json/index.ts';
import type { Attributes } from '../attributes.ts';
import type { Span } from '../otlp.ts';
import type { TraceRecord } from '../trace-record.ts';

/** How to recognise and read a foreign export of traces. */
export interface ExportFormat {
  /** For people: "LangSmith runs". */
  readonly name: string;
  /** Whether a document, or a row of one, has this format. */
  holds(document: JsonObject): boolean;
  /** @throws OtlpError if it has this format but cannot be read */
  read(document: JsonObject): ExportedSpan[];
}

/** A span as its own SDK would export it, so that a recording from an export and a replay in the receiver agree. */
export interface ExportedSpan {
  readonly span: Span;
  /** False for a span that had not ended when it was exported. */
  readonly isEnded: boolean;
}

export function rowsIn(document: JsonObject): Json[] | undefined {
  for (const name of ['data', 'runs', 'items', 'events', 'rows']) {
    const rows = document[name];
    if (Array.isArray(rows) && !('id' in document) && !('span_id' in document)) return rows;
  }
  return undefined;
}

export function unended(record: TraceRecord): TraceRecord {
  const { observation } = record;
  return observation === undefined ? record : { ...record, observation: { ...observation, endTime: null } };
}

/** Milliseconds since 1970; a text without a zone is in UTC. */
export function timeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value === '') return undefined;
  const hasZone = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(value);
  const milliseconds = Date.parse(hasZone ? value : `${value.replace(' ', 'T')}Z`);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds);
}

/** An empty value makes no attribute. */
export function attributesFrom(entries: readonly (readonly [string, Json | undefined])[]): Attributes {
  const isSaid = (entry: readonly [string, Json | undefined]): entry is [string, Json] =>
    entry[1] !== undefined && entry[1] !== null && entry[1] !== '';
  return new Map(entries.filter(isSaid));
}
