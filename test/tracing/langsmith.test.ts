import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Run } from 'langsmith/schemas';
import { beforeAll, expect, test } from 'vitest';
import type { Trace } from '../../src/trace/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';
import { command } from '../cli/command.ts';
import { folderWith } from '../config/folder.ts';
import { replay, startAgent } from './agent-process.ts';
import { API_KEY, langsmith, PROJECT, runsOf } from './langsmith-server.ts';
import { serve } from './platform-server.ts';
import { programOf } from './programs.ts';
import { tracesIn } from './traces-in.ts';

const RECORDED = { agent_id: 'support', session_id: 's1', run_id: 'run-1' };
const REPLAY = { ...RECORDED, session_id: 'replay-s1', svc_replay_run_id: 'uid.t1.r1' };

/** What LangSmith's SDK sends of one turn, and of its replay. */
let recorded: Run[];
let replayed: Run[];
beforeAll(async () => {
  recorded = await runsOf(RECORDED);
  replayed = await runsOf(REPLAY);
});

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
  const [fromFile] = tracesIn(JSON.stringify(recorded)) as [Trace];
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
  const [expected] = tracesIn(JSON.stringify(recorded));
  expect(tracesIn(text())).toEqual([expected]);
});

function treeOf(runs: readonly Run[]): Run {
  const root = runs.find(({ parent_run_id }) => parent_run_id === undefined) as Run;
  return { ...root, child_runs: runs.filter((run) => run !== root).map(({ trace_id, ...run }) => run) };
}

test('the program of docs/sources.md lists and pins sessions of LangSmith, while replays come to the receiver', async () => {
  const [root] = recorded as [Run];
  const other = { ...root.extra, metadata: { ...root.extra?.metadata, session_id: 's2' } };
  const others = Array.from({ length: 150 }, (_, n) => ({ ...root, id: `r${n}`, trace_id: `r${n}`, extra: other }));
  await using server = await serve(langsmith(() => [...recorded, ...replayed, ...others]));
  await using folder = await folderWith({
    'langsmith.js': programOf('langsmith'),
    'package.json': '{"type":"module"}',
    'agent-replay.config.json': JSON.stringify({
      tracing: { recorded: 'command', command: ['node', 'langsmith.js'] },
    }),
  });
  const env = { LANGSMITH_ENDPOINT: server.url, LANGSMITH_API_KEY: API_KEY, LANGSMITH_PROJECT: PROJECT.name };
  const run = (...args: string[]) => command(args, { cwd: folder.path, env });
  const { stdout } = await run('sessions', '--since', '2026-01-01');
  expect(stdout).toMatch(/^s1 +\S+ \S+ +support +1 +yes +- +Where is my order A-17\?$/m);
  expect(stdout).toMatch(/^s2 +\S+ \S+ +support +150 /m);
  expect(stdout).not.toContain('replay-s1');
  expect(await run('pin', 's1')).toMatchObject({ code: 0, stderr: '' });
  const [file] = await readdir(path.join(folder.path, 'replays'));
  const pin = JSON.parse(await readFile(path.join(folder.path, 'replays', file as string), 'utf8'));
  expect(pin.turns[0]).toMatchObject({
    request: { messages: [{ role: 'user', content: 'Where is my order A-17?' }], model: 'gpt-5-mini' },
  });
  expect(JSON.stringify(pin.turns[0].recorded.output)).toContain('It was shipped yesterday.');
  const refused = await command(['sessions'], {
    cwd: folder.path,
    env: { ...env, LANGSMITH_API_KEY: 'lsv2_wrong_key' },
  });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('LangSmith answers 401') });
});
