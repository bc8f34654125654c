import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import { ReplayLimits, type ReplayRequests } from '../../src/replay/index.ts';
import { type Receiver, startReceiver, type TraceSource } from '../../src/tracing/index.ts';
import { IN_VAIN_MS, PATIENCE_MS } from '../patience.ts';
import { wholeMessage } from '../whole-message.ts';
import { all, failure, json, replays, serve, sessionOf } from './served.ts';

const OK = { output: 'done' };

/** Exports one finished root span, as an agent's SDK does. */
async function trace(
  receiver: Receiver,
  replayRunId: unknown,
  { parentSpanId, failed = false }: { parentSpanId?: string; failed?: boolean } = {},
): Promise<void> {
  const span = {
    traceId: Buffer.from(String(replayRunId)).toString('hex').padEnd(32, '0').slice(-32),
    spanId: '00000000000000a1',
    parentSpanId,
    name: 'turn',
    startTimeUnixNano: '1000000000',
    endTimeUnixNano: '2000000000',
    attributes: [
      { key: 'langfuse.trace.metadata.svc_replay_run_id', value: { stringValue: String(replayRunId) } },
      { key: 'langfuse.observation.output', value: { stringValue: 'traced' } },
    ],
    ...(failed && { status: { code: 2, message: 'it broke' } }),
  };
  const keys = Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64');
  await fetch(`${receiver.url}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${keys}` },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'my-agent' }, spans: [span] }] }] }),
  });
}

test('each result has the trace of its own call', async () => {
  await using receiver = await startReceiver();
  await using agent = await serve(async ({ body }, response) => {
    await trace(receiver, body.svc_replay_run_id);
    json(response, OK);
  });
  const results = await all({ target: agent.url, source: receiver, settings: { runs: 10 } });
  for (const { replayRunId, outcome, traceMs } of results) {
    expect(outcome).toMatchObject({
      response: { output: 'done' },
      trace: { metadata: { svc_replay_run_id: replayRunId } },
    });
    expect(traceMs).toBeTypeOf('number');
  }
  expect(results).toHaveLength(10);
});

test('before each call it is looked what those before it have really cost', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  const limits = new ReplayLimits({ workers: 1, maxCost: 3 }, { estimate: () => 1, costOf: () => 2.5 });
  const isTaken = Promise.withResolvers<void>();
  await using agent = await serve(async ({ body }, response) => {
    // The only worker has something else to do until the first result was taken.
    void limits.work(() => isTaken.promise);
    await trace(receiver, body.svc_replay_run_id);
    json(response, OK);
  });
  const codes: string[] = [];
  const options = { target: agent.url, source: receiver, limits, settings: { runs: 3, workers: 1 } };
  for await (const { outcome } of replays(options)) {
    codes.push(outcome.kind === 'replayed' ? outcome.kind : outcome.error.code);
    isTaken.resolve();
  }
  expect(codes).toEqual(['replayed', 'COST_LIMIT', 'COST_LIMIT']);
  expect(agent.asked).toHaveLength(1);
});

test('a replay that waits for its trace holds no worker', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  const ids: unknown[] = [];
  await using agent = await serve(async ({ body, number }, response) => {
    ids.push(body.svc_replay_run_id);
    json(response, OK);
    // No trace comes before the last call has been answered.
    if (number === 20) for (const id of ids) await trace(receiver, id);
  });
  const results = await all({ target: agent.url, source: receiver, settings: { runs: 20, workers: 1 } });
  expect(results.map(({ outcome }) => outcome.kind)).toEqual(Array.from({ length: 20 }, () => 'replayed'));
});

test('fault 29: a trace that never comes makes the run a doubt at the deadline', async () => {
  await using receiver = await startReceiver();
  await using agent = await serve((_, response) => json(response, OK));
  const [result] = await all({ target: agent.url, source: receiver, settings: { timeouts: { trace: 30 } } });
  expect(result?.outcome).toMatchObject({ kind: 'unverified', error: { code: 'TRACE_MISSING' } });
});

const FAILURES: [string, (response: ServerResponse) => unknown, { status: number | undefined; code: string }][] = [
  ['a 500', (response) => json(response, { detail: 'no' }, { status: 500 }), { status: 500, code: 'RESPONSE_STATUS' }],
  ['a 404', (response) => json(response, {}, { status: 404 }), { status: 404, code: 'RESPONSE_STATUS' }],
  ['a broken connection', (response) => response.destroy(), { status: undefined, code: 'CALL_FAILED' }],
  ['a time-out', () => {}, { status: undefined, code: 'CALL_TIMEOUT' }],
];

