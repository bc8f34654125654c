import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { serve } from '../../src/http/index.ts';
import { Exchange, proxyHttp, ServerTools } from '../../src/proxy/index.ts';
import { BIN } from '../cli/command.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ended } from '../programs.ts';
import { endpointOf } from './endpoint-with.ts';

const META = { svc_replay_run_id: 'r1' };

/** Says two lines that are no messages, one of them JSON, then what it was asked, and ends when it is asked to. */
const SERVER = `
console.log('My server 1.0 \\u001b[31mready');
console.log('{"level":30,"msg":"listening"}');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  console.error('heard ' + line);
  if (line.includes('"die"')) process.exit(3);
});`;

function proxied(environment: Record<string, string>) {
  const args = [BIN, 'tools-proxy', '--', process.execPath, '-e', SERVER];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...environment } });
  const lines = (stream: NodeJS.ReadableStream) => createInterface({ input: stream })[Symbol.asyncIterator]();
  return {
    child,
    out: lines(child.stdout),
    err: lines(child.stderr),
    send: (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    [Symbol.asyncDispose]: () => ended(child),
  };
}

test('fault 136: of a server that prints a banner and dies, the banner is told once, and open calls end at once', async () => {
  await using endpoint = await endpointOf([]);
  await using proxy = proxied(endpoint.environment());
  expect((await proxy.err.next()).value).toBe(
    "tools-proxy: the server's standard output is for messages; left out: My server 1.0 ready",
  );
  proxy.send({ id: 1, method: 'resources/list' });
  expect((await proxy.err.next()).value).toContain('resources/list');
  proxy.send({ id: 'two', method: 'die' });
  const answers = [await proxy.out.next(), await proxy.out.next()].map(({ value }) =>
    JSONRPCMessageSchema.parse(JSON.parse(value ?? '')),
  );
  const error = { code: -32_000, message: 'The MCP server has ended.' };
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: 1, error },
    { jsonrpc: '2.0', id: 'two', error },
  ]);
});

test('a call in a list reaches no server, which might take it for a batch', async () => {
  await using endpoint = await endpointOf([]);
  await using proxy = proxied(endpoint.environment());
  await proxy.err.next();
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'refund', arguments: {} } };
  proxy.child.stdin.write(`${JSON.stringify([call])}\n`);
  const { value } = await proxy.out.next();
  expect(JSON.parse(value ?? '')).toMatchObject({ id: null, error: { code: -32_600 } });
  proxy.send({ id: 2, method: 'die' });
  expect((await proxy.err.next()).value).toContain('heard {"jsonrpc":"2.0","id":2');
});

test('fault 136: numbers reach the server as they were written', async () => {
  await using endpoint = await endpointOf([], 'live');
  await using proxy = proxied(endpoint.environment());
  await proxy.err.next();
  for (const method of ['tools/call', 'resources/read']) {
    const numbers = '[1.0,0.10,-0,1e400,9007199254740993,0.1000000000000000055]';
    const message = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"name":"pay","arguments":${numbers}}}`;
    proxy.child.stdin.write(`${message}\n`);
    expect((await proxy.err.next()).value).toBe(`heard ${message}`);
  }
});

test('fault 136: a page of another origin is not handed on, nor one that rebinds its name', async () => {
  let handed = 0;
  await using server = await serve(async (_, response) => void response.end(String(++handed)));
  await using proxy = await proxyHttp(new URL(server.origin), undefined, { port: 0 });
  const status = async (headers: Record<string, string>) => (await request(proxy.url, { headers })).statusCode;
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example'])
    expect(await status({ origin })).toBe(403);
  expect(await status({ host: 'evil.example' })).toBe(403);
  expect(handed).toBe(0);
  expect(await status({ origin: 'http://localhost:6274' })).toBe(200);
});

test('fault 136: a cancellation waits for its call, and that of a recorded one reaches no server', async () => {
  const asked: PromiseWithResolvers<void>[] = [];
  await using runner = await serve(async (_, response) => {
    const held = Promise.withResolvers<void>();
    asked.push(held);
    await held.promise;
    const policy = asked.length === 1 ? { policy: 'live' } : { policy: 'recorded', result: 'done' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(policy));
  });
  const recordings = { url: runner.origin, token: 't', runIdKey: 'svc_replay_run_id' };
  const exchange = new Exchange(new ServerTools({ recordings, prefix: '' }));
  const order: string[] = [];
  const say = async (message: object) => {
    const { forward } = await exchange.ofClient(Buffer.from(JSON.stringify(message)));
    if (forward !== undefined) order.push((forward as { method: string }).method);
  };
  for (const id of [1, 2]) {
    const call = say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'pay', _meta: META } });
    const cancelled = say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    await expect.poll(() => asked.length).toBe(id);
    asked[id - 1]!.resolve();
    await Promise.all([call, cancelled]);
  }
  expect(order).toEqual(['tools/call', 'notifications/cancelled']);
});

test('fault 136: a call that is still being decided when the server ends is told so, once', async () => {
  const decided = Promise.withResolvers<void>();
  await using runner = await serve(async (_, response) => {
    await decided.promise;
    response.end('{"policy":"live"}');
  });
  const recordings = { url: runner.origin, token: 't', runIdKey: 'svc_replay_run_id' };
  const exchange = new Exchange(new ServerTools({ recordings, prefix: '' }));
  const sorting = exchange.ofClient(
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}}'),
  );
  const ended = JSON.parse(JSON.stringify(exchange.end()));
  expect(ended).toMatchObject([{ id: 1, error: { message: 'The MCP server has ended.' } }]);
  decided.resolve();
  expect(Object.keys(await sorting)).toEqual(['kept']);
});

test('fault 136: over HTTP, too, a cancellation does not overtake its call, however slowly that is read', async () => {
  await using runner = await serve(async (_, response) => void response.end('{"policy":"live"}'));
  const order: string[] = [];
  const came = Promise.withResolvers<void>();
  const reads = Promise.withResolvers<void>();
  await using server = await serve(async (request, response) => {
    const { method } = JSON.parse(await text(request));
    if (method === 'tools/call') {
      came.resolve();
      await reads.promise;
    }
    order.push(method);
    response.writeHead(202).end();
  });
  const recordings = { url: runner.origin, token: 't', runIdKey: 'svc_replay_run_id' };
  await using proxy = await proxyHttp(
    new URL(server.origin),
    { recordings, prefix: '' },
    { port: 0, readingMs: PATIENCE_MS },
  );
  const say = (message: object) =>
    fetch(proxy.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const calling = say({ id: 1, method: 'tools/call', params: { name: 'pay' } });
  await came.promise;
  const cancelling = say({ method: 'notifications/cancelled', params: { requestId: 1 } });
  // Each goes to the server and back, for which a cancellation that does not wait has time, too.
  for (const id of [2, 3, 4, 5]) await say({ id, method: 'ping' });
  reads.resolve();
  await Promise.all([calling, cancelling]);
  expect(order.filter((method) => method !== 'ping')).toEqual(['tools/call', 'notifications/cancelled']);
});
