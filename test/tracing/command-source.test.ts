import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openPlatform, type Platform } from '../../src/tracing/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { patience } from '../patience.ts';
import { wholeMessage } from '../whole-message.ts';
import { plainTraces } from './fixtures/exports/plain.ts';
import { virtualClock } from './platform-server.ts';

const PROGRAM = new URL('fixtures/source-command.ts', import.meta.url).pathname;
const signal = () => patience();
const [recorded] = plainTraces.traces as [(typeof plainTraces.traces)[number]];
const replayed = {
  ...recorded,
  id: 't2',
  sessionId: 'replay-s1',
  metadata: { ...recorded.metadata, svc_replay_run_id: 'uid.t1.r1', is_replay: 'true' },
};

const stored = (traces: readonly { readonly id: string }[], folder = '') =>
  Object.fromEntries(traces.map((trace) => [`${folder}${trace.id}.json`, JSON.stringify(trace)]));

async function open(cwd: string, program: readonly string[]): Promise<Platform> {
  return openPlatform({ platform: 'command', command: program, cwd });
}

const answering = (folder: string) => [process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM, folder];
const saying = (script: string) => [process.execPath, '-e', script];

test('sessions of a command are listed and pinned by the same commands', async () => {
  await using folder = await folderWith({
    ...stored([recorded, replayed], 'traces/'),
    'agent-replay.config.json': JSON.stringify({ tracing: { source: 'command', command: answering('traces') } }),
  });
  const { stdout } = await command(['sessions', '--since', '2026-11-01'], { cwd: folder.path });
  expect(stdout).toMatch(/^s1 +2026-11-21 00:40 +support +1 +yes +\S* +Where is my order A-17\?$/m);
  expect(stdout).not.toContain('replay-s1');
  expect(await command(['pin', 's1'], { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' });
  const asked = await readFile(path.join(folder.path, 'traces', 'asked.ndjson'), 'utf8');
  expect(
    asked
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { version: 1, ask: 'check' },
    { version: 1, ask: 'list', since: '2026-11-01T00:00:00.000Z' },
    { version: 1, ask: 'check' },
    { version: 1, ask: 'session', id: 's1' },
    { version: 1, ask: 'trace', id: 't1', since: expect.any(String) },
  ]);
});

test('the trace of a replay is waited for, and asked for by the beginning of its run id', async () => {
  await using folder = await folderWith(
    stored([recorded, { ...replayed, observations: replayed.observations.slice(0, 2) }]),
  );
  const clock = virtualClock();
  const place = { platform: 'command', command: answering('.'), cwd: folder.path } as const;
  await using platform = await openPlatform({ ...place, clock, random: () => 0.5 });
  const waiting = platform.waitFor('uid.t1.r1', { signal: clock.deadline(120_000) });
  await writeFile(path.join(folder.path, 't2.json'), JSON.stringify(replayed));
  expect((await waiting).observations.map(({ name }) => name)).toEqual(['support', 'chat', 'find_order', 'chat']);
  const asked = (await readFile(path.join(folder.path, 'asked.ndjson'), 'utf8')).trim().split('\n');
  expect(asked.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ ask: 'replays', runIdPrefix: 'uid', since: expect.any(String) }),
  );
  expect(platform.stats()).toEqual({ reads: asked.length, replays: 1 });
});

test('no shell reads the command', async () => {
  await using folder = await folderWith({});
  const argument = '$(touch made-by-a-shell) && echo "a b"';
  const script = 'console.error(process.argv[1]); process.exit(3)';
  expect(await open(folder.path, [...saying(script), argument]).catch(wholeMessage)).toMatchInlineSnapshot(`
    "The command of tracing.command gave no answer. (SOURCE_FAILED)
      command: ["node","-e","console.error(process.argv[1]); process.exit(3)","$(touch made-by-a-shell) && echo \\"a b\\""]
      asked: {"version":1,"ask":"check"}
      exit code 3
      stderr: $(touch made-by-a-shell) && echo "a b"
      -> Run it yourself: echo '{"version":1,"ask":"check"}' | the command. It must write traces to its standard output and end with 0."
  `);
});

test('an answer that is no traces is said to be that', async () => {
  await using folder = await folderWith({});
  const refused = open(folder.path, saying('console.log("hello")'));
  expect(await refused.catch(wholeMessage)).toMatchInlineSnapshot(`
    "What the command of tracing.command answers is not traces. (SOURCE_ANSWER_INVALID)
      command: ["node","-e","console.log(\\"hello\\")"]
      asked: {"version":1,"ask":"check"}
      the body is not JSON: Unexpected token 'h', "hello" is not valid JSON
      -> Write one of the formats that docs/sources.md lists to standard output, and everything else to standard error."
  `);
});

test.each([
  ['a program that is not there', ['no-such-program-at-all'], 'SOURCE_FAILED', /ENOENT/],
  ['JSON that is something else', saying('console.log("{}")'), 'SOURCE_ANSWER_INVALID', /it holds neither/],
  ['an answer that was killed', saying('process.kill(process.pid)'), 'SOURCE_FAILED', /it was ended by SIGTERM/],
] as const)('%s is said to be that', async (_, program, code, evidence) => {
  await using folder = await folderWith({});
  await expect(open(folder.path, program)).rejects.toMatchObject({
    code,
    evidence: expect.arrayContaining([expect.stringMatching(evidence)]),
  });
});

test('what it answers with more than was asked is left out', async () => {
  await using folder = await folderWith({ 'all.json': JSON.stringify({ version: 1, traces: [recorded, replayed] }) });
  const script = 'console.log(require("node:fs").readFileSync("all.json", "utf8"))';
  await using platform = await open(folder.path, saying(script));
  expect(await platform.tracesOf('s1', signal())).toEqual(['t1']);
  expect((await platform.trace('t1', { signal: signal() }))?.id).toBe('t1');
  expect(await platform.trace('t3', { signal: signal() })).toBeUndefined();
});

test('without a command, source: command is a mistake with its path', async () => {
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ tracing: { source: 'command' } }),
  });
  const { code, stderr } = await command(['sessions'], { cwd: folder.path });
  expect([code, stderr]).toEqual([2, expect.stringContaining('tracing.command')]);
});
