import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { served, type UiProject, uiWith } from './project.ts';

/** As a program asks that can write any header, as no browser lets a page. */
async function ask(
  { origin, token }: UiProject,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<{ status: number; body: string; headers: Readonly<Record<string, unknown>> }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof ask>>>();
  request(`${origin}${path}`, { method, headers: { authorization: `Bearer ${token}`, ...headers } })
    .on('response', async (response) =>
      resolve({ status: response.statusCode ?? 0, body: await text(response), headers: response.headers }),
    )
    .on('error', reject)
    .end();
  return promise;
}

test('the page is served to this machine only, under its own name, with the token of this start', async () => {
  await using project = await uiWith({ sessions: { one: 'a' } });
  const port = new URL(project.origin).port;
  expect(await ask(project, '/api/overview')).toMatchObject({ status: 200 });
  expect(await ask(project, '/api/overview', { host: `localhost:${port}` })).toMatchObject({ status: 200 });
  // A name that was made to point here (DNS rebinding), also for the page itself.
  expect(await ask(project, '/api/overview', { host: `evil.example:${port}` })).toMatchObject({ status: 403 });
  expect(await ask(project, '/reproducibility', { host: 'evil.example' })).toMatchObject({ status: 403 });
  expect(await ask(project, '/api/overview', { origin: 'https://evil.example' })).toMatchObject({ status: 403 });
  expect(await ask(project, '/api/overview', { origin: 'null' })).toMatchObject({ status: 403 });
  expect(await ask(project, '/api/overview', { authorization: '' })).toMatchObject({ status: 401 });
  expect(await ask(project, '/api/overview', { authorization: 'Bearer x' })).toMatchObject({ status: 401 });
  expect(await ask(project, '/api/nothing')).toMatchObject({ status: 404 });
});

test('the page itself holds nothing of the project, and no other page may hold it', async () => {
  await using project = await uiWith({ sessions: { 'a-session': 'a' } });
  const { status, body, headers } = await ask(project, '/search', { authorization: '' });
  expect(status).toBe(200);
  expect(body).not.toContain('a-session');
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('another start has another token', async () => {
  await using one = await uiWith({});
  await using two = await uiWith({});
  expect(one.token).not.toBe(two.token);
  expect(one.token.length).toBeGreaterThanOrEqual(32);
});

test('what is no JSON, too much, or not what was asked for is refused, and nothing is started', async () => {
  await using project = await uiWith({ sessions: { one: 'a' } });
  const send = async (body: string) => {
    const response = await fetch(`${project.origin}/api/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.token}` },
      body,
    });
    return { status: response.status, ...((await response.json()) as { problem: { message: string } }) };
  };
  expect(await send('{')).toMatchObject({ status: 400 });
  expect(await send(JSON.stringify({ session: 'x'.repeat(2 * 1024 ** 2), runs: 1 }))).toMatchObject({ status: 413 });
  for (const runs of [0, 21, 1.5, '3']) {
    expect(await send(JSON.stringify({ session: 'one', runs }))).toMatchObject({
      status: 400,
      problem: { code: 'USAGE' },
    });
  }
  expect(await send(JSON.stringify({ session: '../../etc', runs: 1 }))).toMatchObject({
    status: 400,
    problem: { code: 'NO_SESSIONS' },
  });
  expect(project.leftovers()).toEqual([]);
});

test('no result outside of the results of a session can be named', async () => {
  await using project = await uiWith({ sessions: { one: 'a' } });
  const query = new URLSearchParams({ session: 'one', id: '../../../replays' });
  expect(await ask(project, `/api/result?${query}`)).toMatchObject({ status: 400 });
});

/** An agent that runs elsewhere, and notes what it is sent. */
async function noting() {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') seen.push(request.headers['x-key'] as string | undefined);
    request.resume().on('end', () => response.end(JSON.stringify({ output: 'answer to a' })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/replay`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

test('configured headers go to the server that they were configured for, and to no other that is entered', async () => {
  await using configured = await noting();
  await using entered = await noting();
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { url: configured.url }, headers: { 'x-key': 'sk-1' } }),
    'replays/one.session.json': JSON.stringify(pinOf('one', ['a'])),
  });
  await using project = await served(folder);
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${project.origin}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${project.token}` },
    });
    return response.text();
  };
  const run = async (url?: string) => {
    const body = JSON.stringify({ session: 'one', runs: 1, ...(url && { url }) });
    const { id } = JSON.parse(await send('/api/runs', { method: 'POST', body })) as { id: string };
    await expect.poll(() => send(`/api/run?id=${id}`)).toContain('"report"');
  };
  await run();
  await run(entered.url);
  expect([configured.seen, entered.seen]).toEqual([['sk-1'], [undefined]]);
  await send('/api/target', { method: 'PUT', body: JSON.stringify({ agentId: '', url: entered.url }) });
  await run();
  expect(entered.seen).toEqual([undefined, undefined]);
  expect(await send('/api/session?id=one')).toContain('The configured headers are not sent there');
});
