import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { AgentReplayError } from '../../src/errors.ts';
import { lookupWithLoopback } from '../../src/http/index.ts';
import type { Exchange } from '../../src/replay/call.ts';
import { retryDelay } from '../../src/replay/retries.ts';
import { IN_VAIN_MS } from '../patience.ts';
import { wholeMessage } from '../whole-message.ts';
import { all, failure, idsOf, json, serve } from './served.ts';

const OK = { output: 'done' };

test('fault 14: a connection that is reset in the middle of the body is not tried again', async () => {
  await using agent = await serve((_, response, socket) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"out', () => socket.resetAndDestroy());
  });
  const error = await failure({ target: agent.url });
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The connection broke off during the call. (CALL_FAILED)
      target: http://127.0.0.1:<port>/replay
      came: status 200, then 5 bytes of the body
      reason: connection reset
      -> The agent or something before it closed the connection: read its log. Set idempotent: true if such calls may be sent again."
  `);
  expect(agent.asked).toHaveLength(1);
});

test('fault 14: no call is lost to a connection that the agent closes because it was idle', async () => {
  const used = new Set<Socket>();
  await using agent = await serve((_, response, socket) => {
    // It closed the connection before, and the machine was too busy for the caller to notice.
    if (used.has(socket)) socket.destroy();
    used.add(socket);
    json(response, OK);
  });
  const results = await all({ target: agent.url, settings: { runs: 3, workers: 1 } });
  expect(results.map(({ outcome }) => outcome.kind)).toEqual(['replayed', 'replayed', 'replayed']);
});

test('fault 14: an idempotent call is tried again under a new run id, and the attempts are counted', async () => {
  await using agent = await serve(({ number }, response, socket) =>
    number === 1 ? socket.resetAndDestroy() : json(response, OK),
  );
  const [result] = await all({ target: agent.url, uid: 'u', settings: { idempotent: true } });
  expect(result).toMatchObject({
    attempts: 2,
    replayRunId: expect.stringMatching(/^u-1\.t1\.r1\.a2\./),
    outcome: { kind: 'replayed' },
  });
  expect(idsOf(agent)).toEqual(['u-1.t1.r1', 'u-1.t1.r1.a2']);
});

test('fault 14: a refused connection is tried again, since nothing was sent, and the attempts are shown', async () => {
  const [result] = await all({ target: `http://127.0.0.1:${await closedPort()}/replay` });
  expect(result).toMatchObject({
    attempts: 3,
    outcome: {
      kind: 'unverified',
      error: {
        code: 'TARGET_UNREACHABLE',
        evidence: expect.arrayContaining(['reason: connection refused', 'attempts: 3']),
      },
    },
  });
  const { error } = result!.outcome as { error: AgentReplayError };
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "No connection to the target could be made. (TARGET_UNREACHABLE)
      target: http://127.0.0.1:<port>/replay
      reason: connection refused
      attempts: 3
      -> Check that the agent runs and listens where the target URL says."
  `);
});

test.concurrent.each([
  ['15: an agent that never answers', () => {}, 'came: nothing'],
  [
    '16: an agent that hangs after the headers',
    (_: unknown, response: ServerResponse) => response.writeHead(200).flushHeaders(),
    'came: status 200, then 0 bytes of the body',
  ],
  [
    '17: an agent that drips',
    (_: unknown, response: ServerResponse) => {
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    },
    /came: status 200, then \d+ bytes/,
  ],
])('fault %s meets the one deadline of the call', async (_, answer, came) => {
  await using agent = await serve(answer);
  const error = await failure({ target: agent.url, settings: { timeouts: { call: IN_VAIN_MS } } });
  expect(error).toMatchObject({ code: 'CALL_TIMEOUT', message: expect.stringContaining('within 2 s') });
  expect(error.evidence).toContainEqual(typeof came === 'string' ? came : expect.stringMatching(came));
});

test.concurrent.each<[string, (response: ServerResponse) => void, Partial<AgentReplayError>]>([
  [
    'does not end in time',
    (response) => response.writeHead(200).flushHeaders(),
    { code: 'CALL_TIMEOUT', message: 'The agent answered with status 200, but its body did not end within 2 s.' },
  ],
  [
    'breaks off',
    (response) => response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
    { code: 'CALL_FAILED' },
  ],
  ['is too large', (response) => response.end(Buffer.alloc(2 ** 11)), { code: 'RESPONSE_TOO_LARGE' }],
])('fault 119: the status of an answer is kept when its body %s', async (_, answer, expected) => {
  await using agent = await serve((_, response) => answer(response));
  const settings = { timeouts: { call: IN_VAIN_MS }, maxResponse: 2 ** 10 };
  const [result] = await all({ target: agent.url, settings });
  expect(result).toMatchObject({ status: 200, outcome: { kind: 'unverified', error: expected } });
});

test('fault 17: a call that times out does not hold up the others', async () => {
  await using agent = await serve(({ body }, response) => (body.input === 'slow' ? undefined : json(response, OK)));
  const results = await all({
    target: agent.url,
    sessions: ['slow', 'quick'].map((input) => ({ id: input, turns: [{ turn: 1, request: { input } }] })),
    settings: { workers: 1, timeouts: { call: IN_VAIN_MS } },
  });
  expect(results.map(({ session, outcome }) => [session, outcome.kind])).toEqual([
    ['slow', 'unverified'],
    ['quick', 'replayed'],
  ]);
  const { error } = results[0]!.outcome as { error: AgentReplayError };
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The agent did not finish its answer within 2 s. (CALL_TIMEOUT)
      target: http://127.0.0.1:<port>/replay
      came: nothing
      -> Find out what the agent waits for; raise timeouts.call if it only needs longer."
  `);
});

