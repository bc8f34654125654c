import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { PinnedTurn } from '../../src/session/index.ts';
import { folderWith } from '../config/folder.ts';
import { IN_VAIN_MS } from '../patience.ts';
import { command } from './command.ts';
import { projectWith } from './project.ts';

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
  expect(stdout).toMatchInlineSnapshot(`
    "skipped  1 replay
    written  replays/session-a.session.json: 1 turn, "mail me at <email:71d4> (a)"
             its trace lacks agent_id at trace level: with several agents, nothing says which one it is replayed against. Set \`langfuse.trace.metadata.agent_id\` on the span of the turn
             its trace lacks run_id at trace level: set \`langfuse.trace.metadata.run_id\` on the span of the turn, unique for each
             redacted: 3 emails
             left in the requests: 1 email (see redact.request)
             does it vary? npx agent-replay pin --runs 5 replays/session-a.session.json
    "
  `);
  expect(await readdir(path.join(folder.path, 'replays'))).toEqual(['session-a.session.json']);
  const dry = await command(['run', '--dry-run', '--url', 'http://127.0.0.1:9/replay'], { cwd: folder.path });
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('1 session, 1 turn') });
});

test('of a file all is pinned, or what is asked for', async () => {
  await using folder = await folderWith({
    'traces/1.json': exported(span('a', {}), span('c', { 'session.id': 'session-c' })),
    'traces/2.jsonl': `${exported(span('d', {}))}\n`,
  });
  const pinned = async (...args: string[]) => {
    const { stdout } = await command(['pin', '--from', 'traces', '--dry-run', ...args], { cwd: folder.path });
    return [...stdout.matchAll(/replays\/(\S+)\.session/g)].map(([, id]) => id).sort();
  };
  expect(await pinned()).toEqual(['session-a', 'session-c', 'session-d']);
  expect(await pinned('--limit', '2')).toHaveLength(2);
  expect(await pinned('--search', '(d)')).toEqual(['session-d']);
  expect(await pinned('--since', '2024-01-01')).toEqual([]);
  const { stdout } = await command(['sessions', '--from', 'traces'], { cwd: folder.path });
  expect(stdout).toMatch(/^session-c +2023-11-14/m);
  const one = await command(['pin', 'session-d', '--dry-run', '--from', 'traces'], { cwd: folder.path });
  expect(one.stdout).toMatch(/^would be +replays\/session-d/);
});

