import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { serve } from '@hono/node-server';
import express from 'express';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { nodeHandler, type ReplayTurn, replayEndpoint } from '../../src/endpoint/index.ts';
import { type Receiver, startReceiver } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';

let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  // Read by the fixtures when they are imported, as an agent reads its environment when it starts.
  Object.assign(process.env, receiver.environment(), {
    SVC_AGENT_ID: 'support',
    REPLAY_TOKEN: 'secret',
    SVC_RUN_TOKEN: 'run',
  });
});
afterAll(() => receiver[Symbol.asyncDispose]());

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly post: (body: unknown, headers?: Record<string, string>) => Promise<Response>;
}

async function served(server: Server): Promise<Served> {
  if (!server.listening) await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/replay`;
  return {
    url,
    post: (body, headers) => fetch(url, post(body, headers)),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer secret',
      'x-svc-run-token': 'run',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

const frameworks: Record<string, () => Promise<Served>> = {
  async 'node:http'() {
    const { server } = await import('./fixtures/node.ts');
    return served(server.listen(0, '127.0.0.1'));
  },
  async Express() {
    const { app } = await import('./fixtures/express.ts');
    return served(app.listen(0, '127.0.0.1'));
  },
  async Fastify() {
    const { app } = await import('./fixtures/fastify.ts');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return served(app.server);
  },
  async Hono() {
    const { app } = await import('./fixtures/hono.ts');
    return served(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  },
  async 'Next.js'() {
    const { POST } = await import('./fixtures/next.ts');
    return {
      url: 'http://agent/replay',
      post: (body, headers) => POST(new Request('http://agent/replay', post(body, headers))),
      async [Symbol.asyncDispose]() {},
    };
  },
};

let calls = 0;
function replay(content: string) {
  return { is_replay: true, svc_replay_run_id: `r-${++calls}`, messages: [{ role: 'user', content }] };
}

test.each(Object.keys(frameworks))(
  '%s: a replay is answered and traced, and refused where it must be',
  async (name) => {
    await using app = await (frameworks[name] as () => Promise<Served>)();

    const body = replay('hello');
    const response = await app.post(body);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const answer = (await response.json()) as Record<string, string>;
    expect(answer).toMatchObject({ svc_replay_run_id: body.svc_replay_run_id, output: 'you said: hello' });

    const trace = await receiver.waitFor(body.svc_replay_run_id, { signal: patience() });
    expect(trace.metadata).toMatchObject({ run_id: answer.run_id, session_id: answer.session_id, agent_id: 'support' });

    expect((await app.post(replay('x'), { authorization: 'Bearer guess' })).status).toBe(401);
    expect((await app.post({ is_replay: true })).status).toBe(400);
    expect((await app.post('{"is_replay": tru')).status).toBe(400);
    expect((await app.post(replay('x'.repeat(2 * 2 ** 20)))).status).toBe(200);
    expect((await app.post(replay('x'.repeat(17 * 2 ** 20)))).status).toBe(413);
  },
);

test.each(['node:http', 'Express', 'Hono'])(
  '%s: a failing turn is a 500 without its reason, which is in the log',
  async (name) => {
    using log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await using app = await (frameworks[name] as () => Promise<Served>)();
    const response = await app.post(replay('fail'));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/sk-secret|out of order|\.ts/);
    expect(String(log.mock.calls)).toContain('the model is out of order');
  },
);

/** Without fixtures: what an adapter must get right whatever the agent does. */
function seeing(turns: ReplayTurn[], act: (turn: ReplayTurn) => Promise<unknown> = async () => 'done') {
  return replayEndpoint(async (turn) => {
    turns.push({ ...turn });
    return { output: await act(turn) };
  });
}

test('Express: a body that express.json() has already read and decompressed is taken from it', async () => {
  const turns: ReplayTurn[] = [];
  const app = express()
    .use(express.json())
    .post('/replay', nodeHandler(seeing(turns)));
  await using server = await served(app.listen(0, '127.0.0.1'));
  expect((await server.post(replay('hello'))).status).toBe(200);
  const zipped = { ...post(''), body: gzipSync(JSON.stringify(replay('zipped'))) };
  const headers = { ...zipped.headers, 'content-encoding': 'gzip' };
  expect((await fetch(server.url, { ...zipped, headers })).status).toBe(200);
  expect(turns.map(({ input }) => input)).toEqual(['hello', 'zipped']);
});

test('node:http: methods that a Request cannot have are refused like others', async () => {
  const server = createServer(nodeHandler(seeing([]))).listen(0, '127.0.0.1');
  await using _closed = await served(server);
  const { port } = server.address() as AddressInfo;
  for (const method of ['TRACE', 'GET', 'HEAD', 'PUT']) {
    const [response] = (await once(send({ port, method, host: '127.0.0.1' }).end(), 'response')) as [IncomingMessage];
    response.resume();
    expect([method, response.statusCode, response.headers.allow]).toEqual([method, 405, 'POST']);
  }
});

test('node:http: a body that is refused half-way is answered, and its connection is as good as before', async () => {
  const server = createServer(nodeHandler(seeing([]))).listen(0, '127.0.0.1');
  await using _closed = await served(server);
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports: (number | undefined)[] = [];
  const upload = async (content: string): Promise<number | undefined> => {
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const request = send({ port, agent, method: 'POST', host: '127.0.0.1', headers });
    request.end(JSON.stringify(replay(content)));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    ports.push(request.socket?.localPort);
    await response.toArray();
    return response.statusCode;
  };
  for (let call = 0; call < 3; call++) {
    expect(await upload('x'.repeat(17 * 2 ** 20))).toBe(413);
    expect(await upload('x')).toBe(200);
  }
  expect(new Set(ports).size).toBe(1);
  agent.destroy();
});

test('node:http: the turn is told when its caller has gone', async () => {
  const started = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const endpoint = seeing([], async ({ signal }) => {
    signal.addEventListener('abort', () => gone.resolve());
    started.resolve();
    await gone.promise;
  });
  const server = createServer(nodeHandler(endpoint)).listen(0, '127.0.0.1');
  await using _closed = await served(server);
  const { port } = server.address() as AddressInfo;
  const caller = send({ port, method: 'POST', host: '127.0.0.1', headers: { 'content-type': 'application/json' } });
  caller.on('error', () => {});
  caller.end(JSON.stringify(replay('x')));
  await started.promise;
  caller.destroy();
  await gone.promise;
});