/** Short where it is waited for. */
const limitFor = (code: string) => ({ timeouts: { call: code === 'CALL_TIMEOUT' ? IN_VAIN_MS : PATIENCE_MS } });

test.each(FAILURES)('%s is no behaviour, however complete the trace', async (_, answer, { status, code }) => {
  await using receiver = await startReceiver({ quietMs: 1 });
  await using agent = await serve(async ({ body }, response) => {
    await trace(receiver, body.svc_replay_run_id);
    answer(response);
  });
  const [result] = await all({ target: agent.url, source: receiver, settings: limitFor(code) });
  expect(result).toMatchObject({
    status,
    callError: { code },
    outcome: { kind: 'unverified', error: { code }, trace: { observations: [{ output: 'traced' }] } },
  });
});

describe('where the recorded turn ended in an error', () => {
  const root = { id: 'r', parentId: null, type: 'span', name: 'turn', startTime: '2026-01-01T00:00:00Z' } as const;
  const recorded = { observations: [{ ...root, endTime: null, level: 'ERROR' as const }] };
  const failing: ReplayRequests = { id: 's', turns: [{ turn: 1, request: { input: 'hi' }, recordings: [recorded] }] };

  test.each(FAILURES)('%s with an error in its trace is behaviour', async (_, answer, { status, code }) => {
    await using receiver = await startReceiver({ quietMs: 1 });
    await using agent = await serve(async ({ body }, response) => {
      await trace(receiver, body.svc_replay_run_id, { failed: true });
      answer(response);
    });
    const settings = limitFor(code);
    const [result] = await all({ target: agent.url, source: receiver, sessions: [failing], settings });
    expect(result).toMatchObject({ status, callError: { code }, outcome: { kind: 'replayed' } });
  });

  test('a failed call whose trace tells of no error is none', async () => {
    await using receiver = await startReceiver({ quietMs: 1 });
    await using agent = await serve(async ({ body }, response) => {
      await trace(receiver, body.svc_replay_run_id);
      json(response, {}, { status: 500 });
    });
    const [result] = await all({ target: agent.url, source: receiver, sessions: [failing] });
    expect(result?.outcome).toMatchObject({ kind: 'unverified', error: { code: 'RESPONSE_STATUS' } });
  });
});

test('of a failed call the body comes first, then the last lines that the agent printed, without secrets', async () => {
  await using agent = await serve((_, response) => json(response, { detail: 'no' }, { status: 500 }));
  const error = await failure({
    target: agent.url,
    agentLog: (lines) =>
      ['a', 'b', 'c', 'd', 'e', 'Error: token s3cr3t-token', ...Array(9).fill('    at turn (agent.js:1:1)')].slice(
        -lines,
      ),
    settings: { headers: { authorization: 's3cr3t-token' } },
  });
  expect(error.evidence).toEqual([
    'body: {"detail":"no"}',
    `target: ${agent.url}`,
    'agent: b',
    'agent: c',
    'agent: d',
    'agent: e',
    'agent: Error: token <secret>',
  ]);
});

test.each([
  [
    'an error and what it holds',
    ['old', 'RateLimitError: 429', '    at x', '  status: 429,', ...Array(9).fill('  a: 1,'), '}'],
    'RateLimitError: 429',
  ],
  [
    'other lines after an error',
    ['WARN retrying after RateLimitError', 'b', 'c', 'd', 'e', 'f', 'panic: index out of range'],
    'c',
  ],
])('of a failed call the last words are the end of the log: %s', async (_, log, first) => {
  await using agent = await serve((_, response) => json(response, { detail: 'no' }, { status: 500 }));
  const { evidence } = await failure({ target: agent.url, agentLog: (lines) => log.slice(-lines) });
  const quoted = evidence.filter((line) => line.startsWith('agent: '));
  expect([quoted.length, quoted[0]]).toEqual([5, `agent: ${first}`]);
});

test('a failed call without a trace is a doubt for the reason that the call failed', async () => {
  await using receiver = await startReceiver();
  await using agent = await serve((_, response) => json(response, { detail: 'no' }, { status: 500 }));
  const [result] = await all({ target: agent.url, source: receiver, settings: { timeouts: { trace: 30 } } });
  expect(result?.outcome).toMatchObject({
    kind: 'unverified',
    error: {
      code: 'RESPONSE_STATUS',
      hint: expect.stringContaining('log'),
      evidence: expect.arrayContaining([expect.stringMatching(/^trace: No trace/)]),
    },
  });
});

