import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bodyOf, serve } from '../../src/http/index.ts';
import { ended } from '../programs.ts';
import { BIN, command, start } from './command.ts';
import { fixture, projectWith } from './project.ts';

type Config = Parameters<typeof projectWith>[0]['config'];

/** Its agent begins a thousand requests that never end before it is ready, and again with each call. */
function crowded(config: Config) {
  const agent = { command: fixture('crowding-agent.ts'), env: { CROWD: '1000' } };
  const timeouts = { trace: 5_000, total: 60_000 };
  return projectWith({ sessions: { one: 'a', two: 'b' }, config: { workers: 1, timeouts, ...config }, agent });
}

test.each<[string, Config]>([
  ['the receiver', {}],
  ["the receiver and the tools' endpoint", { tools: 'recorded' }],
])(
  'fault 132: a thousand unfinished bodies at every stage, at %s, are no divergence and hold up no run',
  async (_, config) => {
    await using project = await crowded(config);
    // The agent's own spans find no connection.
    expect((await command(['run'], { cwd: project.path })).code).toBe(2);
    expect((await project.report()).results.status).toBe('error');
    expect(project.leftovers()).toEqual([]);
  },
);

test('fault 71 and 132: SIGINT amid a thousand unfinished bodies leaves a report', async () => {
  await using project = await crowded({});
  const running = start(['run'], { cwd: project.path });
  await running.printed(/asked: /);
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
  expect((await project.report()).results.status).toBe('interrupted');
});

/** Megabytes that a process has held at most. */
const peak = (pid: number) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 2 ** 10;

test.each<[string, readonly string[]]>([
  ['the page', ['ui', '--no-open']],
  // Nothing listens there.
  ["the proxy of a tools' server", ['tools-proxy', '--url', 'http://127.0.0.1:9/mcp']],
])(
  'fault 132: a thousand unfinished bodies at %s hold less than 200 MB, and hold up neither its answers nor its end',
  async (_, args) => {
    await using project = await projectWith({ sessions: { one: 'a' } });
    const running = start(args, { cwd: project.path });
    const [printed] = await running.printed(/http:\/\/127\S+(?=\n)/, 'stdout');
    const { port, hash, origin } = new URL(printed);
    const before = peak(running.child.pid!);
    const head = `POST /api/runs HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${hash.slice('#token='.length)}\r\n`;
    const sockets = Array.from({ length: 990 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    for (const socket of sockets) socket.write(`${head}content-length: 900000\r\n\r\n{"${'x'.repeat(2 ** 18)}`);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    // Each answer is one more turn, in which bodies are read.
    for (let turn = 0; turn < 50; turn++) await (await fetch(`${origin}/reproducibility`)).text();
    expect(peak(running.child.pid!) - before).toBeLessThan(200);
    running.child.kill('SIGINT');
    expect((await running.finished).code).toBe(130);
    for (const socket of sockets) socket.destroy();
  },
);

/** Megabytes that a run may hold more than one of small texts. */
const MOST = 200;

/** A run, its shards, what is accepted and a run again: megabytes that each has held at most, and how they ended. */
async function peaksWith(env: Readonly<Record<string, string>>, config: Config = {}) {
  await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 3, ...config }, agent: { env } });
  const file = path.join(project.path, 'peaks');
  const options = {
    cwd: project.path,
    env: { PEAK_FILE: file, NODE_OPTIONS: `--import=${new URL('./fixtures/peak.js', import.meta.url)}` },
  };
  const codes: (number | null)[] = [];
  for (const args of [['run'], ['merge', '.agent-replay', '--output-dir', 'merged'], ['accept'], ['run']]) {
    codes.push((await command(args, options)).code);
  }
  return { codes, peaks: (await project.read('peaks')).trim().split('\n').map(Number) };
}

test.each([
  ['an argument', { ARGUMENT: '50' }],
  ['a result of a tool', { RESULT: '50' }],
  ["a turn's answer", { ANSWER: '50' }],
  ['an argument, packed', { ARGUMENT: '50', PACKED: 'gzip' }],
])('fault 145: 50 MB in %s hold less than 200 MB more at every stage of a run', async (_, huge) => {
  const env = { NODE_OPTIONS: '' };
  const { peaks: start } = await peaksWith(env);
  const { codes, peaks } = await peaksWith({ ...env, ...huge });
  expect(codes).toEqual([1, 1, 0, 0]);
  expect(Math.max(...peaks.map((each, stage) => each - start[stage]!))).toBeLessThan(MOST);
});

test("fault 145: 30 MB that an agent asks the tools' endpoint with hold less than 200 MB more", async () => {
  const env = { NODE_OPTIONS: '', ASKS: '0' };
  const { peaks: start } = await peaksWith(env, { tools: 'recorded' });
  const { peaks } = await peaksWith({ ...env, ASKS: '30', ARGUMENT: '30' }, { tools: 'recorded' });
  expect(Math.max(...peaks.map((each, stage) => each - start[stage]!))).toBeLessThan(MOST);
});

/** An MCP server at standard input, and one behind HTTP, which answer each call with so many megabytes. */
const server = (megabytes: number) => {
  const result = `{ content: [{ type: 'text', text: ' word'.repeat(${megabytes * 2e5}) }] }`;
  const message = `JSON.stringify({ jsonrpc: '2.0', id: 1, result: ${result} })`;
  return {
    stdio: `process.stdin.on('data', (part) => { if (part.includes(10)) process.stdout.write(${message} + '\\n'); });`,
    http: `require('http').createServer((request, response) => request.resume().on('end', () => response
      .setHeader('content-type', 'application/json').end(${message}))).listen(0, '127.0.0.1', function () {
      console.log(this.address().port); });`,
  };
};

test.each([
  ['an argument', 50, 0],
  ['a result', 0, 50],
])('fault 145: 50 MB in %s pass the proxy of a server of tools in less than 200 MB more', async (_, given, got) => {
  await using tools = await serve(async (request, response) => {
    await bodyOf(request, 64 * 2 ** 20).catch(() => {});
    response.end('{"policy":"live","ticket":0}');
  });
  const env = { AGENT_REPLAY_TOOLS_URL: tools.origin, AGENT_REPLAY_TOOLS_TOKEN: 'a' };
  const text = ' word'.repeat(given * 2e5);
  const params = { name: 'write', arguments: { text } };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const programs = server(got);

  const spawned = (args: readonly string[], more = {}) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, NODE_OPTIONS: '', ...more },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => ended(child));
    return child;
  };
  const upstream = spawned(['-e', programs.http]);
  const port = String((await once(upstream.stdout, 'data'))[0]).trim();
  const behindHttp = spawned([BIN, 'tools-proxy', '--url', `http://127.0.0.1:${port}/mcp`], env);
  const [, url = ''] = /(http:\/\/127\S+)\n/.exec(String((await once(behindHttp.stdout, 'data'))[0])) ?? [];
  const before = peak(behindHttp.pid!);
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: call });
  expect((await answer.text()).length).toBeGreaterThan(got * 1e6);
  expect(peak(behindHttp.pid!) - before).toBeLessThan(MOST);

  const atInput = spawned([BIN, 'tools-proxy', '--', process.execPath, '-e', programs.stdio], env);
  atInput.stdin.write(`${call}\n`);
  let bytes = 0;
  for await (const part of atInput.stdout) {
    bytes += part.length;
    if (part.includes(10)) break;
  }
  expect(bytes).toBeGreaterThan(got * 1e6);
  expect(peak(atInput.pid!) - before).toBeLessThan(MOST);
});
