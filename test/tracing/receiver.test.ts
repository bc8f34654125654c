import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { PbfWriter } from 'pbf';
import { expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { parsePin, type Session } from '../../src/session/index.ts';
import { HUGE_TEXT } from '../../src/trace/index.ts';
import type { Receiver } from '../../src/tracing/index.ts';
import type { Arrival, TraceRecord } from '../../src/tracing/mapping/trace-record.ts';
import { delivery } from '../../src/tracing/receiver/delivery.ts';
import { TraceStore } from '../../src/tracing/receiver/store.ts';
import fc from '../fast-check.ts';
import { wholeMessage } from '../whole-message.ts';
import { exportOf, failure, noDeadline, post, RUN, type SpanOptions, start } from './spans.ts';
import { tracesIn } from './traces-in.ts';

test('fault 29: nothing came: the error names the id and says what to check', async () => {
  await using receiver = await start();
  const error = await failure(receiver.waitFor('r1', { signal: AbortSignal.timeout(0) }));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "No trace with the replay run id of the request arrived before the deadline. (TRACE_MISSING)
      searched for: r1
      received: 0 exports, 0 spans, 0 of them without a replay run id
      -> The agent exported nothing here: check that its tracing is on, takes host and keys from its environment, and flushes before it answers when it is short-lived."
  `);
});

test('fault 29: wrong keys: the export is refused with 401, and the error says so without the keys', async () => {
  await using receiver = await start();
  const answer = await post(receiver, exportOf({ id: 'root', attributes: RUN }), {
    headers: { authorization: 'Basic cGstbGYtb3RoZXI6c2stbGYtb3RoZXI=' },
  });
  expect(answer.status).toBe(401);
  const error = await failure(receiver.waitFor('r1', { signal: AbortSignal.abort() }));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "No trace with the replay run id of the request arrived before the deadline. (TRACE_MISSING)
      searched for: r1
      received: 0 exports, 0 spans, 0 of them without a replay run id
      refused: 1 requests, the keys are not those of this run: see the environment that the agent is started with
      -> Let the agent read its tracing keys and host from the environment that it is started with."
  `);
  expect(JSON.stringify([error.evidence, await answer.text()])).not.toContain(receiver.secretKey);
});

test('fault 29: spans without a run id: the hint tells where the id belongs', async () => {
  await using receiver = await start();
  await post(receiver, exportOf({ id: 'root' }));
  const error = await failure(receiver.waitFor('r1', { signal: AbortSignal.abort() }));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "No trace with the replay run id of the request arrived before the deadline. (TRACE_MISSING)
      searched for: r1
      received: 1 exports, 1 spans, 1 of them without a replay run id
      -> Write the request’s replay run id to the metadata of the trace, as a string: SDKs drop values that are not strings, and only what is set before a span starts reaches it."
  `);
});

test('fault 29: traces of other replays came with their ids, and this one not yet: the hint is to flush, or to wait longer', async () => {
  await using receiver = await start();
  await post(receiver, exportOf({ id: 'root', attributes: RUN }));
  await receiver.waitFor('r1', { signal: noDeadline() });
  const error = await failure(receiver.waitFor('r2', { signal: AbortSignal.abort() }));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "No trace with the replay run id of the request arrived before the deadline. (TRACE_MISSING)
      searched for: r2
      received: 1 exports, 1 spans, 0 of them without a replay run id
      -> This trace comes late: flush before the answer, or raise timeouts.trace."
  `);
});

