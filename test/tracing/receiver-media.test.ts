import { createHash } from 'node:crypto';
import { LangfuseClient } from '@langfuse/client';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../src/tracing/index.ts';
import { freePort } from '../agent/processes.ts';
import { patience } from '../patience.ts';

function keysOf({ publicKey, secretKey }: Receiver): string {
  return `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
}

test('a receiver with a fixed address and fixed keys is found by agents that we did not start', async () => {
  const port = await freePort();
  const keys = { publicKey: 'pk-lf-fixed', secretKey: 'sk-lf-fixed' };
  await using receiver = await startReceiver({ port, ...keys });
  expect(receiver.url).toBe(`http://127.0.0.1:${port}`);
  const client = new LangfuseClient({ baseUrl: `http://127.0.0.1:${port}`, ...keys });
  expect(await client.api.health.health()).toMatchObject({ status: 'OK' });
  expect((await client.api.projects.get()).data).toHaveLength(1);
});

test('fault 98: an address without a meaning is 404, and 401 without the keys', async () => {
  await using receiver = await startReceiver();
  const path = `${receiver.url}/api/public/v2/prompts/%E0%A4`;
  expect((await fetch(path, { headers: { authorization: keysOf(receiver) } })).status).toBe(404);
  expect((await fetch(path)).status).toBe(401);
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('media that the SDK cuts out of a trace are taken, and named there', async () => {
  await using receiver = await startReceiver();
  const { url: baseUrl, publicKey, secretKey } = receiver;
  const processor = new LangfuseSpanProcessor({ baseUrl, publicKey, secretKey });
  new NodeTracerProvider({ spanProcessors: [processor] }).register();
  await propagateAttributes({ metadata: { svc_replay_run_id: 'uid.t1.r1' } }, () =>
    startActiveObservation('turn', async (turn) => {
      turn.update({ input: { text: 'look', image: `data:image/png;base64,${PIXEL}` }, output: 'seen' });
    }),
  );
  await processor.forceFlush();
  const { input } = await receiver.waitFor('uid.t1.r1', { signal: patience() });
  const { image } = input as { image: string };
  const mediaId = createHash('sha256').update(Buffer.from(PIXEL, 'base64')).digest('base64url').slice(0, 22);
  expect(image).toContain(`@@@langfuseMedia:type=image/png|id=${mediaId}|`);
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
