import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { forwardKept, type Receiver, startReceiver } from '../../src/tracing/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { PATIENCE_MS, patience } from '../patience.ts';
import { exchanges } from './platform-server.ts';

const KEYS = { publicKey: 'pk-lf-platform', secretKey: 'sk-lf-platform' };

interface Taken {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

type Answer = (request: Taken, count: number) => Promise<Answered> | Answered;
interface Answered {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A platform that notes what it is sent. */
async function platformThat(answer: Answer) {
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const sent = { method, path: url, headers, body: await buffer(request) };
    taken.push(sent);
    const { status, headers: answered = {}, body = '{}' } = await answer(sent, taken.length);
    response.writeHead(status, answered).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const accepting: Answer = () => ({ status: 200 });

function startForwarding(host: string, options: object = {}): Promise<Receiver> {
  return startReceiver({
    quietMs: 1,
    settleMs: 1,
    forward: { host, ...KEYS, retryMs: 1, graceMs: PATIENCE_MS, ...options },
  });
}

async function send(
  receiver: Receiver,
  to: string,
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const keys = Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64');
  return fetch(`${receiver.url}${to}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Basic ${keys}`, ...headers },
  });
}

const OTLP = '/api/public/otel/v1/traces';
const exportNamed = (name: string) =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: name,
                spanId: 'root',
                name,
                startTimeUnixNano: '1795219112300000000',
                endTimeUnixNano: '1795219112400000000',
                attributes: [{ key: 'langfuse.trace.metadata.svc_replay_run_id', value: { stringValue: name } }],
              },
            ],
          },
        ],
      },
    ],
  });

/** Ends the receiver, and with it the forwarding. */
async function closed(receiver: Receiver) {
  await receiver[Symbol.asyncDispose]();
  return receiver.forwarded;
}

test('everything is passed on unchanged, with the platform’s keys', async () => {
  await using platform = await platformThat(accepting);
  const receiver = await startForwarding(platform.host);
  const zipped = gzipSync(exportNamed('one')) as Buffer<ArrayBuffer>;
  const legacy = exchanges('v4-dual.ingest-legacy3-replay')[0]?.request.body;
  await send(receiver, OTLP, zipped, { 'content-encoding': 'gzip', 'x-langfuse-sdk-version': '5.11.1' });
  await send(receiver, '/v1/traces', exportNamed('two'), { x_langfuse_sdk_name: 'javascript' });
  await send(receiver, '/api/public/ingestion', JSON.stringify(legacy), { 'x-langfuse-public-key': 'pk-lf-run' });
  expect(await closed(receiver)).toEqual({ delivered: 3, undelivered: 0, reasons: [], file: undefined });
  expect(platform.taken.map((taken) => taken.path)).toEqual([OTLP, OTLP, '/api/public/ingestion']);
  const [first, second, third] = platform.taken as [Taken, Taken, Taken];
  expect(first.body.equals(zipped)).toBe(true);
  expect(first.headers).toMatchObject({ 'content-encoding': 'gzip', 'x-langfuse-sdk-version': '5.11.1' });
  expect(first.headers.authorization).toBe(
    `Basic ${Buffer.from(`${KEYS.publicKey}:${KEYS.secretKey}`).toString('base64')}`,
  );
  expect(second.body.toString()).toBe(exportNamed('two'));
  expect(second.headers).toMatchObject({ x_langfuse_sdk_name: 'javascript' });
  expect(JSON.parse(third.body.toString())).toEqual(legacy);
  expect(JSON.stringify(third.headers)).not.toContain('pk-lf-run');
});

test('media are announced and uploaded there as well, before the trace that names them', async () => {
  const storage = '/storage/image?signature=1';
  await using platform = await platformThat(({ path: to }) =>
    to === '/api/public/media'
      ? { status: 201, body: JSON.stringify({ mediaId: 'm1', uploadUrl: `${platform.host}${storage}` }) }
      : { status: 200 },
  );
  const receiver = await startForwarding(platform.host);
  const sha256Hash = createHash('sha256').update('pixels').digest('base64');
  const about = JSON.stringify({
    traceId: 'one',
    field: 'input',
    contentType: 'image/png',
    contentLength: 6,
    sha256Hash,
  });
  const { uploadUrl } = (await (await send(receiver, '/api/public/media', about)).json()) as { uploadUrl: string };
  await fetch(uploadUrl, { method: 'PUT', body: 'pixels', headers: { 'content-type': 'image/png' } });
  await send(receiver, OTLP, exportNamed('one'));
  expect(await closed(receiver)).toMatchObject({ delivered: 2, undelivered: 0 });
  expect(platform.taken.map((taken) => `${taken.method} ${taken.path}`)).toEqual([
    'POST /api/public/media',
    `PUT ${storage}`,
    'PATCH /api/public/media/m1',
    `POST ${OTLP}`,
  ]);
  const [announced, uploaded, told] = platform.taken as [Taken, Taken, Taken];
  expect(announced.body.toString()).toBe(about);
  expect(uploaded.body.toString()).toBe('pixels');
  // Its storage is somebody else.
  expect(uploaded.headers.authorization).toBeUndefined();
  expect(JSON.parse(told.body.toString())).toMatchObject({ uploadHttpStatus: 200 });
});

