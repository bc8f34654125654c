import { PbfReader } from 'pbf';
import { type Json, MAX_DEPTH } from '../../json/index.ts';
import type { Attributes } from './attributes.ts';
import { type Export, type LogEvent, logEvent, OtlpError, type Scope, type Span, type SpanEvent } from './otlp.ts';

/**
 * Reads an OTLP protobuf export (opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest) straight into
 * spans. The numbers below are the field numbers of opentelemetry-proto 1.x; every other field is skipped unread.
 * @throws OtlpError when the bytes are not such a message
 */
export function readOtlpProtobuf(bytes: Uint8Array): Export {
  const spans: Span[] = [];
  try {
    new PbfReader(bytes).readFields((field, _, pbf) => {
      if (field === 1) readResourceSpans(pbf, spans);
    }, undefined);
  } catch (error) {
    if (error instanceof OtlpError) throw error;
    throw new OtlpError('the body is not an OTLP protobuf message', { cause: error });
  }
  const readable = spans.filter((span) => span.traceId !== '' && span.spanId !== '');
  return { spans: readable, unreadable: spans.length - readable.length };
}

/** Fields come in any order: spans hold the resource and scope objects, which may be filled after them. */
function readResourceSpans(parent: PbfReader, spans: Span[]): void {
  nested(parent, resourceSpansField, { resource: new Map(), spans });
}

// One function per message type, with the object to fill as an argument: a closure per attribute cost more than reading it.
type FieldReader<Into> = (field: number, into: Into, pbf: PbfReader) => void;

const resourceSpansField: FieldReader<{ resource: Attributes; spans: Span[] }> = (field, { resource, spans }, pbf) => {
  if (field === 1) nested(pbf, resourceField, resource);
  else if (field === 2) nested(pbf, scopeSpansField, { scope: { name: '', version: '' }, resource, spans });
};

const resourceField: FieldReader<Attributes> = (field, resource, pbf) => {
  if (field === 1) readAttribute(pbf, resource, 0);
};

const scopeSpansField: FieldReader<{ scope: Scope; resource: Attributes; spans: Span[] }> = (
  field,
  { scope, resource, spans },
  pbf,
) => {
  if (field === 1) nested(pbf, scopeField, scope);
  else if (field === 2) spans.push(readSpan(pbf, scope, resource));
};

const scopeField: FieldReader<Scope> = (field, scope, pbf) => {
  if (field === 1) scope.name = pbf.readString();
  else if (field === 2) scope.version = pbf.readString();
};

function readSpan(parent: PbfReader, scope: Scope, resource: Attributes): Span {
  const span: Span = {
    traceId: '',
    spanId: '',
    parentSpanId: null,
    name: '',
    startMs: 0,
    endMs: 0,
    attributes: new Map(),
    events: [],
    failed: false,
    statusMessage: undefined,
    scope,
    resource,
  };
  nested(parent, spanField, span);
  span.startMs ||= span.endMs;
  span.endMs ||= span.startMs;
  return span;
}

const spanField: FieldReader<Span> = (field, span, pbf) => {
  if (field === 1) span.traceId = readHex(pbf);
  else if (field === 2) span.spanId = readHex(pbf);
  else if (field === 4) span.parentSpanId = readHex(pbf) || null;
  else if (field === 5) span.name = pbf.readString();
  else if (field === 7) span.startMs = readMilliseconds(pbf);
  else if (field === 8) span.endMs = readMilliseconds(pbf);
  else if (field === 9) readAttribute(pbf, span.attributes, 0);
  else if (field === 11) span.events.push(readEvent(pbf));
  else if (field === 15) nested(pbf, statusField, span);
};

function readEvent(parent: PbfReader): SpanEvent {
  const event: SpanEvent = { name: '', attributes: new Map() };
  nested(parent, eventField, event);
  return event;
}

const eventField: FieldReader<SpanEvent> = (field, event, pbf) => {
  if (field === 2) event.name = pbf.readString();
  else if (field === 3) readAttribute(pbf, event.attributes, 0);
};

const statusField: FieldReader<Span> = (field, span, pbf) => {
  if (field === 2) span.statusMessage = pbf.readString() || undefined;
  else if (field === 3) span.failed = pbf.readVarint() === 2;
};

/**
 * Reads the log records of an OTLP protobuf export (opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest).
 * @throws OtlpError when the bytes are not such a message
 */
