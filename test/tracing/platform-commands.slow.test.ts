import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/index.ts';
import { command, start } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { exchanges, KEYS, type Mode, type PlatformServer, platform, type Stored, serve } from './platform-server.ts';

const bodies = (file: string): JsonObject[] => exchanges(file).map(({ response }) => response.body as JsonObject);
const rowsIn = (file: string): JsonObject[] => bodies(file).flatMap(({ data }) => data as JsonObject[]);

/** The recorded scenarios: sessions and a replay of one of them, by two SDKs. */
const STORED = {
  traces: [...bodies('v4-dual.trace-get-1'), ...bodies('v4-dual.trace-get-2')],
  rows: [...rowsIn('v4-dual.observations-v2-trace-js5'), ...rowsIn('v4-dual.observations-v2-trace-others')],
};
const EVER = ['--since', '2026-11-01'];

function environment({ url }: PlatformServer): Record<string, string> {
  return { LANGFUSE_BASE_URL: url, LANGFUSE_PUBLIC_KEY: KEYS.publicKey, LANGFUSE_SECRET_KEY: KEYS.secretKey };
}

async function run(mode: Mode, args: string[]) {
  await using server = await serve(platform(mode, STORED));
  await using folder = await folderWith({});
  const finished = await command(args, { cwd: folder.path, env: environment(server) });
  const files = await readdir(path.join(folder.path, 'replays')).catch(() => []);
  const pins = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(path.join(folder.path, 'replays', file), 'utf8'))),
  );
  return { ...finished, pins };
}

test.each(['dual', 'events_only'] as const)('sessions of the platform are listed without replays: %s', async (mode) => {
  const { code, stdout } = await run(mode, ['sessions', ...EVER]);
  expect(code).toBe(0);
  const [header, ...lines] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^session +last turn +agent +turns +replayable +lacks +title$/);
  expect(lines.find((line) => line.startsWith('sess-parallel-001'))).toMatch(
    /^sess-parallel-001 +2026-11-21 \d\d:\d\d +support-agent +1 +yes +- +\S/,
  );
  expect(stdout).not.toContain('replay-sess-refund-001');
});

test('sessions are searched by what they say, and limited', async () => {
  const { stdout } = await run('dual', ['sessions', ...EVER, '--search', 'SESS-ERROR']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stdout).toContain('sess-error-001');
  const { stdout: words } = await run('dual', ['sessions', ...EVER, '--search', 'error-001  SESS']);
  expect(words).toBe(stdout);
  const { stdout: limited } = await run('dual', ['sessions', ...EVER, '--limit', '1']);
  expect(limited.trimEnd().split('\n')).toHaveLength(2);
});

test('nothing found is an error that says where it was looked', async () => {
  const { code, stderr } = await run('dual', ['sessions', ...EVER, '--search', 'no such words']);
  expect(code).toBe(2);
  expect(stderr).toContain('NO_SESSIONS');
  expect(stderr).toContain('no such words');
});

test('a session can be pinned by its id, and is the same from both read APIs', async () => {
  const [fromTraces, fromObservations] = await Promise.all(
    (['dual', 'events_only'] as const).map((mode) => run(mode, ['pin', 'sess-parallel-001'])),
  );
  expect(fromTraces?.code).toBe(0);
  expect(fromTraces?.pins).toHaveLength(1);
  expect(fromTraces?.pins[0]).toMatchObject({
    id: 'sess-parallel-001',
    agentId: 'support-agent',
    turns: [{ request: { messages: expect.any(Array) } }],
  });
  expect(fromObservations?.pins).toEqual(fromTraces?.pins);
});

test('a trace id pins that turn alone', async () => {
  const [id] = STORED.traces.filter(({ sessionId }) => sessionId === 'sess-error-001').map((trace) => String(trace.id));
  const { pins } = await run('dual', ['pin', id as string]);
  expect(pins).toMatchObject([{ id: 'sess-error-001' }]);
});

