import { expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { tokensOf } from '../../src/session/index.ts';
import { type Trace, trace as traceSchema } from '../../src/trace/index.ts';
import { openPlatform, platformCredentials, startReceiver } from '../../src/tracing/index.ts';
import { patience } from '../patience.ts';
import { wholeMessage } from '../whole-message.ts';
import {
  type Answered,
  exchanges,
  type Handler,
  KEYS,
  type Mode,
  platform,
  serve,
  virtualClock,
} from './platform-server.ts';

const bodies = (file: string): JsonObject[] => exchanges(file).map(({ response }) => response.body as JsonObject);
const rowsIn = (file: string): JsonObject[] => bodies(file).flatMap(({ data }) => data as JsonObject[]);

/** What the SDK sent, through the embedded receiver. */
async function received(file: string, runId: string): Promise<Trace> {
  await using receiver = await startReceiver({ quietMs: 1, settleMs: 1 });
  const authorization = `Basic ${Buffer.from(`${receiver.publicKey}:${receiver.secretKey}`).toString('base64')}`;
  for (const { request } of exchanges(file)) {
    const body =
      request.bodyBase64 === undefined ? JSON.stringify(request.body) : Buffer.from(request.bodyBase64, 'base64');
    const answer = await fetch(`${receiver.url}${request.path}`, {
      method: 'POST',
      headers: { ...request.headers, authorization },
      body,
    });
    expect(answer.ok).toBe(true);
  }
  return await receiver.waitFor(runId, { signal: patience() });
}

async function read(mode: Mode, stored: Parameters<typeof platform>[1], id: string): Promise<Trace> {
  await using server = await serve(platform(mode, stored));
  await using client = await openPlatform({ host: server.url, ...KEYS });
  const trace = await client.trace(id, { signal: patience() });
  if (trace === undefined) throw new Error(`no trace ${id}`);
  return traceSchema.parse(trace);
}

/** Without what the platform works out by itself (prices, totals of tokens), and with booleans as it parses them. */
function asSent(trace: Trace): Trace {
  const booleans = (_: string, value: Json) => (value === 'true' ? true : value);
  const { observations, ...rest } = JSON.parse(JSON.stringify(trace), booleans) as Trace;
  return {
    ...rest,
    observations: observations.map(({ cost: _, usage, ...observation }) => {
      if (usage === undefined) return observation;
      return { ...observation, usage: { input: tokensOf(usage, 'input'), output: tokensOf(usage, 'output') } as never };
    }),
  };
}

const SCENARIOS = [
  ['v4-dual.ingest-js5-replay', 'srr_8f2c1d77a0', 'v4-dual.trace-get-1', 'v4-dual.observations-v2-trace-js5'],
  ['v4-dual.ingest-plain-otel', 'srr_plain_otel_01', 'v4-dual.trace-get-2', 'v4-dual.observations-v2-trace-others'],
  ['v4-dual.ingest-ai-sdk7', 'srr_ai_sdk_0001', 'v4-dual.trace-get-2', 'v4-dual.observations-v2-trace-others'],
] as const;

for (const [sent, runId, traces, rows] of SCENARIOS) {
  test(`one trace is the same from the receiver and from both read APIs: ${sent}`, async () => {
    const fromReceiver = await received(sent, runId);
    const fromTraces = await read('dual', { traces: bodies(traces) }, fromReceiver.id);
    const fromObservations = await read('events_only', { rows: rowsIn(rows) }, fromReceiver.id);
    expect(asSent(fromTraces)).toEqual(asSent(fromReceiver));
    expect(asSent(fromObservations)).toEqual(asSent(fromReceiver));
  });
}

/** Recorded at another time, and with tokens that version 2 does not keep. */
function withoutTimes(trace: Trace): unknown {
  const { timestamp: _, observations, ...rest } = asSent(trace);
  return {
    ...rest,
    observations: observations.map(({ startTime: _s, endTime: _e, usage: _u, ...observation }) => observation),
  };
}

test('a trace of the older SDK is the same from a version 2 server', async () => {
  const fromReceiver = await received('v2.ingest-legacy3-replay', 'srr_8f2c1d77a0');
  const fromTraces = await read('v2', { traces: bodies('v2.trace-get-1') }, fromReceiver.id);
  expect(withoutTimes(fromTraces)).toEqual(withoutTimes(fromReceiver));
});

test('a trace of the older SDK is the same from both read APIs, where one of them makes up a root', async () => {
  const fromReceiver = await received('v4-dual.ingest-legacy3-replay', 'srr_legacy_0001');
  const fromTraces = await read('dual', { traces: bodies('v4-dual.trace-get-2') }, fromReceiver.id);
  const rows = rowsIn('v4-dual.observations-v2-legacy-after-batch-job');
  const fromObservations = await read('events_only', { rows }, fromReceiver.id);
  expect(withoutTimes(fromTraces)).toEqual(withoutTimes(fromReceiver));
  expect(withoutTimes(fromObservations)).toEqual(withoutTimes(fromReceiver));
});

test.each([
  ['v2', 'traces'],
  ['dual', 'traces'],
  ['legacy', 'traces'],
  ['events_only', 'observations'],
] as const)('the read API is chosen by what a %s server answers, and remembered', async (mode, api) => {
  await using server = await serve(platform(mode, {}));
  await using client = await openPlatform({ host: server.url, ...KEYS });
  expect(client.api).toBe(api);
  server.asked.length = 0;
  await client.trace('unknown', { signal: patience() });
  expect(server.asked).toHaveLength(1);
});

async function failure(work: Promise<unknown>): Promise<AgentReplayError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AgentReplayError)) throw new Error(`expected an AgentReplayError, got ${String(error)}`);
  return error;
}

