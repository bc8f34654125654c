import { request } from 'node:http';
import { expect, test } from 'vitest';
import type { Json } from '../../src/json/index.ts';
import type { Observation, Recording } from '../../src/trace/index.ts';
import { habitsOf, type Receiver, startReceiver, type TraceSource } from '../../src/tracing/index.ts';
import { withinTime } from '../patience.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { exportOf, failure, ids, NEVER, noDeadline, post, RUN, type SpanOptions, start } from './spans.ts';

/** Waits for the trace of an answered call. */
function whole(receiver: TraceSource, options: Partial<Parameters<TraceSource['waitFor']>[1]> = {}) {
  return receiver.waitFor('r1', { signal: noDeadline(), responded: Promise.resolve(), ...options });
}

/** What the trace lacks, as it stands. */
async function lacking(receiver: Receiver, recordings?: readonly Recording[]): Promise<string[]> {
  const habits = recordings && habitsOf(recordings);
  const error = await failure(receiver.waitFor('r1', { signal: AbortSignal.abort(), habits }));
  expect(error.code).toBe('TRACE_INCOMPLETE');
  return error.evidence.filter((line) => line.startsWith('missing: '));
}

const ROOT: SpanOptions = { id: 'root', attributes: RUN };

interface Said {
  /** Ids of calls of `search`. */
  readonly asks?: readonly string[];
  /** Messages that it was given, without those of the system. */
  readonly given?: readonly Json[];
}

function generation(id: string, startMs: number, { asks = [], given = [] }: Said): SpanOptions {
  const calls = asks.map((each) => call(each));
  return {
    id,
    parent: 'root',
    startMs,
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.input': JSON.stringify({ messages: [{ role: 'system', content: 'Be brief.' }, ...given] }),
      'langfuse.observation.output': JSON.stringify({ role: 'assistant', content: 'x', tool_calls: calls }),
    },
  };
}

const call = (id: string, name = 'search') => ({ id, type: 'function', function: { name, arguments: '{}' } });
const USER = { role: 'user', content: 'hi' };
/** What a later generation is given of a call. */
const answered = (id: string): Json[] => [
  { role: 'assistant', content: null, tool_calls: [call(id)] },
  { role: 'tool', tool_call_id: id, content: '[]' },
];

const PLAN = generation('plan', 1_000, { asks: ['c1'], given: [USER] });
const TOOL: SpanOptions = {
  id: 'tool-1',
  parent: 'root',
  startMs: 2_000,
  attributes: { 'gen_ai.tool.name': 'search', 'gen_ai.tool.call.id': 'c1' },
};
const ANSWER = generation('answer', 3_000, { given: [USER, ...answered('c1')] });

/** A recorded turn in which `search` was called, with an observation of its own or without. */
function recorded(tool: 'observed' | 'unobserved', { name = 'search', answer = true } = {}): Recording {
  const at = (type: Observation['type'], more: Partial<Observation>): Observation => ({
    id: `${type} ${JSON.stringify(more)}`,
    parentId: null,
    type,
    name: 'x',
    startTime: '2026-01-01T00:00:00.000Z',
    endTime: '2026-01-01T00:00:01.000Z',
    ...more,
  });
  const messages = [USER, ...answered('a').map((each) => JSON.parse(JSON.stringify(each).replaceAll('search', name)))];
  return {
    observations: [
      at('generation', { output: { tool_calls: [call('a', name)] } }),
      ...(tool === 'observed' ? [at('tool', { name, callId: 'a' })] : []),
      ...(answer ? [at('generation', { input: { messages }, output: 'done' })] : []),
    ],
  };
}

test('a trace that lacks nothing is taken when nothing has come for the quiet time, with what came in it', async () => {
  const taken = async (quietMs: number) => {
    await using receiver = await start({ quietMs });
    await post(receiver, exportOf(ROOT));
    const waiting = whole(receiver);
    await post(receiver, exportOf(TOOL));
    return ids(await waiting);
  };
  expect(await withinTime(200, taken, ({ length }) => length === 2)).toEqual(['root', 'tool-1']);
});