test('a platform that is slow slows nothing: exports are answered and traces handed over while it thinks', async () => {
  const thinking = Promise.withResolvers<void>();
  await using platform = await platformThat(async () => {
    await thinking.promise;
    return { status: 200 };
  });
  const receiver = await startForwarding(platform.host);
  for (const name of ['one', 'two', 'three']) expect((await send(receiver, OTLP, exportNamed(name))).status).toBe(200);
  const trace = await receiver.waitFor('three', { signal: patience() });
  expect(trace.name).toBe('three');
  expect(platform.taken.length).toBeLessThan(2);
  thinking.resolve();
  expect(await closed(receiver)).toMatchObject({ delivered: 3, undelivered: 0 });
});

test.each([
  ['is busy', { status: 429, headers: { 'retry-after': '0' } }],
  ['fails', { status: 503 }],
] as const)('a platform that %s for a while is tried again, and the order is kept', async (_, trouble) => {
  await using platform = await platformThat((_request, count) => (count <= 2 ? trouble : { status: 200 }));
  const receiver = await startForwarding(platform.host);
  for (const name of ['one', 'two']) await send(receiver, OTLP, exportNamed(name));
  expect(await closed(receiver)).toMatchObject({ delivered: 2, undelivered: 0 });
  const bodies = platform.taken.map(({ body }) => body.toString());
  expect(bodies).toEqual(['one', 'one', 'one', 'two'].map(exportNamed));
});

/** What the file of the undelivered holds. */
async function keptIn(file: string): Promise<{ reason: string; path: string; body: string }[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const { body, ...rest } = JSON.parse(line);
    return { ...rest, body: Buffer.from(body, 'base64').toString() };
  });
}

test('an export that the platform refuses is kept in a file, and the others are passed on', async () => {
  await using folder = await folderWith({});
  const undelivered = path.join(folder.path, 'undelivered.ndjson');
  await using platform = await platformThat(({ body }) => ({ status: body.includes('two') ? 413 : 200 }));
  const receiver = await startForwarding(platform.host, { undelivered });
  for (const name of ['one', 'two', 'three']) await send(receiver, OTLP, exportNamed(name));
  const reason = `the platform answered 413 to ${OTLP}`;
  expect(await closed(receiver)).toEqual({ delivered: 2, undelivered: 1, reasons: [reason], file: undelivered });
  expect(await keptIn(undelivered)).toEqual([
    { reason, path: OTLP, headers: { 'content-type': 'application/json' }, body: exportNamed('two') },
  ]);
});

test('events that the platform refuses within its 207 are counted too', async () => {
  const body = JSON.stringify({ successes: [], errors: [{ id: 'e1', status: 400 }] });
  await using platform = await platformThat(() => ({ status: 207, body }));
  const receiver = await startForwarding(platform.host);
  await send(receiver, '/api/public/ingestion', '{"batch":[]}');
  expect(await closed(receiver)).toMatchObject({ delivered: 0, undelivered: 1 });
});

test('keys that are refused end the trying: nothing more is sent, all is kept', async () => {
  await using folder = await folderWith({});
  const undelivered = path.join(folder.path, 'undelivered.ndjson');
  await using platform = await platformThat(() => ({ status: 401 }));
  const receiver = await startForwarding(platform.host, { undelivered });
  for (const name of ['one', 'two', 'three']) await send(receiver, OTLP, exportNamed(name));
  expect(await closed(receiver)).toMatchObject({
    delivered: 0,
    undelivered: 3,
    reasons: ['the platform refused the keys (401)'],
  });
  expect(platform.taken).toHaveLength(1);
  expect((await keptIn(undelivered)).map(({ body }) => body)).toEqual(['one', 'two', 'three'].map(exportNamed));
});

test('a platform that is down fails nothing: what waited is kept when the run is over', async () => {
  const { host } = await gone(platformThat(accepting));
  await using folder = await folderWith({});
  const undelivered = path.join(folder.path, 'undelivered.ndjson');
  const receiver = await startForwarding(host, { undelivered, graceMs: 1 });
  await send(receiver, OTLP, exportNamed('one'));
  expect((await receiver.waitFor('one', { signal: patience() })).name).toBe('one');
  expect(await closed(receiver)).toMatchObject({ delivered: 0, undelivered: 1, file: undelivered });
  expect(await keptIn(undelivered)).toMatchObject([{ body: exportNamed('one') }]);
});

/** A host where nothing listens any more. */
async function gone(starting: ReturnType<typeof platformThat>) {
  await using platform = await starting;
  return { host: platform.host };
}