test('fault 34: the trace of another run is ignored, and named when the right one does not come', async () => {
  await using receiver = await start();
  await post(
    receiver,
    exportOf({ id: 'root', attributes: { 'langfuse.trace.metadata.svc_replay_run_id': 'r0', 'session.id': 's' } }),
  );
  const error = await failure(receiver.waitFor('r1', { signal: AbortSignal.abort() }));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "No trace with the replay run id of the request arrived before the deadline. (TRACE_MISSING)
      searched for: r1
      received: 1 exports, 1 spans, 0 of them without a replay run id
      other run ids seen: r0
      -> Take the replay run id from each request, not from the process or the conversation."
  `);
});

test('two runs in one trace: the second is told that its spans went to the first', async () => {
  await using receiver = await start();
  await post(receiver, exportOf({ id: 'root', attributes: RUN }));
  await receiver.waitFor('r1', { signal: noDeadline(), responded: Promise.resolve() });
  await post(receiver, exportOf({ id: 'x', attributes: { 'langfuse.trace.metadata.svc_replay_run_id': 'r2' } }));
  const error = await failure(receiver.waitFor('r2', { signal: AbortSignal.abort() }));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "No trace with the replay run id of the request arrived before the deadline. (TRACE_MISSING)
      searched for: r2
      received: 2 exports, 2 spans, 0 of them without a replay run id
      late: 1 spans of traces that were already handed over
      -> Start a new trace for every replay request: the spans of this one went to a trace that was already complete."
  `);
});

test('waiting that is cancelled for another reason than the deadline fails with that reason', async () => {
  await using receiver = await start();
  const reason = new AgentReplayError('INTERRUPTED', 'Interrupted.');
  expect(await failure(receiver.waitFor('r1', { signal: AbortSignal.abort(reason) }))).toBe(reason);
});

test('closing the receiver ends the waiting and frees the port', async () => {
  const receiver = await start();
  const waiting = failure(receiver.waitFor('r1', { signal: noDeadline() }));
  await receiver[Symbol.asyncDispose]();
  expect((await waiting).code).toBe('INTERRUPTED');
  await using again = await start({ port: Number(new URL(receiver.url).port) });
  expect(again.url).toBe(receiver.url);
});

test('a port that is taken is an error that names it', async () => {
  await using receiver = await start();
  const port = Number(new URL(receiver.url).port);
  const refused = await failure(start({ port }));
  expect(refused.message).toContain(String(port));
  expect(wholeMessage(refused)).toMatchInlineSnapshot(`
    "The trace receiver cannot listen on 127.0.0.1:<port>. (RECEIVER_UNREACHABLE)
      listen EADDRINUSE: address already in use 127.0.0.1:<port>
      -> Choose another host or port for the receiver, or leave the port out to get a free one."
  `);
});

test('fault 31: a span that is sent again replaces the first, and is one observation', async () => {
  await using receiver = await start();
  const root = (output: string): SpanOptions => ({
    id: 'root',
    attributes: { ...RUN, 'langfuse.observation.output': output },
  });
  await post(receiver, exportOf(root('first'), root('first')));
  await post(receiver, exportOf(root('second')));
  const trace = await receiver.waitFor('r1', { signal: noDeadline(), responded: Promise.resolve() });
  expect(trace.observations.map(({ output }) => output)).toEqual(['second']);
});

test('fault 31, fault 32: the same spans make the same trace, in whatever order, portions and repetitions they come', () => {
  const exchanges = JSON.parse(
    readFileSync(new URL('fixtures/capture-ai-sdk-v7-langfuse.json', import.meta.url), 'utf8'),
  ) as { body: { resourceSpans: { scopeSpans: { scope: Json; spans: JsonObject[] }[] }[] } }[];
  const { scope, spans } = exchanges[0]?.body.resourceSpans[0]?.scopeSpans[0] ?? { scope: null, spans: [] };
  const line = (portion: JsonObject[]): string =>
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope, spans: portion }] }] });
  const whole = tracesIn(line(spans));
  expect(whole[0]?.observations).toHaveLength(6);
  const shuffled = fc.shuffledSubarray([...spans, ...spans.slice(0, 3)], { minLength: spans.length + 3 });
  fc.assert(
    fc.property(shuffled, fc.integer({ min: 1, max: 9 }), (order, size) => {
      const portions = Array.from({ length: Math.ceil(order.length / size) }, (_, index) =>
        line(order.slice(index * size, (index + 1) * size)),
      );
      expect(tracesIn(portions.join('\n'))).toEqual(whole);
    }),
  );
});

