import type { Observation } from '../contract/index.ts';
import { parseEnvelope } from './export.ts';
import { type LogEvent, readOtlpLogs, type SpanEvent } from './otlp.ts';
import { eventPayload } from './payload.ts';
import { readOtlpLogsProtobuf } from './protobuf.ts';
import type { Arrival, TraceRecord } from './record.ts';

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

/** Content that came as log records, by the span that it belongs to. */
export class SpanLogs {
  readonly #events = new Map<string, SpanEvent[]>();
  #count = 0;

  add(events: readonly LogEvent[]): void {
    for (const event of events) {
      const key = keyOf(event.traceId, event.spanId);
      const known = this.#events.get(key) ?? [];
      known.push({ name: event.name, attributes: event.attributes });
      this.#events.set(key, known);
      this.#count++;
    }
    for (const [key, old] of this.#events) {
      if (this.#count <= MAX_KEPT) break;
      this.#events.delete(key);
      this.#count -= old.length;
    }
  }

  /** What the records of these spans say, where a span has come before: each joins the arrival of its span. */
  arrivals(events: readonly LogEvent[], isThere: (traceId: string, spanId: string) => boolean): Arrival[] {
    const spans = new Map(events.map((event) => [keyOf(event.traceId, event.spanId), event]));
    return [...spans]
      .filter(([, { traceId, spanId }]) => isThere(traceId, spanId))
      .map(([key, { traceId, spanId }]) => logArrival(traceId, spanId, this.#events.get(key) ?? []));
  }

  /** An arrival of a span, with what its records said before it came. */
  withLogs(arrival: Arrival): Arrival {
    const events = this.#events.get(keyOf(arrival.traceId, arrival.id));
    return events === undefined ? arrival : logArrival(arrival.traceId, arrival.id, events).join(arrival);
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
