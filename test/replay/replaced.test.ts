import { expect, test } from 'vitest';
import type { ReplayResult } from '../../src/replay/index.ts';
import { type Receiver, startReceiver } from '../../src/tracing/index.ts';
import { wholeMessage } from '../whole-message.ts';
import { all, idsOf, json, openPartOf, replays, type Served, serve, sessionOf } from './served.ts';

/** Exports a turn with one model call, as an agent's SDK does; with `error` the call failed in this way. */
async function trace(receiver: Receiver, replayRunId: unknown, error: string | undefined): Promise<void> {
  const traceId = Buffer.from(String(replayRunId)).toString('hex').padEnd(32, '0').slice(-32);
  const at = { startTimeUnixNano: '1000000000', endTimeUnixNano: '2000000000' };
  const attributes = (values: Record<string, string>) =>
    Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }));
  const spans = [
    {
      traceId,
      spanId: '00000000000000a1',
      name: 'turn',
      ...at,
      attributes: attributes({
        'langfuse.trace.metadata.svc_replay_run_id': String(replayRunId),
        'langfuse.observation.output': error === undefined ? 'hello' : 'sorry',
      }),
    },
    {
      traceId,
      spanId: '00000000000000a2',
      parentSpanId: '00000000000000a1',
      name: 'chat',
      ...at,
      attributes: attributes({
        'langfuse.observation.type': 'generation',
        ...(error === undefined ? { 'langfuse.observation.output': 'hello' } : {}),
      }),
      ...(error !== undefined && { status: { code: 2, message: error } }),
    },
  ];
  const keys = Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64');
  await fetch(`${receiver.url}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${keys}` },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'my-agent' }, spans }] }] }),
    // A test that ends everything ends the receiver too.
  }).catch(() => {});
}

const LIMIT = '429 Too Many Requests';

/** An agent that answers 200 whatever its model does. @param errorOf what the model does to a call, by its run id */
function apologising(receiver: Receiver, errorOf: (id: string) => string | undefined): Promise<Served> {
  return serve(async ({ body }, response) => {
    const error = errorOf(openPartOf(body.svc_replay_run_id));
    await trace(receiver, body.svc_replay_run_id, error);
    json(response, { output: error === undefined ? 'hello' : 'sorry' });
  });
}

const kindsOf = (results: readonly ReplayResult[]) => results.map(({ outcome }) => outcome.kind);

test.concurrent('a replay that waits to be made again holds no worker, and has a run id of its own', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  await using agent = await apologising(receiver, (id) => (id === 'u-1.t1.r1' ? LIMIT : undefined));
  const results = await all({ target: agent.url, source: receiver, uid: 'u', settings: { runs: 3, workers: 1 } });
  expect(idsOf(agent)).toEqual(['u-1.t1.r1', 'u-1.t1.r2', 'u-1.t1.r3', 'u-1.t1.r1.p1']);
  expect(kindsOf(results)).toEqual(['replayed', 'replayed', 'replayed']);
  expect(results.find(({ run }) => run === 1)).toMatchObject({
    replayRunId: expect.stringMatching(/^u-1\.t1\.r1\.p1\./),
    replaced: [{ replayRunId: expect.stringMatching(/^u-1\.t1\.r1\.[^p]/), outcome: { provider: { reason: '429' } } }],
  });
});

test.concurrent('of each session no more are made again than retries allow, and of none those that only the agent can mend', async ({
  expect,
}) => {
  await using receiver = await startReceiver({ quietMs: 1 });
  await using agent = await apologising(receiver, (id) =>
    id.startsWith('u-1') ? LIMIT : '400 Bad Request: no such tool',
  );
  const results = await all({
    target: agent.url,
    source: receiver,
    uid: 'u',
    sessions: [sessionOf('limited', 'hi'), sessionOf('wrong', 'hi')],
    settings: { runs: 3, retries: 1 },
  });
  const made = (session: string) => results.filter((each) => each.session === session);
  expect(made('limited').flatMap(({ replaced = [] }) => replaced)).toHaveLength(1);
  expect(made('limited').map(({ outcome }) => outcome)).toMatchObject(
    Array.from({ length: 3 }, () => ({ kind: 'unverified', error: { code: 'PROVIDER_FAILED' } })),
  );
  const [{ outcome } = {}] = made('limited');
  expect(outcome?.kind === 'unverified' && wholeMessage(outcome.error)).toMatchInlineSnapshot(`
    "The model provider answered 429. (PROVIDER_FAILED)
      it said: 429 Too Many Requests
      -> Run again later; lower workers, or raise retries, where the provider limits the rate of requests."
  `);
  expect(kindsOf(made('wrong'))).toEqual(['replayed', 'replayed', 'replayed']);
  expect(agent.asked).toHaveLength(7);
});