test('the quiet time begins with the response, however long before it the last span came', async () => {
  const taken = async (quietMs: number) => {
    await using receiver = await start({ quietMs });
    await post(receiver, exportOf(ROOT));
    const call = Promise.withResolvers<void>();
    const waiting = whole(receiver, { responded: call.promise });
    await post(receiver, exportOf({ ...ROOT, trace: 'other', attributes: {} }));
    call.resolve();
    await post(receiver, exportOf(TOOL));
    return ids(await waiting);
  };
  expect(await withinTime(200, taken, ({ length }) => length === 2)).toEqual(['root', 'tool-1']);
});

test('a trace that came before anybody waited for it is taken as well', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ROOT));
  expect(ids(await whole(receiver))).toEqual(['root']);
});

test('where the agent’s own gaps were longer than the quiet time, it is waited for longer', async () => {
  await using receiver = await start({ quietMs: 1 });
  const second = { 'langfuse.trace.metadata.svc_replay_run_id': 'r2' };
  const first = whole(receiver);
  // Between response and span, as long as it takes: the quiet time is longer than that from now on.
  for (let index = 0; index < 20; index++) await post(receiver, exportOf({ id: 'x', trace: 'other' }));
  await post(receiver, exportOf(ROOT));
  await first;
  await post(receiver, exportOf({ ...ROOT, trace: 't2', attributes: second }));
  const waiting = receiver.waitFor('r2', { signal: noDeadline(), responded: Promise.resolve() });
  for (let index = 0; index < 5; index++) await post(receiver, exportOf({ id: 'x', trace: 'other' }));
  await post(receiver, exportOf({ ...TOOL, trace: 't2' }));
  expect(ids(await waiting)).toEqual(['root', 'tool-1']);
});