test('fault 18: an endless body is cut at the limit', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  await using agent = await serve((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on('drain', more);
    more();
  });
  const error = await failure({ target: agent.url, settings: { maxResponse: 2 ** 20 } });
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The response is larger than 1 MiB. (RESPONSE_TOO_LARGE)
      target: http://127.0.0.1:<port>/replay
      status: 200
      -> Let the agent answer with less, or raise maxResponse."
  `);
  expect(sent).toBeLessThan(32 * 2 ** 20);
});

test('fault 18: a body that is announced as too large is not read at all', async () => {
  await using agent = await serve((_, response) =>
    response.writeHead(200, { 'content-length': 2 ** 30 }).flushHeaders(),
  );
  expect(await failure({ target: agent.url })).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
});

test.each([
  ['invalid JSON', '{"output": x}', 'at offset 11: unexpected character'],
  ['truncated JSON', '{"output": "abc"', 'at offset 16: it is cut off'],
  ['NDJSON', '{"a":1}\n{"b":2}', 'at offset 8: more follows after its end'],
  ['two JSON documents', '{"a":1} {"b":2}', 'at offset 8: more follows after its end'],
  ['a byte order mark', '\ufeff{"output":"x"}', 'at offset 0: it begins with a byte order mark'],
  ['NaN', '{"output": NaN}', 'at offset 11: unexpected character'],
])('fault 20: %s is refused with the offset', async (_, body, evidence) => {
  await using agent = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  );
  const error = await failure({ target: agent.url });
  expect(error).toMatchObject({ code: 'RESPONSE_NOT_JSON', message: 'The response is not JSON.' });
  expect(error.evidence).toContain(evidence);
});

test.each([
  ['an empty 200', 200],
  ['a 204', 204],
])('fault 20: %s is said to be empty', async (_, status) => {
  await using agent = await serve((_, response) => response.writeHead(status).end());
  const error = await failure({ target: agent.url });
  expect(error).toMatchObject({ code: 'RESPONSE_NOT_JSON', message: 'The response is empty.' });
  expect(error.evidence).toContain(`status: ${status}`);
});

test('fault 20: the excerpt shows the place of the mistake, in one line of at most 200 characters, without control characters', async () => {
  await using agent = await serve((_, response) =>
    response.end(`{"a":"${'x'.repeat(5_000)}", \u001b[31mred\r\n::error::x ${'y'.repeat(5_000)}`),
  );
  const excerpt = (await failure({ target: agent.url })).evidence.find((line) => line.startsWith('body: '));
  expect(excerpt).toContain('[31mred ::error::x');
  expect(excerpt).toMatch(/^[\x20-\x7e…]+$/);
  expect(excerpt!.length).toBeLessThan(210);
});

test('fault 20: bytes that are not UTF-8 are no JSON', async () => {
  await using agent = await serve((_, response) => response.end(Buffer.from('{"output":"caf\xe9"}', 'latin1')));
  expect((await failure({ target: agent.url })).evidence).toContain('it is not UTF-8 text');
});

test('fault 21: another content type is quoted', async () => {
  await using agent = await serve((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end('<!doctype html><title>Sign in</title>'),
  );
  const error = await failure({ target: agent.url });
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The response is not JSON but "text/html; charset=utf-8". (RESPONSE_NOT_JSON)
      target: http://127.0.0.1:<port>/replay
      status: 200
      content type: "text/html; charset=utf-8"
      at offset 0: unexpected character
      body: <!doctype html><title>Sign in</title>
      -> Something other than the replay endpoint may answer there (a login page, a web application): check the target URL."
  `);
});

