import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sealAgainst } from '../../src/redaction/index.ts';
import { type Receiver, star, startReceiver } from '../../src/tracing/index.ts';
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
  expect(await closed(receiver)).toEqual({ delivered: 3, undelivered: 0, reasons: [] });
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

test('known secrets are forwarded as asterisks, packed or in protobuf, and the rest as it was', async () => {
  const secret = 'forwarded-\u00e4-8fQ2x91';
  sealAgainst([secret]);
  await using platform = await platformThat(accepting);
  const receiver = await startForwarding(platform.host);
  const stars = '*'.repeat(Buffer.byteLength(secret));
  const text = exportNamed(`one ${secret}`).replace('"traceId"', '"big":"\u65e5","traceId"');
  const packed = gzipSync(text) as Buffer<ArrayBuffer>;
  await send(receiver, OTLP, packed, { 'content-encoding': 'gzip' });
  // Of a span, its name; a byte that is no UTF-8 stands before it.
  const name = Buffer.from(secret);
  const field = (tag: number, bytes: Uint8Array) => Buffer.from([tag, bytes.length, ...bytes]);
  const span = Buffer.concat([
    field(0x0a, Buffer.alloc(16, 0xff)),
    field(0x12, Buffer.alloc(8, 0xfe)),
    field(0x2a, name),
  ]);
  const proto = field(0x0a, field(0x12, field(0x12, span)));
  await send(receiver, OTLP, proto as Buffer<ArrayBuffer>, { 'content-type': 'application/x-protobuf' });
  expect(await closed(receiver)).toMatchObject({ delivered: 2 });
  const [first, second] = platform.taken as [Taken, Taken];
  expect(first.headers['content-encoding']).toBeUndefined();
  expect(first.body.toString()).toBe(text.replaceAll(secret, stars));
  expect(second.body.toString('latin1')).toBe(proto.toString('latin1').replace(name.toString('latin1'), stars));
});

test('fault 66: of a secret of several lines each is forwarded as asterisks, where bytes stand for themselves', async () => {
  const secret = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n';
  sealAgainst([secret]);
  await using platform = await platformThat(accepting);
  const receiver = await startForwarding(platform.host);
  const body = Buffer.from(`\x0a\x40${secret}\x12\x03abc`);
  await send(receiver, OTLP, body, { 'content-type': 'application/x-protobuf' });
  await closed(receiver);
  const stars = secret.replace(/[^\n]/g, '*');
  expect(platform.taken.map((taken) => taken.body.toString())).toEqual([`\x0a\x40${stars}\x12\x03abc`]);
});

test('media, in which no secret could be seen, stay here', async () => {
  await using platform = await platformThat(accepting);
  const receiver = await startForwarding(platform.host);
  const sha256Hash = createHash('sha256').update('pixels').digest('base64');
  const about = JSON.stringify({ contentType: 'image/png', contentLength: 6, sha256Hash });
  const { uploadUrl } = (await (await send(receiver, '/api/public/media', about)).json()) as { uploadUrl: string };
  expect((await fetch(uploadUrl, { method: 'PUT', body: 'pixels' })).status).toBe(200);
  expect(await closed(receiver)).toEqual({ delivered: 0, undelivered: 0, reasons: [] });
  expect(platform.taken).toEqual([]);
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
  thinking.resolve();
  expect(await closed(receiver)).toMatchObject({ delivered: 3, undelivered: 0 });
});

test.each([
  ['is busy', { status: 429, headers: { 'retry-after': '0' } }],
  ['fails', { status: 503 }],
] as const)('a platform that %s is asked three times', async (_, trouble) => {
  let refusals = 2;
  await using platform = await platformThat(() => (refusals-- > 0 ? trouble : { status: 200 }));
  const patiently = await startForwarding(platform.host);
  await send(patiently, OTLP, exportNamed('one'));
  expect(await closed(patiently)).toMatchObject({ delivered: 1, undelivered: 0 });
  refusals = 3;
  const again = await startForwarding(platform.host);
  await send(again, OTLP, exportNamed('two'));
  expect(await closed(again)).toMatchObject({ delivered: 0, undelivered: 1 });
  const bodies = platform.taken.map(({ body }) => body.toString());
  expect(bodies).toEqual(['one', 'one', 'one', 'two', 'two', 'two'].map(exportNamed));
});

test('data for the older API goes one after another, in its order, since its events change one another', async () => {
  await using platform = await platformThat((_, count) => ({ status: count === 1 ? 503 : 200 }));
  const receiver = await startForwarding(platform.host);
  const batches = [1, 2, 3].map((n) => JSON.stringify({ batch: [], metadata: { n } }));
  for (const batch of batches) await send(receiver, '/api/public/ingestion', batch);
  expect(await closed(receiver)).toMatchObject({ delivered: 3, undelivered: 0 });
  const [first, ...rest] = batches;
  expect(platform.taken.map(({ body }) => body.toString())).toEqual([first, first, ...rest]);
});