test('an export that is being received when the quiet time is over is read first', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ROOT));
  const body = Buffer.from(exportOf(TOOL));
  const upload = request(`${receiver.url}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64')}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  const begun = Promise.withResolvers<void>();
  upload.once('continue', begun.resolve);
  upload.flushHeaders();
  await begun.promise;
  upload.write(body.subarray(0, 20));
  const waiting = whole(receiver);
  for (let index = 0; index < 5; index++) await post(receiver, exportOf({ id: 'x', trace: 'other' }));
  upload.end(body.subarray(20));
  expect(ids(await waiting)).toEqual(['root', 'tool-1']);
});

/** As the endpoint's helper has every span of a turn say whose it is. */
const own = (span: SpanOptions): SpanOptions => ({ ...span, attributes: { ...span.attributes, ...RUN } });

test('when the endpoint counts the spans, the trace is taken with the last of them, without any quiet time', async () => {
  await using receiver = await start({ quietMs: NEVER });
  await post(receiver, exportOf(own(PLAN), ROOT));
  const waiting = whole(receiver, { announced: () => 4 });
  await post(receiver, exportOf(own(TOOL)));
  await post(receiver, exportOf(own(ANSWER)));
  expect(ids(await waiting)).toEqual(['plan', 'root', 'tool-1', 'answer']);
});

test('the number of spans that a root says itself is exact: with the last of them the trace is taken', async () => {
  await using receiver = await start({ quietMs: NEVER });
  await post(receiver, exportOf(PLAN, { ...ROOT, attributes: { ...RUN, 'agent_replay.trace_spans': '3' } }));
  const waiting = whole(receiver);
  await post(receiver, exportOf(TOOL));
  expect(ids(await waiting)).toEqual(['plan', 'root', 'tool-1']);
});

test('spans of the same trace that the endpoint has not counted do not stand for those that it has', async () => {
  await using receiver = await start({ quietMs: NEVER });
  await post(receiver, exportOf(ROOT, { id: 'http', parent: 'root' }, { id: 'parser', parent: 'root' }));
  const waiting = whole(receiver, { announced: () => 2 });
  await post(receiver, exportOf(own(TOOL)));
  expect(ids(await waiting)).toContain('tool-1');
});

test('when fewer spans come than the endpoint has counted, the quiet time decides as without it', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ROOT));
  expect(ids(await whole(receiver, { announced: () => 9 }))).toEqual(['root']);
});

test('all spans that were counted are no whole trace where a parent in another process is missing', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ROOT, own({ id: 'x', parent: 'elsewhere' })));
  const deadline = new AbortController();
  const waiting = failure(whole(receiver, { announced: () => 2, signal: deadline.signal }));
  await post(receiver, exportOf(own({ id: 'y', parent: 'root' })));
  deadline.abort();
  expect((await waiting).evidence).toContain('missing: the parent span elsewhere of span x, span "x"');
});

test('where the endpoint has counted no span that was sampled, the missing trace is explained by that', async () => {
  await using receiver = await start();
  const error = await failure(whole(receiver, { announced: () => 0, signal: AbortSignal.timeout(20) }));
  expect(error).toMatchObject({ code: 'TRACE_MISSING', hint: expect.stringContaining('sample every trace') });
});

test('a call that a generation asked for is waited for until its observation is there', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(PLAN, ROOT));
  const waiting = whole(receiver, { habits: habitsOf([recorded('observed')]) });
  await post(receiver, exportOf(ANSWER));
  await post(receiver, exportOf(TOOL));
  expect(ids(await waiting)).toEqual(['plan', 'root', 'tool-1', 'answer']);
});

test('a call that only the history of a generation mentions is waited for as well', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ANSWER, ROOT));
  expect(await lacking(receiver, [recorded('observed')])).toEqual([
    'missing: the observation of tool call "search" (c1)',
  ]);
});

test('calls of earlier turns are never waited for', async () => {
  await using receiver = await start();
  const later = generation('answer', 3_000, {
    given: [USER, ...answered('c1'), { role: 'assistant', content: 'x' }, USER],
  });
  await post(receiver, exportOf(later, ROOT));
  expect(ids(await whole(receiver, { habits: habitsOf([recorded('observed')]) }))).toEqual(['root', 'answer']);
});

test('a result in a message of the user’s is no new turn', async () => {
  await using receiver = await start();
  const given = [
    USER,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'search', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '[]' }] },
  ];
  await post(receiver, exportOf(generation('answer', 3_000, { given }), ROOT));
  expect(await lacking(receiver, [recorded('observed')])).toHaveLength(1);
});

test.each([
  ['of this tool', 'search'],
  ['of any tool, where this one was never called', 'refund'],
])('recordings with a call %s without an observation show that this agent writes none', async (_, name) => {
  await using receiver = await start();
  await post(receiver, exportOf(PLAN, ANSWER, ROOT));
  const habits = habitsOf([recorded('unobserved', { name })]);
  expect(ids(await whole(receiver, { habits }))).toEqual(['plan', 'root', 'answer']);
});

test('a tool that recordings always observe is waited for, whatever others are like', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(PLAN, ANSWER, ROOT));
  expect(await lacking(receiver, [recorded('observed'), recorded('unobserved', { name: 'refund' })])).toHaveLength(1);
});

test('of a tool without observations the result is waited for', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(PLAN, ROOT));
  const waiting = whole(receiver, { habits: habitsOf([recorded('unobserved')]) });
  await post(receiver, exportOf(ANSWER));
  expect(ids(await waiting)).toEqual(['plan', 'root', 'answer']);
});

test('a call that nobody carried out in the recordings either is not waited for', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(PLAN, ROOT));
  const habits = habitsOf([recorded('unobserved', { answer: false })]);
  expect(ids(await whole(receiver, { habits }))).toEqual(['plan', 'root']);
});

test.each([
  ['of a tool that was recorded without calls', [PLAN], [recorded('observed', { name: 'refund' })]],
  ['of a tool that no recording tells of', [PLAN, ANSWER], []],
])('a call %s is given up after the settle time', async (_, spans, recordings) => {
  await using receiver = await start({ settleMs: 50 });
  await post(receiver, exportOf(...spans, ROOT));
  const trace = await whole(receiver, { habits: habitsOf(recordings) });
  expect(ids(trace)).toEqual(['plan', 'root', ...spans.slice(1).map(({ id }) => id)]);
});

test.each([
  ['asked for', [PLAN]],
  ['carried out', [PLAN, TOOL]],
])(
  'where all recordings answer a call that was %s, its trace goes on, unless its spans are counted',
  async (_, spans) => {
    const habits = habitsOf([recorded('observed')]);
    const came = exportOf(...spans.map(own), ROOT);
    await using receiver = await start({ settleMs: 0 });
    await post(receiver, came);
    expect(await lacking(receiver, [recorded('observed')])).toEqual(['missing: the result of tool call "search" (c1)']);
    await using counting = await start({ settleMs: 0 });
    await post(counting, came);
    expect(ids(await whole(counting, { habits, announced: () => spans.length + 1 }))).toHaveLength(spans.length + 1);
  },
);

test.each<[string, (receiver: Receiver) => Promise<unknown>, string]>([
  ['broke off', breakOff, 'the body broke off'],
  ['was too large', (receiver) => post(receiver, exportOf(TOOL, { id: 'x'.repeat(4_000) })), 'larger than 3.9 KiB'],
])('a call that nobody seems to carry out is in doubt where an export %s', async (_, lose, reason) => {
  await using receiver = await start({ settleMs: 50, limits: { bodyBytes: 4_000 } });
  await lose(receiver);
  await post(receiver, exportOf(PLAN, ROOT));
  const { code, evidence } = await failure(whole(receiver, { habits: habitsOf([recorded('observed')]) }));
  expect(code).toBe('TRACE_INCOMPLETE');
  expect(evidence).toContain('missing: the result of tool call "search" (c1)');
  expect(evidence.find((line) => line.startsWith('lost: '))).toContain(reason);
});

/** An export whose sender gives it up, as SDKs do after their timeout. */
async function breakOff(receiver: Receiver): Promise<void> {
  const sending = request(`${receiver.url}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64')}`,
      'content-type': 'application/json',
      'content-length': '1000',
    },
  });
  sending.on('error', () => {});
  await new Promise((resolve) => sending.write('{"resourceSpans":[', resolve));
  sending.destroy();
}