test('fault 21: JSON under another content type is taken', async () => {
  await using agent = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('{"output":"done"}'),
  );
  expect(await all({ target: agent.url })).toMatchObject([{ outcome: { response: { output: 'done' } } }]);
});

test('fault 22: a redirect is not followed, and its address is shown without credentials and query', async () => {
  await using elsewhere = await serve((_, response) => json(response, OK));
  await using agent = await serve((_, response) =>
    response.writeHead(307, { location: `${elsewhere.origin.replace('//', '//me:hush@')}/in?token=hush` }).end(),
  );
  const error = await failure({ target: agent.url, settings: { headers: { authorization: 'Bearer abcdef' } } });
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The target redirects (status 307) to http://127.0.0.1:<port>/in. (RESPONSE_REDIRECT)
      target: http://127.0.0.1:<port>/replay
      location: http://127.0.0.1:<port>/in
      -> Redirects are not followed, as the request may carry secrets: give the final address as target URL."
  `);
  expect(elsewhere.asked).toHaveLength(0);
});

test('fault 24: each status has a message of its own, with an excerpt, and no 4xx is tried again', async () => {
  const statuses = [400, 401, 403, 404, 405, 413, 415, 422, 500];
  const messages: string[] = [];
  for (const status of statuses) {
    await using agent = await serve((_, response) => json(response, { detail: 'because' }, { status }));
    const error = await failure({ target: agent.url });
    expect(agent.asked).toHaveLength(1);
    messages.push(wholeMessage(error));
  }
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    "The agent answered with status 400: it refused the request. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Compare what the endpoint demands with the replay request.
    The agent answered with status 401: it wants other credentials. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Give them with the setting headers, such as authorization.
    The agent answered with status 403: it does not allow this. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Check what the credentials in the setting headers may do.
    The agent answered with status 404: there is nothing at this path. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Is /replay mounted? Check the path of the target URL.
    The agent answered with status 405: it takes no POST at this path. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Is /replay mounted for POST? Check the path of the target URL.
    The agent answered with status 413: the request is too large for it. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Raise the limit of the agent's server for request bodies.
    The agent answered with status 415: it does not take JSON. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Let the endpoint accept application/json.
    The agent answered with status 422: it cannot use the request. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Compare what the endpoint demands with the replay request: messages or input.
    The agent answered with status 500: it failed. (RESPONSE_STATUS)
      body: {"detail":"because"}
      target: http://127.0.0.1:<port>/replay
      -> Mend the error of this request, which its log tells."
  `);
});

test.each([
  ['closed', 'its replay endpoint is closed to callers that it does not know'],
  ['disabled', 'its replay endpoint is off'],
])('an endpoint that says that it is off (%s) is not looked for elsewhere', async (reason, said) => {
  const headers = { 'x-svc-replay-off': reason };
  await using agent = await serve((_, response) => json(response, {}, { status: 404, headers }));
  const error = await failure({ target: agent.url });
  expect(error.message).toContain(said);
  expect(error.hint).toContain('enabled');
});

test.each([429, 503])('fault 24: a %i is tried again when Retry-After says so', async (status) => {
  await using agent = await serve(({ number }, response) =>
    number === 1 ? json(response, {}, { status, headers: { 'retry-after': '0' } }) : json(response, OK),
  );
  expect(await all({ target: agent.url })).toMatchObject([{ attempts: 2, outcome: { kind: 'replayed' } }]);
});

