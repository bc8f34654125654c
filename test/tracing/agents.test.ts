import { expect, test } from 'vitest';
import type { Observation, Trace } from '../../src/trace/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';
import { replay, startAgent } from './agent-process.ts';

function outline({ observations }: Trace): string[] {
  const name = (id: string | null): string => observations.find((candidate) => candidate.id === id)?.name ?? '-';
  return observations
    .map(({ type, name: own, parentId }: Observation) => `${type} ${own} < ${name(parentId)}`)
    .toSorted();
}

test('the Langfuse SDK 5 below a filtered HTTP span: the replay trace arrives whole', async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent('langfuse-v5-agent.ts', receiver.environment());
  const trace = await replay(agent.url, receiver, 'run-1');
  expect(outline(trace)).toEqual(['agent turn < -', 'generation plan < turn', 'tool search < turn']);
  expect(trace).toMatchObject({
    sessionId: 's',
    name: 'turn',
    output: 'done',
    metadata: { svc_replay_run_id: 'run-1', is_replay: 'true', agent_id: 'a' },
  });
});

test('plain OpenTelemetry with GenAI attributes over gzipped protobuf: the replay trace arrives whole', async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent('plain-otel-agent.ts', {
    ...receiver.environment(),
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
  });
  const trace = await replay(agent.url, receiver, 'run-1');
  expect(outline(trace)).toEqual([
    'agent invoke_agent a < -',
    'generation chat m < invoke_agent a',
    'tool search < invoke_agent a',
  ]);
  const [chat, search] = ['generation', 'tool'].map((type) => trace.observations.find((found) => found.type === type));
  expect(chat).toMatchObject({
    model: 'm',
    usage: { input: 10 },
    modelParameters: { temperature: 0.2, stop_sequences: '["x","y"]' },
    output: [{ parts: [{ type: 'tool_call', id: 'c1', arguments: { q: 'ä' } }] }],
    metadata: { svc_replay_run_id: 'run-1' },
  });
  expect(search).toMatchObject({ callId: 'c1', input: { q: 'ä' }, level: 'ERROR', statusMessage: 'no hits' });
});

test('the AI SDK 6 with experimental_telemetry: the replay trace arrives whole', async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent('ai-v6-agent.ts', receiver.environment());
  const trace = await replay(agent.url, receiver, 'run-1');
  expect(outline(trace)).toEqual([
    'generation ai.generateText.doGenerate < ai.generateText',
    'generation ai.generateText.doGenerate < ai.generateText',
    'span ai.generateText < -',
    'tool search < ai.generateText',
  ]);
  expect(trace).toMatchObject({ sessionId: 's', output: 'done', metadata: { is_replay: true } });
});

test('the AI SDK 7 with the Langfuse integration: the replay trace arrives whole', async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent('ai-v7-agent.ts', receiver.environment());
  const trace = await replay(agent.url, receiver, 'run-1');
  expect(outline(trace)).toEqual([
    'agent invoke_agent m < turn',
    'generation chat m < step 1',
    'generation chat m < step 2',
    'span step 1 < invoke_agent m',
    'span step 2 < invoke_agent m',
    'span turn < -',
    'tool search < step 1',
  ]);
  expect(trace.observations.find(({ type }) => type === 'tool')).toMatchObject({
    callId: 'c1',
    output: { hits: ['a'] },
  });
});

test('the Langfuse SDK 3, in batches and without a root: the replay trace arrives whole', async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent('langfuse-v3-agent.ts', receiver.environment());
  const trace = await replay(agent.url, receiver, 'run-1');
  expect(outline(trace)).toEqual(['generation answer < -', 'generation plan < -', 'span search < -']);
  expect(trace).toMatchObject({
    name: 'turn',
    sessionId: 's',
    input: 'hi',
    output: 'done',
    metadata: { svc_replay_run_id: 'run-1', is_replay: true },
  });
  const [plan, search] = ['plan', 'search'].map((name) => trace.observations.find((found) => found.name === name));
  expect(plan).toMatchObject({ usage: { input: 10, output: 5 }, output: { tool_calls: [{ id: 'c1' }] } });
  expect(search).toMatchObject({ callId: 'c1', input: { q: 'a' }, output: { hits: ['a'] } });
});

test('a turn of very many spans, flushed at once: none is lost', async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent('langfuse-v5-burst-agent.ts', receiver.environment());
  const trace = await replay(agent.url, receiver, 'run-1');
  expect(trace.observations).toHaveLength(1_501);
});

test('replays of one agent at the same time each get their own trace, and none is held afterwards', async () => {
  await using receiver = await startReceiver();
  await using agent = await startAgent('langfuse-v5-agent.ts', receiver.environment());
  const runIds = Array.from({ length: 50 }, (_, index) => `run-${index}`);
  const traces = await Promise.all(runIds.map((runId) => replay(agent.url, receiver, runId)));
  expect(traces.map(({ metadata }) => metadata.svc_replay_run_id)).toEqual(runIds);
  expect(traces.map(({ observations }) => observations.length)).toEqual(runIds.map(() => 3));
  expect(receiver.stats()).toMatchObject({ traces: 0 });
});
