import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { command, start } from './command.ts';
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

/** Megabytes that a process may hold as values, beside what it starts with and the bytes and text of one body. */
const HEAP = 130;

test.each([
  ['an argument', 'ARGUMENT'],
  ['a result of a tool', 'RESULT'],
  ["a turn's answer", 'ANSWER'],
])('fault 145: 50 MB in %s hold less than 200 MB more at every stage of a run', async (_, variable) => {
  const env = { [variable]: '50', NODE_OPTIONS: '' };
  await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 3 }, agent: { env } });
  const run = { cwd: project.path, env: { NODE_OPTIONS: `--max-old-space-size=${HEAP}` } };
  expect(await command(['run'], run)).toMatchObject({ code: 1, stdout: expect.stringContaining('3 of 3') });
  expect(await command(['merge', '.agent-replay', '--output-dir', 'merged'], run)).toMatchObject({ code: 1 });
  expect(await command(['accept'], run)).toMatchObject({ code: 0 });
  expect(await command(['run'], run)).toMatchObject({ code: 0 });
});