test('where the models of a turn have given no more answers than came, nothing goes on: the rest is missing', async () => {
  const recordings = [recorded('observed')];
  const taken = async (answers: number) => {
    const clock = new SimulatedClock();
    await using receiver = await startReceiver({ clock });
    await post(receiver, exportOf(PLAN, TOOL, ROOT));
    const known = { habits: habitsOf(recordings), recordings, answers: () => answers };
    const deadline = new AbortController();
    void clock.sleep(30_000, noDeadline()).then(() => deadline.abort());
    return await clock.until(whole(receiver, { ...known, signal: deadline.signal }));
  };
  expect((await failure(taken(2))).evidence).toContain('missing: the result of tool call "search" (c1)');
  expect((await taken(1)).ended?.without).toEqual(['a model call']);
});

test('a turn that broke off goes through no further steps, whatever its root says', async () => {
  const recordings = [recorded('observed')];
  const clock = new SimulatedClock();
  await using receiver = await startReceiver({ clock });
  await post(receiver, exportOf(PLAN, TOOL, ROOT));
  const deadline = new AbortController();
  void clock.sleep(30_000, noDeadline()).then(() => deadline.abort());
  const known = { habits: habitsOf(recordings), recordings, answers: () => 1, signal: deadline.signal };
  const trace = await clock.until(whole(receiver, { ...known, responded: Promise.reject(new Error('it broke off')) }));
  expect(ids(trace)).toHaveLength(3);
  expect(trace.ended).toBeUndefined();
});

test('a call whose result a later model call was not given is given up after the settle time', async () => {
  const [asks = null, result = null] = answered('c1');
  const given = [USER, { ...(asks as object), tool_calls: [call('c1'), call('c2')] }, result];
  await using receiver = await start({ settleMs: 0 });
  const plan = generation('plan', 1_000, { asks: ['c1', 'c2'], given: [USER] });
  await post(receiver, exportOf(plan, TOOL, generation('answer', 3_000, { given }), ROOT));
  expect(ids(await whole(receiver, { habits: habitsOf([recorded('observed')]) }))).toHaveLength(4);
});

test('without recordings a result that a generation was given stands for the observation of its call', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(PLAN, ANSWER, ROOT));
  expect(ids(await whole(receiver))).toEqual(['plan', 'root', 'answer']);
});

test('an observation without the id of its call answers one call of its name', async () => {
  await using receiver = await start();
  const plan = generation('plan', 1_000, { asks: ['c1', 'c2'] });
  const tool = { id: 'search', parent: 'root', attributes: { 'langfuse.observation.type': 'tool' } };
  await post(receiver, exportOf(plan, tool, ROOT));
  expect(await lacking(receiver)).toEqual(['missing: the result of tool call "search" (c2)']);
});

test('an agent that notes another id than its model’s has its calls matched by name', async () => {
  await using receiver = await start();
  const tool = { ...TOOL, attributes: { 'gen_ai.tool.name': 'search', 'gen_ai.tool.call.id': 'own-1' } };
  await post(receiver, exportOf(PLAN, tool, ANSWER, ROOT));
  const habits = habitsOf([recorded('observed')]);
  expect(ids(await whole(receiver, { habits }))).toHaveLength(4);
});

