import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { serve } from '@hono/node-server';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/doctor/index.ts';
import { type Endpoint, nodeHandler, replayEndpoint } from '../../src/endpoint/index.ts';
import { freePort } from '../agent/processes.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { PATIENCE_MS } from '../patience.ts';
import { troublesOf } from './troubles.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const PATIENT = { call: PATIENCE_MS, trace: PATIENCE_MS };

describe.concurrent('an example has nothing that the doctor would name', () => {
  test.each([
    ['support-agent', '.'],
    ['express-agent', 'examples/express-agent'],
    ['hono-agent', 'examples/hono-agent'],
    ['python-agent', 'examples/python-agent'],
  ])('%s', async (_, folder) => {
    // A port that is drawn when the agent starts, and time for all that comes, on a machine that does much else.
    const settings = new Map<string, unknown>([
      ['agent.url', 'http://127.0.0.1:{port}/replay'],
      ['agent.timeout', PATIENCE_MS],
      ['timeouts', PATIENT],
    ]);
    const diagnosis = await diagnose({ cwd: path.join(ROOT, folder), settings });
    expect(troublesOf(diagnosis)).toEqual([]);
    expect(diagnosis.agents.flatMap(({ rules }) => rules).filter(({ state }) => state === 'pass')).toHaveLength(34);
  });
});

/** The snippets of docs/endpoint.md, served as their framework serves them. */
const FRAMEWORKS: Record<string, () => Promise<Server>> = {
  'node:http': async () => (await import('../endpoint/fixtures/node.ts')).server.listen(0, '127.0.0.1'),
  Express: async () => (await import('../endpoint/fixtures/express.ts')).app.listen(0, '127.0.0.1'),
  async Fastify() {
    const { app } = await import('../endpoint/fixtures/fastify.ts');
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  async Hono() {
    const { app } = await import('../endpoint/fixtures/hono.ts');
    return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  },
  async 'Next.js'() {
    const { POST } = await import('../endpoint/fixtures/next.ts');
    return createServer(nodeHandler(POST as Endpoint)).listen(0, '127.0.0.1');
  },
};

test('an endpoint that the helper makes, in any framework, has nothing that the doctor would name', async () => {
  const port = await freePort();
  const keys = { publicKey: 'pk-lf-frameworks', secretKey: 'sk-lf-frameworks' };
  // Read by the snippets when they are imported, as an agent reads its environment when it starts.
  Object.assign(process.env, {
    LANGFUSE_BASE_URL: `http://127.0.0.1:${port}`,
    LANGFUSE_PUBLIC_KEY: keys.publicKey,
    LANGFUSE_SECRET_KEY: keys.secretKey,
    SVC_AGENT_ID: 'support',
    REPLAY_TOKEN: 'token-of-a-test',
    SVC_RUN_TOKEN: 'of-this-run',
  });
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({
      agent: { id: 'support' },
      headers: { authorization: 'Bearer token-of-a-test', 'x-svc-run-token': 'of-this-run' },
      tracing: { receiver: { port, ...keys } },
      timeouts: PATIENT,
    }),
    'replays/a.session.json': JSON.stringify(pinOf('a', ['hello'])),
  });
  for (const [name, start] of Object.entries(FRAMEWORKS)) {
    const server = await start();
    if (!server.listening) await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/replay`;
    const diagnosis = await diagnose({ cwd: folder.path, settings: new Map([['agent.url', url]]) });
    server.close();
    server.closeAllConnections();
    expect([name, ...troublesOf(diagnosis)]).toEqual([name]);
    expect(diagnosis.agents[0]?.calls).toBe(8);
  }
});

test('fault 137: of an endpoint that does not know its caller, the doctor says how it is opened', async () => {
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { id: 'support' }, tracing: 'none' }),
    'replays/a.session.json': JSON.stringify(pinOf('a', ['hello'])),
  });
  const server = createServer(nodeHandler(async (request) => replayEndpoint(() => 'hello')(new Request(request))));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/replay`;
  const diagnosis = await diagnose({ cwd: folder.path, settings: new Map([['agent.url', url]]) });
  server.close();
  server.closeAllConnections();
  const answers = diagnosis.agents[0]?.rules.find(({ rule }) => rule === 'answers');
  expect(answers).toMatchObject({
    state: 'fail',
    seen: expect.arrayContaining([expect.stringContaining('closed to callers that it does not know')]),
    fix: expect.stringContaining('Let agent-replay start the agent (agent.command)'),
  });
});
