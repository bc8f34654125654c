import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { LangfuseClient } from '@langfuse/client';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { Langfuse } from 'langfuse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/json/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { type Receiver, startReceiver } from '../../src/tracing/index.ts';
import { assembleTrace } from '../../src/tracing/mapping/assemble.ts';
import { systemClock } from '../../src/tracing/platform/clock.ts';
import { Connection } from '../../src/tracing/platform/connection.ts';
import { observationsApi } from '../../src/tracing/platform/observations-api.ts';
import { tracesApi } from '../../src/tracing/platform/traces-api.ts';
import { patience } from '../patience.ts';
import { exchanges } from './platform-server.ts';

interface ReadApiSchema {
  readonly answers: Record<string, string>;
  readonly $defs: Record<string, object>;
}
const schema = JSON.parse(
  readFileSync(new URL('fixtures/read-api-schema.json', import.meta.url), 'utf8'),
) as ReadApiSchema;

/** An answer of the receiver, which has to be one that the platform's own document allows. */
async function get(receiver: Receiver, path: string, kind: string): Promise<JsonObject> {
  const response = await fetch(`${receiver.url}/api/public${path}`, { headers: { authorization: keysOf(receiver) } });
  expect(response.status).toBe(200);
  const body = (await response.json()) as JsonObject;
  const answer = z.fromJSONSchema({ $ref: schema.answers[kind] as string, $defs: schema.$defs } as never);
  expect(answer.safeParse(body).error?.issues ?? []).toEqual([]);
  return body;
}

