import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { start } from '../cli/command.ts';
import { ended, removed } from '../programs.ts';
import { wholeMessage } from '../whole-message.ts';
import { begun, endpointOf } from './endpoint-with.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const BIN = path.join(ROOT, 'bin/agent-replay.js');
const serverOf = (name: string) => path.join(ROOT, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
const EVERYTHING = serverOf('server-everything');

type Called = Promise<CallToolResult>;

/** A client of the official SDK on its way to a server, through the proxy or not. */
async function clientOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const { PATH = '', HOME = '' } = process.env;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env: { PATH, HOME, ...env },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const proxied = (...command: string[]) => [BIN, 'tools-proxy', '--', process.execPath, ...command];
const meta = { _meta: { svc_replay_run_id: 'r1' } };
const text = ({ content }: CallToolResult) => content.map((part) => (part.type === 'text' ? part.text : part.type));

async function folder() {
  const at = await mkdtemp(path.join(tmpdir(), 'mcp-'));
  return { at, [Symbol.asyncDispose]: () => removed(at) };
}

test('without a run, a client sees through the proxy what it sees of the server itself', async () => {
  await using direct = await clientOf([EVERYTHING]);
  await using through = await clientOf(proxied(EVERYTHING));
  const seen = async (client: Client) => ({
    server: [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()],
    tools: await client.listTools(),
    prompts: await client.listPrompts(),
    resources: await client.listResources(),
    sum: await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } }),
    image: await client.callTool({ name: 'get-tiny-image', arguments: {} }),
  });
  expect(await seen(through)).toEqual(await seen(direct));
});

test('the recording answers for tools of a stdio server, and for those that are live the server itself does', async () => {
  await using place = await folder();
  const [file, other] = [path.join(place.at, 'a.txt'), path.join(place.at, 'b.txt')];
  await writeFile(file, 'what stands there now');
  await using endpoint = await endpointOf(
    [
      {
        name: 'fs_read_text_file',
        input: { path: file },
        output: { content: [{ type: 'text', text: 'what stood there' }] },
      },
      { name: 'fs_write_file', input: { path: other, content: 'x' }, output: 'written' },
      { name: 'fs_read_text_file', input: { path: '/gone' }, failed: 'no such file' },
    ],
    { '*': { replay: 'recorded' }, fs_write_file: { replay: 'never' }, fs_list_directory: { replay: 'live' } },
  );
  const server = proxied(serverOf('server-filesystem'), place.at).toSpliced(2, 0, '--prefix', 'fs_');
  await using client = await clientOf(server, endpoint.environment());
  await endpoint.begin('r1', begun);
  const { tools } = await client.listTools();
  expect(
    await endpoint.untilWrapped(
      tools.map(({ name }) => `fs_${name}`),
      10_000,
    ),
  ).toEqual([]);
  const call = (name: string, args: Record<string, unknown>): Called =>
    client.callTool({ name, arguments: args, ...meta }) as Called;
  expect(text(await call('list_directory', { path: place.at }))).toEqual(['[FILE] a.txt']);
  const [write, read] = await Promise.all([
    call('write_file', { path: other, content: 'x' }),
    call('read_text_file', { path: file }),
  ]);
  // The client of the SDK refuses what does not go by the tool's schema, which asks for one text.
  expect(write).toEqual({ content: [{ type: 'text', text: 'written' }], structuredContent: { content: 'written' } });
  expect(text(read)).toEqual(['what stood there']);
  const failed = await call('read_text_file', { path: '/gone' });
  expect(failed).toEqual({ content: [{ type: 'text', text: 'no such file' }], isError: true });
  const missed = await call('write_file', { path: other, content: 'y' });
  expect(missed.isError).toBe(true);
  expect(text(missed)[0]).toContain('The recording holds no call of fs_write_file');
  await expect(access(other)).rejects.toThrow();
  expect(await readFile(file, 'utf8')).toBe('what stands there now');
  expect(endpoint.use('r1')?.missed).toMatchObject([{ name: 'fs_write_file', arguments: { content: 'y' } }]);
});

