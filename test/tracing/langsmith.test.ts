import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'langsmith';
import type { Run } from 'langsmith/schemas';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Trace } from '../../src/trace/index.ts';
import { openPlatform, type Platform, startReceiver, tracesFromOtlp } from '../../src/tracing/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { patience } from '../patience.ts';
import { replay, startAgent } from './agent-process.ts';
import { API_KEY, langsmith, PROJECT, runsOf } from './langsmith-server.ts';
import { type PlatformServer, serve, virtualClock } from './platform-server.ts';

const signal = () => patience();
const RECORDED = { agent_id: 'support', session_id: 's1', run_id: 'run-1' };
const REPLAY = { ...RECORDED, session_id: 'replay-s1', svc_replay_run_id: 'uid.t1.r1' };

/** What LangSmith's SDK sends of one turn, and of its replay. */
let recorded: Run[];
let replayed: Run[];
beforeAll(async () => {
  recorded = await runsOf(RECORDED);
  replayed = await runsOf(REPLAY);
});

async function open(server: PlatformServer, options: { apiKey?: string; project?: string } = {}): Promise<Platform> {
  const place = { platform: 'langsmith', host: server.url, apiKey: API_KEY, project: PROJECT.name } as const;
  return openPlatform({ ...place, clock: virtualClock(), random: () => 0.5, ...options });
}

/** What was done, without what differs from one time to the next. */
function behaviour({ observations, input, output, name }: Trace): unknown {
  const names = new Map(observations.map(({ id, name }) => [id, name]));
  const steps = observations.map(({ id, parentId, startTime, endTime, metadata, ...told }) => ({
    ...told,
    parent: names.get(parentId ?? '') ?? null,
  }));
  return { name, input, output, steps };
}

test('a file of runs is the trace that the same agent exports over OpenTelemetry', async () => {
  const [fromFile] = tracesFromOtlp(JSON.stringify(recorded)) as [Trace];
  await using receiver = await startReceiver();
  await using agent = await startAgent('langsmith-agent.ts', receiver.environment({ LANGSMITH_TRACING: 'true' }));
  const overOpenTelemetry = await replay(agent.url, receiver, 'uid.t1.r1');
  expect(behaviour(fromFile)).toEqual(behaviour(overOpenTelemetry));
  expect(fromFile.observations.map(({ type, name }) => `${type} ${name}`)).toEqual([
    'chain support',
    'generation ChatOpenAI',
    'tool find_order',
    'generation ChatOpenAI',
  ]);
  expect([fromFile.sessionId, overOpenTelemetry.sessionId]).toEqual(['s1', 'replay-s1']);
});

test('an agent that does not trace to LangSmith is not told to', async () => {
  await using receiver = await startReceiver();
  expect(Object.keys(receiver.environment()).filter((name) => name.startsWith('LANGSMITH'))).toEqual([]);
});

test('the endpoint and the key that LangSmith’s SDK for Python exports with are the receiver’s', async () => {
  await using receiver = await startReceiver();
  const { LANGSMITH_ENDPOINT, LANGSMITH_API_KEY } = receiver.environment({ LANGCHAIN_TRACING_V2: 'true' });
  const exported = await fetch(`${LANGSMITH_ENDPOINT}/otel`, {
    method: 'POST',
    headers: { 'x-api-key': LANGSMITH_API_KEY ?? '', 'content-type': 'application/json' },
    body: '{"resourceSpans":[]}',
  });
  const stranger = await fetch(`${LANGSMITH_ENDPOINT}/otel`, {
    method: 'POST',
    headers: { 'x-api-key': 'other' },
    body: '{}',
  });
  expect([exported.status, stranger.status]).toEqual([200, 401]);
});

test.each([
  ['runs, one a line', () => recorded.map((run) => JSON.stringify(run)).join('\n')],
  ['a page of POST /runs/query', () => JSON.stringify({ runs: recorded, cursors: { next: null } })],
  ['a tree with its child runs', () => JSON.stringify(treeOf(recorded))],
])('LangSmith’s runs are read from a file: %s', (_, text) => {
  const [expected] = tracesFromOtlp(JSON.stringify(recorded));
  expect(tracesFromOtlp(text())).toEqual([expected]);
});

function treeOf(runs: readonly Run[]): Run {
  const root = runs.find(({ parent_run_id }) => parent_run_id === undefined) as Run;
  return { ...root, child_runs: runs.filter((run) => run !== root).map(({ trace_id, ...run }) => run) };
}

