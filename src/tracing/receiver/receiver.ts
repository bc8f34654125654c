import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { free, sleep } from '../../bounded/index.ts';
import { type Identifiers, isSameToken } from '../../contract/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { Refusal, type Served } from '../../http/index.ts';
import { type Json, JsonError, type JsonObject, parseJson } from '../../json/index.ts';
import { withoutHugeTextsIn } from '../../trace/index.ts';
import { type Forwarded, Forwarder, type ForwardOptions, type Parcel } from '../forward/forwarder.ts';
import { readExport } from '../mapping/export.ts';
import { readLogs, SpanLogs } from '../mapping/logs.ts';
import { isRootSpan, spanMapper } from '../mapping/mapping.ts';
import { OtlpError, type Span } from '../mapping/otlp.ts';
import { traceFields } from '../mapping/trace-fields.ts';
import type { Arrival } from '../mapping/trace-record.ts';
import {
  type Account,
  authorizationOf,
  type Environment,
  langsmithToReceiver,
  tracingEnvironment,
} from '../tracing-environment.ts';
import type { Clock } from '../waiting/clock.ts';
import type { TraceSource } from '../waiting/source.ts';
import { delivery } from './delivery.ts';
import { ingestionReader } from './ingestion.ts';
import { mediaRoutes } from './media.ts';
import { type AgentReads, PassedReads } from './reads.ts';
import { type Reply, type Request, type Route, type ServerOptions, serveTraces } from './server.ts';
import { star } from './star.ts';
import { type StoreLimits, TraceStore } from './store.ts';
import type { SeenTurn } from './turns.ts';

export interface ReceiverOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Default: a pair made for the run. */
  readonly publicKey?: string;
  readonly secretKey?: string;
  readonly identifiers?: Identifiers;
  readonly limits?: Partial<ReceiverLimits>;
  /** Silence that makes a complete trace final, in milliseconds. Default: 250. */
  readonly quietMs?: number;
  /** Silence after which missing spans and tool results count as never coming, in milliseconds. Default: 6000. */
  readonly settleMs?: number;
  /** Forwards traces to a platform, in the background. */
  readonly forward?: ForwardOptions;
  /** Where an agent's other reads go, such as those of prompts. */
  readonly readsFrom?: Account;
  /** Takes every span as it came, before it is processed. */
  readonly onSpan?: (span: SeenSpan) => void;
  /** Takes an error of the receiver's own, to which no span of the agent may be attributed. */
  readonly onDefect?: ServerOptions['onDefect'];
  /** Called once, if spans with this run's keys came that cannot be read: nobody knows what they tell. */
  readonly onLost?: (error: AgentReplayError) => void;
  /** Called with every trace that is not a replay's, each time it has become quiet. */
  readonly onTurn?: (turn: SeenTurn) => void;
  /** For tests. */
  readonly clock?: Clock;
}

/** A span, or an event of the older ingestion API, as an agent sent it. */
export interface SeenSpan {
  readonly traceId: string;
  readonly id: string;
  readonly name: string;
  /** What it says about its trace; undefined if an SDK says that once for the whole trace. */
  readonly metadata: JsonObject | undefined;
  /** All its attributes, including its resource's. */
  readonly attributes: JsonObject;
  /** Milliseconds from its arrival to the response to the sender. */
  readonly heldMs: number;
}

export interface ReceiverLimits extends StoreLimits {
  /** Of one export, decompressed. */
  readonly bodyBytes: number;
  /** Parallel connections, including idle ones. */
  readonly connections: number;
}

