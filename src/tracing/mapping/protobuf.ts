import { PbfReader } from 'pbf';
import { MAX_DEPTH } from '../../json/index.ts';
import { HUGE_TEXT, textWithout } from '../../trace/index.ts';
import { OtlpError } from './otlp.ts';

/** The depth counts messages within messages. */
type Read = (pbf: PbfReader, depth: number) => unknown;
/** By the field's number: its name in OTLP/JSON, how it is read, and whether it may come several times. */
export type Message = Readonly<Record<number, readonly [name: string, read: Read, isList?: boolean]>>;

/** Only attributes nest: each level is a value, a list, and an entry of it. */
const MAX_MESSAGES = 3 * MAX_DEPTH + 10;

const text: Read = (pbf) => pbf.readString();
const anyText: Read = (pbf) => {
  const bytes = bytesOf(pbf);
  return (bytes.length > HUGE_TEXT ? textWithout(bytes, { limit: HUGE_TEXT, level: 0 }) : bytes).toString();
};
const integer: Read = (pbf) => pbf.readVarint(true);
const hex: Read = (pbf) => bytesOf(pbf).toString('hex');
/** Exact: the library returns 64-bit integers as doubles, which cannot hold a moment in nanoseconds. */
const moment: Read = (pbf) => {
  const low = pbf.readFixed32();
  return String((BigInt(pbf.readFixed32()) << 32n) | BigInt(low));
};

function bytesOf(pbf: PbfReader): Buffer {
  const bytes = pbf.readBytes();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// opentelemetry-proto 1.x, without fields that are not read.
const VALUE: Message = {
  1: ['stringValue', anyText],
  2: ['boolValue', (pbf) => pbf.readBoolean()],
  // As a double, so that one that no double can hold stays a number.
  3: ['doubleValue', integer],
  4: ['doubleValue', (pbf) => pbf.readDouble()],
  5: ['arrayValue', (pbf, depth) => inside({ 1: ['values', value, true] }, pbf, depth)],
  6: ['kvlistValue', (pbf, depth) => inside({ 1: ['values', attribute, true] }, pbf, depth)],
  7: ['bytesValue', (pbf) => bytesOf(pbf).toString('base64')],
};
const value: Read = (pbf, depth) => inside(VALUE, pbf, depth);
const attribute = of({ 1: ['key', text], 2: ['value', value] });
const resource = of({ 1: ['attributes', attribute, true] });
const scope = of({ 1: ['name', text], 2: ['version', text] });
const event = of({ 2: ['name', text], 3: ['attributes', attribute, true] });
const status = of({ 2: ['message', text], 3: ['code', integer] });
const span = of({
  1: ['traceId', hex],
  2: ['spanId', hex],
  4: ['parentSpanId', hex],
  5: ['name', text],
  7: ['startTimeUnixNano', moment],
  8: ['endTimeUnixNano', moment],
  9: ['attributes', attribute, true],
  10: ['droppedAttributesCount', integer],
  11: ['events', event, true],
  12: ['droppedEventsCount', integer],
  15: ['status', status],
});
const log = of({
  5: ['body', value],
  6: ['attributes', attribute, true],
  9: ['traceId', hex],
  10: ['spanId', hex],
  12: ['eventName', text],
});
const scopeSpans = of({ 1: ['scope', scope], 2: ['spans', span, true] });
const scopeLogs = of({ 2: ['logRecords', log, true] });

/** An ExportTraceServiceRequest. */
export const TRACES: Message = {
  1: ['resourceSpans', of({ 1: ['resource', resource], 2: ['scopeSpans', scopeSpans, true] }), true],
};
/** An ExportLogsServiceRequest. */
export const LOGS: Message = { 1: ['resourceLogs', of({ 2: ['scopeLogs', scopeLogs, true] }), true] };

/**
 * Reads an OTLP export in protobuf as the same export in OTLP/JSON.
 * @throws OtlpError when the bytes are not such a message
 */
export function fromProtobuf(message: Message, bytes: Uint8Array): unknown {
  try {
    return fieldsOf(message, new PbfReader(bytes), bytes.length, 0);
  } catch (error) {
    if (error instanceof OtlpError) throw error;
    throw new OtlpError('the body is not an OTLP protobuf message', { cause: error });
  }
}

function of(message: Message): Read {
  return (pbf, depth) => inside(message, pbf, depth);
}

/** The reader trusts lengths. A length beyond the end would make it read nothing for a long time. */
function inside(message: Message, pbf: PbfReader, depth: number): unknown {
  if (depth > MAX_MESSAGES) throw new OtlpError(`an attribute is nested deeper than ${MAX_DEPTH} levels`);
  const end = pbf.readVarint() + pbf.pos;
  if (!(end <= pbf.length)) throw new OtlpError('the body is cut off');
  return fieldsOf(message, pbf, end, depth + 1);
}

function fieldsOf(message: Message, pbf: PbfReader, end: number, depth: number): unknown {
  const found: Record<string, unknown> = {};
  pbf.readFields(
    (number) => {
      const [name, read, isList] = message[number] ?? [];
      if (name === undefined || read === undefined) return;
      const field = read(pbf, depth);
      const known = found[name];
      if (Array.isArray(known)) known.push(field);
      else found[name] = isList ? [field] : field;
    },
    undefined,
    end,
  );
  return found;
}
