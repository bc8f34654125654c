import { asNumber, asText, isJsonObject, type Json, MAX_DEPTH, spelledOut } from '../../json/index.ts';
import type { Attributes, Dropped } from './attributes.ts';

/** Times are milliseconds since the epoch, truncated. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Null at the top of a trace. */
  parentSpanId: string | null;
  name: string;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  events: SpanEvent[];
  /** Status code ERROR. */
  failed: boolean;
  statusMessage: string | undefined;
  /** The instrumentation that made it. */
  scope: Scope;
  resource: Attributes;
}

/** Texts are empty where nothing is said. */
interface Scope {
  name: string;
  version: string;
}

export interface SpanEvent {
  name: string;
  attributes: Attributes;
}

/** A span without ids, or with attributes of another shape, cannot be read, and is counted. */
export interface Export {
  readonly spans: Span[];
  readonly unreadable: number;
}

/** An unsupported value, refused before any recursive code sees it. */
export class OtlpError extends Error {
  override readonly name = 'OtlpError';
}

/**
 * At least as tolerant as the platform's server, because a refused export throws inside the customer's own flush:
 * values of the wrong shape count as absent.
 * @throws OtlpError if a value is nested too deep
 */
export function readOtlpJson(value: unknown): Export {
  const spans: Span[] = [];
  let unreadable = 0;
  for (const resourceSpans of objects(value, 'resourceSpans')) {
    const resource = attributesOf(first(resourceSpans.resource)?.attributes);
    for (const scopeSpans of objects(resourceSpans, 'scopeSpans')) {
      const scope = scopeOf(first(scopeSpans.scope));
      for (const span of objects(scopeSpans, 'spans')) {
        const traceId = textOf(span.traceId);
        const spanId = textOf(span.spanId);
        if (traceId === '' || spanId === '' || !Array.isArray(span.attributes ?? [])) {
          unreadable++;
          continue;
        }
        const status = first(span.status);
        const startMs = millisecondsOf(span.startTimeUnixNano);
        const endMs = millisecondsOf(span.endTimeUnixNano);
        spans.push({
          traceId,
          spanId,
          parentSpanId: textOf(span.parentSpanId) || null,
          name: textOf(span.name),
          startMs: startMs ?? endMs ?? 0,
          endMs: endMs ?? startMs ?? 0,
          attributes: Object.assign(attributesOf(span.attributes), {
            dropped: DROPPED.filter((key) => asNumber(span[key]) > 0),
          }),
          events: objects(span, 'events').map((event) => ({
            name: textOf(event.name),
            attributes: attributesOf(event.attributes),
          })),
          failed: status?.code === 2 || status?.code === 'STATUS_CODE_ERROR',
          statusMessage: textOf(status?.message) || undefined,
          scope,
          resource,
        });
      }
    }
  }
  return { spans, unreadable };
}

const DROPPED: readonly Dropped[] = ['droppedAttributesCount', 'droppedEventsCount'];

function scopeOf(scope: Record<string, unknown> | undefined): Scope {
  return { name: textOf(scope?.name), version: textOf(scope?.version) };
}

/** A log record that is an event of a span: the members of its body become attributes. */
export interface LogEvent extends SpanEvent {
  traceId: string;
  spanId: string;
}

/** @throws OtlpError if a value is nested too deep */
export function readOtlpLogs(value: unknown): LogEvent[] {
  return objects(value, 'resourceLogs')
    .flatMap((resourceLogs) => objects(resourceLogs, 'scopeLogs'))
    .flatMap((scopeLogs) => objects(scopeLogs, 'logRecords'))
    .map((log) => {
      const attributes = attributesOf(log.attributes);
      // Senders before version 1.5 of the protocol name the event in an attribute.
      const name = textOf(log.eventName) || textOf(attributes.get('event.name'));
      const members = spelledOut(anyValue(log.body, 0));
      if (isJsonObject(members)) for (const [key, value] of Object.entries(members)) attributes.set(key, value);
      return { traceId: textOf(log.traceId), spanId: textOf(log.spanId), name, attributes };
    });
}

type Unknown = { readonly [key: string]: unknown };

function first(value: unknown): Unknown | undefined {
  return typeof value === 'object' && value !== null ? (value as Unknown) : undefined;
}

function objects(parent: unknown, key: string): Unknown[] {
  const list = first(parent)?.[key];
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The protocol's moments are unsigned 64-bit nanoseconds. */
const MAX_MILLISECONDS = 2 ** 64 / 1_000_000;

/**
 * A double cannot hold nanoseconds. In text, which the specification demands, the last six digits are cut off. A number is
 * off by up to 128 ns, which rounding to microseconds corrects.
 */
function millisecondsOf(nanoseconds: unknown): number | undefined {
  if (typeof nanoseconds === 'string') {
    const milliseconds = Number(nanoseconds.slice(0, -6));
    return milliseconds > 0 && milliseconds <= MAX_MILLISECONDS ? Math.floor(milliseconds) : undefined;
  }
  if (typeof nanoseconds !== 'number' || !(nanoseconds > 0 && nanoseconds < 2 ** 64)) return undefined;
  return Math.floor(Math.round(nanoseconds / 1_000) / 1_000);
}

function attributesOf(list: unknown, depth = 0): Attributes {
  const attributes: Attributes = new Map();
  if (!Array.isArray(list)) return attributes;
  for (const attribute of list) {
    const key = first(attribute)?.key;
    if (typeof key === 'string') attributes.set(key, anyValue(first(attribute)?.value, depth));
  }
  return attributes;
}

function anyValue(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) throw new OtlpError(`an attribute is nested deeper than ${MAX_DEPTH} levels`);
  const any = first(value);
  if (any === undefined) return null;
  if (typeof any.stringValue === 'string') return any.stringValue;
  if (typeof any.boolValue === 'boolean') return any.boolValue;
  if (any.intValue !== undefined) return integerOf(any.intValue);
  if (any.doubleValue !== undefined) return numberOf(any.doubleValue);
  if (any.arrayValue !== undefined) {
    const values = first(any.arrayValue)?.values;
    return Array.isArray(values) ? values.map((item) => anyValue(item, depth + 1)) : [];
  }
  if (any.kvlistValue !== undefined) {
    return Object.fromEntries(attributesOf(first(any.kvlistValue)?.values, depth + 1));
  }
  return typeof any.bytesValue === 'string' ? any.bytesValue : null;
}

/** An integer comes as a number or as decimal text; one that a double cannot hold stays text. */
function integerOf(value: unknown): Json {
  const number = asNumber(value);
  return Number.isSafeInteger(number) ? number : asText(value);
}

/** NaN and the infinities have no JSON number; they stay the words that OTLP/JSON uses. */
function numberOf(value: unknown): Json {
  const number = asNumber(value);
  return Number.isFinite(number) ? number : asText(value);
}