const answers =
  (answered: Answered): Handler =>
  () =>
    answered;

const REFUSALS = [
  ['fault 35: a wrong key', 'PLATFORM_UNAUTHORIZED', platform('dual', {})],
  ['a wrong key where the old API is off', 'PLATFORM_UNAUTHORIZED', platform('events_only', {})],
  ['a key of an organisation', 'PLATFORM_UNAUTHORIZED', answers({ status: 403, body: { message: 'no project' } })],
  ['fault 37: a login page', 'PLATFORM_UNEXPECTED_ANSWER', answers({ status: 200, body: '<html>Sign in</html>' })],
  ['JSON of something else', 'PLATFORM_UNEXPECTED_ANSWER', answers({ status: 404, body: { detail: 'Not Found' } })],
  ['a redirect', 'PLATFORM_REDIRECT', answers({ status: 302, headers: { location: '/login' }, body: '' })],
  ['a server in trouble', 'PLATFORM_UNREACHABLE', answers({ status: 503, body: { message: 'try later' } })],
] as const;

async function refusalOf(handler: Handler): Promise<AgentReplayError> {
  await using server = await serve(handler);
  const keys = { publicKey: 'pk-lf-other', secretKey: 'sk-lf-hush-hush' };
  return await failure(openPlatform({ host: server.url, ...keys, clock: virtualClock() }));
}