test('fault 145: a huge text is known by its beginning, length and hash, where it is given, returned or answered', async () => {
  const of = (text: string, result = '') => {
    const io = {
      'langfuse.observation.input': JSON.stringify({ path: 'a', text }),
      'langfuse.observation.output': result,
    };
    const tool = { 'langfuse.observation.type': 'tool', ...io };
    return exportOf({ id: 'root', attributes: RUN }, { id: 'write', parent: 'root', attributes: tool });
  };
  const huge = 'a word '.repeat(HUGE_TEXT / 7 + 1);
  const read = (text: string) => tracesIn(of(text))[0]?.observations.find(({ id }) => id === 'write')?.input;
  await using receiver = await start();
  // Four bytes each, so that windows of bytes end amid characters.
  const signs = `a${'🧾'.repeat(HUGE_TEXT / 2)}`;
  await post(receiver, of(huge, signs));
  const [, write] = (await receiver.waitFor('r1', { signal: noDeadline() })).observations;
  const told = (text: string, shown: string) => {
    const hash = createHash('sha256').update(text).digest('hex');
    return `${shown}… (a text of ${text.length} characters, SHA-256 ${hash})`;
  };
  expect(write).toMatchObject({
    input: { path: 'a', text: told(huge, huge.slice(0, 996)) },
    // A word that is cut could be half of a secret.
    output: told(signs, ''),
  });
  expect(read(huge)).toEqual(write?.input);
  expect(read(`${huge}!`)).not.toEqual(write?.input);
  // A pin that was made otherwise holds the text itself.
  const [root, kept] = tracesIn(of(''))[0]?.observations ?? [];
  const recorded = { output: huge, observations: [root, { ...kept, input: { path: 'a', text: huge } }] };
  const turns = [{ request: { input: huge }, recorded, baselines: [recorded] }];
  const { session } = parsePin(JSON.stringify({ version: 1, id: 'a', turns }), 'a') as { session: Session };
  const inputs = session.turns.flatMap(({ recorded, baselines = [] }) =>
    [recorded, ...baselines].map(({ observations }) => observations[1]?.input),
  );
  expect(inputs).toEqual([write?.input, write?.input]);
  expect(session.turns[0]).toMatchObject({
    request: { input: huge },
    recorded: { output: told(huge, huge.slice(0, 996)) },
  });
  expect(read(huge.slice(0, HUGE_TEXT))).toEqual({ path: 'a', text: huge.slice(0, HUGE_TEXT) });
});

test('memory stays bounded: the oldest traces that nobody waits for make room', async () => {
  await using receiver = await start({ limits: { bytes: 50_000 } });
  const attributes = { padding: 'x'.repeat(9_000) };
  for (let index = 0; index < 50; index++) {
    await post(receiver, exportOf({ id: 'root', trace: `t${index}`, attributes }));
  }
  expect(receiver.stats().traces).toBe(4);
});

test('fault 93: memory stays bounded also where traces of nobody hold next to nothing', async () => {
  await using receiver = await start({ limits: { bytes: 50_000 } });
  const spans = Array.from({ length: 500 }, (_, index) => ({ id: 'root', trace: `t${index}` }));
  await post(receiver, exportOf(...spans));
  expect(receiver.stats().traces).toBeLessThan(50);
});

test('fault 93: announcements of media are small, and those that never come are forgotten', async () => {
  await using receiver = await start();
  const announce = (number: number, padding = '') =>
    post(
      receiver,
      JSON.stringify({ sha256Hash: `${number}`.padEnd(44, 'A'), contentType: 'a/b', contentLength: 1, padding }),
      { path: '/api/public/media' },
    );
  expect((await announce(0, 'x'.repeat(64 * 1024))).status).toBe(413);
  const links: string[] = [];
  for (let number = 0; number < 1_002; number++)
    links.push(((await (await announce(number)).json()) as { uploadUrl: string }).uploadUrl);
  const upload = async (link: string) => (await fetch(link, { method: 'PUT', body: 'x' })).status;
  // The first is forgotten; the last is known, and refused for its content.
  expect([await upload(links[0]!), await upload(links.at(-1)!)]).toEqual([404, 400]);
});