function keysOf({ publicKey, secretKey }: Receiver): string {
  return `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
}

/** Sends what an SDK has sent to a real server. */
async function send(receiver: Receiver, recorded: string): Promise<void> {
  for (const { request } of exchanges(recorded)) {
    if (request.method !== 'POST') continue;
    const body = request.bodyBase64 ? Buffer.from(request.bodyBase64, 'base64') : JSON.stringify(request.body);
    const response = await fetch(`${receiver.url}${request.path}`, {
      method: 'POST',
      body,
      headers: { ...request.headers, authorization: keysOf(receiver) },
    });
    expect(response.ok).toBe(true);
  }
}

const REPLAYS = [
  ['v4-dual.ingest-js5-replay', 'srr_8f2c1d77a0'],
  ['v4-dual.ingest-plain-otel', 'srr_plain_otel_01'],
  ['v4-dual.ingest-ai-sdk7', 'srr_ai_sdk_0001'],
  ['v4-dual.ingest-legacy3-replay', 'srr_legacy_0001'],
] as const;

async function receiverWith(...recorded: readonly string[]): Promise<Receiver> {
  const receiver = await startReceiver({ quietMs: 1, settleMs: 1 });
  for (const name of recorded) await send(receiver, name);
  return receiver;
}

const signal = () => patience();

/** The trace as one of the platform's two read APIs brings it, asked of the receiver. */
async function through(api: typeof tracesApi, receiver: Receiver, id: string): Promise<Trace> {
  const site = { host: receiver.url, headers: { authorization: keysOf(receiver) }, secrets: [] };
  const connection = new Connection(site, { clock: systemClock, readsPerMinute: undefined });
  try {
    const reading = await api(connection, {}).read(id, '2026-01-01T00:00:00.000Z', signal());
    return assembleTrace(reading?.records ?? []);
  } finally {
    await connection.close();
  }
}

test.each(REPLAYS)(
  'one trace is the same from the receiver and from both read APIs of it: %s',
  async (recorded, runId) => {
    await using receiver = await receiverWith(recorded);
    const direct = await receiver.waitFor(runId, { signal: signal() });
    expect(await through(tracesApi, receiver, direct.id)).toEqual(direct);
    expect(await through(observationsApi, receiver, direct.id)).toEqual(direct);
  },
);

test('every answer is one that the platform’s own document describes', async () => {
  await using receiver = await receiverWith(...REPLAYS.map(([recorded]) => recorded));
  const { data } = await get(receiver, '/traces', '/traces');
  const traces = data as JsonObject[];
  expect(traces).toHaveLength(REPLAYS.length);
  for (const { id, sessionId } of traces) {
    await get(receiver, `/traces/${id}`, '/traces/{id}');
    const session = await get(receiver, `/sessions/${encodeURIComponent(String(sessionId))}`, '/sessions/{id}');
    expect((session.traces as JsonObject[]).map((trace) => trace.id)).toContain(id);
  }
  await get(receiver, '/sessions', '/sessions');
  const observations = await get(receiver, '/observations?limit=100', '/observations');
  const [first] = observations.data as JsonObject[];
  await get(receiver, `/observations/${first?.id}`, '/observations/{id}');
  await get(receiver, '/v2/observations?fields=core,basic,io,metadata,model,usage', '/v2/observations');
  await get(receiver, '/health', '/health');
  await get(receiver, '/projects', '/projects');
});

test('fault 98: a trace that was handed over can still be read, one that is not there is 404, an address that means nothing 400', async () => {
  await using receiver = await receiverWith('v4-dual.ingest-js5-replay');
  const { id } = await receiver.waitFor('srr_8f2c1d77a0', { signal: signal() });
  expect(receiver.stats().traces).toBe(0);
  expect(await get(receiver, `/traces/${id}`, '/traces/{id}')).toMatchObject({ id });
  const headers = { authorization: keysOf(receiver) };
  expect((await fetch(`${receiver.url}/api/public/traces/unknown`, { headers })).status).toBe(404);
  expect((await fetch(`${receiver.url}/api/public/traces/%E0%A4`, { headers })).status).toBe(400);
  expect((await fetch(`${receiver.url}/api/public/traces/${id}`)).status).toBe(401);
});

test('what is kept for reading stays within its limit', async () => {
  await using receiver = await startReceiver({ quietMs: 1, settleMs: 1, limits: { keptBytes: 1 } });
  await send(receiver, 'v4-dual.ingest-js5-replay');
  const { id } = await receiver.waitFor('srr_8f2c1d77a0', { signal: signal() });
  const headers = { authorization: keysOf(receiver) };
  expect((await fetch(`${receiver.url}/api/public/traces/${id}`, { headers })).status).toBe(404);
});

test('a receiver with a fixed address and fixed keys is found by agents that we did not start', async () => {
  const port = await freePort();
  const keys = { publicKey: 'pk-lf-fixed', secretKey: 'sk-lf-fixed' };
  await using receiver = await startReceiver({ port, ...keys });
  expect(receiver.url).toBe(`http://127.0.0.1:${port}`);
  const client = new LangfuseClient({ baseUrl: `http://127.0.0.1:${port}`, ...keys });
  expect((await client.api.projects.get()).data).toHaveLength(1);
});

