import { expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json/index.ts';
import type { Trace } from '../../src/trace/index.ts';
import { delayNote, openPlatform, type Platform, type ReadDelay } from '../../src/tracing/index.ts';
import fc from '../fast-check.ts';
import { patience } from '../patience.ts';
import { EVERY } from '../sample.ts';
import { wholeMessage } from '../whole-message.ts';
import {
  type Answered,
  exchanges,
  type Handler,
  KEYS,
  limited,
  type Mode,
  type PlatformServer,
  platform,
  type Stored,
  serve,
  timeline,
  type VirtualClock,
  virtualClock,
} from './platform-server.ts';

const DEADLINE_MS = 120_000;

interface Waiting extends AsyncDisposable {
  readonly source: Platform;
  readonly server: PlatformServer;
  readonly clock: VirtualClock;
  waitFor(runId: string, deadlineMs?: number): Promise<Trace>;
}

/** Opens a platform in virtual time. The handler is told the milliseconds since then. */
async function waiting(
  handlerAt: (elapsedMs: () => number) => Handler,
  options: { readsPerMinute?: number; random?: () => number; onDelay?: (delay: ReadDelay) => void } = {},
): Promise<Waiting> {
  const clock = virtualClock();
  const server = await serve(handlerAt(clock.elapsedMs));
  const source = await openPlatform({ host: server.url, ...KEYS, clock, random: () => 0.5, ...options });
  return {
    source,
    server,
    clock,
    waitFor: (runId, deadlineMs = DEADLINE_MS) => source.waitFor(runId, { signal: clock.deadline(deadlineMs) }),
    [Symbol.asyncDispose]: async () => {
      await source[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function failure(work: Promise<unknown>): Promise<AgentReplayError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AgentReplayError)) throw new Error(`expected an AgentReplayError, got ${String(error)}`);
  return error;
}

/** When the agent has answered, and how the moments of polls are scattered. */
const MOMENTS = fc.record({
  answeredAt: fc.nat(4_000),
  jitter: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
});

/** How many observations there are in the end, and after how many milliseconds the trace is handed over at the latest. */
const ARRIVALS = [
  ['v4-events_only-js5-immediate', 4, 10_500],
  ['v4-legacy-js5-immediate', 4, 11_500],
  ['v4-events_only-js5-immediate-late-child', 5, 12_500],
  ['v4-dual-js5-immediate-late-child', 5, 12_500],
  ['v4-events_only-plain-otel-root-only-metadata', 3, 12_500],
  ['v2-legacy3', 2, 10_500],
  ['v4-dual-legacy3', 2, 16_500],
] as const;

for (const [name, count, withinMs] of ARRIVALS) {
  test(`whenever it is looked at, a trace is taken when all has arrived, and soon after: ${name}`, async () => {
    const recorded = timeline(name);
    await fc.assert(
      fc.asyncProperty(MOMENTS, async ({ answeredAt, jitter }) => {
        await using run = await waiting(recorded.at, { random: () => jitter.next().value as number });
        run.clock.pass(answeredAt);
        const trace = await run.waitFor(recorded.svc_replay_run_id);
        expect(run.clock.elapsedMs()).toBeLessThan(withinMs + answeredAt);
        run.clock.pass(DEADLINE_MS);
        expect(trace).toEqual(await run.source.trace(recorded.traceId, { signal: patience() }));
        expect(trace.observations).toHaveLength(count);
      }),
      { numRuns: Math.ceil(25 / EVERY) },
    );
  });
}

test.each([
  ['v4-events_only-resend-same-span-2', 44_000],
  ['v4-dual-resend-same-span', 44_000],
] as const)(
  'fault 31: an observation that takes turns between two outputs makes the trace unstable: %s',
  async (name, endMs) => {
    const recorded = timeline(name);
    let unstable: AgentReplayError | undefined;
    // Where both APIs are there, only one of them shows the copies: it is looked at alone.
    const observationsOnly: typeof recorded.at = (elapsed) => (url, request, body) =>
      url.pathname.startsWith('/api/public/traces')
        ? { status: 410, body: '' }
        : recorded.at(elapsed)(url, request, body);
    await fc.assert(
      fc.asyncProperty(MOMENTS, async ({ answeredAt, jitter }) => {
        await using run = await waiting(observationsOnly, { random: () => jitter.next().value as number });
        run.clock.pass(6_500 + answeredAt);
        const error = await failure(run.waitFor(recorded.svc_replay_run_id, endMs));
        expect(error.code).toBe('TRACE_UNSTABLE');
        expect(error.evidence.join('\n')).toContain(recorded.svc_replay_run_id);
        expect(error.evidence.join('\n')).toContain(recorded.traceId);
        unstable = error;
      }),
      { numRuns: Math.ceil(6 / EVERY) },
    );
    const { svc_replay_run_id: runId, traceId } = recorded;
    const plain = wholeMessage(unstable!).replaceAll(runId, '<run id>').replaceAll(traceId, '<trace id>');
    expect(plain.replaceAll(/\d+ times|2026-\S+/g, '<number>')).toMatchInlineSnapshot(`
      "The trace differed from read to read. (TRACE_UNSTABLE)
        searched for: <run id>, in observations of http://127.0.0.1:<port> since <number> <number>
        trace: <trace id>
        came: tool "lookup_order"
        came: agent "support-agent-turn"
        changed <number> after it was complete
        -> An observation was probably sent more than once with different content: look for an export that is retried after a change. Platforms merge such copies after minutes; run again, or use tracing: embedded."
    `);
  },
);

test('spans that were sent twice and merged later make one trace, with what was said last', async () => {
  const recorded = timeline('v4-events_only-resend-same-span');
  await using run = await waiting(recorded.at);
  run.clock.pass(5_000);
  const trace = await run.waitFor(recorded.svc_replay_run_id);
  expect(trace.observations).toHaveLength(2);
  expect(trace.output).toBe('second');
});

const rowsIn = (file: string): JsonObject[] =>
  exchanges(file).flatMap(({ response }) => (response.body as JsonObject).data as JsonObject[]);
const [REPLAY] = exchanges('v4-dual.trace-get-1')
  .map(({ response }) => response.body as JsonObject)
  .filter(({ sessionId }) => sessionId === 'replay-sess-refund-001') as [JsonObject];
const REPLAY_ROWS = rowsIn('v4-dual.observations-v2-trace-js5').filter(({ traceId }) => traceId === REPLAY.id);

/** The recorded replay again, as another run's. It seems to be now. */
function replayOf(runId: string, change: (row: JsonObject) => JsonObject | undefined = (row) => row): Required<Stored> {
  const id = `trace-of-${runId}`;
  const now = (row: JsonObject): JsonObject => ({
    ...row,
    startTime: String(row.startTime).replace('T00:48', 'T00:40'),
    endTime: String(row.endTime).replace('T00:48', 'T00:40'),
  });
  const rows = REPLAY_ROWS.flatMap((row): JsonObject[] => {
    const metadata = { ...(row.metadata as JsonObject), svc_replay_run_id: runId };
    const changed = change(now({ ...row, traceId: id, metadata }));
    return changed === undefined ? [] : [changed];
  });
  const metadata = { ...(REPLAY.metadata as JsonObject), svc_replay_run_id: runId };
  const observations = (REPLAY.observations as JsonObject[])
    .map((row) => change(now({ ...row, traceId: id })))
    .filter((row) => row !== undefined);
  const timestamp = '2026-11-21T00:40:14.427Z';
  return { rows, traces: [{ ...REPLAY, id, metadata, timestamp, observations }] };
}

function both(...all: Required<Stored>[]): Stored {
  return { traces: all.flatMap(({ traces }) => traces), rows: all.flatMap(({ rows }) => rows) };
}

const MODES = ['v2', 'dual', 'legacy', 'events_only'] as const satisfies Mode[];

test.each(MODES)('fault 34: a trace of another run with the same session is not taken: %s', async (mode) => {
  const other = replayOf('uid.t1.r1');
  await using run = await waiting((elapsed) =>
    platform(mode, () => (elapsed() < 8_000 ? other : both(other, replayOf('uid.t1.r10')))),
  );
  const trace = await run.waitFor('uid.t1.r10');
  expect(trace.metadata.svc_replay_run_id).toBe('uid.t1.r10');
  expect(run.clock.elapsedMs()).toBeGreaterThan(8_000);
});

test.each(MODES)(
  'one bulk read a round serves all pending replays, and their traces are read together: %s',
  async (mode) => {
    const runIds = Array.from({ length: 60 }, (_, n) => `uid.t1.r${n + 1}`);
    const stored = both(...runIds.map((runId) => replayOf(runId)));
    await using run = await waiting(() => platform(mode, stored));
    const traces = await Promise.all(runIds.map((runId) => run.waitFor(runId)));
    expect(traces.map(({ metadata }) => metadata.svc_replay_run_id)).toEqual(runIds);
    const { reads, replays } = run.source.stats();
    expect(replays).toBe(60);
    expect(reads).toBeLessThan(60 / 3);
  },
);

test.each(MODES)(
  'in a busy project traces are read one by one: reading all that was made costs no more: %s',
  async (mode) => {
    const runIds = Array.from({ length: 20 }, (_, n) => `uid.t1.r${n + 1}`);
    const others = Array.from({ length: 600 }, (_, n) => replayOf(`other${n}.t1.r1`));
    const stored = both(...runIds.map((runId) => replayOf(runId)), ...others);
    await using run = await waiting(() => platform(mode, stored));
    const traces = await Promise.all(runIds.map((runId) => run.waitFor(runId)));
    expect(traces.map(({ metadata }) => metadata.svc_replay_run_id)).toEqual(runIds);
    const asked = run.server.asked.filter((path) => !path.includes('filter='));
    expect(asked.length).toBeLessThan(2 * runIds.length);
  },
);

test('an observation that began outside of the time of its trace is not lost when many are read together', async () => {
  const runIds = Array.from({ length: 60 }, (_, n) => `uid.t1.r${n + 1}`);
  const { traces = [], rows = [] } = both(...runIds.map((runId) => replayOf(runId)));
  const [first] = traces as [JsonObject];
  const [child, ...others] = (first.observations as JsonObject[]).toReversed();
  const early = new Date(Date.parse(String(first.timestamp)) - 60_000).toISOString();
  const shifted = { ...first, observations: [{ ...child, startTime: early }, ...others] as JsonObject[] };
  await using run = await waiting(() => platform('dual', { traces: [shifted, ...traces.slice(1)], rows }));
  const [trace] = await Promise.all(runIds.map((runId) => run.waitFor(runId)));
  expect(trace?.observations).toHaveLength(5);
  expect(run.server.asked.filter((asked) => /\/traces\/[^?]/.test(asked))).toEqual([`/api/public/traces/${first.id}`]);
  expect(run.server.asked.some((asked) => asked.includes('toStartTime'))).toBe(true);
});

test('a budget of 15 reads a minute is kept while traces are awaited, and they come', async () => {
  const runIds = Array.from({ length: 10 }, (_, n) => `uid.t1.r${n + 1}`);
  const at: number[] = [];
  await using run = await waiting(
    (elapsed) => (url, request, body) => {
      at.push(elapsed());
      return platform('dual', both(...runIds.map((runId) => replayOf(runId))))(url, request, body);
    },
    { readsPerMinute: 15 },
  );
  await Promise.all(runIds.map((runId) => run.waitFor(runId)));
  expect(
    Math.max(...at.map((from) => at.filter((moment) => moment >= from && moment < from + 60_000).length)),
  ).toBeLessThanOrEqual(15);
});

/** The run ids of 75 sessions of one run. */
const SESSIONS = Array.from({ length: 75 }, (_, n) => `r1a2b3c4d5e6f-${n + 1}.t1.r1`);

test.each(['dual', 'events_only'] as const)(
  '75 sessions of one run come within half a minute at 30 reads a minute, fewer than 0.2 each: %s',
  async (mode) => {
    const all = SESSIONS.map((runId) => replayOf(runId));
    await using run = await waiting((elapsed) => {
      // Each becomes visible within two seconds.
      const visible = () => both(...all.filter((_, n) => elapsed() > (n * 2_000) / all.length));
      return limited(platform(mode, visible), 30, elapsed);
    });
    const traces = await Promise.all(SESSIONS.map((runId) => run.waitFor(runId)));
    expect(traces.map(({ metadata }) => metadata.svc_replay_run_id)).toEqual(SESSIONS);
    expect(run.clock.elapsedMs()).toBeLessThan(30_000);
    expect(run.source.stats().reads).toBeLessThan(0.2 * SESSIONS.length);
  },
);

test('a trace that is there but could not be read for the limit is told as that, and while it waits', async () => {
  const others = Array.from({ length: 1_500 }, (_, n) => replayOf(`other${n}.t1.r1`));
  const stored = both(...SESSIONS.map((runId) => replayOf(runId)), ...others);
  const delays: ReadDelay[] = [];
  await using run = await waiting((elapsed) => limited(platform('events_only', stored), 5, elapsed), {
    onDelay: (delay) => delays.push(delay),
  });
  const outcomes = await Promise.allSettled(SESSIONS.map((runId) => run.waitFor(runId)));
  const errors = outcomes.flatMap((each) => (each.status === 'rejected' ? (each.reason as AgentReplayError) : []));
  expect(errors.length).toBeGreaterThan(0);
  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['PLATFORM_RATE_LIMITED']));
  expect(wholeMessage(errors[0]!)).toMatchInlineSnapshot(`
    "The trace was not read before the deadline: the tracing platform allows 5 reads a minute. (PLATFORM_RATE_LIMITED)
      searched for: <uid>-1.t1.r1, in observations of http://127.0.0.1:<port> since 2026-11-21T00:30:00.000Z, 2 times
      trace: trace-of-<uid>-1.t1.r1, there but not read
      reads waited 60 s for the limit
      -> Raise timeouts.trace, make fewer calls at once (workers), or use tracing: embedded, which has no limits."
  `);
  expect(delays[0]?.perMinute).toBe(5);
  expect(delays.map(delayNote)).toContainEqual(
    expect.stringMatching(/^the tracing platform allows 5 reads a minute: about \d{2,3} s more$/),
  );
});

