import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bodyOf, serve as serveFor } from '../../src/http/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';

const MIB = 2 ** 20;
const MOST = 200 * MIB;

/** Of these bodies none is late: how long a client may take is another promise. */
async function serve(answer: Parameters<typeof serveFor>[0]) {
  const served = await serveFor(answer);
  Object.assign(served.server, { requestTimeout: 0, headersTimeout: 0 });
  return served;
}

setFlagsFromString('--expose_gc');
const collect: () => void = runInNewContext('gc');

/** The most bytes of buffers above those of now. What nobody holds any more does not count, whenever it is collected. */
function watchHeld() {
  let most = 0;
  const { arrayBuffers: before } = process.memoryUsage();
  const held = () => process.memoryUsage().arrayBuffers - before;
  const looking = setInterval(() => {
    if (held() > MOST) collect();
    most = Math.max(most, held());
  }, 1);
  return { most: () => most, [Symbol.dispose]: () => clearInterval(looking) };
}

/** Sends all of a body but its last byte. */
function begin(port: number, path: string, headers: string, body: Uint8Array): Socket {
  const socket = connect(port, '127.0.0.1');
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n${headers}content-length: ${body.length}\r\n\r\n`;
  socket.write(head);
  socket.write(body.subarray(0, -1));
  return socket;
}

test('fault 134: twelve bodies of 50 MB at once wait for one another, and each is answered', async () => {
  await using served = await serve(async (request, response) => {
    const { length } = await bodyOf(request, 50 * MIB);
    response.end(`taken ${length}`);
  });
  const body = Buffer.alloc(50 * MIB, 'x');
  using held = watchHeld();
  const sockets = Array.from({ length: 12 }, () => begin(served.port, '/', '', body));
  for (const socket of sockets) socket.write(body.subarray(-1));
  const answers = await Promise.all(sockets.map((socket) => text(socket)));
  for (const answer of answers) expect(answer).toMatch(new RegExp(`taken ${body.length}$`));
  expect(held.most()).toBeLessThan(MOST);
});

test('fault 134: a body that stops in the middle holds up no other for longer than its connection', async () => {
  await using served = await serve(async (request, response) => {
    response.end(String((await bodyOf(request, 50 * MIB)).length));
  });
  const body = Buffer.alloc(40 * MIB, 'x');
  const stopped = begin(served.port, '/', '', body);
  await once(stopped, 'drain');
  const waiting = begin(served.port, '/', '', body);
  waiting.write(body.subarray(-1));
  stopped.destroy();
  expect(await text(waiting)).toContain(String(body.length));
});

test('fault 134: packed bodies count as what they become', async () => {
  await using receiver = await startReceiver({ limits: { bodyBytes: 50 * MIB } });
  const { port } = new URL(receiver.url);
  const key = Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64');
  const headers = `authorization: Basic ${key}\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\n`;
  const packed = gzipSync(Buffer.alloc(49 * MIB, ' '));
  using held = watchHeld();
  const sockets = Array.from({ length: 6 }, () => begin(Number(port), '/api/public/otel/v1/traces', headers, packed));
  for (const socket of sockets) socket.write(packed.subarray(-1));
  const answers = await Promise.all(sockets.map((socket) => buffer(socket)));
  for (const answer of answers) expect(answer.toString()).toMatch(/^HTTP\/1.1 400/);
  expect(held.most()).toBeLessThan(MOST);
});

test('fault 134: a thousand bodies that stop in the middle hold less than 200 MiB, and one that ends is answered', async () => {
  await using served = await serve(async (request, response) => {
    response.end(`taken ${(await bodyOf(request, 50 * MIB)).length}`);
  });
  const body = Buffer.alloc(MIB / 4, 'x');
  using held = watchHeld();
  const begun = Promise.withResolvers<void>();
  let count = 0;
  served.server.on('request', () => ++count === 999 && begun.resolve());
  const stopped = Array.from({ length: 999 }, () => begin(served.port, '/', '', body));
  await begun.promise;
  const whole = begin(served.port, '/', '', body);
  whole.write(body.subarray(-1));
  for (const socket of stopped) socket.on('error', () => {}).destroy();
  expect(await text(whole)).toContain(`taken ${body.length}`);
  expect(held.most()).toBeLessThan(MOST);
});