test('a call is refused, and nothing acts, when it is not of a replay, when nobody can be asked, and as a task', async () => {
  await using place = await folder();
  const file = path.join(place.at, 'a.txt');
  const write = { name: 'write_file', arguments: { path: file, content: 'x' } };
  await using endpoint = await endpointOf([{ name: 'write_file', input: write.arguments, output: 'written' }]);
  const server = proxied(serverOf('server-filesystem'), place.at);
  await using client = await clientOf(server, endpoint.environment());
  const outside = (await client.callTool(write)) as CallToolResult;
  expect(text(outside)[0]).toContain('There is no recorded result for write_file');
  await endpoint.begin('r1', begun);
  const { AGENT_REPLAY_TOOLS_URL } = endpoint.environment();
  const ways: Record<string, string>[] = [
    { AGENT_REPLAY_TOOLS_URL: 'http://127.0.0.1:9/tools', AGENT_REPLAY_TOOLS_TOKEN: 'token' },
    { AGENT_REPLAY_TOOLS_URL: AGENT_REPLAY_TOOLS_URL as string, AGENT_REPLAY_TOOLS_TOKEN: 'another' },
  ];
  for (const lost of ways) {
    await using other = await clientOf(server, lost);
    const refused = (await other.callTool({ ...write, ...meta })) as CallToolResult;
    expect(refused.isError).toBe(true);
    expect(text(refused)[0]).toContain('write_file did not run');
  }
  const task = { ...write, ...meta, task: { ttl: 1_000 } };
  await expect(client.callTool(task)).rejects.toThrow('A recorded result cannot become a task');
  await expect(access(file)).rejects.toThrow();
});

test('what is no JSON never reaches the server, and its exit code is that of the proxy', async () => {
  await using endpoint = await endpointOf([]);
  const heard = `process.stdin.on('data', (d) => process.stderr.write(d)).on('end', () => process.exit(7))`;
  const { PATH } = process.env;
  const child: ChildProcess = spawn(process.execPath, proxied('-e', heard), {
    env: { PATH, ...endpoint.environment() },
    stdio: 'pipe',
  });
  const said = { out: '', err: '' };
  child.stdout?.on('data', (data) => (said.out += data));
  child.stderr?.on('data', (data) => (said.err += data));
  const strange = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":NaN}}}';
  const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'a\u2028b' } });
  child.stdin?.end(`${strange}\n${line}\n`);
  const [code] = await once(child, 'close');
  expect(code).toBe(7);
  expect(JSON.parse(said.out)).toMatchObject({ id: null, error: { code: -32_700 } });
  expect(said.err).toBe(`${line}\n`);
});

test('calls without an id belong to the only replay in flight, and the next one waits until it is over', async () => {
  await using endpoint = await endpointOf([{ name: 'echo', input: { message: 'a' }, output: 'recorded' }]);
  await using client = await clientOf(proxied(EVERYTHING), endpoint.environment());
  await endpoint.begin('r1', begun);
  await client.listTools();
  await endpoint.untilWrapped(['echo'], 10_000);
  let isSent = false;
  const second = endpoint.begin('r2', begun).then(() => (isSent = true));
  const call = () => client.callTool({ name: 'echo', arguments: { message: 'a' } }) as Called;
  expect(text(await call())).toEqual(['recorded']);
  expect(isSent).toBe(false);
  endpoint.end('r1');
  await second;
  expect(text(await call())).toEqual(['recorded']);
  expect(endpoint.use('r2')?.counts).toEqual({ recorded: 1, live: 0, missed: 0 });
});

test('a client that sends the id lets replays go side by side, and one that stops doing so leaves them in doubt', async () => {
  await using endpoint = await endpointOf([{ name: 'echo', input: { message: 'a' }, output: 'recorded' }]);
  await using client = await clientOf(proxied(EVERYTHING), endpoint.environment());
  await endpoint.begin('r1', begun);
  await client.listTools();
  await endpoint.untilWrapped(['echo'], 10_000);
  const call = { name: 'echo', arguments: { message: 'a' } };
  expect(text((await client.callTool({ ...call, ...meta })) as CallToolResult)).toEqual(['recorded']);
  await endpoint.begin('r2', begun);
  const lost = (await client.callTool(call)) as CallToolResult;
  expect(lost.isError).toBe(true);
  expect(wholeMessage(endpoint.use('r1')!.doubt!)).toMatchInlineSnapshot(`
    "A call came through tools-proxy without the id of a replay, while several replays were in flight. (TOOL_CALL_UNKNOWN)
      replays in flight: 2
      -> Let the MCP client send the id in \`_meta\` (docs/tools.md), or set workers: 1."
  `);
  expect(endpoint.use('r2')?.doubt?.code).toBe('TOOL_CALL_UNKNOWN');
});

