import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/contract/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { exchanges, KEYS, type Mode, type PlatformServer, platform, serve } from './platform-server.ts';

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
  expect(header).toMatch(/^session +last turn +agent +turns +replayable +title$/);
  expect(lines.find((line) => line.startsWith('sess-parallel-001'))).toMatch(
    /^sess-parallel-001 +2026-11-21 \d\d:\d\d +support-agent +1 +yes +\S/,
  );
  expect(stdout).not.toContain('replay-sess-refund-001');
});

test('sessions are searched by what they say, and limited', async () => {
  const { stdout } = await run('dual', ['sessions', ...EVER, '--search', 'SESS-ERROR']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stdout).toContain('sess-error-001');
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
    expect(stderr).toContain('TRACING_HOST and TRACING_PUBLIC_KEY and TRACING_SECRET_KEY must be set');
  }
});

test('two traces are compared by their ids, and one with a file', async () => {
  const [first, second] = STORED.traces.map(({ id }) => id as string);
  const same = await run('dual', ['diff', first as string, first as string]);
  expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('no meaningful difference') });
  const other = await run('dual', ['diff', first as string, second as string]);
  expect(other.code).toBe(1);
  expect(other.stdout).toContain(first);
  const gone = await run('dual', ['diff', first as string, 'f'.repeat(32)]);
  expect(gone).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`The platform has no trace ${'f'.repeat(32)}`),
  });
});
