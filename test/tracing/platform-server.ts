import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Json, type JsonObject, parseJson } from '../../src/json/index.ts';
import type { Observation, Trace } from '../../src/trace/index.ts';
import type { Arrival, TraceRecord } from '../../src/tracing/mapping/trace-record.ts';
import { ingestionReader } from '../../src/tracing/receiver/ingestion.ts';
import type { Clock } from '../../src/tracing/waiting/clock.ts';
import { assembleTrace, tracesIn } from './traces-in.ts';

const live = new URL('fixtures/live/', import.meta.url);

export interface Exchange {
  label: string;
  request: { method: string; path: string; headers: Record<string, string>; body?: Json; bodyBase64?: string };
  response: Answered;
}
export interface Answered {
  status: number;
  headers?: Record<string, string>;
  body: Json;
}

/** The recorded exchanges of one file. */
export function exchanges(name: string): Exchange[] {
  return (JSON.parse(readFileSync(new URL(`${name}.json`, live), 'utf8')) as { exchanges: Exchange[] }).exchanges;
}

export type Handler = (url: URL, request: IncomingMessage, body: Buffer) => Answered | undefined;

export interface PlatformServer extends AsyncDisposable {
  readonly url: string;
  /** What was asked for, path and query decoded, in order. */
  readonly asked: string[];
}

export const KEYS = { publicKey: 'pk-lf-test-project', secretKey: 'sk-lf-very-secret' };
const AUTHORIZATION = `Basic ${Buffer.from(`${KEYS.publicKey}:${KEYS.secretKey}`).toString('base64')}`;

/** A server on a free port that knows one pair of keys. What the handler leaves unanswered is a page of HTML. */
export async function serve(
  handler: (...asked: Parameters<Handler>) => ReturnType<Handler> | Promise<ReturnType<Handler>>,
): Promise<PlatformServer> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const url = new URL(request.url ?? '/', 'http://platform');
    asked.push(decodeURIComponent(request.url ?? '').replaceAll('+', ' '));
    const { status, headers, body } = (await handler(url, request, sent)) ?? notThere;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, {
      'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
      ...headers,
    });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A page of HTML. */
const notThere = exchanges('v2.missing-endpoints')[0]?.response as Answered;
const [disabled] = exchanges('v4-events_only.disabled-endpoints').map(({ response }) => response);
const unauthorized = exchanges('v4-events_only.auth-errors')[0]?.response as Answered;

/** The write modes of version 4, and version 2, which knows neither filter nor fields. */
export type Mode = 'v2' | 'dual' | 'events_only' | 'legacy';

export interface Stored {
  /** Bodies of `GET /traces/{id}`. */
  readonly traces?: readonly JsonObject[];
  /** Rows of `GET /v2/observations`. */
  readonly rows?: readonly JsonObject[];
}

/** Answers as a real server of this mode does that holds these traces. */
export function platform(mode: Mode, stored: Stored | (() => Stored)): Handler {
  return (url, { headers }) => {
    const { traces = [], rows = [] } = typeof stored === 'function' ? stored() : stored;
    const one = /^\/api\/public\/traces(?:\/([^/]+))?$/.exec(url.pathname);
    // In this mode the server answers before it checks the keys.
    if (one !== null && mode === 'events_only') return disabled;
    if (url.pathname === '/api/public/v2/observations' && mode === 'v2') return notThere;
    if (headers.authorization !== AUTHORIZATION) return unauthorized;
    if (url.pathname === '/api/public/observations' && mode !== 'events_only') return observationsOf(traces, url);
    if (one !== null) return one[1] === undefined ? listed(traces, url, mode) : found(traces, one[1]);
    if (url.pathname === '/api/public/v2/observations')
      return refused(url) ?? rowsOf(mode === 'legacy' ? [] : rows, url);
    return undefined;
  };
}

/** The same server with a rate limit, as the vendor's cloud has: so many reads a minute, named in headers. */
export function limited(handler: Handler, perMinute: number, now: () => number): Handler {
  let [window, made] = [Number.NaN, 0];
  return (url, request, body) => {
    const minute = Math.floor(now() / 60_000);
    if (minute !== window) [window, made] = [minute, 0];
    made++;
    const resetMs = (minute + 1) * 60_000 - now();
    const headers = {
      'x-ratelimit-limit': String(perMinute),
      'x-ratelimit-remaining': String(Math.max(0, perMinute - made)),
      'x-ratelimit-reset': new Date((minute + 1) * 60_000).toISOString(),
    };
    if (made > perMinute) {
      const retryAfter = String(Math.ceil(resetMs / 1_000));
      return {
        status: 429,
        headers: { ...headers, 'retry-after': retryAfter },
        body: { message: 'Rate limit exceeded' },
      };
    }
    const answer = handler(url, request, body);
    return answer && { ...answer, headers: { ...answer.headers, ...headers } };
  };
}