test('fault 30: a trace that lacks a parent at the deadline is incomplete, with the ids of what is missing', async () => {
  await using receiver = await start();
  await post(receiver, exportOf({ id: 'step', parent: 'gone', attributes: RUN }, { id: 'x', parent: 'also-gone' }));
  expect(await lacking(receiver)).toEqual([
    'missing: the root span',
    'missing: the parent span gone of span step, span "step"',
    'missing: the parent span also-gone of span x, span "x"',
  ]);
});

test('fault 30: a span on top that the agent does not export is waited for, unless recordings lack it too', async () => {
  await using receiver = await start();
  await post(receiver, exportOf({ id: 'top', parent: 'http', attributes: RUN }, { id: 'child', parent: 'top' }));
  const { observations } = recorded('observed');
  const below = observations.map((each) => ({ ...each, parentId: 'http' }));
  const trace = await whole(receiver, { habits: habitsOf([{ observations: below }]) });
  expect(trace.name).toBe('top');
  await post(receiver, exportOf({ id: 'late', parent: 'http' }));
  const revision = await receiver.revised('r1', { signal: noDeadline(), habits: habitsOf([{ observations }]) });
  expect(revision?.trace).toMatchObject({
    code: 'TRACE_INCOMPLETE',
    evidence: expect.arrayContaining(['missing: the root span', 'missing: the parent span http']),
  });
});

test('a parent that the SDK says it does not export is not waited for', async () => {
  await using receiver = await start();
  const attributes = { ...RUN, 'langfuse.internal.is_app_root': true };
  await post(receiver, exportOf({ id: 'top', parent: 'http', attributes }));
  expect(ids(await whole(receiver))).toEqual(['top']);
});

test('fault 30: when the call broke off, what is open is not given up', async () => {
  await using receiver = await start({ settleMs: 0 });
  const deadline = new AbortController();
  const waiting = failure(
    whole(receiver, { responded: Promise.reject(new Error('hang up')), signal: deadline.signal }),
  );
  await post(receiver, exportOf(PLAN, ROOT));
  // A trace that lacks as much, of a call that was answered: when it is taken, so would be the other.
  const attributes = { ...PLAN.attributes, 'langfuse.trace.metadata.svc_replay_run_id': 'r2' };
  await post(receiver, exportOf({ id: 'root', trace: 't2' }, { ...PLAN, trace: 't2', attributes }));
  await receiver.waitFor('r2', { signal: noDeadline(), responded: Promise.resolve() });
  deadline.abort();
  expect((await waiting).evidence).toContain('missing: the result of tool call "search" (c1)');
});

test.each<[string, readonly SpanOptions[], readonly string[]]>([
  ['a span that is its own parent', [ROOT, { id: 'x', parent: 'x' }], ['its own parent: span x, span "x"']],
  [
    'spans that are below each other',
    [ROOT, { id: 'x', parent: 'y' }, { id: 'y', parent: 'z' }, { id: 'z', parent: 'x' }],
    ['a circle of parents: spans x, y, z'],
  ],
  [
    'two roots in one trace',
    [ROOT, { id: 'other' }],
    ['a root of trace t1: span root, span "root"', 'a root of trace t1: span other, span "other"'],
  ],
])('%s: the trace says nothing, and the error names the ids', async (_, spans, faults) => {
  await using receiver = await start();
  await post(receiver, exportOf(...spans));
  const error = await failure(whole(receiver));
  expect(error.code).toBe('TRACE_INVALID');
  expect(error.evidence).toEqual(['searched for: r1', ...faults]);
});

test('a trace a model call, of an agent without a span around its turn, is no trace with two roots', async () => {
  const taken = async (quietMs: number) => {
    await using receiver = await start({ quietMs });
    await post(receiver, exportOf({ id: 'one', trace: 'a', attributes: RUN }));
    const waiting = whole(receiver);
    await post(receiver, exportOf({ id: 'two', trace: 'b', startMs: 2_000, attributes: RUN }));
    const trace = await waiting;
    return [trace.id, ...ids(trace)];
  };
  expect(await withinTime(200, taken, ({ length }) => length === 3)).toEqual(['a', 'one', 'two']);
});

const LATE: SpanOptions = { id: 'late', parent: 'root', startMs: 5_000 };