test('a response that breaks the contract is no behaviour, whatever the trace says', async () => {
  await using receiver = await startReceiver();
  await using agent = await serve(async ({ body }, response) => {
    await trace(receiver, body.svc_replay_run_id);
    response.end('<html>');
  });
  const [result] = await all({ target: agent.url, source: receiver });
  expect(result?.outcome).toMatchObject({ kind: 'unverified', error: { code: 'RESPONSE_NOT_JSON' } });
  expect(receiver.stats().traces).toBe(0);
});

test('of a call that was tried again, the trace of the last attempt counts', async () => {
  await using receiver = await startReceiver();
  await using agent = await serve(async ({ body, number }, response) => {
    await trace(receiver, body.svc_replay_run_id);
    json(response, OK, number === 1 ? { status: 503, headers: { 'retry-after': '0' } } : {});
  });
  const [result] = await all({ target: agent.url, uid: 'u', source: receiver });
  expect(result).toMatchObject({
    replayRunId: expect.stringMatching(/^u-1\.t1\.r1\.a2\./),
    outcome: { trace: { metadata: { svc_replay_run_id: expect.stringMatching(/^u-1\.t1\.r1\.a2\./) } } },
  });
});

test('fault 10: a crash ends the waiting for traces as well', async () => {
  await using receiver = await startReceiver();
  const crashed = new AbortController();
  const crashingOnceAnswered: TraceSource = {
    waitFor: (id, options) => {
      void options.responded?.then(() => crashed.abort(new AgentReplayError('AGENT_CRASHED', 'gone')));
      return receiver.waitFor(id, options);
    },
    [Symbol.asyncDispose]: async () => {},
  };
  await using agent = await serve((_, response) => json(response, OK));
  const [result] = await all({ target: agent.url, source: crashingOnceAnswered, crashed: crashed.signal });
  expect(result).toMatchObject({
    callMs: expect.any(Number),
    outcome: { kind: 'unverified', error: { code: 'AGENT_CRASHED' } },
  });
});

test('fault 30: a trace that lacks a parent at the deadline is no behaviour', async () => {
  await using receiver = await startReceiver({ quietMs: 1 });
  await using agent = await serve(async ({ body }, response) => {
    await trace(receiver, body.svc_replay_run_id, body.input === 'orphan' ? { parentSpanId: '00000000000000b2' } : {});
    json(response, OK);
  });
  const outcomes = await all({
    target: agent.url,
    source: receiver,
    sessions: ['orphan', 'hi'].map((input) => sessionOf(input, input)),
    settings: { timeouts: { trace: IN_VAIN_MS } },
  });
  expect(Object.fromEntries(outcomes.map(({ session, outcome }) => [session, outcome.kind]))).toEqual({
    orphan: 'unverified',
    hi: 'replayed',
  });
});

test.each(['TURN_NOT_TRACED', 'TRACE_NOT_SENT'])(
  'a trace of which the endpoint says that it cannot come (%s) is not waited for',
  async (code) => {
    await using receiver = await startReceiver();
    await using agent = await serve((_, response) => json(response, { error: { code } }, { status: 500 }));
    // The limit is longer than a test may take.
    const settings = { timeouts: { trace: 3_600_000 } };
    const error = await failure({ target: agent.url, source: receiver, settings });
    expect(error.evidence).toContain(`body: {"error":{"code":"${code}"}}`);
  },
);

test('a failed turn that made no span, as its answer says, is not waited for', async () => {
  await using receiver = await startReceiver();
  await using agent = await serve((_, response) => {
    response.setHeader('x-svc-trace-spans', '0');
    json(response, { error: { code: 'TURN_FAILED' } }, { status: 500 });
  });
  // The limit is longer than a test may take.
  const settings = { timeouts: { trace: 3_600_000 } };
  const error = await failure({ target: agent.url, source: receiver, settings });
  expect(error.code).toBe('RESPONSE_STATUS');
});

test('a consumer that leaves early waits for no trace', async () => {
  await using receiver = await startReceiver();
  await using agent = await serve(async ({ body, number }, response) => {
    if (number === 1) await trace(receiver, body.svc_replay_run_id);
    json(response, OK);
  });
  for await (const _ of replays({ target: agent.url, source: receiver, settings: { runs: 5, workers: 1 } })) break;
});

test('a defect of a trace source is a result too', async () => {
  const source: TraceSource = {
    waitFor: () => Promise.reject(new TypeError('broken')),
    [Symbol.asyncDispose]: async () => {},
  };
  await using agent = await serve((_, response) => json(response, OK));
  const [result] = await all({ target: agent.url, source });
  expect(result?.outcome.kind === 'unverified' && wholeMessage(result.outcome.error)).toMatchInlineSnapshot(`
    "agent-replay itself failed: broken. (INTERNAL)
      -> This is a defect in agent-replay. Run again with DEBUG=agent-replay and report the stack."
  `);
});