test('what a platform refuses or gets wrong is said with the place and the next move', async () => {
  const messages: string[] = [];
  for (const [what, , handler] of REFUSALS) messages.push(`${what}:\n${wholeMessage(await refusalOf(handler))}`);
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    "fault 35: a wrong key:
    The tracing platform at http://127.0.0.1:<port> refused the keys. (PLATFORM_UNAUTHORIZED)
      GET /api/public/traces: 401 {"message":"Invalid credentials. Confirm that you've configured the correct host."}
      -> Check that the keys are those of one project (not of an organisation) and that the host is the one where it lives; new keys can take minutes to be known.
    a wrong key where the old API is off:
    The tracing platform at http://127.0.0.1:<port> refused the keys. (PLATFORM_UNAUTHORIZED)
      GET /api/public/v2/observations: 401 {"message":"Invalid credentials. Confirm that you've configured the correct host."}
      -> Check that the keys are those of one project (not of an organisation) and that the host is the one where it lives; new keys can take minutes to be known.
    a key of an organisation:
    The tracing platform at http://127.0.0.1:<port> refused the keys. (PLATFORM_UNAUTHORIZED)
      GET /api/public/traces: 403 {"message":"no project"}
      -> Check that the keys are those of one project (not of an organisation) and that the host is the one where it lives; new keys can take minutes to be known.
    fault 37: a login page:
    What answers at http://127.0.0.1:<port> is not the tracing platform's API. (PLATFORM_UNEXPECTED_ANSWER)
      GET /api/public/traces: 200 text/html <html>Sign in</html>
      -> Check the host: it must be the address of the platform itself, without a path of its user interface and not behind a login page.
    JSON of something else:
    What answers at http://127.0.0.1:<port> is not the tracing platform's API. (PLATFORM_UNEXPECTED_ANSWER)
      GET /api/public/traces and /api/public/v2/observations: 404
      -> Check the host: it must be the address of the platform itself, without a path of its user interface and not behind a login page.
    a redirect:
    The tracing platform at http://127.0.0.1:<port> answers with a redirect. (PLATFORM_REDIRECT)
      GET /api/public/traces: to /login
      -> Set the host to the address that it redirects to; if that is a login page, the API is behind a proxy that wants a login. Keys are not sent along a redirect.
    a server in trouble:
    The tracing platform at http://127.0.0.1:<port> is not available. (PLATFORM_UNREACHABLE)
      GET /api/public/traces: 503 {"message":"try later"}
      -> Check the host and the network. With tracing: embedded a run needs neither."
  `);
});

test.each(REFUSALS)('%s is said to be that, without the key', async (_, code, handler) => {
  const error = await refusalOf(handler);
  expect(error.code).toBe(code);
  expect(JSON.stringify([error.message, error.evidence, error.hint])).not.toMatch(
    /sk-lf|hush|c2stbGY|Basic|cGstbGYtb3RoZXI/,
  );
});

test('a proxy that prints the request back does not get the key into an error', async () => {
  await using server = await serve((_, { headers }) => ({
    status: 400,
    body: `you sent ${headers.authorization} for ${KEYS.secretKey}`,
  }));
  const error = await failure(openPlatform({ host: server.url, ...KEYS }));
  expect(error.evidence.join()).toContain('you sent Basic <secret>');
  expect(error.evidence.join()).not.toContain(KEYS.secretKey);
});

test('a host where nothing listens is not reached', async () => {
  const server = await serve(answers({ status: 200, body: {} }));
  await server[Symbol.asyncDispose]();
  const error = await failure(openPlatform({ host: server.url, ...KEYS, clock: virtualClock() }));
  expect(error.code).toBe('PLATFORM_UNREACHABLE');
  expect(error.evidence.join()).toContain('ECONNREFUSED');
});

test.each([
  ['pages that never end', (page: number) => ({ page, limit: 100, totalPages: 1e9 })],
  ['a total that is no number', () => ({ totalPages: 'many' })],
])('%s end in an error', async (_, meta) => {
  const row = { id: 't', timestamp: '2026-11-21T00:00:00.000Z', sessionId: 's' };
  await using server = await serve((url) => {
    const page = Number(url.searchParams.get('page'));
    return { status: 200, body: { data: Array.from({ length: 100 }, () => row), meta: meta(page) } };
  });
  await using client = await openPlatform({ host: server.url, ...KEYS });
  const walk = async () => Array.fromAsync(client.heads({ since: row.timestamp }, patience()));
  expect(wholeMessage(await failure(walk()))).toMatchInlineSnapshot(`
    "The tracing platform sends more than can be read. (PLATFORM_TOO_MUCH_DATA)
      GET /api/public/traces: more than 200 pages
      -> Narrow the time range or the search."
  `);
});

test('a cursor that leads back to its own page ends in an error', async () => {
  const rows = Array.from({ length: 3 }, (_, index) => ({ id: `o${index}`, traceId: 't' }));
  await using server = await serve(
    (url): Answered =>
      url.pathname.endsWith('/observations')
        ? { status: 200, body: { data: rows, meta: { cursor: 'again' } } }
        : { status: 404, body: { message: 'off' } },
  );
  await using client = await openPlatform({ host: server.url, ...KEYS });
  const error = await failure(client.trace('t', { signal: patience() }));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "What answers at http://127.0.0.1:<port> is not the tracing platform's API. (PLATFORM_UNEXPECTED_ANSWER)
      GET /api/public/v2/observations: the same page follows again
      -> Check the host: it must be the address of the platform itself, without a path of its user interface and not behind a login page."
  `);
});