test.each(['-1', '0.5', 'soon', '1e9'])(
  'fault 24: a Retry-After of %j says nothing, and the usual pause is made',
  async (garbage) => {
    const rules = { retries: 2, idempotent: false, maxDelayMs: 60_000 };
    const exchange = { status: 503, headers: { 'retry-after': garbage } } as unknown as Exchange;
    expect(retryDelay(exchange, 1, rules)).toBeGreaterThanOrEqual(200);
    expect(retryDelay(exchange, 1, rules)).toBeLessThanOrEqual(300);
  },
);

test('fault 88: calls that failed together are not tried again together, and none before it was told to', () => {
  const rules = { retries: 3, idempotent: false, maxDelayMs: 60_000 };
  const delays = (headers: Record<string, string>) =>
    Array.from({ length: 50 }, () => retryDelay({ status: 503, headers } as unknown as Exchange, 2, rules) as number);
  for (const [least, all] of [
    [400, delays({})],
    [2_000, delays({ 'retry-after': '2' })],
  ] as const) {
    expect(new Set(all).size).toBeGreaterThan(40);
    expect(Math.min(...all)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...all)).toBeLessThanOrEqual(1.5 * least);
  }
});

test('fault 88: a call that waits to be tried again holds no worker', async () => {
  await using agent = await serve(({ number }, response) => {
    if (number === 1) json(response, {}, { status: 503, headers: { 'retry-after': '1' } });
    else json(response, OK);
  });
  const results = await all({ target: agent.url, uid: 'u', settings: { workers: 1, runs: 2 } });
  expect(results.map(({ run, attempts, outcome }) => [run, attempts, outcome.kind])).toEqual([
    [2, 1, 'replayed'],
    [1, 2, 'replayed'],
  ]);
  expect(idsOf(agent)).toEqual(['u-1.t1.r1', 'u-1.t1.r2', 'u-1.t1.r1.a2']);
  expect(agent.inFlight.most).toBe(1);
});

test('fault 24: a Retry-After that is a date is honoured', async () => {
  const times: number[] = [];
  await using agent = await serve(({ number }, response) => {
    times.push(Date.now());
    // Whole seconds: the next full one that is at least a little away.
    const date = new Date(Math.ceil((Date.now() + 100) / 1_000) * 1_000);
    if (number === 1) json(response, {}, { status: 503, headers: { 'retry-after': date.toUTCString() } });
    else json(response, OK);
  });
  await all({ target: agent.url });
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(95);
});

test('fault 24: a Retry-After beyond the deadline of the call is not waited for', async () => {
  await using agent = await serve((_, response) =>
    json(response, {}, { status: 503, headers: { 'retry-after': '3600' } }),
  );
  const error = await failure({ target: agent.url });
  expect(error.evidence).toContain('retry after: 3600');
  expect(agent.asked).toHaveLength(1);
});

test('fault 25: unknown fields are taken, and a field of the wrong type is named by its path', async () => {
  await using agent = await serve(({ body }, response) =>
    json(response, body.input === 'good' ? { ...OK, more: [1] } : { ...OK, session_id: { id: 1 } }),
  );
  expect(
    await all({ target: agent.url, sessions: [{ id: 's', turns: [{ turn: 1, request: { input: 'good' } }] }] }),
  ).toMatchObject([{ outcome: { kind: 'replayed' } }]);
  const error = await failure({ target: agent.url });
  expect(wholeMessage(error)).toMatchInlineSnapshot(`
    "The response is JSON, but not a replay response. (RESPONSE_INVALID)
      target: http://127.0.0.1:<port>/replay
      status: 200
      session_id: expected a text or a number, found an object
      body: {"output":"done","session_id":{"id":1}}
      -> Answer with an object that holds "output"; where it is under another name, set outputPointer."
  `);
});