test('nothing is read while a call is still running', async () => {
  await using run = await waiting(() => platform('dual', replayOf('uid.t1.r1')));
  const call = Promise.withResolvers<void>();
  const before = run.source.stats().reads;
  const trace = run.source.waitFor('uid.t1.r1', { signal: run.clock.deadline(DEADLINE_MS), responded: call.promise });
  run.clock.pass(60_000);
  expect(run.source.stats().reads).toBe(before);
  call.resolve();
  expect((await trace).metadata.svc_replay_run_id).toBe('uid.t1.r1');
});

test('a trace that is listed but answers 404 at first is read again', async () => {
  await using run = await waiting((elapsed) => (url, request, body) => {
    const isOne = /traces\/./.test(url.pathname);
    const stored = isOne && elapsed() < 9_000 ? {} : replayOf('uid.t1.r1');
    return platform('dual', stored)(url, request, body);
  });
  const trace = await run.waitFor('uid.t1.r1');
  expect(trace.observations).toHaveLength(5);
});

test('fault 35: a server in trouble is asked again within the deadline', async () => {
  const trouble: Answered = { status: 503, body: { message: 'unhealthy' } };
  await using run = await waiting((elapsed) => {
    const answer = platform('events_only', replayOf('uid.t1.r1'));
    return (url, request, body) => (elapsed() > 0 && elapsed() < 30_000 ? trouble : answer(url, request, body));
  });
  expect((await run.waitFor('uid.t1.r1')).observations).toHaveLength(5);
});

