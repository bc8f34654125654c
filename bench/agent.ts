// An agent that only waits, so that the rest of the time is the replayer's. Settings in the environment: PORT,
// LATENCY_MS, ANSWER_BYTES. If the environment names a receiver (OTEL_EXPORTER_OTLP_TRACES_*), it exports a trace of
// each turn, in batches, as an SDK does.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

const {
  PORT = '0',
  LATENCY_MS = '0',
  ANSWER_BYTES = '20',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: header = '',
  OTEL_BSP_SCHEDULE_DELAY: flushMs = '50',
} = process.env;

const latencyMs = Number(LATENCY_MS);
const text = 'x'.repeat(Number(ANSWER_BYTES));
const authorization = decodeURIComponent(header.replace('Authorization=', ''));
let spans: unknown[] = [];
let listeningAt = 0;

async function flush(): Promise<void> {
  const batch = spans;
  spans = [];
  await fetch(endpoint!, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'bench' }, spans: batch }] }] }),
  }).then((response) => response.arrayBuffer());
}

function trace(runId: string): void {
  if (endpoint === undefined) return;
  const traceId = randomBytes(16).toString('hex');
  const rootId = randomBytes(8).toString('hex');
  const end = BigInt(Date.now()) * 1_000_000n;
  const span = (spanId: string, name: string, attributes: Record<string, string>, parentSpanId?: string) => ({
    traceId,
    spanId,
    parentSpanId,
    name,
    startTimeUnixNano: String(end - 1_000_000n),
    endTimeUnixNano: String(end),
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  });
  if (spans.length === 0) setTimeout(flush, Number(flushMs));
  spans.push(
    span(randomBytes(8).toString('hex'), 'search', { 'langfuse.observation.type': 'tool' }, rootId),
    span(rootId, 'turn', {
      'langfuse.trace.metadata.svc_replay_run_id': runId,
      'langfuse.observation.output': text,
    }),
  );
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(listeningAt));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const runId = String(JSON.parse(Buffer.concat(chunks).toString()).svc_replay_run_id);
    const answer = (): void => {
      trace(runId);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ svc_replay_run_id: runId, output: text }));
    };
    if (latencyMs === 0) answer();
    else setTimeout(answer, latencyMs);
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  listeningAt = Date.now();
});