export function readOtlpLogsProtobuf(bytes: Uint8Array): LogEvent[] {
  const logs: LogEvent[] = [];
  try {
    new PbfReader(bytes).readFields((field, _, pbf) => {
      if (field === 1) nested(pbf, resourceLogsField, logs);
    }, undefined);
  } catch (error) {
    if (error instanceof OtlpError) throw error;
    throw new OtlpError('the body is not an OTLP protobuf message', { cause: error });
  }
  return logs;
}

const resourceLogsField: FieldReader<LogEvent[]> = (field, logs, pbf) => {
  if (field === 2) nested(pbf, scopeLogsField, logs);
};

const scopeLogsField: FieldReader<LogEvent[]> = (field, logs, pbf) => {
  if (field !== 2) return;
  const log: Log = {
    event: { traceId: '', spanId: '', name: '', attributes: new Map() },
    body: { value: null, depth: 0 },
  };
  nested(pbf, logField, log);
  logs.push(logEvent(log.event, log.body.value));
};

interface Log {
  readonly event: LogEvent;
  readonly body: Value;
}

const logField: FieldReader<Log> = (field, { event, body }, pbf) => {
  if (field === 5) readValue(pbf, body);
  else if (field === 6) readAttribute(pbf, event.attributes, 0);
  else if (field === 9) event.traceId = readHex(pbf);
  else if (field === 10) event.spanId = readHex(pbf);
  else if (field === 12) event.name = pbf.readString();
};

interface Attribute {
  key: string;
  value: Json;
  readonly depth: number;
}

function readAttribute(parent: PbfReader, into: Attributes, depth: number): void {
  const attribute: Attribute = { key: '', value: null, depth };
  nested(parent, attributeField, attribute);
  into.set(attribute.key, attribute.value);
}

const attributeField: FieldReader<Attribute> = (field, attribute, pbf) => {
  if (field === 1) attribute.key = pbf.readString();
  else if (field === 2) readValue(pbf, attribute);
};

type Value = Pick<Attribute, 'value' | 'depth'>;

function readValue(parent: PbfReader, into: Value): void {
  if (into.depth > MAX_DEPTH) throw new OtlpError(`an attribute is nested deeper than ${MAX_DEPTH} levels`);
  into.value = null;
  nested(parent, valueField, into);
}

const valueField: FieldReader<Value> = (field, into, pbf) => {
  if (field === 1) into.value = pbf.readString();
  else if (field === 2) into.value = pbf.readBoolean();
  else if (field === 3) into.value = pbf.readVarint(true);
  else if (field === 4) {
    const number = pbf.readDouble();
    into.value = Number.isFinite(number) ? number : String(number);
  } else if (field === 5) {
    const list = { items: [], depth: into.depth + 1 };
    nested(pbf, listField, list);
    into.value = list.items;
  } else if (field === 6) {
    const entries = { attributes: new Map(), depth: into.depth + 1 };
    nested(pbf, entriesField, entries);
    into.value = Object.fromEntries(entries.attributes);
  } else if (field === 7) {
    into.value = Buffer.from(pbf.readBytes()).toString('base64');
  }
};

const listField: FieldReader<{ items: Json[]; depth: number }> = (field, { items, depth }, pbf) => {
  if (field !== 1) return;
  const item: Value = { value: null, depth };
  readValue(pbf, item);
  items.push(item.value);
};

const entriesField: FieldReader<{ attributes: Attributes; depth: number }> = (field, { attributes, depth }, pbf) => {
  if (field === 1) readAttribute(pbf, attributes, depth);
};

/** The reader trusts lengths. A length beyond the end would make it read nothing for a long time. */
function nested<Into>(pbf: PbfReader, read: FieldReader<Into>, into: Into): void {
  const end = pbf.readVarint() + pbf.pos;
  if (!(end <= pbf.length)) throw new OtlpError('the body is cut off');
  pbf.readFields(read, into, end);
}

function readHex(pbf: PbfReader): string {
  const bytes = pbf.readBytes();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** Exact: the library returns 64-bit integers as doubles, which cannot hold a moment in nanoseconds. */
function readMilliseconds(pbf: PbfReader): number {
  const low = pbf.readFixed32();
  const high = pbf.readFixed32();
  return Number(((BigInt(high) << 32n) | BigInt(low)) / NANOSECONDS_PER_MILLISECOND);
}