test('trace ids of one session are pinned as that session with those turns', async () => {
  const recorded = STORED.traces.find(({ sessionId }) => sessionId === 'sess-parallel-001') as JsonObject;
  const turn = (id: string, minute: number, sessionId = 'sess-long') => ({
    ...recorded,
    id,
    sessionId,
    timestamp: `2026-11-21T01:0${minute}:00.000Z`,
  });
  const traces = [turn('one', 1), turn('two', 2), turn('three', 3), turn('four', 4, 'sess-other')];
  await using sync = await project(() => ({ traces }));
  const { code, stdout, stderr } = await sync.pin('three', 'sess-other', 'one', 'no-such-id');
  expect(code).toBe(2);
  expect(stdout).toMatch(/^written +1\/3 replays\/sess-long.session.json: 2 turns/m);
  expect(stdout).toMatch(/^written +2\/3 replays\/sess-other.session.json: 1 turn/m);
  expect(stderr).toContain('no-such-id');
  const whole = await sync.pin('one', 'sess-long', '--update');
  expect(whole.stdout).toMatch(/^updated +replays\/sess-long.session.json: 3 turns/m);
});

test('the newest sessions are pinned, and no replay', async () => {
  const { code, pins, stderr } = await run('dual', ['pin', ...EVER, '--agent-id', 'support-agent']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const ids = pins.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['sess-parallel-001', 'sess-error-001', 'sess-unicode-ü-001']));
  expect(ids).not.toContain('replay-sess-refund-001');
});

