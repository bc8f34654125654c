import { isJsonObject, type Json, type JsonObject, spelledOut } from '../../../json/index.ts';
import type { Attributes } from '../attributes.ts';
import { OtlpError } from '../otlp.ts';
import { textIn } from '../rows.ts';
import { type ExportedSpan, type ExportFormat, timeOf } from './format.ts';

/**
 * Records of Pydantic Logfire from its query API (`SELECT * FROM records`): as rows, columns or CSV. They are OpenTelemetry
 * spans with their attributes.
 */
export const logfireRecords: ExportFormat = {
  name: 'Logfire records',
  holds: (document) => isColumns(document) || ('span_name' in document && 'start_timestamp' in document),
  read: (document) => (isColumns(document) ? rowsOf(document) : [document]).filter(isSpan).map(spanOf),
};

function isColumns({ columns }: JsonObject): boolean {
  return Array.isArray(columns) && isJsonObject(columns[0]) && 'datatype' in columns[0] && 'values' in columns[0];
}

/** `{columns: [{name, datatype, values}]}`. A list within a column is a column itself. */
function rowsOf({ columns }: JsonObject): JsonObject[] {
  const named = (columns as Json[]).filter(isJsonObject);
  const count = Math.max(0, ...named.map(({ values }) => (Array.isArray(values) ? values.length : 0)));
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(named.map(({ name, values }) => [String(name), (values as Json[])[row] ?? null])),
  );
}

/** A log has no duration, and an unfinished span comes again once it has ended. */
function isSpan({ kind }: JsonObject): boolean {
  return kind === undefined || kind === 'span';
}

function spanOf(row: JsonObject): ExportedSpan {
  const [traceId, spanId] = [textIn(row, 'trace_id'), textIn(row, 'span_id')];
  const startMs = timeOf(row.start_timestamp);
  if (traceId === undefined || spanId === undefined || startMs === undefined) {
    throw new OtlpError(
      'a record has no trace_id, span_id or start_timestamp: select all columns (SELECT * FROM records)',
    );
  }
  const endMs = timeOf(row.end_timestamp);
  const span = {
    traceId,
    spanId,
    parentSpanId: textIn(row, 'parent_span_id') ?? null,
    name: textIn(row, 'span_name') ?? '',
    startMs,
    endMs: endMs ?? startMs,
    attributes: attributesIn(row.attributes),
    events: eventsIn(row.otel_events),
    failed: row.otel_status_code === 'ERROR' || row.is_exception === true || row.is_exception === 'true',
    statusMessage: textIn(row, 'otel_status_message') ?? textIn(row, 'exception_message'),
    scope: { name: textIn(row, 'otel_scope_name') ?? '', version: textIn(row, 'otel_scope_version') ?? '' },
    resource: attributesIn(row.otel_resource_attributes),
  };
  return { span, isEnded: endMs !== undefined };
}

/** Here these attributes are objects; on the wire they are JSON. Readers know both forms. */
function attributesIn(value: Json | undefined): Attributes {
  const object = spelledOut(value);
  return new Map(isJsonObject(object) ? Object.entries(object) : []);
}

/** An event has its name and time under names of its own, or as OpenTelemetry has them. */
function eventsIn(value: Json | undefined): { name: string; attributes: Attributes }[] {
  const events = spelledOut(value);
  return (Array.isArray(events) ? events.filter(isJsonObject) : []).map((event) => ({
    name: textIn(event, 'event_name') ?? textIn(event, 'name') ?? '',
    attributes: attributesIn(event.attributes),
  }));
}