test.each(['dual', 'events_only'] as const)('all pages are read: %s', async (mode) => {
  const count = 2_345;
  const at = (index: number) => new Date(Date.UTC(2026, 10, 21) + index).toISOString();
  const traces = Array.from({ length: count }, (_, n) => ({
    id: `t${n}`,
    timestamp: at(n),
    metadata: {},
    observations: [],
  }));
  const rows = traces.map(({ id, timestamp }) => ({
    id: `o-${id}`,
    traceId: id,
    startTime: timestamp,
    isRootObservation: true,
    metadata: {},
  }));
  await using server = await serve(platform(mode, { traces, rows }));
  await using client = await openPlatform({ host: server.url, ...KEYS });
  const heads = await Array.fromAsync(client.heads({ since: at(0) }, patience()));
  expect(new Set(heads.map(({ id }) => id)).size).toBe(count);
});

test('fault 35: a server that asks for patience gets it', async () => {
  const clock = virtualClock();
  let refusals = 2;
  await using server = await serve((url, request, body) =>
    refusals-- > 0
      ? { status: 429, headers: { 'retry-after': '7', 'x-ratelimit-limit': '15' }, body: { message: 'too many' } }
      : platform('dual', {})(url, request, body),
  );
  await using client = await openPlatform({ host: server.url, ...KEYS, clock });
  expect(client.stats().reads).toBe(3);
  expect(clock.elapsedMs()).toBeGreaterThanOrEqual(14_000);
});

test('fault 35: a server that asks for days of patience is told of at once', async () => {
  const clock = virtualClock();
  await using server = await serve(() => ({ status: 429, headers: { 'retry-after': '999999' }, body: {} }));
  await expect(openPlatform({ host: server.url, ...KEYS, clock })).rejects.toThrow('no more reads');
  expect(clock.elapsedMs()).toBe(0);
});

test('no minute holds more reads than the budget', async () => {
  const clock = virtualClock();
  const at: number[] = [];
  await using server = await serve((url, request, body) => {
    at.push(clock.elapsedMs());
    return platform('dual', {})(url, request, body);
  });
  await using client = await openPlatform({ host: server.url, ...KEYS, clock, readsPerMinute: 15 });
  for (let n = 0; n < 60; n++) await client.trace('unknown', { signal: patience() });
  const busiest = Math.max(...at.map((from) => at.filter((moment) => moment >= from && moment < from + 60_000).length));
  expect(busiest).toBe(15);
});

test('host and keys come from the contract’s variables, or else from the platform’s own', () => {
  const own = {
    LANGFUSE_BASE_URL: 'https://own.example/',
    LANGFUSE_PUBLIC_KEY: 'own-public',
    LANGFUSE_SECRET_KEY: 'own-secret',
  };
  expect(platformCredentials(own)).toEqual({
    host: 'https://own.example',
    publicKey: 'own-public',
    secretKey: 'own-secret',
  });
  const both = { ...own, TRACING_HOST: 'traces.example/base//', TRACING_PUBLIC_KEY: ' pk ', TRACING_SECRET_KEY: 'sk' };
  expect(platformCredentials(both)).toEqual({ host: 'https://traces.example/base', publicKey: 'pk', secretKey: 'sk' });
});

test('what is not set is named, and what is set is not shown', () => {
  const work = async () => platformCredentials({ TRACING_SECRET_KEY: 'sk-lf-hush' });
  return failure(work()).then((error) => {
    expect(wholeMessage(error)).toMatchInlineSnapshot(`
      "TRACING_HOST (or LANGFUSE_BASE_URL) and TRACING_PUBLIC_KEY (or LANGFUSE_PUBLIC_KEY) must be set to read traces. (PLATFORM_NOT_CONFIGURED)
        -> Set what is missing in the environment, in CI as a secret."
    `);
  });
});
