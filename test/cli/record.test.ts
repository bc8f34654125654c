import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from '../../src/session/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';
import { freePort } from '../agent/processes.ts';
import { folderWith } from '../config/folder.ts';
import { command, type Running, start } from './command.ts';
import { fixture, projectWith } from './project.ts';

const AGENT = fixture('chat-agent.ts');

async function pinsIn(folder: string): Promise<Record<string, Session>> {
  const files = (await readdir(path.join(folder, 'replays'))).sort();
  const read = async (file: string) => JSON.parse(await readFile(path.join(folder, 'replays', file), 'utf8'));
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await read(file)])));
}

/** The address that the command says the agent has. */
async function addressOf({ printed }: Running): Promise<string> {
  const [, address = ''] = await printed(/the agent listens on (\S+)\n/);
  return address;
}

const say = async (address: string, message: string, session: string) => {
  const body = JSON.stringify({ message, session });
  await (await fetch(`${address}/chat`, { method: 'POST', body })).text();
};

test('what an agent is asked while it is recorded becomes pins, turn by turn, until Ctrl-C', async () => {
  await using folder = await folderWith({});
  const running = start(['record', '--agent-id', 'shop', '--', AGENT], { cwd: folder.path });
  const address = await addressOf(running);
  await say(address, 'Where is order 7?', 'one');
  await say(address, 'And order 8?', 'one');
  await say(address, 'My mail is ann@example.com', 'two');
  await say(address, 'please fail', 'three');
  await fetch(`${address}/health`);
  await Promise.all(
    [/: 2 turns/, /two\.session/, /the turn failed/, /GET \/health/].map((line) => running.printed(line, 'stdout')),
  );
  running.child.kill('SIGINT');
  const { code, stdout, stderr } = await running.finished;

  expect(code).toBe(0);
  expect(stderr).toContain('Tools act for real');
  expect(stdout).toMatch(/written +replays\/where-is-order-7\.session\.json: . turns?, "Where is order 7\?"/);
  expect(stdout).toContain('redacted: 5 emails');
  expect(stdout).toContain('left in the requests: 2 emails');
  expect(stdout).toContain('skipped  "turn": the turn failed: the till is jammed');
  expect(stdout).toContain('skipped  "GET /health": it holds no step and no content of an agent');
  expect(stdout).toContain('lacks run_id at trace level');

  const pins = await pinsIn(folder.path);
  expect(Object.keys(pins)).toEqual(['two.session.json', 'where-is-order-7.session.json']);
  const conversation = pins['where-is-order-7.session.json'];
  expect(conversation).toMatchObject({ id: 'one', agentId: 'shop' });
  expect(conversation?.turns.map(({ request }) => request?.input)).toEqual(['Where is order 7?', 'And order 8?']);
  expect(conversation?.turns[1]?.request?.messages?.map(({ content }) => content)).toEqual([
    'Where is order 7?',
    'you said Where is order 7?',
    'And order 8?',
  ]);
  expect(JSON.stringify(pins['two.session.json']?.turns[0]?.recorded)).not.toContain('ann@');
});

test('a command that ends by itself ends the recording, and a copy of its traces goes on to the platform', async () => {
  await using folder = await folderWith({});
  await using platform = await startReceiver();
  const env = {
    LANGFUSE_HOST: platform.url,
    LANGFUSE_PUBLIC_KEY: platform.publicKey,
    LANGFUSE_SECRET_KEY: platform.secretKey,
  };
  const [word, ...words] = ['node', new URL('./fixtures/chat-agent.ts', import.meta.url).pathname, "Where's order 7?"];
  const args = ['record', '--forward', '--name', 'greeting', '--', word as string, ...words];
  const first = await command(args, { cwd: folder.path, env });
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('written  replays/greeting.session.json') });
  expect(platform.stats().traces).toBe(1);

  const again = await command(args, { cwd: folder.path, env });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('pinned already. (PIN_EXISTS)') });
  const updated = await command([...args.slice(0, 2), '--update', ...args.slice(2)], { cwd: folder.path, env });
  expect(updated.code).toBe(0);
  expect(Object.keys(await pinsIn(folder.path))).toEqual(['greeting.session.json']);
});

test('a recording ends after so many turns, and names its pins by words that are no secret', async () => {
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { id: 'shop', command: AGENT } }),
  });
  const env = { PAYMENTS_API_KEY: 'kQ7fzN2pX81mT4uWe9ha' };
  const running = start(['record', '--turns', '3'], { cwd: folder.path, env });
  const address = await addressOf(running);
  await say(address, '17', 'a');
  await say(address, 'Hello', 'b');
  await say(address, `my key is ${env.PAYMENTS_API_KEY} ok`, 'c');
  const { code, stderr } = await running.finished;
  expect(code, stderr).toBe(0);
  const pins = await pinsIn(folder.path);
  // Digits alone are no name for people, and a secret is none for a file.
  expect(Object.keys(pins)).toEqual(['a.session.json', 'c.session.json', 'hello.session.json']);
  expect(pins['hello.session.json']?.agentId).toBe('shop');
});

