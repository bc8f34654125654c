import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { renderReplayRequest } from '../../src/contract/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { type Receiver, startReceiver } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { startProgram } from '../programs.ts';
import { all } from '../replay/served.ts';

interface Span {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Hands exports on to the receiver, and keeps what each span said itself: the receiver lets every one inherit. */
async function startTap(receiver: Receiver): Promise<{ url: string; spans: Span[] } & AsyncDisposable> {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    for (const { scopeSpans } of (JSON.parse(body) as OtlpExport).resourceSpans) {
      for (const { name, attributes } of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({
          name,
          attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
        });
      }
    }
    const { authorization = '' } = request.headers;
    const headers = { authorization, 'content-type': 'application/json' };
    const { status } = await fetch(receiver.url + request.url, { method: 'POST', headers, body });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface OtlpExport {
  resourceSpans: {
    scopeSpans: { spans: { name: string; attributes: { key: string; value: Record<string, unknown> }[] }[] }[];
  }[];
}

interface Replayed {
  readonly trace: Trace;
  readonly spans: readonly Span[];
  readonly answer: Record<string, string>;
}

/** Serves a fixture in a process of its own, whose tracing knows only what its environment says. */
async function served(fixture: string, environment: Record<string, string>) {
  const program = new URL('fixtures/serve.ts', import.meta.url).pathname;
  const args = ['--disable-warning=ExperimentalWarning', program, fixture];
  const agent = await startProgram(args, { SVC_AGENT_ID: 'support', ...environment });
  return { ...agent, url: `http://127.0.0.1:${agent.line}/replay` };
}

/** Replays one turn on a fixture in a process of its own, whose tracing knows only what the receiver says it needs. */
async function replay(fixture: string): Promise<Replayed> {
  await using receiver = await startReceiver();
  await using tap = await startTap(receiver);
  const environment = Object.entries(receiver.environment()).map(([key, value]) => [
    key,
    value.replace(receiver.url, tap.url),
  ]);
  await using agent = await served(fixture, Object.fromEntries(environment));
  const { body, headers } = renderReplayRequest({
    input: 'hello',
    replayRunId: 'r-1',
    originalSessionId: 's-1',
    turnTraceId: 't-1',
    includePriorContext: false,
  });
  const response = await fetch(agent.url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as Record<string, string>;
  const trace = await receiver.waitFor('r-1', { signal: patience() });
  return { trace, spans: tap.spans, answer };
}

function expected(answer: Record<string, string>): Record<string, unknown> {
  return {
    is_replay: 'true',
    svc_replay_run_id: 'r-1',
    svc_original_session_id: 's-1',
    svc_turn_trace_id: 't-1',
    svc_include_prior_context: 'false',
    agent_id: 'support',
    session_id: 'replay-s-1',
    run_id: answer.run_id,
  };
}

/** What a span says itself of its trace, under the key of its SDK. */
function saidBy({ attributes }: Span): Record<string, unknown> {
  const said = Object.entries(attributes).flatMap(([key, value]) => {
    const name = /^(?:langfuse\.trace|ai\.telemetry)\.metadata\.(.+)$/.exec(key)?.[1];
    return name === undefined || name === 'sessionId' ? [] : [[name, value]];
  });
  return Object.fromEntries(said);
}

test.each([
  ['the Langfuse SDK 5, by propagateAttributes', 'langfuse', ['turn', 'model call']],
  ['plain OpenTelemetry, by the span processor', 'opentelemetry', ['invoke_agent', 'chat']],
  ['the AI SDK 7, by the span processor', 'ai-sdk', ['invoke_agent m', 'step 1', 'chat m']],
  ['the AI SDK 6, by its telemetry option', 'ai-sdk-6', ['ai.generateText', 'ai.generateText.doGenerate']],
])('%s: the metadata is at trace level, and on every span', async (_how, fixture, names) => {
  const { trace, spans, answer } = await replay(fixture);
  expect(trace.sessionId).toBe('replay-s-1');
  expect(trace.metadata).toEqual(expected(answer));
  expect(spans.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const span of spans) expect(saidBy(span)).toEqual(expected(answer));
});

test('plain OpenTelemetry, by attributes of the root span: the metadata is at trace level', async () => {
  const { trace, answer } = await replay('opentelemetry-by-hand');
  expect(trace.sessionId).toBe('replay-s-1');
  expect(trace.metadata).toEqual(expected(answer));
});

test.each([
  ['plain OpenTelemetry', 'opentelemetry', 2],
  ['the AI SDK 7, without a flush before the answer', 'ai-sdk', 3],
])('%s, with the span processor: its traces are whole without any quiet time', async (_how, fixture, spans) => {
  await using receiver = await startReceiver({ quietMs: 600_000 });
  await using agent = await served(fixture, receiver.environment());
  const results = await all({ target: agent.url, source: receiver, settings: { runs: 20, workers: 8 } });
  for (const { outcome } of results) expect(outcome.trace?.observations).toHaveLength(spans);
  expect(results).toHaveLength(20);
});