test('fault 35: keys that are refused end all waiting at once', async () => {
  await using run = await waiting((elapsed) => (url, request, body) => {
    if (elapsed() > 0) return { status: 401, body: { message: 'revoked' } };
    return platform('dual', {})(url, request, body);
  });
  const errors = await Promise.all([failure(run.waitFor('uid.t1.r1')), failure(run.waitFor('uid.t1.r2'))]);
  expect(errors.map(({ code }) => code)).toEqual(['PLATFORM_UNAUTHORIZED', 'PLATFORM_UNAUTHORIZED']);
  expect(run.clock.elapsedMs()).toBeLessThan(5_000);
});

test('a trace that cannot be read fails its own replay only', async () => {
  const stored = both(replayOf('uid.t1.r1'), replayOf('uid.t1.r2'));
  await using run = await waiting(() => (url, request, body) => {
    const isBad = url.pathname.endsWith('/trace-of-uid.t1.r1');
    return isBad ? { status: 200, body: '<html>' } : platform('dual', stored)(url, request, body);
  });
  const [error, trace] = await Promise.all([failure(run.waitFor('uid.t1.r1')), run.waitFor('uid.t1.r2')]);
  expect(error.code).toBe('PLATFORM_UNEXPECTED_ANSWER');
  expect(trace.observations).toHaveLength(5);
});