test('a time or a number that is none is wrong use', async () => {
  for (const [flag, value] of [
    ['--since', 'soon'],
    ['--since', '99999999d'],
    ['--limit', '0'],
  ] as const) {
    const { code, stderr } = await run('dual', ['sessions', flag, value]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag} takes a`);
  }
});

test('an id that is not there is an error', async () => {
  const { code, stderr } = await run('events_only', ['pin', 'no-such-session']);
  expect(code).toBe(2);
  expect(stderr).toContain('no-such-session');
});

test('without keys it is said what to set', async () => {
  await using folder = await folderWith({});
  for (const args of [['sessions'], ['pin']]) {
    const { code, stderr } = await command(args, { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toMatch(/TRACING_HOST .* and TRACING_PUBLIC_KEY .* and TRACING_SECRET_KEY .* must be set/);
  }
});

/** A project where pins are made again and again from one platform. */
async function project(stored: () => Stored) {
  const server = await serve(platform('dual', stored));
  const folder = await folderWith({});
  return {
    ...server,
    folder: folder.path,
    pin: (...args: string[]) => command(['pin', ...args], { cwd: folder.path, env: environment(server) }),
    file: (id: string) => path.join(folder.path, 'replays', `${id}.session.json`),
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const readWhole = (asked: readonly string[]) => asked.filter((request) => /\/traces\/[^?]/.test(request));

test('what was pinned is not read again, and what failed is read the next time', async () => {
  const broken = STORED.traces.find(({ sessionId }) => sessionId === 'sess-error-001') as JsonObject;
  let isBroken = true;
  await using server = await serve((url, request, body) =>
    isBroken && url.pathname.endsWith(String(broken.id))
      ? { status: 422, body: { message: 'too large' } }
      : platform('dual', STORED)(url, request, body),
  );
  await using folder = await folderWith({});
  const pin = (...args: string[]) => command(['pin', ...args], { cwd: folder.path, env: environment(server) });
  const first = await pin(...EVER);
  expect(first.code).toBe(2);
  expect(first.stderr).toContain('PLATFORM_UNEXPECTED_ANSWER');
  expect(first.stdout).toMatch(/^written +\d+\/\d+ replays\/sess-parallel-001.session.json: 1 turn/m);
  isBroken = false;
  server.asked.length = 0;
  const second = await pin(...EVER);
  expect(second.code).toBe(0);
  expect(second.stdout).toMatch(/^same +\d+\/\d+ sess-parallel-001: no turn since it was pinned$/m);
  expect(second.stdout).toMatch(/^written +\d+\/\d+ replays\/sess-error-001/m);
  expect(readWhole(server.asked)).toEqual([`/api/public/traces/${broken.id}`]);
});

test('what an interrupted pin has written is kept, and the next one goes on from there', async () => {
  const originals = STORED.traces.filter(({ metadata }) => !('svc_replay_run_id' in (metadata as JsonObject)));
  // Sessions are pinned from the one with the newest turn on.
  const bySession = [...Map.groupBy(originals, ({ sessionId }) => sessionId).values()];
  const newest = (turns: JsonObject[]) =>
    turns
      .map(({ timestamp }) => String(timestamp))
      .sort()
      .at(-1) as string;
  const [[last]] = bySession.sort((a, b) => (newest(a) < newest(b) ? -1 : 1)) as [[JsonObject]];
  const earlier = new Set(originals.map(({ sessionId }) => sessionId)).size - 1;
  let isHeld = true;
  const held = Promise.withResolvers<undefined>();
  await using server = await serve((url, request, body) =>
    isHeld && url.pathname.endsWith(String(last.id)) ? held.promise : platform('dual', STORED)(url, request, body),
  );
  await using folder = await folderWith({});
  const at = { cwd: folder.path, env: environment(server) };
  const { child, finished } = start(['pin', ...EVER], at);
  const { promise: areWritten, resolve } = Promise.withResolvers<void>();
  let printed = '';
  child.stdout?.on('data', (text: string) => {
    printed += text;
    if (printed.match(/^written /gm)?.length === earlier) resolve();
  });
  void finished.then(() => resolve());
  await areWritten;
  expect(earlier).toBeGreaterThan(1);
  child.kill('SIGINT');
  expect(await finished).toMatchObject({ code: 130, stderr: expect.stringContaining('INTERRUPTED') });
  isHeld = false;
  server.asked.length = 0;
  const { code, stdout } = await command(['pin', ...EVER], at);
  expect(code).toBe(0);
  expect(stdout.match(/^same .* no turn since it was pinned$/gm)).toHaveLength(earlier);
  expect(stdout.match(/^written /gm)).toHaveLength(1);
  expect(readWhole(server.asked)).toEqual([`/api/public/traces/${last.id}`]);
});

test('a pin that differs is kept, with what differs; --update replaces it, and notes and baselines stay', async () => {
  let traces = STORED.traces;
  await using sync = await project(() => ({ traces }));
  await sync.pin('sess-error-001');
  const pin = JSON.parse(await readFile(sync.file('sess-error-001'), 'utf8'));
  const [turn] = pin.turns;
  const kept = { notes: 'looked at by Ann', turns: [{ ...turn, baselines: [turn.recorded] }] };
  await writeFile(sync.file('sess-error-001'), JSON.stringify({ ...pin, ...kept }));
  expect((await sync.pin('sess-error-001')).stdout).toMatch(/^same /);

  traces = traces.map((trace) =>
    trace.sessionId === 'sess-error-001' ? { ...trace, output: 'Something else was said.' } : trace,
  );
  const refused = await sync.pin('sess-error-001');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('PIN_EXISTS') });
  expect(refused.stdout).toMatch(/^ +turn 1: the output$/m);
  expect(JSON.parse(await readFile(sync.file('sess-error-001'), 'utf8'))).toEqual({ ...pin, ...kept });

  const dry = await sync.pin('sess-error-001', '--update', '--dry-run');
  expect(dry.stdout).toMatch(/^would be /);
  const updated = await sync.pin('sess-error-001', '--update');
  expect(updated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^updated /) });
  const now = JSON.parse(await readFile(sync.file('sess-error-001'), 'utf8'));
  expect(now.notes).toBe(kept.notes);
  expect(now.turns[0]).toMatchObject({ baselines: [turn.recorded], recorded: { output: 'Something else was said.' } });
});

test('--dry-run lists what would be masked and left in, by place and without the value, and writes nothing', async () => {
  const traces = STORED.traces.map((trace) =>
    trace.sessionId === 'sess-error-001' ? { ...trace, output: 'mail ann@example.com', metadata: {} } : trace,
  );
  await using sync = await project(() => ({ traces }));
  const { code, stdout } = await sync.pin('sess-error-001', '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^would be +replays\/sess-error-001/);
  expect(stdout).toMatch(/^ +email at \/turns\/0\/recorded\/output$/m);
  expect(stdout).not.toContain('ann@');
  expect(stdout).toMatch(/^ +its trace lacks agent_id at trace level: with several agents, /m);
  expect(stdout).toMatch(/^ +its trace lacks run_id at trace level: set /m);
  expect(await readdir(sync.folder)).toEqual([]);
});

test('sessions says what the traces of a session lack', async () => {
  const traces = STORED.traces.map((trace) =>
    trace.sessionId === 'sess-error-001' ? { ...trace, metadata: { agent_id: 'a' } } : trace,
  );
  await using server = await serve(platform('dual', { traces }));
  await using folder = await folderWith({});
  const { stdout } = await command(['sessions', ...EVER], { cwd: folder.path, env: environment(server) });
  expect(stdout).toMatch(/^sess-error-001 .* yes +run_id +Cancel/m);
});

/** One trace of each session; which kind of session it is, is the caller's. */
function turnsOf(ids: readonly string[], of: (id: string, index: number) => JsonObject): JsonObject[] {
  const recorded = STORED.traces.find(({ sessionId }) => sessionId === 'sess-parallel-001') as JsonObject;
  const start = Date.parse('2026-11-21T02:00:00.000Z');
  const by = start - Date.parse(recorded.timestamp as string);
  const observations = recorded.observations as JsonObject[];
  return ids.map((id, index) => {
    const moved = (time: unknown) =>
      typeof time === 'string' ? new Date(Date.parse(time) + by + index * 60_000).toISOString() : time;
    return {
      ...recorded,
      id,
      timestamp: moved(recorded.timestamp),
      observations: observations.map((each) => ({
        ...each,
        startTime: moved(each.startTime),
        endTime: moved(each.endTime),
      })),
      ...of(id, index),
    } as JsonObject;
  });
}

test('a session that only the metadata of its traces names is listed and pinned like any other, and whole', async () => {
  const ids = ['one', 'two', 'three'];
  const traces = turnsOf(ids, () => ({ sessionId: null, metadata: { session_id: 'meta-1', agent_id: 'a' } }));
  await using server = await serve(platform('dual', { traces: [...STORED.traces, ...traces] }));
  await using folder = await folderWith({});
  const at = { cwd: folder.path, env: environment(server) };
  expect((await command(['sessions', ...EVER, '--search', 'meta-1'], at)).stdout).toMatch(/^meta-1 /m);
  const byId = await command(['pin', 'meta-1'], at);
  expect(byId.stdout).toMatch(/^written +replays\/meta-1.session.json: 3 turns/m);
  // One turn alone is within the time.
  const since = await command(['pin', '--since', '2026-11-21T02:02:00.000Z', '--dir', 'again'], at);
  expect(since.stdout).toMatch(/^written +again\/meta-1.session.json: 3 turns/m);
  const byTrace = await command(['pin', 'two', '--dir', 'turn'], at);
  // Earlier turns come with it, later ones do not.
  expect(byTrace.stdout).toMatch(/^written +turn\/meta-1.session.json: 2 turns/m);
});

test('what is above the limit is said, and replays are counted in one line', async () => {
  const ids = Array.from({ length: 32 }, (_, n) => `s${n}`);
  const replays = ids.map((id) => `replay-of-${id}`);
  const traces = [
    ...turnsOf(ids, (id) => ({ sessionId: id })),
    ...turnsOf(replays, (id) => ({ sessionId: id, metadata: { svc_replay_run_id: `u-1.${id}`, is_replay: true } })),
  ];
  await using sync = await project(() => ({ traces }));
  const first = await sync.pin(...EVER);
  expect(first.stdout.match(/^written /gm)).toHaveLength(20);
  expect(first.stdout.match(/^skipped .*$/gm)).toEqual(['skipped  32 replays']);
  expect(first.stdout).toMatch(/^left {5}12 more sessions \(--limit 20\)$/m);
  const second = await sync.pin(...EVER, '--limit', '32');
  expect(second.stdout.match(/^same .* no turn since it was pinned$/gm)).toHaveLength(20);
  expect(second.stdout.match(/^written /gm)).toHaveLength(12);
  expect(second.stdout).not.toContain('left  ');
});

test('a pin that is larger than 5 MB is said', async () => {
  const [turn] = turnsOf(['large'], () => ({
    sessionId: 'large',
    output: ['a', 'b'].map((text) => text.repeat(3_000_000)),
  })) as [JsonObject];
  await using sync = await project(() => ({ traces: [turn] }));
  const { code, stdout } = await sync.pin('large');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^written .*\n +the pin is large, 5.7 MiB$/m);
});
