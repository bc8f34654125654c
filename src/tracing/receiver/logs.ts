import type { Observation } from '../../trace/index.ts';
import { type LogEvent, readOtlpLogs, type SpanEvent } from '../mapping/otlp.ts';
import { eventPayload } from '../mapping/payload.ts';
import { readOtlpLogsProtobuf } from '../mapping/protobuf.ts';
import type { Arrival, TraceRecord } from '../mapping/record.ts';
import { parseEnvelope } from './export.ts';

/** Of the events that a log holds these say what a model was given and put out; others are dropped unread. */
const CONTENT = /^gen_ai\./;

/**
 * Reads the body of an OTLP export of logs: newer instrumentations write what a model was given and put out as records
 * beside its span.
 * @throws OtlpError when it is none
 */
export function readLogs(body: Buffer, contentType: string): LogEvent[] {
  const isJson = contentType === 'application/json' || (contentType === '' && body[0] === 0x7b);
  return contentIn(isJson ? readOtlpLogs(parseEnvelope(body.toString('utf8'))) : readOtlpLogsProtobuf(body));
}

/** Of all records those of spans that hold content. */
export function contentIn(events: readonly LogEvent[]): LogEvent[] {
  return events.filter(({ traceId, spanId, name }) => traceId !== '' && spanId !== '' && CONTENT.test(name));
}

/** What agents may log before its span has come; spans come when they end, and logs when they are made. */
const MAX_KEPT = 10_000;
/** Of the exports that they came in. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

interface Kept {
  readonly events: SpanEvent[];
  bytes: number;
}

/** Content that came as log records, by the span that it belongs to. */
export class SpanLogs {
  readonly #kept = new Map<string, Kept>();
  #count = 0;
  #bytes = 0;

  /** @param bytes of the export that they came in; the oldest records are let go where there are too many */
  add(events: readonly LogEvent[], bytes: number): void {
    const bytesEach = bytes / Math.max(events.length, 1);
    for (const event of events) {
      const key = keyOf(event.traceId, event.spanId);
      const kept = this.#kept.get(key) ?? { events: [], bytes: 0 };
      kept.events.push({ name: event.name, attributes: event.attributes });
      kept.bytes += bytesEach;
      this.#kept.set(key, kept);
    }
    this.#count += events.length;
    this.#bytes += bytes;
    for (const [key, old] of this.#kept) {
      if (this.#count <= MAX_KEPT && this.#bytes <= MAX_KEPT_BYTES) break;
      this.#kept.delete(key);
      this.#count -= old.events.length;
      this.#bytes -= old.bytes;
    }
  }

  /** What the records of these spans say, where a span has come before: each joins the arrival of its span. */
  arrivals(events: readonly LogEvent[], isThere: (traceId: string, spanId: string) => boolean): Arrival[] {
    const spans = new Map(events.map((event) => [keyOf(event.traceId, event.spanId), event]));
    return [...spans]
      .filter(([, { traceId, spanId }]) => isThere(traceId, spanId))
      .map(([key, { traceId, spanId }]) => logArrival(traceId, spanId, this.#kept.get(key)?.events ?? []));
  }

  /** An arrival of a span, with what its records said before it came. */
  withLogs(arrival: Arrival): Arrival {
    const kept = this.#kept.get(keyOf(arrival.traceId, arrival.id));
    return kept === undefined ? arrival : logArrival(arrival.traceId, arrival.id, kept.events).join(arrival);
  }
}

function keyOf(traceId: string, spanId: string): string {
  return `${traceId} ${spanId}`;
}

function logArrival(traceId: string, id: string, events: readonly SpanEvent[]): Required<Arrival> {
  const join = (earlier: Arrival): Required<Arrival> => {
    let record: TraceRecord | undefined;
    return {
      traceId,
      id,
      replayRunId: earlier.replayRunId,
      record: () => {
        record ??= filled(earlier.record(), events);
        return record;
      },
      // The span of an export that is read again takes the place of the one before.
      join: () => join(earlier),
    };
  };
  return {
    traceId,
    id,
    replayRunId: undefined,
    record: () => ({ traceId, trace: { metadata: {} }, isRoot: false, isModelCall: false }),
    join,
  };
}

/** What the span said itself counts. */
function filled(record: TraceRecord, events: readonly SpanEvent[]): TraceRecord {
  const { observation } = record;
  if (observation === undefined) return record;
  const { input, output } = eventPayload(events);
  const added: Partial<Observation> = {
    ...(observation.input === undefined && input !== undefined ? { input } : {}),
    ...(observation.output === undefined && output !== undefined ? { output } : {}),
  };
  return { ...record, observation: { ...observation, ...added } };
}