/** A trace receiver in this process, to which the agent's own tracing SDK exports. Closed with `await using`. */
export interface Receiver extends Required<TraceSource> {
  /** Without a slash at the end. */
  readonly url: string;
  readonly publicKey: string;
  readonly secretKey: string;
  /**
   * Variables for the agent's environment with which its traces come here. The customer's own flush intervals
   * (`LANGFUSE_FLUSH_INTERVAL`, `OTEL_BSP_SCHEDULE_DELAY`) and timeouts (`LANGFUSE_TIMEOUT`, `OTEL_EXPORTER_OTLP_TIMEOUT`)
   * win.
   * @param theirs its own environment: an agent that traces to LangSmith is told to do so over OpenTelemetry
   */
  environment(theirs?: Environment): Record<string, string>;
  /**
   * Resolves when no response and no span of these replays has come for this many milliseconds, or longer if the agent's
   * own gaps were longer. Replays with complete span counts are not waited for.
   */
  untilSilent(replayRunIds: readonly string[], ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves when an agent has ended and everything it had sent has been read. */
  takeLast(ending: Promise<unknown>): Promise<void>;
  /** The agent in use has ended: `onTurn` gets the traces that were not quiet yet. */
  endTurns(): void;
  /**
   * From now on, exports without a root are acknowledged only after this many milliseconds. An agent that answers earlier
   * has not waited for its export.
   */
  holdExports(ms: number): void;
  /** Traces held now, late spans, requests with wrong keys, and other reads. */
  stats(): {
    readonly traces: number;
    readonly unauthorized: number;
    readonly reads: AgentReads;
  };
  /** The result of forwarding, once the receiver is closed; undefined without `forward`. */
  readonly forwarded: Promise<Forwarded> | undefined;
}

const LIMITS: ReceiverLimits = {
  // SDKs send at most 512 spans at once; with 100 KB of input each that is 50 MB.
  bodyBytes: 64 * 2 ** 20,
  spansPerTrace: 20_000,
  bytes: 256 * 2 ** 20,
  // A turn of ten observations takes two or three KB: these are some ten thousand replays.
  keptBytes: 32 * 2 ** 20,
  connections: 1_000,
};
const QUIET_MS = 250;
const SETTLE_MS = 6_000;

/**
 * Much shorter than the quiet time, so that silence means that nothing is left. Langfuse counts in seconds, OpenTelemetry
 * in milliseconds. The batch size stays: a flush sends all batches at once, and of more than 30 the exporter drops the rest
 * for good ("Concurrent export limit reached"), so small batches lose spans.
 */
const FLUSH_INTERVAL_MS = 50;
/** SDKs give up an export with its spans after 5 to 10 s, so a machine that stalls for that long would lose them. */
const EXPORT_TIMEOUT_MS = 60_000;

/** @throws AgentReplayError `RECEIVER_UNREACHABLE` if it cannot listen at the address */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const limits = { ...LIMITS, ...options.limits };
  const publicKey = options.publicKey ?? `pk-lf-${randomBytes(12).toString('hex')}`;
  const secretKey = options.secretKey ?? `sk-lf-${randomBytes(24).toString('hex')}`;
  const authorization = authorizationOf({ publicKey, secretKey });
  const patience = { quietMs: options.quietMs ?? QUIET_MS, settleMs: options.settleMs ?? SETTLE_MS };
  const store = new TraceStore(limits, patience, options);

  const forwarder = options.forward === undefined ? undefined : new Forwarder(options.forward);
  const forwarded = forwarder && Promise.withResolvers<Forwarded>();

  /** Of a body that has been read only what is passed on is kept. */
  const passOn = (request: Request, path: string): void => {
    const parcel = forwarder && parcelOf(request, path);
    for (const body of new Set([request.body, request.sent.body])) if (body !== parcel?.body) free(body);
    if (parcel !== undefined) forwarder?.take(parcel);
  };