test('nothing recorded is an error, with the last lines of an agent that has ended', async () => {
  await using folder = await folderWith({});
  const { code, stderr } = await command(['record', '--', 'echo "no such model" >&2; exit 3'], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toContain('No turn was recorded. (NO_SESSIONS)');
  expect(stderr).toContain('the agent ended with code 3');
  expect(stderr).toContain('agent| no such model');
});

test('a folder outside of the project is refused before the agent starts, so that no turn is lost', async () => {
  await using folder = await folderWith({});
  const { code, stderr } = await command(['record', '--dir', '../pins', '--', 'echo started >&2; exit 3'], {
    cwd: folder.path,
  });
  expect(code).toBe(2);
  expect(stderr).toContain('is outside the project. (PIN_OUTSIDE_ROOT)');
  expect(stderr).not.toContain('agent|');
});

test('an agent whose port is taken: that is said, and not that nobody asked it', async () => {
  await using folder = await folderWith({});
  const { code, stderr } = await command(
    ['record', '--', 'echo "Error: listen EADDRINUSE: address already in use :::3217" >&2; exit 1'],
    { cwd: folder.path },
  );
  expect(code).toBe(2);
  expect(stderr).toContain('A port that the agent wants is already in use. (AGENT_PORT_IN_USE)');
  expect(stderr).not.toContain('NO_SESSIONS');
});

test('where every turn failed, that is the reason, and no traces are looked for elsewhere', async () => {
  await using folder = await folderWith({});
  const running = start(['record', '--agent-id', 'shop', '--', AGENT], { cwd: folder.path });
  await say(await addressOf(running), 'please fail', 'one');
  await running.printed(/the turn failed/, 'stdout');
  running.child.kill('SIGINT');
  const { code, stderr } = await running.finished;
  expect(code).toBe(2);
  expect(stderr).toContain('-> The lines above say why each request was skipped.');
  expect(stderr).not.toContain('traces go elsewhere');
});

test.each([
  ['no configuration', {}],
  [
    'a configuration that leaves the port open',
    { 'agent-replay.config.json': '{"agent":{"url":"http://127.0.0.1:{port}/replay"}}' },
  ],
])(
  '--port is the port that the agent gets with %s, and where it listens is said before what to do',
  async (_, files) => {
    await using folder = await folderWith(files);
    const port = await freePort();
    const running = start(['record', '--port', String(port), '--turns', '1', '--', AGENT], { cwd: folder.path });
    expect(await addressOf(running)).toBe(`http://127.0.0.1:${port}`);
    await say(`http://127.0.0.1:${port}`, 'Where is order 7?', 'one');
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(stderr).toMatch(/recording; 1 turn, or Ctrl-C, end it[\s\S]*listens on[\s\S]*Send it requests/);
  },
);

/** Records so many sessions of an agent that can be replayed. */
async function recordedOf(count: number, args: readonly string[], config: object = {}) {
  const project = await projectWith({ agent: { command: fixture('bare-agent.ts') }, config });
  const running = start(['record', '--turns', String(count), ...args], { cwd: project.path });
  const address = await addressOf(running);
  for (let order = 1; order <= count; order++) await say(address, `Where is order ${order}?`, String(order));
  return { project, ...(await running.finished) };
}

test('record --runs ends by replaying what it has pinned: each replay is kept, and what follows from it is said', async () => {
  const { project, code, stdout, stderr } = await recordedOf(1, ['--runs', '5']);
  await using _ = project;
  expect(code, stderr).toBe(0);
  expect(stdout.split('\n').slice(-4)).toEqual([
    'recorded replays/where-is-order-1.session.json: 5 recordings beside the original, and all do the same',
    expect.stringMatching(/^The agent does the same each time; .*1 session/),
    '         next: npx agent-replay run replays/where-is-order-1.session.json',
    '',
  ]);
  const [pin] = Object.values(await pinsIn(project.path));
  expect(pin?.turns[0]?.baselines).toHaveLength(5);
});

test('the command that record names next replays all that it has pinned', async () => {
  const { project, stdout } = await recordedOf(2, ['--runs', '5']);
  await using _ = project;
  const next = /next: npx agent-replay (.*)/.exec(stdout)?.[1] ?? '';
  const run = await command(next.split(' '), { cwd: project.path });
  expect(run.stdout).toContain('2 of 2 sessions as recorded');
  expect(run.code, run.stderr).toBe(0);
});

test('where nobody can be asked nothing is replayed by itself, and the command that does it is said; --runs 0 leaves it at that', async () => {
  const recorded = async (args: readonly string[]) => {
    const { project, code, stdout } = await recordedOf(1, args);
    await using _ = project;
    expect(code).toBe(0);
    expect(Object.values(await pinsIn(project.path))[0]?.turns[0]?.baselines).toBeUndefined();
    return stdout.includes('does it vary? npx agent-replay pin --runs 5 replays/where-is-order-1');
  };
  // At once: each waits until the recorded trace has come to rest.
  expect(await Promise.all([recorded([]), recorded(['--runs', '0'])])).toEqual([true, false]);
});