test('fault 81: a secret of the environment is masked in a pin, in its request too', async () => {
  const said = { 'langfuse.observation.input': 'use hunter22', 'langfuse.observation.output': 'I used hunter22.' };
  await using folder = await folderWith({ 'traces.json': exported(span('a', said)) });
  const env = { QUEUE: 'amqp://shop:hunter22@mq.example/' };
  const { code, stdout } = await command(['pin', '--from', 'traces.json'], { cwd: folder.path, env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/redacted: \d secret/);
  const pin = readFileSync(path.join(folder.path, 'replays/session-a.session.json'), 'utf8');
  expect(pin).not.toContain('hunter22');
  expect(JSON.parse(pin).turns[0]).toMatchObject({
    request: { input: 'use <secret>' },
    recorded: { output: 'I used <secret>.' },
  });
});

test('a pin that is there is only replaced with --update', async () => {
  await using folder = await folderWith({ 'traces.json': exported(span('a', {})) });
  const pin = (...args: string[]) => command(['pin', '--from', 'traces.json', ...args], { cwd: folder.path });
  expect((await pin()).code).toBe(0);
  expect(await pin()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^same /) });
  await writeFile(path.join(folder.path, 'traces.json'), exported(span('a', { 'langfuse.observation.output': 'No.' })));
  const { code, stdout, stderr } = await pin();
  expect(code).toBe(2);
  expect(`${stdout}${stderr}`).toMatchInlineSnapshot(`
    "kept     replays/session-a.session.json: 1 turn, "mail me at <email:71d4> (a)"
             turn 1: the output, the steps
             its trace lacks agent_id at trace level: with several agents, nothing says which one it is replayed against. Set \`langfuse.trace.metadata.agent_id\` on the span of the turn
             its trace lacks run_id at trace level: set \`langfuse.trace.metadata.run_id\` on the span of the turn, unique for each
             redacted: 1 email
             left in the requests: 1 email (see redact.request)
    error: replays/session-a.session.json already exists, and differs from the recorded session. (PIN_EXISTS)
      -> Use --update to replace it.
    "
  `);
  const updated = await pin('--update');
  expect(updated.code).toBe(0);
  expect(updated.stdout).toMatch(/^updated /);
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

test('pin --runs replays a pin through the agent and keeps every replay as a recording, which the next run tests against', async () => {
  await using project = await projectWith({ sessions: { one: 'varies', two: ['a', 'b'] }, config: { workers: 1 } });
  const pins = ['replays/one.session.json', 'replays/two.session.json'];
  const { code, stdout } = await command(['pin', ...pins, '--runs', '4', '--yes'], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "recorded replays/one.session.json: 4 recordings beside the original
             2 of 4 do as the original, in 2 different ways; step 3: answer: 0 → 1
    recorded replays/two.session.json: 4 recordings beside the original, and all do the same
    The agent varies; a run is red when one replay does otherwise
    "
  `);
  const outputs = async (file: string) =>
    JSON.parse(await project.read(file)).turns.map(({ recorded, baselines }: PinnedTurn) => [
      recorded.output,
      baselines?.map(({ output }) => output).sort(),
    ]);
  expect(await outputs(pins[0] as string)).toEqual([['answer 0', ['answer 0', 'answer 0', 'answer 1', 'answer 1']]]);
  expect(await outputs(pins[1] as string)).toEqual([
    ['answer to a', Array(4).fill('answer to a')],
    ['answer to b', Array(4).fill('answer to b')],
  ]);
  // Recordings that vary are not five yet.
  const run = await command(['run', '--runs', '4'], { cwd: project.path });
  expect(run.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Judged by what it did alone, as with five recordings of each (gate: shift): 2 of 2 as recorded.',
  );
  expect(project.leftovers()).toEqual([]);
});

test('where nobody can be asked, pin --runs calls no tool that may write: it says which, and that --yes allows it', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const { code, stderr } = await command(['pin', 'replays/one.session.json', '--runs', '2'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stderr).toMatchInlineSnapshot(`
    "error: Nobody is here to be asked whether tools may act for real. (USAGE)
      2 calls. Tools act for real: lookup (none is declared mutating or readOnly).
      -> Give --yes if they may, or let the recording answer for them (\`tools\` of the configuration, docs/tools.md).
    "
  `);
  expect(JSON.parse(await project.read('replays/one.session.json')).turns[0].baselines).toBeUndefined();
});

test('pin --runs of sessions asks about their tools before it writes anything; recordings to keep or replace are of pins that are named', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const { turns } = JSON.parse(await project.read('replays/one.session.json'));
  const [call] = turns[0].recorded.observations.filter(({ type }: { type: string }) => type === 'tool');
  const tool = { ...span('a', { 'langfuse.observation.type': 'tool' }), spanId: 'c'.repeat(16), name: call.name };
  await writeFile(
    path.join(project.path, 'traces.json'),
    exported(span('a', {}), { ...tool, parentSpanId: 'a'.repeat(16) }),
  );
  const pin = (...args: string[]) =>
    command(['pin', '--from', 'traces.json', '--dir', 'new', '--runs', '2', ...args], { cwd: project.path });
  const asked = await pin();
  expect(asked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Nobody is here to be asked') });
  for (const flag of ['--refresh', '--more']) {
    expect(await pin('--yes', flag)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('of the pins that are named'),
    });
  }
  expect(await readdir(project.path)).not.toContain('new');
  expect((await pin('--yes')).stdout).toMatch(/^written /);
});

test('pin --runs --more adds recordings, --refresh replaces the oldest, and each says when and in which run it was made', async () => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const file = 'replays/one.session.json';
  const made = async () => {
    const [turn] = JSON.parse(await project.read(file)).turns as [PinnedTurn];
    return (turn.baselines ?? []).map(({ made }) => made ?? { at: '', run: 0 });
  };
  // As a report names many pins.
  const pin = (...flags: string[]) =>
    command(['pin', 'replays/*.session.json', '--runs', '2', '--yes', ...flags], { cwd: project.path });
  expect(await pin()).toMatchObject({ code: 0 });
  const [first, second] = await made();
  expect(await pin('--more')).toMatchObject({ stdout: expect.stringContaining('(4 in all)') });
  const four = await made();
  expect(four.slice(0, 2)).toEqual([first, second]);
  expect(four.map(({ run }) => run)).toEqual([1, 2, 1, 2]);
  expect(Date.parse(four[2]?.at ?? '')).toBeGreaterThan(Date.parse(first?.at ?? ''));
  expect(await pin('--refresh')).toMatchObject({ code: 0 });
  expect((await made()).slice(0, 2)).toEqual(four.slice(2));
  expect(await made()).toHaveLength(4);
  expect(await command(['pin', file, '--more'], { cwd: project.path })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--runs N'),
  });
});

