import { PbfReader } from 'pbf';
import { type Json, MAX_DEPTH } from '../contract/index.ts';
import type { Attributes } from './attributes.ts';
import { type Export, OtlpError, type Span, type SpanEvent } from './otlp.ts';

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
  const resource: Attributes = new Map();
  nested(parent, (field, pbf) => {
    if (field === 1) {
      nested(pbf, (inner) => {
        if (inner === 1) readAttribute(pbf, resource, 0);
      });
    } else if (field === 2) {
      const scope = { name: '' };
      nested(pbf, (inner) => {
        if (inner === 1) {
          nested(pbf, (property) => {
            if (property === 1) scope.name = pbf.readString();
          });
        } else if (inner === 2) {
          spans.push(readSpan(pbf, scope, resource));
        }
      });
    }
  });
}

function readSpan(parent: PbfReader, scope: { name: string }, resource: Attributes): Span {
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
  nested(parent, (field, pbf) => {
    if (field === 1) span.traceId = readHex(pbf);
    else if (field === 2) span.spanId = readHex(pbf);
    else if (field === 4) span.parentSpanId = readHex(pbf) || null;
    else if (field === 5) span.name = pbf.readString();
    else if (field === 7) span.startMs = readMilliseconds(pbf);
    else if (field === 8) span.endMs = readMilliseconds(pbf);
    else if (field === 9) readAttribute(pbf, span.attributes, 0);
    else if (field === 11) span.events.push(readEvent(pbf));
    else if (field === 15) readStatus(pbf, span);
  });
  span.startMs ||= span.endMs;
  span.endMs ||= span.startMs;
  return span;
}

function readEvent(parent: PbfReader): SpanEvent {
  const event: SpanEvent = { name: '', attributes: new Map() };
  nested(parent, (field, pbf) => {
    if (field === 2) event.name = pbf.readString();
    else if (field === 3) readAttribute(pbf, event.attributes, 0);
  });
  return event;
}

function readStatus(parent: PbfReader, span: Span): void {
  nested(parent, (field, pbf) => {
    if (field === 2) span.statusMessage = pbf.readString() || undefined;
    else if (field === 3) span.failed = pbf.readVarint() === 2;
  });
}

function readAttribute(parent: PbfReader, into: Attributes, depth: number): void {
  let key = '';
  let value: Json = null;
  nested(parent, (field, pbf) => {
    if (field === 1) key = pbf.readString();
    else if (field === 2) value = readValue(pbf, depth);
  });
  into.set(key, value);
}

function readValue(parent: PbfReader, depth: number): Json {
  if (depth > MAX_DEPTH) throw new OtlpError(`an attribute is nested deeper than ${MAX_DEPTH} levels`);
  let value: Json = null;
  nested(parent, (field, pbf) => {
    if (field === 1) value = pbf.readString();
    else if (field === 2) value = pbf.readBoolean();
    else if (field === 3) value = pbf.readVarint(true);
    else if (field === 4) {
      const number = pbf.readDouble();
      value = Number.isFinite(number) ? number : String(number);
    } else if (field === 5) {
      const list: Json[] = [];
      nested(pbf, (inner) => {
        if (inner === 1) list.push(readValue(pbf, depth + 1));
      });
      value = list;
    } else if (field === 6) {
      const entries: Attributes = new Map();
      nested(pbf, (inner) => {
        if (inner === 1) readAttribute(pbf, entries, depth + 1);
      });
      value = Object.fromEntries(entries);
    } else if (field === 7) {
      value = Buffer.from(pbf.readBytes()).toString('base64');
    }
  });
  return value;
}

/** The reader trusts lengths. A length that leads out of the bytes would have it read on in nothing for a long time. */
function nested(pbf: PbfReader, read: (field: number, pbf: PbfReader) => void): void {
  const end = pbf.readVarint() + pbf.pos;
  if (!(end <= pbf.length)) throw new OtlpError('the body is cut off');
  pbf.readFields((field) => read(field, pbf), undefined, end);
}

function readHex(pbf: PbfReader): string {
  const bytes = pbf.readBytes();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** Exact, as the library's own 64-bit integers are doubles and a moment in nanoseconds is not one. */
function readMilliseconds(pbf: PbfReader): number {
  const low = pbf.readFixed32();
  const high = pbf.readFixed32();
  return Number(((BigInt(high) << 32n) | BigInt(low)) / NANOSECONDS_PER_MILLISECOND);
}
