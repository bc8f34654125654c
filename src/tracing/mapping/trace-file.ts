import type { Identifiers } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject, spelledOut } from '../../json/index.ts';
import { parseEnvelope } from './export.ts';
import { type ExportedSpan, isRun, spansOf } from './exports/langsmith-runs.ts';
import { isPlain, readPlain } from './exports/plain-traces.ts';
import { contentIn, SpanLogs } from './logs.ts';
import { spanMapper } from './mapping.ts';
import { OtlpError, readOtlpJson, readOtlpLogs } from './otlp.ts';
import { rowReader } from './rows.ts';
import type { Arrival, TraceRecord } from './trace-record.ts';

/**
 * Reads a file of traces, or already parsed documents of one.
 * @throws AgentReplayError `TRACE_INVALID` with the line if known
 */
type TraceFileReader = (content: string | readonly JsonObject[]) => Arrival[];

/**
 * Reads trace files: OTLP/JSON exports, data of the tracing platform (bodies and rows of its read APIs and exports), runs of
 * LangSmith, or the JSON of docs/sources.md. As one document, an array, or one document per line.
 */
export function traceFileReader(options: { readonly identifiers?: Identifiers } = {}): TraceFileReader {
  const mapped = spanMapper(options);
  const rows = rowReader(options);
  const logs = new SpanLogs();
  const exported = ({ span, isEnded }: ExportedSpan): Arrival => {
    const arrival = mapped(span);
    return isEnded ? arrival : { ...arrival, record: () => unended(arrival.record()) };
  };
  const arrivalsOf = (value: unknown): Arrival[] => {
    if (Array.isArray(value)) return value.flatMap(arrivalsOf);
    const document = value as Json;
    if (!isJsonObject(document)) return [];
    if ('resourceSpans' in document) return readOtlpJson(document).spans.map(mapped);
    // A collector may write all signals into one file.
    if ('resourceLogs' in document) logs.add(contentIn(readOtlpLogs(document)), 0);
    if ('resourceLogs' in document || 'resourceMetrics' in document) return [];
    if (isRun(document)) return spansOf(document).map(exported);
    if (isPlain(document)) {
      return readPlain(document).map((record) =>
        arrived(record, rows.replayRunId({ metadata: record.trace.metadata })),
      );
    }
    const inside = rowsIn(document);
    if (inside !== undefined) return inside.flatMap(arrivalsOf);
    return platformRecords(inCamelCase(document), rows).map((record) => arrived(record, rows.replayRunId(document)));
  };
  const read: TraceFileReader = (text) => {
    if (typeof text !== 'string') return attempt(() => arrivalsOf(text), undefined);
    const trimmed = text.trim();
    if (trimmed === '') return [];
    const whole = parsed(trimmed);
    if (!(whole instanceof OtlpError)) return attempt(() => arrivalsOf(whole), undefined);
    const lines = trimmed.split('\n');
    if (lines.length === 1) throw invalid(whole, undefined);
    return lines.flatMap((line, index) =>
      line.trim() === '' ? [] : attempt(() => arrivalsOf(parseEnvelope(line)), index + 1),
    );
  };
  return (content) => read(content).map((arrival) => logs.withLogs(arrival));
}

/** Records by trace and by id. A later record of the same id replaces the earlier. */
export function byTrace(arrivals: readonly Arrival[]): Map<string, Map<string, Arrival>> {
  const traces = new Map<string, Map<string, Arrival>>();
  for (const arrival of arrivals) {
    const known = traces.get(arrival.traceId) ?? new Map<string, Arrival>();
    traces.set(arrival.traceId, known.set(arrival.id, arrival));
  }
  return traces;
}

/** A trace with its observations, a trace alone, or an observation that names its trace. */
function platformRecords(row: JsonObject, rows: ReturnType<typeof rowReader>): TraceRecord[] {
  if (typeof row.traceId === 'string') {
    const record = rows.observation(row);
    if (record !== undefined) return [record];
  } else if (typeof row.id === 'string' && typeof row.timestamp === 'string') {
    return rows.trace(row);
  }
  throw new OtlpError(
    `it holds neither OTLP spans (resourceSpans), nor traces or observations of Langfuse, nor runs of LangSmith, nor traces of docs/sources.md`,
  );
}

function arrived(record: TraceRecord, replayRunId: string | undefined): Arrival {
  const { traceId, observation } = record;
  return { traceId, id: observation?.id ?? `trace ${traceId}`, replayRunId, record: () => record };
}

function rowsIn(document: JsonObject): Json[] | undefined {
  if ('id' in document) return undefined;
  return [document.data, document.runs, document.items].find((rows) => Array.isArray(rows));
}

function unended(record: TraceRecord): TraceRecord {
  const { observation } = record;
  return observation === undefined ? record : { ...record, observation: { ...observation, endTime: null } };
}

/** Exports to blob storage spell keys with underscores, and times in UTC without a zone. */
function inCamelCase(row: JsonObject): JsonObject {
  const entries = Object.entries(row).map(([key, value]): [string, Json] => {
    const name = key.replace(/(?<=[a-z0-9])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const isTime = typeof value === 'string' && TIME_WITHOUT_ZONE.test(value) && TIME_NAME.test(name);
    return [name, isTime ? `${value.replace(' ', 'T')}Z` : name === 'metadata' ? spelledOut(value) : value];
  });
  return Object.fromEntries(entries);
}

const TIME_WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?$/;
const TIME_NAME = /^timestamp$|Time$|At$/;

function parsed(text: string): unknown {
  try {
    return parseEnvelope(text);
  } catch (error) {
    if (error instanceof OtlpError) return error;
    throw error;
  }
}

function attempt<T>(read: () => T, line: number | undefined): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof OtlpError) throw invalid(error, line);
    throw error;
  }
}

function invalid(error: OtlpError, line: number | undefined): AgentReplayError {
  const where = line === undefined ? '' : ` in line ${line}`;
  return new AgentReplayError('TRACE_INVALID', `These are not traces${where}.`, {
    evidence: [error.message],
    hint: 'Give OTLP/JSON as a file exporter writes it, an export of a tracing platform (JSON, JSON lines), or the JSON that docs/sources.md describes.',
    cause: error,
  });
}
