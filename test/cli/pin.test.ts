import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';
import { command } from './command.ts';

const span = (id: string, extra: Record<string, string>) => ({
  traceId: id.repeat(32),
  spanId: id.repeat(16),
  name: 'turn',
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000001000000000',
  attributes: Object.entries({
    'langfuse.observation.type': 'agent',
    'langfuse.observation.input': `mail me at ann@example.com (${id})`,
    'langfuse.observation.output': 'Done, ann@example.com.',
    'session.id': `session-${id}`,
    ...extra,
  }).map(([key, value]) => ({ key, value: { stringValue: value } })),
});

const exported = (...spans: object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const REPLAY = { 'langfuse.trace.metadata.svc_replay_run_id': 'x.t1.r1' };

test('pin --from writes sessions that can be read, and says what was skipped, redacted and left', async () => {
  await using folder = await folderWith({
    'traces.ndjson': `${exported(span('a', {}))}\n${exported(span('b', REPLAY))}\n`,
  });
  const { code, stdout } = await command(['pin', '--from', 'traces.ndjson'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/written\s+replays\/session-a\.session\.json: 1 turn/);
  expect(stdout).toMatch(/skipped\s+trace b+: it is a replay/);
  expect(stdout).toMatch(/redacted: .*email/);
  expect(stdout).toMatch(/left in the requests: 1 email/);
  expect(await readdir(path.join(folder.path, 'replays'))).toEqual(['session-a.session.json']);
  const dry = await command(['run', '--dry-run', '--url', 'http://127.0.0.1:9/replay'], { cwd: folder.path });
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('1 session, 1 turn') });
});

test('a pin that is there is only replaced with --update', async () => {
  await using folder = await folderWith({ 'traces.json': exported(span('a', {})) });
  const pin = (...args: string[]) => command(['pin', '--from', 'traces.json', ...args], { cwd: folder.path });
  expect((await pin()).code).toBe(0);
  expect(await pin()).toMatchObject({ code: 2, stderr: expect.stringContaining('PIN_EXISTS') });
  expect((await pin('--update')).code).toBe(0);
});

test.for([
  [['pin', '--from', 'nowhere.json'], 'INPUT_INVALID'],
  [['pin', '--from', 'text.json'], 'TRACE_INVALID'],
  [['pin', '--from', 'replay.json'], 'NO_SESSIONS'],
] as const)('what cannot be pinned is exit 2: %s', async ([args, code]) => {
  await using folder = await folderWith({ 'text.json': 'hello', 'replay.json': exported(span('b', REPLAY)) });
  expect(await command(args, { cwd: folder.path })).toMatchObject({ code: 2, stderr: expect.stringContaining(code) });
});

test('--version says the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'));
  await using folder = await folderWith({});
  expect(await command(['--version'], { cwd: folder.path })).toMatchObject({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});