test('an export that the platform refuses is given up at once, and the others are passed on', async () => {
  await using platform = await platformThat(({ body }) => ({ status: body.includes('two') ? 413 : 200 }));
  const receiver = await startForwarding(platform.host);
  for (const name of ['one', 'two', 'three']) await send(receiver, OTLP, exportNamed(name));
  const reason = `the platform answered 413 to ${OTLP}`;
  expect(await closed(receiver)).toEqual({ delivered: 2, undelivered: 1, reasons: [reason] });
  expect(namesIn(platform.taken).sort()).toEqual(['one', 'three', 'two']);
});

test('events that the platform refuses within its 207 are counted too', async () => {
  const body = JSON.stringify({ successes: [], errors: [{ id: 'e1', status: 400 }] });
  await using platform = await platformThat(() => ({ status: 207, body }));
  const receiver = await startForwarding(platform.host);
  await send(receiver, '/api/public/ingestion', '{"batch":[]}');
  expect(await closed(receiver)).toMatchObject({ delivered: 0, undelivered: 1 });
});

test.each([
  ['JSON', '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}'],
  ['Protobuf', '\n\x0b\x08\x02\x12\x07too old'],
])(
  'fault 140: spans that the platform refuses within its 200 are counted, and not sent again (%s)',
  async (_, body) => {
    await using platform = await platformThat(() => ({ status: 200, body }));
    const receiver = await startForwarding(platform.host);
    await send(receiver, OTLP, exportNamed('one'));
    const reasons = ['the platform refused some of its spans'];
    expect(await closed(receiver)).toEqual({ delivered: 0, undelivered: 1, reasons });
    expect(platform.taken).toHaveLength(1);
  },
);

test.each([
  ['{"partialSuccess":{}}'],
  ['{"partialSuccess":{"errorMessage":"a warning"}}'],
  ['\n\x0b\x12\x09a warning'],
])('fault 140: a partial success that refuses nothing is one: %j', async (body) => {
  await using platform = await platformThat(() => ({ status: 200, body }));
  const receiver = await startForwarding(platform.host);
  await send(receiver, OTLP, exportNamed('one'));
  expect(await closed(receiver)).toMatchObject({ delivered: 1, undelivered: 0 });
});

test('keys that are refused end the trying', async () => {
  await using platform = await platformThat(() => ({ status: 401 }));
  const receiver = await startForwarding(platform.host);
  const batch = JSON.stringify({ batch: [] });
  for (let n = 0; n < 3; n++) await send(receiver, '/api/public/ingestion', batch);
  const reasons = ['the platform refused the keys (401)'];
  expect(await closed(receiver)).toEqual({ delivered: 0, undelivered: 3, reasons });
  expect(platform.taken).toHaveLength(1);
});

test('a platform that is down fails nothing: what waited is counted when the run is over', async () => {
  const { host } = await gone(platformThat(accepting));
  const receiver = await startForwarding(host, { graceMs: 1, retryMs: PATIENCE_MS });
  await send(receiver, OTLP, exportNamed('one'));
  expect((await receiver.waitFor('one', { signal: patience() })).name).toBe('one');
  expect(await closed(receiver)).toMatchObject({ delivered: 0, undelivered: 1 });
});

/** A host where nothing listens any more. */
async function gone(starting: ReturnType<typeof platformThat>) {
  await using platform = await starting;
  return { host: platform.host };
}

test('memory is bounded: what does not fit beside what waits is given up at once', async () => {
  const thinking = Promise.withResolvers<void>();
  await using platform = await platformThat(async () => {
    await thinking.promise;
    return { status: 200 };
  });
  const receiver = await startForwarding(platform.host, { maxBytes: 2.5 * exportNamed('one').length });
  for (const name of ['one', 'two', 'six']) await send(receiver, OTLP, exportNamed(name));
  thinking.resolve();
  expect(await closed(receiver)).toMatchObject({ delivered: 2, undelivered: 1 });
  expect(namesIn(platform.taken).sort()).toEqual(['one', 'two']);
});

const namesIn = (taken: readonly Taken[]): string[] =>
  taken.flatMap(({ body }) => [...body.toString().matchAll(/"traceId":"([^"]+)"/g)].map(([, name]) => name as string));

test('a known secret is found wherever it stands in a large body, also where a window of the search ends', () => {
  const secret = 'forwarded-\u00e4-7kW3y52';
  sealAgainst([secret]);
  const stars = '*'.repeat(Buffer.byteLength(secret));
  for (const places of [
    [0, 2 ** 22 - 5, 2 ** 22 + 2 ** 18 - 5],
    [2 ** 22, 2 ** 23 - 1, 2 ** 23 + 2 ** 18],
  ]) {
    // Characters of three bytes, so that windows end amid some.
    const text = (shown: string) => places.map((place) => '\u65e5'.repeat(place / 6) + shown).join('x');
    const body = Buffer.from(text(secret));
    expect(star(body)).toBe(true);
    expect(body.equals(Buffer.from(text(stars)))).toBe(true);
  }
});