  const mapSpan = spanMapper(options);
  const spanLogs = new SpanLogs();
  const mapped = (span: Span): Arrival => spanLogs.withLogs(mapSpan(span));
  let isTold = false;
  const lose = (reason: string, isSent: boolean, isTooLarge = false) => {
    store.noteLost(reason);
    if (!isSent || isTold) return;
    isTold = true;
    options.onLost?.(spansLost(reason, isTooLarge));
  };
  let holdMs = 0;
  const traces = async (request: Request): Promise<Reply> => {
    const { spans, unreadable } = readRequest(request);
    store.traffic.unreadable += unreadable;
    if (unreadable > 0) lose(UNREADABLE, true);
    const heldMs = spans.some(isRootSpan) ? 0 : holdMs;
    if (options.onSpan !== undefined) for (const span of spans) options.onSpan({ ...seenSpan(span), heldMs });
    const { contentType } = request;
    const again = (body: Buffer) => readExport(body, contentType).spans.map(mapped);
    const arrivals = spans.map(mapped);
    store.add(arrivals, delivery(request.body, again));
    passOn(request, OTLP_PATH);
    if (heldMs > 0) await sleep(heldMs);
    return accepted(request);
  };
  const logs = (request: Request): Reply => {
    const { contentType } = request;
    const events = readable(() => readLogs(request.body, contentType));
    spanLogs.add(events, events.length === 0 ? 0 : request.body.length);
    const arrivals = spanLogs.arrivals(events, (traceId, id) => store.knows(traceId, id));
    const again = (body: Buffer) => spanLogs.arrivals(readLogs(body, contentType), () => true);
    if (arrivals.length > 0) store.add(arrivals, delivery(request.body, again));
    return accepted(request);
  };
  const readBatch = ingestionReader(options);
  const ingestion = (request: Request): Reply => {
    const batch = readBatch(parsed(request.body));
    if (batch === undefined) throw new Refusal(400, 'the body holds no batch');
    store.traffic.unreadable += batch.unreadable;
    if (batch.unreadable > 0) lose(UNREADABLE, true);
    if (options.onSpan !== undefined)
      for (const arrival of batch.arrivals) options.onSpan({ ...seenEvent(arrival), heldMs: 0 });
    const again = (body: Buffer) => readBatch(parsed(body))?.arrivals ?? [];
    store.add(batch.arrivals, delivery(request.body, again));
    passOn(request, INGESTION_PATH);
    // The SDK would send the whole batch again for one error.
    return { status: 207, json: { successes: batch.eventIds.map((id) => ({ id, status: 201 })), errors: [] } };
  };
  const reads = new PassedReads(options.readsFrom);
  const routes: Route[] = [
    // LangSmith's SDK for Python uses its endpoint as given, without the path of the signal.
    {
      method: 'POST',
      path: /^(?:(?:\/api\/public\/otel)?\/v1\/traces|\/api\/public\/otel)$/,
      bringsSpans: true,
      handle: traces,
    },
    { method: 'POST', path: /^\/api\/public\/ingestion$/, bringsSpans: true, handle: ingestion },
    ...mediaRoutes(({ body }) => parsed(body)),
    ...CONNECTION_CHECKS,
    { method: 'POST', path: /^(\/api\/public\/otel)?\/v1\/logs$/, handle: logs },
    // A generic OTLP endpoint gets these too, and an error would only fill the agent's log.
    { method: 'POST', path: /^(\/api\/public\/otel)?\/v1\/(logs|metrics)$/, isOpen: true, handle: accepted },
    // LangSmith's SDKs ask for the server's features before they send anything, and warn if nobody answers.
    { method: 'GET', path: /^\/api\/public\/info$/, isOpen: true, handle: () => ({ status: 200, json: {} }) },
    reads.route,
  ];
  const served = await listening({
    host: options.host,
    port: options.port,
    name: 'trace receiver',
    onDefect: options.onDefect,
    routes,
    isAuthorized: ({ authorization: given = '', 'x-api-key': key = '' }) =>
      // LangSmith's SDKs sign with only a key.
      isSameToken(given, authorization) || isSameToken(String(key), secretKey),
    maxBodyBytes: limits.bodyBytes,
    maxConnections: limits.connections,
    onRefusal: ({ status, message }) => store.noteRefusal(status, message),
    onLost: lose,
    onBegun: () => store.quiet.receiving(),
  });
  const url = served.origin;

