import { isDefaultExportSpan, LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, setLangfuseTracerProvider, startActiveObservation } from '@langfuse/tracing';
import type { Tracer } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SamplingDecision,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { expect, test } from 'vitest';
import { replayEndpoint, replaySpanProcessor } from '../../src/endpoint/index.ts';

process.env.SVC_RUN_TOKEN = 'run';
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
    headers: { 'content-type': 'application/json', 'x-svc-run-token': 'run' },
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

type TracerOptions = NonNullable<ConstructorParameters<typeof NodeTracerProvider>[0]>;

/** What the answer of a turn says of the number of its spans, and how many were handed to the exporter. */
async function counted(
  turn: (tracer: Tracer) => unknown,
  {
    processorOf = (sent) => new SimpleSpanProcessor(sent),
    exports,
    sampler,
  }: {
    processorOf?: (sent: InMemorySpanExporter) => SpanProcessor;
    exports?: (span: ReadableSpan) => boolean;
    sampler?: TracerOptions['sampler'];
  } = {},
) {
  const sent = new InMemorySpanExporter();
  const spanProcessors = [replaySpanProcessor({ exports }), processorOf(sent)];
  const tracing = new NodeTracerProvider({ spanProcessors, ...(sampler && { sampler }) });
  const endpoint = replayEndpoint(
    async () => {
      await turn(tracing.getTracer('my-agent'));
      return 'done';
    },
    { flush: () => tracing.forceFlush() },
  );
  const said = (await endpoint(replay('x'))).headers.get('x-svc-trace-spans');
  return { said, sent: sent.getFinishedSpans().length };
}

const one = (tracer: Tracer) => tracer.startSpan('one').end();

test('the answer says how many spans of the turn were handed to the exporter', async () => {
  const turn = async (tracer: Tracer) => {
    one(tracer);
    await Promise.all(['two', 'three'].map(async (name) => tracer.startSpan(name).end()));
  };
  expect(await counted(turn)).toEqual({ said: '3', sent: 3 });
});

test('where a span has not ended when the turn is answered, nothing is said of their number', async () => {
  const turn = (tracer: Tracer) => {
    one(tracer);
    tracer.startSpan('open');
  };
  expect(await counted(turn)).toEqual({ said: null, sent: 1 });
});

test('spans that are not sampled are not counted', async () => {
  const sampler = {
    shouldSample: (_context: unknown, _trace: unknown, name: string) => ({
      decision: name === 'one' ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.RECORD,
    }),
  };
  const turn = (tracer: Tracer) => {
    one(tracer);
    tracer.startSpan('left out').end();
  };
  expect(await counted(turn, { sampler })).toEqual({ said: '1', sent: 1 });
});

test.each([
  ['not counted where the processor knows that filter', isDefaultExportSpan, '1'],
  ['counted where it does not: too many, never too few', undefined, '2'],
])('spans that an exporting processor leaves out by a filter of its own are %s', async (_, exports, said) => {
  const processorOf = (exporter: InMemorySpanExporter) =>
    new LangfuseSpanProcessor({ exporter, publicKey: 'pk', secretKey: 'sk' });
  const turn = (tracer: Tracer) => {
    one(tracer);
    tracer.startSpan('chat', { attributes: { 'gen_ai.operation.name': 'chat' } }).end();
  };
  expect(await counted(turn, { processorOf, ...(exports && { exports }) })).toEqual({ said, sent: 1 });
});