async function freePort(): Promise<number> {
  await using receiver = await startReceiver();
  return Number(new URL(receiver.url).port);
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let official: Receiver;
let traceId = '';
beforeAll(async () => {
  official = await startReceiver();
  const processor = new LangfuseSpanProcessor({
    baseUrl: official.url,
    publicKey: official.publicKey,
    secretKey: official.secretKey,
  });
  new NodeTracerProvider({ spanProcessors: [processor] }).register();
  await propagateAttributes({ sessionId: 'sess/ 1', userId: 'u1', metadata: { agent_id: 'support' } }, () =>
    startActiveObservation('turn', async (turn) => {
      traceId = turn.otelSpan.spanContext().traceId;
      turn.update({ input: { text: 'look', image: `data:image/png;base64,${PIXEL}` }, output: 'seen' });
      turn.startObservation('answer', { model: 'm', output: 'seen' }, { asType: 'generation' }).end();
    }),
  );
  await processor.forceFlush();
});
afterAll(async () => official[Symbol.asyncDispose]());

test('the official client 5 reads traces, sessions and observations', async () => {
  const { url: baseUrl, publicKey, secretKey } = official;
  const { api } = new LangfuseClient({ baseUrl, publicKey, secretKey });
  const filter = JSON.stringify([
    { type: 'stringObject', column: 'metadata', key: 'agent_id', operator: '=', value: 'support' },
  ]);
  expect((await api.trace.list({ filter })).data.map(({ id }) => id)).toEqual([traceId]);
  expect((await api.trace.list({ filter: filter.replace('support', 'other') })).data).toEqual([]);
  const trace = await api.trace.get(traceId);
  expect(trace).toMatchObject({ sessionId: 'sess/ 1', userId: 'u1', output: 'seen' });
  expect(trace.observations.map(({ name }) => name).sort()).toEqual(['answer', 'turn']);
  expect((await api.sessions.get('sess/ 1')).traces.map(({ id }) => id)).toEqual([traceId]);
  const first = await api.observations.getMany({ traceId, limit: 1 });
  const second = await api.observations.getMany({ traceId, limit: 1, cursor: first.meta.cursor as string });
  expect([...first.data, ...second.data].map(({ name }) => name).sort()).toEqual(['answer', 'turn']);
  expect(second.meta.cursor).toBeUndefined();
  expect((await api.legacy.observationsV1.getMany({ type: 'GENERATION' })).data).toHaveLength(1);
  expect(await api.health.health()).toMatchObject({ status: 'OK' });
  await expect(api.trace.get('unknown')).rejects.toMatchObject({ statusCode: 404 });
});

test('the official client 3 reads the same', async () => {
  const { url: baseUrl, publicKey, secretKey } = official;
  const client = new Langfuse({ baseUrl, publicKey, secretKey });
  expect((await client.fetchTraces({ sessionId: 'sess/ 1' })).data.map(({ id }) => id)).toEqual([traceId]);
  expect((await client.fetchTrace(traceId)).data.observations).toHaveLength(2);
  expect((await client.fetchObservations({ traceId })).data).toHaveLength(2);
  expect((await client.fetchSessions()).data).toMatchObject([{ id: 'sess/ 1' }]);
  await client.shutdownAsync();
});

test('media that the SDK cuts out of a trace are kept, and can be read', async () => {
  const { url: baseUrl, publicKey, secretKey } = official;
  const { api, media } = new LangfuseClient({ baseUrl, publicKey, secretKey });
  const { input } = await api.trace.get(traceId);
  const { image } = input as { image: string };
  expect(image).toMatch(/^@@@langfuseMedia:type=image\/png\|id=/);
  const mediaId = createHash('sha256').update(Buffer.from(PIXEL, 'base64')).digest('base64url').slice(0, 22);
  const answer = await get(official, `/media/${mediaId}`, '/media/{id}');
  expect(answer).toMatchObject({ contentType: 'image/png', contentLength: Buffer.from(PIXEL, 'base64').length });
  const resolved = await media.resolveReferences({ obj: { image }, resolveWith: 'base64DataUri' });
  expect(resolved).toEqual({ image: `data:image/png;base64,${PIXEL}` });
});

test('an upload that is not what was announced is refused, and so is a link that was guessed', async () => {
  await using receiver = await startReceiver();
  const headers = { authorization: keysOf(receiver), 'content-type': 'application/json' };
  const sha256Hash = createHash('sha256').update('announced').digest('base64');
  const body = JSON.stringify({
    traceId: 't',
    field: 'input',
    contentType: 'text/plain',
    contentLength: 9,
    sha256Hash,
  });
  const announced = await fetch(`${receiver.url}/api/public/media`, { method: 'POST', headers, body });
  const { uploadUrl, mediaId } = (await announced.json()) as { uploadUrl: string; mediaId: string };
  expect((await fetch(uploadUrl, { method: 'PUT', body: 'something' })).status).toBe(400);
  expect((await fetch(`${receiver.url}/media/guess/${mediaId}`, { method: 'PUT', body: 'announced' })).status).toBe(
    404,
  );
  expect((await fetch(uploadUrl, { method: 'PUT', body: 'announced' })).status).toBe(200);
  const again = await fetch(`${receiver.url}/api/public/media`, { method: 'POST', headers, body });
  expect(await again.json()).toEqual({ mediaId, uploadUrl: null });
});