function found(traces: readonly JsonObject[], id: string): Answered {
  const body = traces.find((trace) => trace.id === id);
  return body === undefined
    ? {
        status: 404,
        body: { message: `Trace ${id} not found within authorized project`, error: 'LangfuseNotFoundError' },
      }
    : { status: 200, body };
}

function listed(traces: readonly JsonObject[], { searchParams }: URL, mode: Mode): Answered {
  const limit = Number(searchParams.get('limit') ?? 50);
  const page = Number(searchParams.get('page') ?? 1);
  const groups = searchParams.get('fields')?.split(',') ?? [];
  const isMeant = every<JsonObject>(searchParams, {
    filter: (trace, filter) => mode === 'v2' || matches(trace, filter),
    fromTimestamp: (trace, from) => String(trace.timestamp) >= from,
    toTimestamp: (trace, to) => String(trace.timestamp) < to,
    sessionId: (trace, id) => trace.sessionId === id,
    name: (trace, name) => trace.name === name,
  });
  const found = newestFirst(traces, 'timestamp').filter(isMeant);
  const meta = { page, limit, totalItems: found.length, totalPages: Math.ceil(found.length / limit) };
  const data = found.slice((page - 1) * limit, page * limit).map((trace) => ({
    ...trace,
    ...(mode === 'v2' || groups.includes('io') ? {} : { metadata: {}, input: null, output: null }),
    observations: (trace.observations as JsonObject[]).map(({ id }) => id ?? null),
  }));
  return { status: 200, body: { data: data as unknown as Json, meta } };
}

function observationsOf(traces: readonly JsonObject[], { searchParams }: URL): Answered {
  const limit = Number(searchParams.get('limit') ?? 50);
  const page = Number(searchParams.get('page') ?? 1);
  const data = traces
    .flatMap(({ observations }) => observations as JsonObject[])
    .filter((row) => String(row.startTime) >= (searchParams.get('fromStartTime') ?? ''))
    .filter((row) => String(row.startTime) < (searchParams.get('toStartTime') ?? '9'));
  const meta = { page, limit, totalItems: data.length, totalPages: Math.ceil(data.length / limit) };
  return { status: 200, body: { data: data.slice((page - 1) * limit, page * limit), meta } };
}

function rowsOf(rows: readonly JsonObject[], { searchParams }: URL): Answered {
  const limit = Number(searchParams.get('limit') ?? 50);
  const groups = searchParams.get('fields')?.split(',') ?? ['core', 'basic'];
  const isMeant = every<JsonObject>(searchParams, {
    traceId: (row, id) => row.traceId === id,
    sessionId: (row, id) => row.sessionId === id,
    isRootObservation: (row) => row.isRootObservation === true,
    filter: (row, filter) => matches(row, filter),
    fromStartTime: (row, from) => String(row.startTime) >= from,
    toStartTime: (row, to) => String(row.startTime) < to,
    name: (row, name) => row.name === name,
  });
  const found = newestFirst(rows, 'startTime').filter(isMeant);
  const start = Number(searchParams.get('cursor') ?? 0);
  const end = start + limit;
  const data = found.slice(start, end).map((row) => {
    const { input: _i, output: _o, metadata: _m, ...rest } = row;
    return {
      ...rest,
      ...(groups.includes('io') ? { input: row.input ?? null, output: row.output ?? null } : {}),
      ...(groups.includes('metadata') ? { metadata: row.metadata ?? null } : {}),
    };
  });
  const meta: JsonObject = end < found.length ? { cursor: String(end) } : {};
  return { status: 200, body: { data: data as unknown as Json, meta } };
}

/** Whether a row is all that the given parameters ask for. */
function every<Row>(
  searchParams: URLSearchParams,
  conditions: Readonly<Record<string, (row: Row, value: string) => boolean>>,
): (row: Row) => boolean {
  const given = Object.entries(conditions).flatMap(([key, isMeant]) => {
    const value = searchParams.get(key);
    return value === null ? [] : [(row: Row) => isMeant(row, value)];
  });
  return (row) => given.every((isMeant) => isMeant(row));
}

