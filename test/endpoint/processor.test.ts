import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, setLangfuseTracerProvider, startActiveObservation } from '@langfuse/tracing';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { expect, test } from 'vitest';
import { replayEndpoint, replaySpanProcessor } from '../../src/endpoint/index.ts';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({
  spanProcessors: [
    replaySpanProcessor(),
    new LangfuseSpanProcessor({ exporter, publicKey: 'pk', secretKey: 'sk', exportMode: 'immediate' }),
    new SimpleSpanProcessor(exporter),
  ],
});
provider.register();
setLangfuseTracerProvider(provider);
const tracer = provider.getTracer('agent');

function replay(input: string): Request {
  return new Request('http://agent/replay', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ is_replay: true, svc_replay_run_id: `run-${input}`, input }),
  });
}

function attributesOf(name: string) {
  return exporter.getFinishedSpans().find((span) => span.name === name)?.attributes;
}

const RUN_ID = 'langfuse.trace.metadata.svc_replay_run_id';

test('replays and normal turns at the same time keep their spans apart', async () => {
  const all = Promise.withResolvers<void>();
  let started = 0;
  const takeTurn = async (name: string) => {
    if (++started === 3) all.resolve();
    await all.promise;
    tracer.startSpan(name).end();
    return name;
  };
  const endpoint = replayEndpoint(({ input }) => takeTurn(input));
  await Promise.all([endpoint(replay('a')), endpoint(replay('b')), takeTurn('chat')]);
  expect(attributesOf('a')?.[RUN_ID]).toBe('run-a');
  expect(attributesOf('b')?.[RUN_ID]).toBe('run-b');
  expect(attributesOf('chat')).toEqual({});
});

test('what the agent says of its trace wins over what the processor says', async () => {
  const endpoint = replayEndpoint(async () => {
    const own = { sessionId: 'thread-7', metadata: { session_id: 'thread-7', run_id: 'run-7' } };
    await propagateAttributes(own, () => startActiveObservation('own', async () => {}));
    return { output: 'done', sessionId: 'thread-7', runId: 'run-7' };
  });
  expect((await endpoint(replay('x'))).status).toBe(200);
  expect(attributesOf('own')).toMatchObject({
    'session.id': 'thread-7',
    'langfuse.trace.metadata.session_id': 'thread-7',
    'langfuse.trace.metadata.run_id': 'run-7',
    [RUN_ID]: 'run-x',
  });
});

test('a turn that starts no span is not taken for traced', async () => {
  const endpoint = replayEndpoint(() => 'done', { onError: () => {} });
  expect((await endpoint(replay('x'))).status).toBe(500);
});

test('the processor and the endpoint find each other when a bundler has loaded them as two copies', async () => {
  const copy = '../../src/endpoint/tracing.ts?copy';
  const other = (await import(copy)) as { replaySpanProcessor: typeof replaySpanProcessor };
  expect(other.replaySpanProcessor).not.toBe(replaySpanProcessor);
  const spanProcessors = [other.replaySpanProcessor(), new SimpleSpanProcessor(exporter)];
  const copied = new NodeTracerProvider({ spanProcessors }).getTracer('agent');
  const endpoint = replayEndpoint(({ input }) => {
    copied.startSpan('by the copy').end();
    return input;
  });
  expect((await endpoint(replay('y'))).status).toBe(200);
  expect(attributesOf('by the copy')?.[RUN_ID]).toBe('run-y');
});