/** The real server with streamable HTTP, and the proxy before it. */
async function overHttp(env: Readonly<Record<string, string>>) {
  const port = await freePort();
  const { PATH = '', HOME = '' } = process.env;
  const server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PATH, HOME, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(server.stderr, 'data');
  const proxy = start(['tools-proxy', '--url', `http://127.0.0.1:${port}/mcp`], { cwd: ROOT, env });
  const [, url = ''] = await proxy.printed(/tools-proxy: (\S+)/, 'stdout');
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  return {
    url,
    client,
    transport,
    async [Symbol.asyncDispose]() {
      await client.close();
      proxy.child.kill('SIGTERM');
      expect((await proxy.finished).code).toBe(143);
      await ended(server);
    },
  };
}

test('over HTTP, streams, notifications and sessions go through, and the recording answers for tools', async () => {
  await using endpoint = await endpointOf(
    [
      { name: 'echo', input: { message: 'a' }, output: 'recorded' },
      {
        name: 'get-structured-content',
        input: { location: 'Chicago' },
        output: { temperature: 1, conditions: 'Snow', humidity: 2 },
      },
    ],
    { '*': { replay: 'recorded' }, 'trigger-long-running-operation': { replay: 'live' } },
  );
  await endpoint.begin('r1', begun);
  await using over = await overHttp(endpoint.environment());
  const { client, transport, url } = over;
  const { tools } = await client.listTools();
  expect(
    await endpoint.untilWrapped(
      tools.map(({ name }) => name),
      10_000,
    ),
  ).toEqual([]);
  const call = (name: string, args: Record<string, unknown>): Called =>
    client.callTool({ name, arguments: args, ...meta }) as Called;
  expect(text(await call('echo', { message: 'a' }))).toEqual(['recorded']);
  expect((await call('get-structured-content', { location: 'Chicago' })).structuredContent).toMatchObject({
    conditions: 'Snow',
  });
  expect((await call('echo', { message: 'b' })).isError).toBe(true);
  const progress: number[] = [];
  const live = { name: 'trigger-long-running-operation', arguments: { duration: 0.1, steps: 2 }, ...meta };
  await endpoint.begin('r2', begun);
  const done = await client.callTool({ ...live, _meta: { svc_replay_run_id: 'r2' } }, undefined, {
    onprogress: (step) => progress.push(step.progress),
  });
  expect(text(done as CallToolResult)[0]).toContain('Long running operation completed');
  expect(progress).toEqual([1, 2]);
  await transport.terminateSession();
  const status = await new Promise((resolve) => {
    request(url, { headers: { host: 'evil.example' } }, (response) => resolve(response.statusCode)).end();
  });
  expect(status).toBe(403);
});

test('a batch over HTTP, as MCP had it until 2025, is refused whole', async () => {
  await using endpoint = await endpointOf([{ name: 'echo', input: { message: 'a' }, output: 'recorded' }], {
    '*': { replay: 'recorded' },
    'get-sum': { replay: 'live' },
  });
  await endpoint.begin('r1', begun);
  await using over = await overHttp(endpoint.environment());
  await over.client.listTools();
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, ...meta },
  });
  const response = await fetch(over.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify([call(1, 'echo', { message: 'a' }), call(2, 'get-sum', { a: 1, b: 2 })]),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('send them one by one');
});

test('a server with the HTTP and SSE transport of 2024 is refused, as its answers would go where nobody looks', async () => {
  await using endpoint = await endpointOf([]);
  const old = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages?session=1\n\n');
  });
  old.listen(0, '127.0.0.1');
  await once(old, 'listening');
  const { port } = old.address() as AddressInfo;
  const proxy = start(['tools-proxy', '--url', `http://127.0.0.1:${port}/sse`], {
    cwd: ROOT,
    env: endpoint.environment(),
  });
  const [, url = ''] = await proxy.printed(/tools-proxy: (\S+)/, 'stdout');
  const said = await fetch(url, { headers: { accept: 'text/event-stream' } }).then(
    async (response) => `${response.status} ${await response.text().catch(() => 'broken off')}`,
    () => 'broken off',
  );
  expect(said).not.toContain('/messages');
  proxy.child.kill('SIGTERM');
  expect((await proxy.finished).code).toBe(143);
  old.closeAllConnections();
  old.close();
});

test('without a run, the proxy over HTTP hands everything on', async () => {
  await using over = await overHttp({});
  expect(text((await over.client.callTool({ name: 'echo', arguments: { message: 'a' } })) as CallToolResult)).toEqual([
    'Echo: a',
  ]);
});