/** Sorted once: a test may hold a hundred thousand. */
const sorted = new WeakMap<readonly JsonObject[], JsonObject[]>();

function newestFirst(rows: readonly JsonObject[], key: string): readonly JsonObject[] {
  const known = sorted.get(rows);
  if (known?.length === rows.length) return known;
  const made = rows.toSorted((a, b) =>
    String(a[key]) < String(b[key]) ? 1 : String(a[key]) > String(b[key]) ? -1 : 0,
  );
  sorted.set(rows, made);
  return made;
}

interface Condition {
  readonly type: string;
  readonly column: string;
  readonly key?: string;
  readonly operator: string;
  readonly value: string;
}

const parsed = new Map<string, readonly Condition[]>();

function conditionsIn(filter: string): readonly Condition[] {
  const conditions = parsed.get(filter) ?? (JSON.parse(filter) as Condition[]);
  parsed.set(filter, conditions);
  return conditions;
}

/** As the recorded server answered (4.16.0). */
const ioRefused: Answered = {
  status: 400,
  body: {
    message: 'Input/output filters require at least one `matches` or `=` operator.',
    error: 'InvalidRequestError',
  },
};

/** Inputs and outputs are looked through by their index alone. */
function refused({ searchParams }: URL): Answered | undefined {
  const onContent = conditionsIn(searchParams.get('filter') ?? '[]').filter(({ column }) =>
    /^(in|out)put$/.test(column),
  );
  const isRefused = onContent.length > 0 && !onContent.some(({ operator }) => /^(=|matches)$/.test(operator));
  return isRefused ? ioRefused : undefined;
}

function matches(row: JsonObject, filter: string): boolean {
  return conditionsIn(filter).every(({ column, key, operator, value }) => {
    const stored = column === 'metadata' ? (row.metadata as JsonObject | null)?.[key ?? ''] : columnOf(row, column);
    if (stored === undefined || stored === null) return false;
    const text = typeof stored === 'object' ? JSON.stringify(stored) : String(stored);
    if (operator === '=') return text === value;
    if (operator === 'starts with') return text.startsWith(value);
    if (operator === 'contains') return text.includes(value);
    // Metadata is searched case-sensitively, inputs and outputs are not (read in the server's source, 4.16.0).
    if (operator === 'matches' && column === 'metadata') return hasWords(text, value);
    if (operator === 'matches') return hasWords(text.toLowerCase(), value.toLowerCase());
    throw new Error(`not known: ${operator}`);
  });
}

/** A root without a trace's name has its own. */
function columnOf(row: JsonObject, column: string): Json | undefined {
  return column === 'traceName' ? (row.traceName ?? row.name) : row[column];
}

/** Whether the text contains the value itself, and each of its words as a whole word. */
function hasWords(text: string, value: string): boolean {
  const wordsIn = (of: string) => new Set(of.match(/[\p{L}\p{N}]+/gu));
  const there = wordsIn(text);
  return text.includes(value) && [...wordsIn(value)].every((word) => there.has(word));
}

/** A platform that takes exports as OTLP/JSON and answers as version 4 does: a row for each observation. */
export function ingestingPlatform(): Handler {
  const rows: JsonObject[] = [];
  const reads = platform('events_only', () => ({ rows }));
  return (url, request, body) => {
    if (url.pathname !== '/api/public/otel/v1/traces') return reads(url, request, body);
    if (request.headers.authorization !== AUTHORIZATION) return unauthorized;
    for (const trace of tracesIn(body.toString())) {
      rows.push(...trace.observations.map((each) => rowOf(trace, each)));
    }
    return { status: 200, body: { name: 'otel-ingestion-job' } };
  };
}

/** A platform of version 2, to which SDKs before OpenTelemetry send events: it makes bodies of traces of them. */
export function ingestingOlderPlatform(): Handler {
  const read = ingestionReader();
  const arrivals = new Map<string, Arrival>();
  const reads = platform('v2', () => {
    const records = [...arrivals.values()].map((arrival) => arrival.record());
    return { traces: [...Map.groupBy(records, ({ traceId }) => traceId).values()].map(bodyOf) };
  });
  return (url, request, body) => {
    if (url.pathname !== '/api/public/ingestion') return reads(url, request, body);
    if (request.headers.authorization !== AUTHORIZATION) return unauthorized;
    const batch = read(parseJson(body.toString()));
    for (const arrival of batch?.arrivals ?? []) {
      const earlier = arrivals.get(arrival.id);
      arrivals.set(arrival.id, earlier === undefined ? arrival : (arrival.join?.(earlier) ?? arrival));
    }
    return { status: 207, body: { successes: batch?.eventIds.map((id) => ({ id, status: 201 })) ?? [], errors: [] } };
  };
}