test('what comes after a trace was taken opens it again: it is told as it stands now, with what came late', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ROOT));
  await whole(receiver);
  expect(await receiver.revised('r1', { signal: noDeadline() })).toBeUndefined();
  await post(receiver, exportOf(LATE));
  const revision = await receiver.revised('r1', { signal: noDeadline() });
  expect(revision).toMatchObject({
    lateSpans: 1,
    lastSpans: 0,
    trace: { observations: [{ id: 'root' }, { id: 'late' }] },
  });
  expect(await receiver.revised('r1', { signal: noDeadline() })).toBeUndefined();
});

test('what comes when the agent is being stopped is told apart', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ROOT));
  await whole(receiver);
  await post(receiver, exportOf(LATE));
  await receiver.takeLast(post(receiver, exportOf({ id: 'last', parent: 'root' })));
  expect(await receiver.revised('r1', { signal: noDeadline() })).toMatchObject({ lateSpans: 2, lastSpans: 1 });
});

test('a trace that was given up and came then is told after all', async () => {
  await using receiver = await start();
  expect((await failure(whole(receiver, { signal: AbortSignal.timeout(0) }))).code).toBe('TRACE_MISSING');
  await post(receiver, exportOf({ ...LATE, parent: 'root' }));
  await post(receiver, exportOf(ROOT));
  expect((await receiver.revised('r1', { signal: noDeadline() }))?.trace).toMatchObject({
    observations: [{ id: 'root' }, { id: 'late' }],
  });
});

test('a span that is sent again as it was opens nothing; one that says something else does', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ROOT));
  await whole(receiver);
  await post(receiver, exportOf(ROOT));
  expect(await receiver.revised('r1', { signal: noDeadline() })).toBeUndefined();
  await post(receiver, exportOf({ ...ROOT, attributes: { ...RUN, 'langfuse.observation.output': 'after all' } }));
  expect((await receiver.revised('r1', { signal: noDeadline() }))?.trace).toMatchObject({ output: 'after all' });
});

test('what another replay puts into a trace that was taken is not that trace’s', async () => {
  await using receiver = await start();
  await post(receiver, exportOf(ROOT));
  await whole(receiver);
  await post(receiver, exportOf({ ...LATE, attributes: { 'langfuse.trace.metadata.svc_replay_run_id': 'r2' } }));
  expect(await receiver.revised('r1', { signal: noDeadline() })).toBeUndefined();
});

test('a late piece of an observation is put to the earlier ones', async () => {
  await using receiver = await start();
  const send = (...events: [type: string, body: Json][]) => {
    const batch = events.map(([type, body]) => ({ id: JSON.stringify([type, body]), type, body }));
    return post(receiver, JSON.stringify({ batch }), { path: '/api/public/ingestion' });
  };
  await send(
    ['trace-create', { id: 't', metadata: { svc_replay_run_id: 'r1' } }],
    ['generation-create', { id: 'g', traceId: 't', name: 'said', input: 'hi', output: 'half' }],
  );
  await whole(receiver);
  await send(['generation-update', { id: 'g', traceId: 't', output: 'whole' }]);
  expect((await receiver.revised('r1', { signal: noDeadline() }))?.trace).toMatchObject({
    observations: [{ name: 'said', input: 'hi', output: 'whole' }],
  });
});

test('memory stays bounded: of a trace that had to be let go, what comes late is an error, and never a part', async () => {
  await using receiver = await start({ limits: { keptBytes: 1_000 } });
  for (let run = 1; run <= 50; run++) {
    const attributes = { 'langfuse.trace.metadata.svc_replay_run_id': `r${run}` };
    await post(receiver, exportOf({ ...ROOT, trace: `t${run}`, attributes }));
    await receiver.waitFor(`r${run}`, { signal: noDeadline(), responded: Promise.resolve() });
  }
  expect(receiver.stats().traces).toBe(0);
  await post(receiver, exportOf({ ...LATE, trace: 't1' }));
  await post(receiver, exportOf({ ...LATE, trace: 't50' }));
  const [first, last] = await Promise.all(['r1', 'r50'].map((run) => receiver.revised(run, { signal: noDeadline() })));
  expect(first).toMatchObject({ lateSpans: 1, trace: { code: 'TRACE_INCOMPLETE' } });
  expect(last).toMatchObject({ lateSpans: 1, trace: { observations: [{ id: 'root' }, { id: 'late' }] } });
});