test('fault 25: without traces a response must name its output, and the setting says where', async () => {
  await using agent = await serve((_, response) => json(response, { data: { said: ['hello'] } }));
  expect(wholeMessage(await failure({ target: agent.url }))).toMatchInlineSnapshot(`
    "The response is JSON, but not a replay response. (RESPONSE_INVALID)
      target: http://127.0.0.1:<port>/replay
      status: 200
      the output is under no usual name
      body: {"data":{"said":["hello"]}}
      -> Answer with an object that holds "output"; where it is under another name, set outputPointer."
  `);
  expect(await all({ target: agent.url, settings: { outputPointer: '/data/said/0' } })).toMatchObject([
    { outcome: { response: { output: 'hello' } } },
  ]);
});

test('fault 26: a certificate that nobody vouches for is named, and not tried again', async () => {
  const pem = readFileSync(new URL('../agent/fixtures/self-signed.pem', import.meta.url));
  const server = createTlsServer({ key: pem, cert: pem }, (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [result] = await all({ target: `https://127.0.0.1:${(server.address() as AddressInfo).port}/replay` });
  server.close();
  expect(result).toMatchObject({
    attempts: 1,
    outcome: {
      error: {
        code: 'TARGET_UNREACHABLE',
        message: 'The TLS certificate of the target is not trusted.',
        hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      },
    },
  });
});

test('fault 26: a proxy of the environment does not stand between', async () => {
  await using agent = await serve((_, response) => json(response, OK));
  process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:9';
  try {
    expect(await all({ target: agent.url })).toMatchObject([{ outcome: { kind: 'replayed' } }]);
  } finally {
    delete process.env.HTTP_PROXY;
    delete process.env.http_proxy;
  }
});

test('fault 59: a response that is nested too deeply is refused, without a stack overflow', async () => {
  await using agent = await serve((_, response) => response.end(`{"output":${'['.repeat(1e5)}${']'.repeat(1e5)}}`));
  const error = await failure({ target: agent.url });
  expect(error.code).toBe('RESPONSE_NOT_JSON');
  expect(error.evidence.join('\n')).toContain('nested deeper than');
});

test('fault 61: a number that a double cannot hold is sent and read as it was written', async () => {
  await using agent = await serve(({ text }, response) =>
    response.end(`{"output": ${/"id":(\d+)/.exec(text)?.[1]}, "session_id": 1}`),
  );
  const { parseJson } = await import('../../src/json/index.ts');
  const message = parseJson('{"role":"user","content":"x","id":9007199254740993}') as never;
  const [result] = await all({
    target: agent.url,
    sessions: [{ id: 's', turns: [{ turn: 1, request: { messages: [message] } }] }],
  });
  expect(JSON.stringify(result?.outcome)).toContain('"output":9007199254740993');
});

test('secrets that an error body echoes are not shown: headers of the customer, credentials and query of the URL', async () => {
  await using agent = await serve(({ headers, url }, response) =>
    json(response, { said: [headers.authorization, headers['x-key'], url] }, { status: 403 }),
  );
  const target = `${agent.url.replace('//', '//me:p%40ssword@')}?key=querysecret`;
  const error = await failure({ target, settings: { headers: { 'X-Key': 'sk-12345' } } });
  const told = JSON.stringify([error.message, error.evidence, error.hint]);
  expect(told).toContain('<secret>');
  for (const secret of ['p@ssword', 'p%40ssword', btoa('me:p@ssword'), 'querysecret', 'sk-12345']) {
    expect(told).not.toContain(secret);
  }
});

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createNetServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test.each(['127.0.0.1', '::1'])('fault 95: localhost is found where it listens, on %s', async (host) => {
  await using agent = await serve((_, response) => json(response, OK), { host });
  const { port } = new URL(agent.url);
  const [result] = await all({ target: `http://localhost:${port}/replay` });
  expect(result?.outcome.kind).toBe('replayed');
});

test('fault 95: localhost has both its addresses, whatever the hosts file says, and other names are looked up', async () => {
  const found = (host: string, family: 0 | 4 | 6) =>
    new Promise((resolve) => lookupWithLoopback(host, { all: true, family }, (_, addresses) => resolve(addresses)));
  const [six, four] = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  expect(await found('localhost', 0)).toEqual([six, four]);
  expect(await found('agent.localhost', 4)).toEqual([four]);
  expect(await found('127.0.0.2', 0)).toEqual([{ address: '127.0.0.2', family: 4 }]);
});
