import { AgentReplayError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { type Receiver, type ReceiverOptions, startReceiver } from '../../src/tracing/index.ts';

/** A time that no test reaches: a test that depended on it would hit its own limit. */
export const NEVER = 600_000;

/** A receiver without quiet time, and with endless patience. */
export async function start(options: ReceiverOptions = {}): Promise<Receiver> {
  return startReceiver({ quietMs: 0, settleMs: NEVER, ...options });
}

export interface SpanOptions {
  readonly id: string;
  readonly parent?: string;
  readonly trace?: string;
  readonly startMs?: number;
  readonly attributes?: Record<string, string | boolean>;
}

function span({ id, parent, trace = 't1', startMs = 1_000, attributes = {} }: SpanOptions): JsonObject {
  return {
    traceId: trace,
    spanId: id,
    name: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 1}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: { [typeof value === 'boolean' ? 'boolValue' : 'stringValue']: value },
    })),
  };
}

/** A model call below the root. */
export function generation(id: string, input: object, output: object): SpanOptions {
  return {
    id,
    parent: 'root',
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.input': JSON.stringify(input),
      'langfuse.observation.output': JSON.stringify(output),
    },
  };
}

export function exportOf(...spans: SpanOptions[]): string {
  return exportFrom('my-agent', ...spans);
}

export function exportFrom(scope: string, ...spans: SpanOptions[]): string {
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: scope }, spans: spans.map(span) }] }] });
}

/** The metadata by which the run of the tests is found. */
export const RUN = { 'langfuse.trace.metadata.svc_replay_run_id': 'r1' };

export async function post(
  receiver: Receiver,
  body: string | Uint8Array<ArrayBuffer>,
  { path = '/api/public/otel/v1/traces', headers = {} as Record<string, string> } = {},
): Promise<Response> {
  const keys = Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64');
  return fetch(`${receiver.url}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Basic ${keys}`, ...headers },
  });
}

export const noDeadline = (): AbortSignal => new AbortController().signal;

export function ids(trace: Trace): string[] {
  return trace.observations.map(({ id }) => id);
}

/** The error of a waiting that is over. */
export async function failure(waiting: Promise<unknown>): Promise<AgentReplayError> {
  const error: unknown = await waiting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AgentReplayError)) throw new Error(`expected an AgentReplayError, got ${String(error)}`);
  return error;
}
