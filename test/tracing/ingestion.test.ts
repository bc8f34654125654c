import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { trace as traceSchema } from '../../src/trace/index.ts';
import { startReceiver } from '../../src/tracing/index.ts';
import { ingestionReader } from '../../src/tracing/receiver/ingestion.ts';
import { TraceStore } from '../../src/tracing/receiver/store.ts';
import fc from '../fast-check.ts';
import { brought } from './brought.ts';

interface Recorded {
  scenario: string;
  batches: { batch: (JsonObject & { type: string; body: JsonObject })[] }[];
  /** What the real server's read API answered for it. */
  trace: JsonObject & { observations: JsonObject[] };
}

/** What the SDK sent and what servers 2.95.12 and 4.16.0 made of it; the run id added where the scenario had none. */
const RECORDED = (
  JSON.parse(readFileSync(new URL('fixtures/legacy-ingestion.json', import.meta.url), 'utf8')) as Recorded[]
).map((recorded) => {
  for (const { type, body } of recorded.batches.flatMap(({ batch }) => batch)) {
    if (type === 'trace-create' && body.metadata !== undefined) (body.metadata as JsonObject).svc_replay_run_id = 'r1';
  }
  (recorded.trace.metadata as JsonObject).svc_replay_run_id = 'r1';
  return recorded;
});

const read = ingestionReader();

async function storedTrace(batches: Json[]) {
  const store = new TraceStore(
    { spansPerTrace: 1_000, bytes: 2 ** 20, keptBytes: 0 },
    { quietMs: 0, settleMs: 600_000 },
  );
  for (const batch of batches) store.add(...brought(read(batch)?.arrivals));
  return store.waitFor('r1', { signal: new AbortController().signal });
}

function present(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && JSON.stringify(value) !== '{}'),
  );
}

test.each(RECORDED)('$scenario: the trace is what a real server made of the same batches', async (recorded) => {
  const { observations, ...trace } = await storedTrace(recorded.batches as unknown as Json[]);
  traceSchema.parse({ ...trace, observations });
  const { id, name, timestamp, sessionId, release, input, output, metadata } = recorded.trace;
  expect(trace).toEqual({
    id,
    name,
    timestamp,
    sessionId,
    release,
    input,
    output,
    metadata,
  });
  expect(observations).toHaveLength(recorded.trace.observations.length);
  for (const row of recorded.trace.observations) {
    const own = observations.find((observation) => observation.id === row.id);
    const { id, name, startTime, endTime, level, statusMessage, model, modelParameters, input, output } = row;
    expect({ ...own, usage: undefined, callId: undefined, metadata: undefined }).toEqual({
      ...present({ id, name, startTime, endTime, level, input, output } as JsonObject),
      ...present({ statusMessage, model, modelParameters } as JsonObject),
      type: String(row.type).toLowerCase(),
      parentId: row.parentObservationId,
    });
    expect(own?.metadata).toEqual({ ...(row.metadata as JsonObject | null), ...trace.metadata });
    expect(own?.callId).toBe((row.metadata as JsonObject | null)?.tool_call_id);
  }
});

test('events make the same trace in whatever order, batches and repetitions they come', async () => {
  const recorded = RECORDED[0] as Recorded;
  const expected = await storedTrace(recorded.batches as unknown as Json[]);
  const events = recorded.batches.flatMap(({ batch }) => batch);
  const shuffled = fc.shuffledSubarray([...events, ...events.slice(0, 4)], { minLength: events.length + 4 });
  await fc.assert(
    fc.asyncProperty(shuffled, fc.integer({ min: 1, max: 5 }), async (order, size) => {
      const batches = Array.from({ length: Math.ceil(order.length / size) }, (_, index) => ({
        batch: order.slice(index * size, (index + 1) * size),
      }));
      expect(await storedTrace(batches as unknown as Json[])).toEqual(expected);
    }),
  );
});

test('the answer is 207 with a success for every event, also for those that are of no use here', async () => {
  await using receiver = await startReceiver();
  const answer = await fetch(`${receiver.url}/api/public/ingestion`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64')}`,
    },
    body: JSON.stringify({
      batch: [
        { id: 'e1', type: 'score-create', body: { id: 's', name: 'q', value: 1 } },
        { id: 'e2', type: 'span-update', body: { id: 'o' } },
        { id: 'e3', type: 'tool-create', body: { id: 'o', traceId: 't' } },
        null,
      ],
    }),
  });
  expect([answer.status, await answer.json()]).toEqual([
    207,
    { successes: ['e1', 'e2', 'e3'].map((id) => ({ id, status: 201 })), errors: [] },
  ]);
  expect(receiver.stats().traces).toBe(1);
});

test.each(['', '{', '[]', '{"batch":{}}'])('a body such as %j is answered with 400', async (body) => {
  await using receiver = await startReceiver();
  const authorization = `Basic ${Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64')}`;
  const answer = await fetch(`${receiver.url}/api/public/ingestion`, {
    method: 'POST',
    headers: { authorization },
    body,
  });
  expect(answer.status).toBe(400);
});

test('an observation that is still running is waited for; one that has its output is not', async () => {
  const store = new TraceStore({ spansPerTrace: 10, bytes: 2 ** 20, keptBytes: 0 }, { quietMs: 0, settleMs: 600_000 });
  const event = (type: string, body: JsonObject): JsonObject => ({ id: JSON.stringify(body), type, body });
  const add = (...batch: JsonObject[]): void => store.add(...brought(read({ batch })?.arrivals));
  add(event('trace-create', { id: 't', metadata: { svc_replay_run_id: 'r1' } }));
  add(event('generation-create', { id: 'g1', traceId: 't', name: 'said', output: 'x' }));
  add(event('generation-create', { id: 'g2', traceId: 't', name: 'running' }));
  const waiting = store.waitFor('r1', { signal: AbortSignal.abort() });
  await expect(waiting).rejects.toMatchObject({
    code: 'TRACE_INCOMPLETE',
    evidence: [
      'searched for: r1',
      'missing: the end of span g2, generation "running"',
      'came: the trace itself',
      'came: generation "said"',
      'came: generation "running"',
    ],
  });
});

test('an update counts after the create, even if a clock says otherwise', async () => {
  const event = (type: string, at: string, body: JsonObject): JsonObject => ({ id: at, type, timestamp: at, body });
  const trace = await storedTrace([
    {
      batch: [
        event('span-update', '2026-01-01T00:00:01Z', { id: 's', traceId: 't', level: 'ERROR', output: 'x' }),
        event('span-create', '2026-01-01T00:00:02Z', { id: 's', traceId: 't', level: 'DEFAULT', name: 'step' }),
        event('trace-create', '2026-01-01T00:00:03Z', { id: 't', metadata: { svc_replay_run_id: 'r1' } }),
      ],
    },
  ]);
  expect(trace.observations).toMatchObject([{ name: 'step', level: 'ERROR', output: 'x' }]);
});