test('fault 29: a trace that never comes is missing: what was searched for, where, and the likely cause', async () => {
  await using run = await waiting(() => platform('dual', replayOf('uid.t1.r1')));
  const error = await failure(run.waitFor('uid.t1.r2', 30_000));
  expect(error.code).toBe('TRACE_MISSING');
  const evidence = error.evidence.join('\n');
  expect(evidence).toContain('uid.t1.r2');
  expect(evidence).toContain(run.server.url);
  expect(evidence).toContain('other run ids seen: uid.t1.r1');
  expect(error.hint).toContain('from each request');
});

test('where the server refuses older SDKs, a trace that never comes names them', async () => {
  await using run = await waiting(() => platform('events_only', {}));
  const error = await failure(run.waitFor('uid.t1.r2', 30_000));
  expect(error.code).toBe('TRACE_MISSING');
  expect(error.hint).toContain('SDKs before OpenTelemetry');
  expect(error.hint).toContain('207');
});

test('a trace that is missing because the platform does not answer says so', async () => {
  await using run = await waiting(
    (elapsed) => (url, request, body) =>
      elapsed() > 0 ? { status: 500, body: { message: 'out of disk' } } : platform('dual', {})(url, request, body),
  );
  const error = await failure(run.waitFor('uid.t1.r1', 30_000));
  expect(error.code).toBe('TRACE_MISSING');
  expect(error.evidence.join('\n')).toContain('out of disk');
});

