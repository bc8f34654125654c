import type { Observation } from '../../trace/index.ts';
import { envelopeIn } from './export.ts';
import { type LogEvent, readOtlpLogs, type SpanEvent } from './otlp.ts';
import { eventPayload } from './payload.ts';
import { LOGS } from './protobuf.ts';
import type { Arrival, TraceRecord } from './trace-record.ts';

/** Log events with a model's input and output; others are dropped unread. */
const CONTENT = /^gen_ai\./;

/**
 * Newer instrumentations write a model's input and output as log records beside its span.
 * @throws OtlpError if it is not an OTLP export of logs
 */
export function readLogs(body: Buffer, contentType: string): LogEvent[] {
  return contentIn(readOtlpLogs(envelopeIn(body, contentType, LOGS)));
}

/** The records that belong to a span and have content. */
export function contentIn(events: readonly LogEvent[]): LogEvent[] {
  return events.filter(({ spanId, name }) => spanId !== '' && CONTENT.test(name));
}

/** Logs are sent when made, spans when ended. */
const MAX_KEPT = 10_000;
/** Of the exports that they came in. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

interface Kept {
  readonly events: SpanEvent[];
  bytes: number;
}

/** Content from log records, by the span it belongs to. */
export class SpanLogs {
  readonly #kept = new Map<string, Kept>();
  /** Traces of spans that came, for records that name only their span. */
  readonly #traces = new Map<string, string>();
  #count = 0;
  #bytes = 0;

  /** @param bytes of their export; if there are too many, the oldest records are dropped */
  add(events: readonly LogEvent[], bytes: number): void {
    const bytesEach = bytes / Math.max(events.length, 1);
    for (const event of events) {
      const key = event.spanId;
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

  /** Content of these records for spans that have already arrived: each joins its span's arrival. */
  arrivals(events: readonly LogEvent[], isThere: (traceId: string, spanId: string) => boolean): Arrival[] {
    const spans = new Map(events.map(({ traceId, spanId }) => [spanId, traceId || this.#traces.get(spanId)]));
    return [...spans].flatMap(([spanId, traceId = '']) =>
      isThere(traceId, spanId) ? logArrival(traceId, spanId, this.#kept.get(spanId)?.events ?? []) : [],
    );
  }

  /** A span's arrival, with the content of records that came before it. */
  withLogs(arrival: Arrival): Arrival {
    this.#traces.set(arrival.id, arrival.traceId);
    const [oldest] = this.#traces.keys();
    if (this.#traces.size > MAX_KEPT && oldest !== undefined) this.#traces.delete(oldest);
    const kept = this.#kept.get(arrival.id);
    return kept === undefined ? arrival : logArrival(arrival.traceId, arrival.id, kept.events).join(arrival);
  }
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
      // The span of an export that is read again replaces the one before.
      join: () => join(earlier),
    };
  };
  return {
    traceId,
    id,
    replayRunId: undefined,
    record: () => ({ traceId, trace: { metadata: {} }, isRoot: false }),
    join,
  };
}

/** What the span itself says counts. */
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