test.concurrent('where turns go on from each other, a run whose model failed is made again as a whole', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  await using agent = await apologising(receiver, (id) => (id === 'u-1.t1.r1' ? LIMIT : undefined));
  const results = await all({
    target: agent.url,
    source: receiver,
    uid: 'u',
    sessions: [sessionOf('s', 'hi', 'and?')],
    settings: { context: 'sequence' },
  });
  expect(idsOf(agent)).toEqual(['u-1.t1.r1', 'u-1.t2.r1', 'u-1.t1.r1.p1', 'u-1.t2.r1.p1']);
  expect(agent.asked.at(-1)?.body.messages).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'hello' },
    { role: 'user', content: 'and?' },
  ]);
  expect(results.map(({ turn, outcome, replaced }) => [turn, outcome.kind, replaced?.length])).toEqual([
    [1, 'replayed', 1],
    [2, 'replayed', 1],
  ]);
});

test.concurrent('a turn that went on from one whose model failed is not compared', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  await using agent = await apologising(receiver, (id) => (id.includes('.t1.') ? LIMIT : undefined));
  const results = await all({
    target: agent.url,
    source: receiver,
    sessions: [sessionOf('s', 'hi', 'and?')],
    settings: { context: 'sequence', retries: 0 },
  });
  expect(results.map(({ turn, outcome }) => [turn, outcome])).toMatchObject([
    [1, { kind: 'unverified', error: { code: 'PROVIDER_FAILED' } }],
    [2, { kind: 'unverified', error: { code: 'PROVIDER_FAILED', message: expect.stringContaining('follows one') } }],
  ]);
});

test.concurrent('a replay that can be sent no more counts as it was', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  await using agent = await apologising(receiver, () => LIMIT);
  // The third call is the one that is made again for one of them; nothing is left for the other.
  const sessions = ['a', 'b'].map((id) => sessionOf(id, 'hi'));
  const settings = { maxCalls: 3, retries: 1 };
  const results = await all({ target: agent.url, source: receiver, sessions, settings });
  expect(results.map(({ outcome }) => outcome)).toMatchObject(
    [1, 2].map(() => ({ error: { code: 'PROVIDER_FAILED' } })),
  );
  expect(agent.asked).toHaveLength(3);
});

test.concurrent('a model that nobody reaches is not asked again and again', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  await using agent = await apologising(receiver, () => 'connect ECONNREFUSED 127.0.0.1:4010');
  const sessions = Array.from({ length: 20 }, (_, index) => sessionOf(`s${index}`, 'hi'));
  const results = await all({ target: agent.url, source: receiver, sessions, settings: { workers: 1 } });
  expect(results.flatMap(({ replaced = [] }) => replaced).length).toBeLessThan(5);
  expect(kindsOf(results)).toEqual(sessions.map(() => 'unverified'));
});

test.concurrent('an end is not held up by replays that wait to be made again', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  const ended = new AbortController();
  await using agent = await apologising(receiver, (id) => {
    if (id.includes('.r2')) ended.abort();
    return LIMIT;
  });
  const results: ReplayResult[] = [];
  const settings = { runs: 2, workers: 1, retries: 10 };
  for await (const result of replays({ target: agent.url, source: receiver, settings, signal: ended.signal })) {
    results.push(result);
  }
  expect(results.map(({ run, outcome }) => [run, outcome])).toMatchObject([
    [1, { error: { code: 'PROVIDER_FAILED' } }],
    [2, { error: { code: 'INTERRUPTED' } }],
  ]);
});