const isRoot = (row: JsonObject): boolean => row.parentObservationId === null;

test('fault 30: where roots are marked, a trace whose root never comes is incomplete, with what came', async () => {
  const rootless = replayOf('uid.t1.r1', (row) => (isRoot(row) ? undefined : row));
  await using run = await waiting(() => platform('events_only', rootless));
  const error = await failure(run.waitFor('uid.t1.r1'));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The trace was incomplete at the deadline. (TRACE_INCOMPLETE)
      searched for: uid.t1.r1, in observations of http://127.0.0.1:<port> since 2026-11-21T00:30:00.000Z, 37 times
      trace: trace-of-uid.t1.r1
      came: generation "llm-call"
      came: tool "issue_refund"
      came: tool "check_refund_eligibility"
      came: generation "llm-call"
      missing: the root span
      missing: the parent span 020fee3e427cdac4
      -> End every span before the answer is sent, or flush before it; raise the trace timeout if the platform is slow."
  `);
});

test('where roots are not marked, a parent that the agent filters out is waited for no longer than it takes to settle', async () => {
  const rootless = replayOf('uid.t1.r1', (row) => (isRoot(row) ? { ...row, parentObservationId: 'http' } : row));
  await using run = await waiting(() => platform('dual', rootless));
  expect((await run.waitFor('uid.t1.r1')).observations).toHaveLength(5);
  expect(run.clock.elapsedMs()).toBeGreaterThan(10_000);
});

test('an application root counts as the root, though its parent is filtered out', async () => {
  const appRoot = replayOf('uid.t1.r1', (row) => (isRoot(row) ? { ...row, parentObservationId: 'http' } : row));
  await using run = await waiting(() => platform('events_only', appRoot));
  expect((await run.waitFor('uid.t1.r1')).observations).toHaveLength(5);
  expect(run.clock.elapsedMs()).toBeLessThan(6_000);
});

test('a model call that becomes visible seconds after its root and its tools is waited for', async () => {
  const whole = replayOf('uid.t1.r1');
  const early = replayOf('uid.t1.r1', (row) => (row.type === 'GENERATION' ? undefined : row));
  await using run = await waiting((elapsed) => platform('events_only', () => (elapsed() < 7_000 ? early : whole)));
  expect((await run.waitFor('uid.t1.r1')).observations).toHaveLength(5);
});

test('what the bulk read cannot show, as only the root names its run, is read until it stays the same', async () => {
  const anonymous = replayOf('uid.t1.r1', (row) => (isRoot(row) ? row : { ...row, metadata: {} }));
  const answer = /submitted to the original card/;
  const early = {
    ...anonymous,
    rows: anonymous.rows.filter((row) => isRoot(row) || !answer.test(String(row.output))),
  };
  await using run = await waiting((elapsed) => platform('events_only', () => (elapsed() < 5_000 ? early : anonymous)));
  expect((await run.waitFor('uid.t1.r1')).observations).toHaveLength(5);
});

test('a call that broke off has its trace taken only when it is complete', async () => {
  const cutOff = replayOf('uid.t1.r1', (row) => {
    const asksForTools = JSON.stringify(row.output).includes('tool_calls');
    return isRoot(row) || asksForTools ? row : undefined;
  });
  await using run = await waiting(() => platform('dual', both(cutOff, replayOf('uid.t1.r2'))));
  const responded = Promise.reject(new Error('reset'));
  const [whole, broken] = await Promise.all([
    run.source.waitFor('uid.t1.r2', { signal: run.clock.deadline(DEADLINE_MS), responded }),
    failure(run.source.waitFor('uid.t1.r1', { signal: run.clock.deadline(DEADLINE_MS), responded })),
  ]);
  expect(whole.observations).toHaveLength(5);
  expect(broken.code).toBe('TRACE_INCOMPLETE');
});

test('a span that stays there twice with one content is one observation', async () => {
  const once = replayOf('uid.t1.r1');
  const twice = { ...once, rows: [...once.rows, ...once.rows] };
  await using run = await waiting(() => platform('events_only', twice));
  expect((await run.waitFor('uid.t1.r1')).observations).toHaveLength(5);
  // Copies that take turns do so for a tenth of a second: it was looked at often enough to see that.
  expect(run.server.asked.filter((asked) => asked.includes('traceId=')).length).toBeGreaterThan(50);
});

test('closing ends the waiting', async () => {
  const run = await waiting(() => platform('dual', {}));
  const pending = failure(
    run.source.waitFor('uid.t1.r1', { signal: new AbortController().signal, responded: new Promise(() => {}) }),
  );
  await run[Symbol.asyncDispose]();
  expect((await pending).code).toBe('INTERRUPTED');
});

test('with the real clock, a trace that is there is handed over', async () => {
  await using server = await serve(
    platform('dual', {
      traces: replayOf('uid.t1.r1').traces.map((trace) => ({ ...trace, timestamp: new Date().toISOString() })),
    }),
  );
  const waits = { quietMs: 20, settleMs: 40, firstPollMs: 5 };
  await using source = await openPlatform({ host: server.url, ...KEYS, patience: waits });
  const trace = await source.waitFor('uid.t1.r1', { signal: patience() });
  expect(trace.observations).toHaveLength(5);
});

test('a platform that is away for 8 s at opening and for 12 s in the middle loses no trace, and it is said', async () => {
  const clock = virtualClock();
  const runIds = Array.from({ length: 10 }, (_, n) => `uid.t1.r${n + 1}`);
  const answer = platform('events_only', both(...runIds.map((runId) => replayOf(runId))));
  const isAway = (ms: number) => ms < 8_000 || (ms > 10_000 && ms < 22_000);
  await using server = await serve((...asked) =>
    isAway(clock.elapsedMs()) ? { status: 503, body: { message: 'away' } } : answer(...asked),
  );
  const notes: string[] = [];
  await using source = await openPlatform({
    host: server.url,
    ...KEYS,
    clock,
    random: () => 0.5,
    openingMs: DEADLINE_MS,
    onDelay: (delay) => notes.push(delayNote(delay)),
  });
  expect(clock.elapsedMs()).toBeGreaterThanOrEqual(8_000);
  expect(notes[0]).toMatch(/^the tracing platform is not available: it is tried for \d+ s more$/);
  clock.pass(10_500 - clock.elapsedMs());
  const traces = await Promise.all(
    runIds.map((runId) => source.waitFor(runId, { signal: clock.deadline(DEADLINE_MS) })),
  );
  expect(traces.map(({ metadata }) => metadata.svc_replay_run_id)).toEqual(runIds);
});