test('fault 93: more connections than an agent has are refused, and the receiver goes on', async () => {
  await using receiver = await start({ limits: { connections: 10 } });
  const { port } = new URL(receiver.url);
  const halfOpen = Array.from({ length: 30 }, () =>
    connect(Number(port), '127.0.0.1')
      .on('error', () => {})
      .resume(),
  );
  try {
    await expect.poll(() => halfOpen.filter((socket) => socket.destroyed || socket.closed).length).toBe(20);
  } finally {
    for (const socket of halfOpen) socket.destroy();
  }
  await expect
    .poll(() =>
      post(receiver, exportOf({ id: 'root' })).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
});

test('fault 92: tags that are no texts cost nobody anything', async () => {
  await using receiver = await start();
  const event = (runId: string, tags: Json) => ({
    id: runId,
    type: 'trace-create',
    timestamp: '2026-01-01T00:00:00Z',
    body: { id: runId, name: 'turn', output: 'done', tags, metadata: { svc_replay_run_id: runId } },
  });
  const batch = [event('r1', [{ toString: 1 }, 'fine']), event('r2', ['fine'])];
  await post(receiver, JSON.stringify({ batch }), { path: '/api/public/ingestion' });
  const options = { signal: noDeadline(), responded: Promise.resolve() };
  const traces = await Promise.all(['r1', 'r2'].map((runId) => receiver.waitFor(runId, options)));
  expect(traces.map(({ output }) => output)).toEqual(['done', 'done']);
});

test('fault 92: a trace that cannot be read costs the replay alone that it is of', async () => {
  const store = new TraceStore({ spansPerTrace: 10, bytes: 2 ** 20, keptBytes: 0 }, { quietMs: 0, settleMs: 0 });
  const arrival = (replayRunId: string): Arrival => ({
    traceId: replayRunId,
    id: 'root',
    replayRunId,
    record: () => {
      if (replayRunId === 'odd') throw new TypeError('Cannot convert object to primitive value');
      const observation = {
        id: 'root',
        parentId: null,
        type: 'agent',
        name: 'turn',
        startTime: '2026-01-01T00:00:00.000Z',
      };
      return { traceId: replayRunId, observation, trace: { metadata: {} }, isRoot: true } as unknown as TraceRecord;
    },
  });
  const options = { signal: noDeadline(), responded: Promise.resolve() };
  const [odd, fine] = [failure(store.waitFor('odd', options)), store.waitFor('fine', options)];
  store.add(
    [arrival('odd'), arrival('fine')],
    delivery(Buffer.from('{}'), () => []),
  );
  expect(wholeMessage(await odd)).toMatchInlineSnapshot(`
    "The trace of this replay cannot be read. (TRACE_INVALID)
      searched for: odd
      met: Cannot convert object to primitive value
      -> This is a defect of agent-replay: please report it with what the agent traces. Other replays are not touched by it."
  `);
  expect((await fine).id).toBe('fine');
});

test('a trace with too many spans is an error, not a partial trace', async () => {
  await using receiver = await start({ limits: { spansPerTrace: 100 } });
  const children = Array.from({ length: 100 }, (_, index) => ({ id: `s${index}`, parent: 'root' }));
  await post(receiver, exportOf({ id: 'root', attributes: RUN }, ...children));
  const error = await failure(receiver.waitFor('r1', { signal: noDeadline() }));
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The trace is larger than the receiver holds (100 spans a trace, 256 MiB in all). (TRACE_TOO_LARGE)
      searched for: r1
      -> Look for a loop in the agent, or run fewer replays at once."
  `);
});

test.each([
  ['as Langfuse', '/api/public/otel/v1/traces'],
  ['as any OTLP endpoint', '/v1/traces'],
  ['with the doubled slash of a base URL that ends in one', '//api/public/otel/v1/traces'],
])('exports are accepted %s', async (_, path) => {
  await using receiver = await start();
  const answer = await post(receiver, exportOf({ id: 'root', attributes: RUN }), { path });
  expect([answer.status, await answer.json()]).toEqual([200, {}]);
  expect(receiver.stats().traces).toBe(1);
});

test.each(['/v1/metrics', '/v1/logs', '/api/public/otel/v1/metrics'])('%s is accepted and ignored', async (path) => {
  await using receiver = await start();
  expect((await post(receiver, 'anything', { path, headers: { authorization: '' } })).status).toBe(200);
});

test('protobuf is answered in protobuf, compressed or not', async () => {
  await using receiver = await start();
  const headers = { 'content-type': 'application/x-protobuf' };
  for (const [body, encoding] of [
    [new Uint8Array(), 'identity'],
    [new Uint8Array(gzipSync(new Uint8Array())), 'gzip'],
  ] as const) {
    const answer = await post(receiver, body, { headers: { ...headers, 'content-encoding': encoding } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-protobuf']);
    expect((await answer.arrayBuffer()).byteLength).toBe(0);
  }
});

test.each<[number, string, string | Uint8Array<ArrayBuffer>, Record<string, string>]>([
  [400, 'JSON that is cut off', '{"resourceSpans":', {}],
  [
    400,
    'protobuf that is cut off',
    new Uint8Array([0x0a, 0xff, 0xff, 0xff, 0x7f]),
    { 'content-type': 'application/x-protobuf' },
  ],
  [400, 'gzip that is none', 'x', { 'content-encoding': 'gzip' }],
  [413, 'a body over the limit', 'x'.repeat(1_000_001), {}],
  [
    413,
    'a small body that grows over the limit',
    new Uint8Array(gzipSync(Buffer.alloc(1_000_001))),
    { 'content-encoding': 'gzip' },
  ],
  [415, 'an unknown encoding', 'x', { 'content-encoding': 'rot13' }],
])('%i for %s, and the receiver goes on', async (status, _, body, headers) => {
  await using receiver = await start({ limits: { bodyBytes: 1_000_000 } });
  expect((await post(receiver, body, { headers })).status).toBe(status);
  expect((await post(receiver, exportOf({ id: 'root' }))).status).toBe(200);
});

/** One span in protobuf, its moments as 64-bit integers that a double does not hold. */
function protobufExport(): Uint8Array<ArrayBuffer> {
  const pbf = new PbfWriter();
  const attribute = (key: string, value: string) => (_: unknown, to: PbfWriter) => {
    to.writeStringField(1, key);
    to.writeMessage(2, (__, inner) => inner.writeStringField(1, value), undefined);
  };
  const nanoseconds = (to: PbfWriter, field: number, value: bigint): void => {
    to.writeTag(field, 1);
    to.writeFixed32(Number(value & 0xffffffffn));
    to.writeFixed32(Number(value >> 32n));
  };
  pbf.writeMessage(
    1,
    (_, resourceSpans) => {
      resourceSpans.writeMessage(
        2,
        (__, scopeSpans) => {
          scopeSpans.writeMessage(
            2,
            (___, to) => {
              to.writeBytesField(1, Buffer.from('aa'.repeat(16), 'hex'));
              to.writeBytesField(2, Buffer.from('bb'.repeat(8), 'hex'));
              nanoseconds(to, 7, 1_795_219_112_306_000_000n);
              nanoseconds(to, 8, 1_795_219_112_306_999_999n);
              to.writeMessage(9, attribute('input.value', 'ä'.repeat(50)), undefined);
            },
            undefined,
          );
        },
        undefined,
      );
      // Fields may come in any order: the resource after its spans.
      resourceSpans.writeMessage(
        1,
        (__, to) => to.writeMessage(1, attribute('svc_replay_run_id', 'r1'), undefined),
        undefined,
      );
    },
    undefined,
  );
  return new Uint8Array(pbf.finish());
}

test('protobuf: moments are exact to the millisecond, and a run id in the resource is found', async () => {
  await using receiver = await start();
  await post(receiver, protobufExport(), { headers: { 'content-type': 'application/x-protobuf' } });
  const trace = await receiver.waitFor('r1', { signal: noDeadline(), responded: Promise.resolve() });
  expect(trace.observations).toMatchObject([
    {
      id: 'bb'.repeat(8),
      startTime: '2026-11-20T23:58:32.306Z',
      endTime: '2026-11-20T23:58:32.306Z',
      input: 'ä'.repeat(50),
    },
  ]);
});

test('protobuf that is cut off anywhere is refused, not read in part', async () => {
  await using receiver = await start();
  const whole = protobufExport();
  const answers = Array.from({ length: whole.length - 1 }, (_, index) =>
    post(receiver, whole.slice(0, index + 1), { headers: { 'content-type': 'application/x-protobuf' } }),
  );
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([400]));
  expect(receiver.stats().traces).toBe(0);
});

test('no bytes make the protobuf reader hang or fail otherwise than with 400', async () => {
  await using receiver = await start();
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const answer = await post(receiver, new Uint8Array(bytes), {
        headers: { 'content-type': 'application/x-protobuf' },
      });
      expect([200, 400]).toContain(answer.status);
    }),
    { numRuns: 300 },
  );
});

test('the environment names the receiver to every SDK, under the brand’s names as well', async () => {
  await using receiver = await start({
    publicKey: 'pk',
    secretKey: 's/k',
    identifiers: { brand: 'acme', tracing: 'TRC' },
  });
  expect(receiver.environment()).toEqual({
    TRC_PUBLIC_KEY: 'pk',
    TRC_SECRET_KEY: 's/k',
    TRC_HOST: receiver.url,
    LANGFUSE_PUBLIC_KEY: 'pk',
    LANGFUSE_SECRET_KEY: 's/k',
    LANGFUSE_BASE_URL: receiver.url,
    LANGFUSE_BASEURL: receiver.url,
    LANGFUSE_HOST: receiver.url,
    LANGFUSE_FLUSH_INTERVAL: '0.05',
    LANGFUSE_TIMEOUT: '60',
    OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    OTEL_BLRP_SCHEDULE_DELAY: '50',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${receiver.url}/api/public/otel/v1/logs`,
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'Authorization=Basic%20cGs6cy9r',
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/api/public/otel/v1/traces`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Basic%20cGs6cy9r',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
  });
});

/** Begins a request whose body never ends. @returns the first line of the answer, once it comes */
function begin({ url, publicKey, secretKey }: Receiver, path: string, { keyed = false, method = 'POST' } = {}) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const keys = Buffer.from(`${publicKey}:${secretKey}`).toString('base64');
  const authorization = keyed ? `authorization: Basic ${keys}\r\n` : '';
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\n${authorization}content-length: 1000\r\n\r\n{`);
  return {
    status: once(socket, 'data').then(([data]) => Number(String(data).split(' ')[1])),
    [Symbol.dispose]: () => socket.destroy(),
  };
}

test.each([
  ['/v1/metrics', 200],
  ['/api/public/otel/v1/logs', 200],
  ['/api/public/otel/v1/traces', 401],
  ['/api/public/ingestion', 401],
  ['/api/public/media', 401],
  ['/nothing', 404],
])('fault 132: without a key nothing is read of a body: %s answers %i before it has come', async (path, status) => {
  await using receiver = await start();
  using begun = begin(receiver, path);
  expect(await begun.status).toBe(status);
});

test('fault 132: with a link to nothing, nothing is read either', async () => {
  await using receiver = await start();
  const announced = { sha256Hash: 'a'.repeat(44), contentType: 'image/png', contentLength: 10 };
  const answer = await post(receiver, JSON.stringify(announced), { path: '/api/public/media' });
  const { pathname } = new URL(((await answer.json()) as { uploadUrl: string }).uploadUrl);
  using begun = begin(receiver, `${pathname.slice(0, pathname.lastIndexOf('/'))}/another`, { method: 'PUT' });
  expect(await begun.status).toBe(404);
});

test('fault 132: an export that never ends holds no wait longer than its deadline', async () => {
  await using receiver = await start({ quietMs: 50 });
  using _ = begin(receiver, '/api/public/otel/v1/traces', { keyed: true });
  await post(receiver, exportOf({ id: 'root', attributes: RUN }));
  const trace = await receiver.waitFor('r1', { signal: AbortSignal.timeout(500), responded: Promise.resolve() });
  expect(trace.observations).toHaveLength(1);
});

test('fault 132: nor longer than what may never come, where there is no deadline', async () => {
  await using receiver = await start({ quietMs: 1, settleMs: 50 });
  using _ = begin(receiver, '/api/public/otel/v1/traces', { keyed: true });
  await post(receiver, exportOf({ id: 'root', attributes: RUN }));
  await receiver.waitFor('r1', { signal: noDeadline(), responded: Promise.resolve() });
  await receiver.untilSilent(['r1'], 1, noDeadline());
});
