import type { Identifiers, Trace } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import { assembleTrace } from './assemble.ts';
import { spanMapper } from './mapping.ts';
import { type Export, OtlpError, readOtlpJson } from './otlp.ts';
import { readOtlpProtobuf } from './protobuf.ts';
import type { Arrival } from './record.ts';

/**
 * Reads the body of one OTLP export. Whatever does not call itself JSON is protobuf, unless it starts like JSON.
 * @throws OtlpError when it is neither
 */
export function readExport(body: Buffer, contentType: string): Export {
  const isJson = contentType === 'application/json' || (contentType === '' && body[0] === 0x7b);
  if (!isJson) return readOtlpProtobuf(body);
  return readOtlpJson(parseEnvelope(body.toString('utf8')));
}

/**
 * The traces of an OTLP/JSON file: one export, an array of exports, or one export a line.
 * @throws AgentReplayError `TRACE_INVALID` with the line where it is known
 */
export function tracesFromOtlp(text: string, options: { identifiers?: Identifiers } = {}): Trace[] {
  const mapped = spanMapper(options);
  const traces = new Map<string, Map<string, Arrival>>();
  for (const { spans } of exportsIn(text)) {
    for (const span of spans) {
      const arrivals = traces.get(span.traceId) ?? new Map<string, Arrival>();
      traces.set(span.traceId, arrivals.set(span.spanId, mapped(span)));
    }
  }
  return [...traces.values()].map((arrivals) =>
    assembleTrace([...arrivals.values()].map((arrival) => arrival.record())),
  );
}

function exportsIn(text: string): Export[] {
  const trimmed = text.trim();
  const whole = attempt(() => parseEnvelope(trimmed));
  if (whole.error === undefined) {
    const exports = Array.isArray(whole.value) ? whole.value : [whole.value];
    return exports.map((value) => readLine(() => readOtlpJson(value), undefined));
  }
  const lines = trimmed.split('\n');
  if (lines.length === 1) throw invalid(whole.error, undefined);
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [readLine(() => readOtlpJson(parseEnvelope(line)), index + 1)],
  );
}

function readLine(read: () => Export, line: number | undefined): Export {
  const { value, error } = attempt(read);
  if (value === undefined) throw invalid(error, line);
  return value;
}

/**
 * `JSON.parse` and not `parseJson`: envelopes are full of nanoseconds in text, which would put every one on the slow
 * path that keeps digits. Depth is bounded where values are read; what is JSON inside of them goes through `parseJson`.
 */
function parseEnvelope(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw new OtlpError(`the body is not JSON: ${(error as Error).message.slice(0, 200)}`, { cause: error });
  }
}

function attempt<T>(read: () => T): { value?: T; error?: OtlpError } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof OtlpError) return { error };
    throw error;
  }
}

function invalid(error: OtlpError | undefined, line: number | undefined): AgentReplayError {
  const where = line === undefined ? '' : ` in line ${line}`;
  return new AgentReplayError('TRACE_INVALID', `This is not an OTLP/JSON export${where}.`, {
    evidence: error === undefined ? [] : [error.message],
    hint: 'Give a file with one export, or one export a line, as an OTLP file exporter writes them.',
    cause: error,
  });
}