  return {
    url,
    publicKey,
    secretKey,
    environment: (theirs = {}) => ({
      ...tracingEnvironment({ url, publicKey, secretKey }, options),
      ...langsmithToReceiver({ url, secretKey }, theirs),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/api/public/otel/v1/traces`,
      // This variable percent-encodes header values.
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Authorization=${encodeURIComponent(authorization)}`,
      // Some SDKs speak gRPC by default, which is not HTTP/1.1.
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/api/public/otel/v1/logs`,
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: `Authorization=${encodeURIComponent(authorization)}`,
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf',
      LANGFUSE_FLUSH_INTERVAL: String(FLUSH_INTERVAL_MS / 1_000),
      OTEL_BSP_SCHEDULE_DELAY: String(FLUSH_INTERVAL_MS),
      OTEL_BLRP_SCHEDULE_DELAY: String(FLUSH_INTERVAL_MS),
      LANGFUSE_TIMEOUT: String(EXPORT_TIMEOUT_MS / 1_000),
      OTEL_EXPORTER_OTLP_TIMEOUT: String(EXPORT_TIMEOUT_MS),
    }),
    holdExports: (ms) => {
      holdMs = ms;
    },
    stats: () => ({
      traces: store.size,
      unauthorized: store.traffic.unauthorized,
      reads: reads.stats,
    }),
    forwarded: forwarded?.promise,
    waitFor: (runId, waitOptions) => store.waitFor(runId, waitOptions),
    revised: async (runId, reviseOptions) => store.revised(runId, reviseOptions),
    untilSilent: (runIds, ms, signal) => store.untilSilent(runIds, ms, signal),
    takeLast: async (ending) => {
      store.agentEnds();
      await ending;
      await drained(served.server, () => store.quiet.isReceiving);
    },
    endTurns: () => store.endTurns(),
    [Symbol.asyncDispose]: async () => {
      store.close();
      await served[Symbol.asyncDispose]();
      await reads.close();
      if (forwarder !== undefined) forwarded?.resolve(await forwarder.close());
    },
  };
}

const UNREADABLE = 'spans without ids, or with attributes that are no list';

function spansLost(reason: string, isTooLarge: boolean): AgentReplayError {
  return new AgentReplayError(
    'TRACE_INCOMPLETE',
    'The agent sent spans that could not be read, so it may have done more.',
    {
      evidence: [`lost: ${reason}`],
      hint: isTooLarge
        ? 'Let its exporter send smaller batches.'
        : 'Let its exporter send OTLP or batches of Langfuse, as their SDKs do.',
    },
  );
}

/** What SDKs ask a platform at their start to learn that it is there and that their keys are right. */
const CONNECTION_CHECKS: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/api\/public\/health$/,
    isOpen: true,
    handle: () => ({ status: 200, json: { status: 'OK' } }),
  },
  {
    method: 'GET',
    path: /^\/api\/public\/projects$/,
    handle: () => ({ status: 200, json: { data: [{ id: 'agent-replay', name: 'agent-replay', metadata: {} }] } }),
  },
];

/** A process that has ended has closed its connections, and everything it sent is read by then; others may keep theirs. */
const DRAIN_MS = 100;
/** For a request that is being read when its sender has ended. */
const LAST_REQUEST_MS = 2_000;

async function drained(server: Server, isReceiving: () => boolean): Promise<void> {
  const startedAt = performance.now();
  const isOver = async (): Promise<boolean> => {
    const passedMs = performance.now() - startedAt;
    if (passedMs > LAST_REQUEST_MS) return true;
    return !isReceiving() && (passedMs > DRAIN_MS || (await connectionsOf(server)) === 0);
  };
  while (!(await isOver())) await sleep(DRAIN_POLL_MS);
}

const DRAIN_POLL_MS = 5;

async function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count ?? 0)));
}

const OTLP_PATH = '/api/public/otel/v1/traces';
const INGESTION_PATH = '/api/public/ingestion';

/** As it was sent, unless it holds a secret: that is masked in the body itself. */
function parcelOf({ sent, body }: Request, path: string): Parcel {
  const headers = described(sent.headers);
  if (!star(body)) return { path, headers, body: sent.body };
  const { 'content-encoding': _, ...unpacked } = headers;
  return { path, headers: unpacked, body };
}

/** Headers that say how to read the body and who sent it: the platform treats senders differently. */
const DESCRIBING = /^(content-type|content-encoding|x[-_]langfuse[-_].*)$/;
/** The receiver's credentials; the platform's are added on sending. */
const KEY_HEADER = /^x[-_]langfuse[-_]public[-_]key$/;

function described(headers: Request['sent']['headers']): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && DESCRIBING.test(name) && !KEY_HEADER.test(name) ? [[name, value]] : [],
  );
  return Object.fromEntries(entries);
}

function readRequest(request: Request): ReturnType<typeof readExport> {
  return readable(() => readExport(request.body, request.contentType));
}

function readable<T>(reading: () => T): T {
  try {
    return reading();
  } catch (error) {
    if (error instanceof OtlpError) throw new Refusal(400, error.message);
    throw error;
  }
}

function seenSpan(span: Span): Omit<SeenSpan, 'heldMs'> {
  const { traceId, spanId, name, attributes, resource } = span;
  return {
    traceId,
    id: spanId,
    name,
    metadata: traceFields(span).metadata,
    attributes: Object.fromEntries([...resource, ...attributes]),
  };
}

function seenEvent(arrival: Arrival): Omit<SeenSpan, 'heldMs'> {
  const { traceId, id } = arrival;
  const { observation, trace } = arrival.record();
  const name = observation?.name ?? trace.name ?? 'the trace';
  return { traceId, id, name, metadata: undefined, attributes: { ...trace, ...observation } as unknown as JsonObject };
}

function parsed(body: Buffer): Json {
  try {
    return parseJson(withoutHugeTextsIn(body).toString('utf8'));
  } catch (error) {
    if (error instanceof JsonError) throw new Refusal(400, `the body is not JSON: ${error.message}`);
    throw error;
  }
}

/** The empty success message, in the request's encoding, for strict exporters. */
function accepted({ contentType }: Request): Reply {
  return contentType === 'application/x-protobuf'
    ? { status: 200, bytes: new Uint8Array(), contentType }
    : { status: 200, json: {} };
}

async function listening(options: ServerOptions): Promise<Served> {
  try {
    return await serveTraces(options);
  } catch (error) {
    const { host = '127.0.0.1', port = 0 } = options;
    throw new AgentReplayError('RECEIVER_UNREACHABLE', `The trace receiver cannot listen on ${host}:${port}.`, {
      evidence: [(error as Error).message],
      hint: 'Choose another host or port for the receiver, or leave the port out to get a free one.',
      cause: error,
    });
  }
}