test('pin --runs leaves a pin as it is when a replay of it could not be compared', async () => {
  await using project = await projectWith({
    sessions: { one: 'untraced', two: 'a' },
    config: { timeouts: { trace: IN_VAIN_MS } },
  });
  const before = await project.read('replays/one.session.json');
  const args = ['pin', 'replays/one.session.json', 'replays/two.session.json', '--runs', '2', '--yes'];
  const { code, stdout, stderr } = await command(args, { cwd: project.path });
  expect(code).toBe(2);
  expect(stdout).toContain('left     replays/one.session.json');
  expect(stdout).toContain('recorded replays/two.session.json');
  expect(stderr).toContain('TRACE_MISSING');
  expect(await project.read('replays/one.session.json')).toBe(before);
});

test('where nothing tells which model call came first, pin says so, with what it took', async () => {
  const chat = (id: string, messages: object[]) => ({
    ...span('a', {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.input': JSON.stringify({ messages }),
    }),
    spanId: id.repeat(16),
    name: `chat ${id}`,
  });
  const user = (content: string) => ({ role: 'user', content });
  await using folder = await folderWith({
    'unsure.json': exported(chat('d', [user('Is this spam? hi')]), chat('c', [user('hi')])),
    'sure.json': exported(chat('d', [user('hi'), { role: 'assistant', content: 'Hm.' }]), chat('c', [user('hi')])),
  });
  const pin = (file: string) => command(['pin', '--dry-run', '--from', file], { cwd: folder.path });
  const { code, stderr } = await pin('unsure.json');
  expect(code).toBe(0);
  expect(stderr).toMatchInlineSnapshot(`
    "warning: The order of the first model calls of turn 1 is not known, so its request may be wrong. (TRACE_ORDER_UNKNOWN)
      trace aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: 2 model calls start at 2023-11-14T22:13:20.000Z
      taken: "chat c" (1 message); not taken: "chat d" (1 message)
      -> Check turns[0].request in the pin. Where tool calls carry their ids, or messages accumulate, the order is known.
    "
  `);
  expect(await pin('sure.json')).toMatchObject({ code: 0, stderr: '' });
});

test('recordings of which a turn has none that does as the original name what a tool would need', async () => {
  await using project = await projectWith({
    sessions: { one: 'a', two: 'varies' },
    agent: { env: { PREFIX: 'Berlin 17 ' } },
  });
  for (const [name, does] of [
    ['one', 'does the same each time'],
    ['two', 'varies'],
  ]) {
    const pin = ['pin', `replays/${name}.session.json`, '--runs', '2', '--yes'];
    const { stdout } = await command(pin, { cwd: project.path });
    expect(stdout).toMatch(/ 0 of 2 do as the original/);
    expect(stdout).toContain(
      `The agent ${does}, but never does what it did when a turn was recorded: if tools are why, `,
    );
  }
});