/** A trace as `GET /traces/{id}` of version 2 has it. */
function bodyOf(records: readonly TraceRecord[]): JsonObject {
  const trace = assembleTrace(records);
  const { id, name, timestamp, sessionId, metadata, input, output } = trace;
  const rows = records.flatMap(({ observation }) => (observation ? rowOf(trace, observation) : []));
  return {
    id,
    name: name ?? '',
    timestamp,
    sessionId: sessionId ?? null,
    metadata,
    input: input ?? null,
    output: output ?? null,
    updatedAt: null,
    observations: rows,
  };
}

/** An observation as version 4 has it. */
export function rowOf(trace: Trace, observation: Observation): JsonObject {
  const { parentId, type, input, output, callId, metadata, ...rest } = observation;
  const isTop = !trace.observations.some(({ id }) => id === parentId);
  return {
    ...(rest as unknown as JsonObject),
    traceId: trace.id,
    parentObservationId: parentId,
    isRootObservation: isTop,
    type: type.toUpperCase(),
    input: asText(input),
    output: asText(output),
    metadata: { ...metadata, ...(callId === undefined ? {} : { attributes: { 'gen_ai.tool.call.id': callId } }) },
    sessionId: trace.sessionId ?? '',
    traceName: trace.name ?? null,
  };
}

function asText(value: Json | undefined): string | null {
  return value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);
}

interface Timeline {
  mode: string;
  traceId: string;
  svc_replay_run_id: string;
  series: Record<string, { elapsedMs: number; response?: Answered; sameResponseAsIndex?: number }[]>;
}

/** The recorded arrival of one trace: the server's answers at each moment. */
export function timeline(name: string): Timeline & { at(elapsedMs: () => number): Handler } {
  const recorded = JSON.parse(readFileSync(new URL(`timeline-${name}.json`, live), 'utf8')) as Timeline;
  const answerAt = (series: string, elapsedMs: number): Answered | undefined => {
    const answers = recorded.series[series];
    const last = answers?.findLast((answer) => answer.elapsedMs <= elapsedMs) ?? answers?.[0];
    return last?.response ?? answers?.[last?.sameResponseAsIndex ?? 0]?.response;
  };
  return {
    ...recorded,
    at: (elapsedMs) => (url, request) => {
      const isFilter = url.searchParams.has('filter');
      const isRead = url.searchParams.has('traceId') || /traces\/./.test(url.pathname);
      const isTraces = url.pathname.startsWith('/api/public/traces');
      const mode = name.startsWith('v2') ? 'v2' : name.includes('events_only') ? 'events_only' : 'dual';
      const byMode = platform(mode, {});
      const other = byMode(url, request, Buffer.alloc(0));
      if (other?.status !== 200 && !isRead) return other;
      const series = isTraces
        ? isRead
          ? 'traces/{id}'
          : 'traces?filter=metadata'
        : isRead
          ? 'v2/observations?traceId'
          : 'v2/observations?filter=metadata';
      return isFilter || isRead ? answerAt(series, elapsedMs()) : other;
    },
  };
}

/** A clock that moves only when somebody sleeps. Deadlines are moments on it. */
export interface VirtualClock extends Clock {
  elapsedMs(): number;
  pass(ms: number): void;
  /** Aborted when so much time has passed. */
  deadline(ms: number): AbortSignal;
}

export function virtualClock(): VirtualClock {
  const start = Date.parse('2026-11-21T00:40:00.000Z');
  const deadlines: { at: number; controller: AbortController }[] = [];
  let elapsed = 0;
  const pass = (ms: number): void => {
    elapsed += ms;
    for (const { at, controller } of deadlines) if (at <= elapsed) controller.abort();
  };
  return {
    now: () => start + elapsed,
    elapsedMs: () => elapsed,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      pass(ms);
    },
    pass,
    deadline: (ms) => {
      const controller = new AbortController();
      deadlines.push({ at: ms, controller });
      return controller.signal;
    },
  };
}