describe('over its API', () => {
  test('a trace is what a file of the same runs says', async () => {
    await using server = await serve(langsmith(() => recorded));
    await using platform = await open(server);
    const [expected] = tracesFromOtlp(JSON.stringify(recorded)) as [Trace];
    expect(await platform.trace(expected.id, { signal: signal() })).toEqual(expected);
    expect(await platform.tracesOf('s1', signal())).toEqual([expected.id]);
    expect(await platform.tracesOf('s2', signal())).toEqual([]);
  });

  test('a replay is waited for until all of it is there, and no other run is taken for it', async () => {
    const clock = virtualClock();
    const other = replayed.map((run) => ({ ...run, id: `o${run.id}`, trace_id: 'other' }));
    const relabelled = other.map((run) => ({
      ...run,
      extra: { ...run.extra, metadata: { ...run.extra?.metadata, svc_replay_run_id: 'uid.t1.r10' } },
    }));
    const isThere = () => 1 + Math.floor(clock.elapsedMs() / 2_000);
    // The agent's runs are of another time than the clock of this test.
    const beganAt = clock.now();
    const shown = () => [...relabelled, ...replayed.slice(0, isThere())].map(inTime);
    const inTime = (run: Run): Run => ({
      ...run,
      start_time: beganAt + 1_000 + replayed.findIndex(({ id }) => run.id.endsWith(id)),
      end_time: beganAt + 2_000,
    });
    await using server = await serve(langsmith(shown));
    const place = { platform: 'langsmith', host: server.url, apiKey: API_KEY, project: PROJECT.name } as const;
    await using platform = await openPlatform({ ...place, clock, random: () => 0.5 });
    const trace = await platform.waitFor('uid.t1.r1', { signal: clock.deadline(120_000) });
    expect(trace.observations.map(({ name }) => name).toSorted()).toEqual([
      'ChatOpenAI',
      'ChatOpenAI',
      'find_order',
      'support',
    ]);
  });

  test('LangSmith’s own client reads these runs from the stand-in, too', async () => {
    await using server = await serve(langsmith(() => recorded));
    const client = new Client({ apiUrl: server.url, apiKey: API_KEY });
    const found = [];
    for await (const run of client.listRuns({ projectId: PROJECT.id, isRoot: true })) found.push(run.name);
    expect(found).toEqual(['support']);
    const names = [];
    for await (const run of client.runs.query({ project_ids: [PROJECT.id], selects: ['NAME'] })) names.push(run.name);
    expect(names.toSorted()).toEqual(['ChatOpenAI', 'ChatOpenAI', 'find_order', 'support']);
  });
});

test('many runs are read page by page', async () => {
  const [root] = recorded as [Run];
  const roots = Array.from({ length: 250 }, (_, n) => ({
    ...root,
    id: `r${n}`,
    trace_id: `r${n}`,
    start_time: Date.parse('2026-11-01T00:00:00Z') + n,
  }));
  await using server = await serve(langsmith(() => roots));
  await using platform = await open(server);
  const ids = [];
  for await (const head of platform.heads({ since: '2026-10-01T00:00:00.000Z' }, signal())) ids.push(head.id);
  expect(ids).toEqual(roots.map(({ id }) => id).toReversed());
});

test('a server before 0.16, which has version 1 of the API alone, is not read, and that is said', async () => {
  await using server = await serve(langsmith(() => [], { hasVersionTwo: false }));
  await expect(open(server)).rejects.toMatchObject({
    code: 'PLATFORM_UNEXPECTED_ANSWER',
    evidence: ['POST /api/v2/runs/query: no list of items'],
  });
});

test.each([
  ['a wrong key', 'PLATFORM_UNAUTHORIZED', { apiKey: 'lsv2_wrong_key' }],
  ['a project that is not there', 'PLATFORM_UNEXPECTED_ANSWER', { project: 'other' }],
] as const)('%s is said to be that, without the key', async (_, code, options) => {
  await using server = await serve(langsmith(() => []));
  await expect(open(server, options)).rejects.toMatchObject({
    code,
    evidence: [expect.not.stringContaining('lsv2_')],
  });
});

test('sessions of LangSmith are listed and pinned by the same commands, while replays come to the receiver', async () => {
  await using server = await serve(langsmith(() => [...recorded, ...replayed]));
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ tracing: { recorded: 'langsmith' } }),
  });
  const env = {
    LANGSMITH_ENDPOINT: `${server.url}/api/v1`,
    LANGSMITH_API_KEY: API_KEY,
    LANGSMITH_PROJECT: PROJECT.name,
  };
  const run = (...args: string[]) => command(args, { cwd: folder.path, env });
  const { stdout } = await run('sessions', '--since', '2026-01-01');
  expect(stdout).toMatch(/^s1 +\S+ \S+ +support +1 +yes +- +Where is my order A-17\?$/m);
  expect(stdout).not.toContain('replay-s1');
  expect(await run('pin', 's1')).toMatchObject({ code: 0, stderr: '' });
  const [file] = await readdir(path.join(folder.path, 'replays'));
  const pin = JSON.parse(await readFile(path.join(folder.path, 'replays', file as string), 'utf8'));
  expect(pin.turns[0]).toMatchObject({
    request: { messages: [{ role: 'user', content: 'Where is my order A-17?' }], model: 'gpt-5-mini' },
  });
  expect(JSON.stringify(pin.turns[0].recorded.output)).toContain('It was shipped yesterday.');
});