test('memory is bounded: what does not fit beside what waits goes to the file at once', async () => {
  const thinking = Promise.withResolvers<void>();
  await using folder = await folderWith({});
  const undelivered = path.join(folder.path, 'undelivered.ndjson');
  await using platform = await platformThat(async () => {
    await thinking.promise;
    return { status: 200 };
  });
  const maxBytes = 2.5 * exportNamed('one').length;
  const receiver = await startForwarding(platform.host, { undelivered, maxBytes });
  for (const name of ['one', 'two', 'six']) await send(receiver, OTLP, exportNamed(name));
  thinking.resolve();
  expect(await closed(receiver)).toMatchObject({ delivered: 2, undelivered: 1 });
  expect(await keptIn(undelivered)).toMatchObject([{ body: exportNamed('six') }]);
});

test('a file that cannot be written is said, and nothing fails', async () => {
  await using folder = await folderWith({});
  await using platform = await platformThat(() => ({ status: 400 }));
  const receiver = await startForwarding(platform.host, { undelivered: folder.path });
  expect((await send(receiver, OTLP, exportNamed('one'))).status).toBe(200);
  const forwarded = await closed(receiver);
  expect(forwarded).toMatchObject({ undelivered: 1, file: undefined });
  expect(forwarded?.reasons.join()).toContain('could not be written');
});

const namesIn = (taken: readonly Taken[]): string[] =>
  taken.flatMap(({ body }) => [...body.toString().matchAll(/"traceId":"([^"]+)"/g)].map(([, name]) => name as string));

test('what waits for a slow platform goes together: 400 exports are five requests, which it answers in the 5 s of a run', async () => {
  const thinking = Promise.withResolvers<void>();
  await using platform = await platformThat(async () => {
    await thinking.promise;
    return { status: 200 };
  });
  const receiver = await startForwarding(platform.host);
  const names = Array.from({ length: 400 }, (_, n) => `trace-${n}`);
  for (const name of names) await send(receiver, OTLP, exportNamed(name));
  thinking.resolve();
  expect(await closed(receiver)).toEqual({ delivered: 400, undelivered: 0, reasons: [], file: undefined });
  expect(namesIn(platform.taken).sort()).toEqual(names.sort());
  // A second each, even one after another.
  expect(platform.taken.length).toBeLessThanOrEqual(5);
});

test('exports that go together are the same bytes as apart, big numbers included', async () => {
  const thinking = Promise.withResolvers<void>();
  await using platform = await platformThat(async (_, count) => {
    if (count === 1) await thinking.promise;
    return { status: 200 };
  });
  const receiver = await startForwarding(platform.host);
  const bodies = ['one', 'two', 'six'].map((name) =>
    exportNamed(name).replace('"spanId"', '"flags":9007199254740993,"spanId"'),
  );
  for (const body of bodies) await send(receiver, OTLP, body);
  thinking.resolve();
  expect(await closed(receiver)).toMatchObject({ delivered: 3, undelivered: 0 });
  const inner = (body: string) => body.slice('{"resourceSpans":['.length, -2);
  expect(platform.taken.map(({ body }) => body.toString())).toEqual([
    bodies[0],
    `{"resourceSpans":[${inner(bodies[1] as string)},${inner(bodies[2] as string)}]}`,
  ]);
});

test('what was kept is sent later: the file is gone then, or holds what was refused again', async () => {
  await using folder = await folderWith({});
  const undelivered = path.join(folder.path, 'out-undelivered.ndjson');
  const { host } = await gone(platformThat(accepting));
  const receiver = await startForwarding(host, { undelivered, graceMs: 1 });
  for (const name of ['one', 'two', 'six']) await send(receiver, OTLP, exportNamed(name));
  expect(await closed(receiver)).toMatchObject({ undelivered: 3 });

  let isRefusing = true;
  await using platform = await platformThat(({ body }) => ({
    status: isRefusing && body.includes('two') ? 400 : 200,
  }));
  const first = await forwardKept(undelivered, { host: platform.host, ...KEYS });
  expect(first).toMatchObject({ delivered: 2, undelivered: 1, file: undelivered });
  expect(await keptIn(undelivered)).toMatchObject([{ body: exportNamed('two') }]);
  isRefusing = false;
  expect(await forwardKept(undelivered, { host: platform.host, ...KEYS })).toMatchObject({
    delivered: 1,
    undelivered: 0,
  });
  await expect(readFile(undelivered)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(forwardKept(undelivered, { host: platform.host, ...KEYS })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
});

test('the command sends what is beside an output folder, with the keys of the environment', async () => {
  const line = {
    path: OTLP,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(exportNamed('one')).toString('base64'),
  };
  await using folder = await folderWith({ 'out-undelivered.ndjson': `${JSON.stringify(line)}\n` });
  await using platform = await platformThat(accepting);
  const env = { TRACING_HOST: platform.host, TRACING_PUBLIC_KEY: KEYS.publicKey, TRACING_SECRET_KEY: KEYS.secretKey };
  const done = await command(['forward', 'out'], { cwd: folder.path, env });
  expect(done).toMatchObject({ code: 0, stdout: '1 of 1 exports were sent\n', stderr: '' });
  expect(namesIn(platform.taken)).toEqual(['one']);
  const again = await command(['forward', 'out'], { cwd: folder.path, env });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('INPUT_INVALID') });
});
