import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startProof } from '../../src/contract/index.ts';
import {
  type EndpointOptions,
  nodeHandler,
  type ReplayHandler,
  type ReplayTurn,
  replayEndpoint,
} from '../../src/endpoint/index.ts';
import { askHere, askOver, ENDPOINTS } from './asked.ts';
import { type AskedEndpoint, BY_DEFAULT, REQUESTS } from './requests.ts';

const REPLAY = { is_replay: true, svc_replay_run_id: 'r-1' };

function post(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request('http://agent/replay', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** An endpoint that remembers the turns that it took. Reading `metadata` stands for putting it on a trace. */
function recording(options: EndpointOptions = { enabled: true }, answer: ReplayHandler = () => 'done') {
  const turns: ReplayTurn[] = [];
  const endpoint = replayEndpoint((turn) => {
    turns.push({ ...turn });
    return answer(turn);
  }, options);
  return { endpoint, turns };
}

async function refusal(
  response: Response,
): Promise<{ status: number; code: string; message: string; issues?: unknown }> {
  const { error } = (await response.json()) as { error: { code: string; message: string; issues?: unknown } };
  return { status: response.status, ...error };
}

test.each(REQUESTS)('asked with $what it answers $status', async (asked) => {
  const { status, headers, body } = await askHere(asked);
  expect({ status, headers }).toEqual({ status: asked.status, headers: asked.answered ?? {} });
  const { error } = body as { error?: { code: string; issues?: unknown } };
  expect(error?.code).toBe(asked.code);
  if (asked.issues !== undefined) expect(error?.issues).toMatchObject(asked.issues);
  if (asked.turn !== undefined) expect(body).toMatchObject({ output: asked.turn });
});

test('what the AI SDK promises, by its type no whole `Promise`, is an answer', async () => {
  type Streamed = ReturnType<typeof streamText>['text'];
  const text: Streamed = Promise.resolve('done');
  const { endpoint } = recording({ enabled: true }, () => text);
  expect(await (await endpoint(post({ ...REPLAY, input: 'hello' }))).json()).toMatchObject({ output: 'done' });
});

test('the answer carries the ids of the replay and the output', async () => {
  const { endpoint, turns } = recording({ enabled: true }, () => ({ output: { text: 'done', cards: [1] } }));
  const response = await endpoint(post({ ...REPLAY, input: 'hello', svc_original_session_id: 's-1' }));
  expect(await response.json()).toEqual({
    session_id: 'replay-s-1',
    run_id: turns[0]?.runId,
    svc_replay_run_id: 'r-1',
    output: { text: 'done', cards: [1] },
  });
});

test('ids that the agent gave the turn itself are the ones that are answered', async () => {
  const { endpoint } = recording({ enabled: true }, () => ({ output: 'done', sessionId: 'thread-7', runId: 'run-7' }));
  expect(await (await endpoint(post({ ...REPLAY, input: 'hello' }))).json()).toMatchObject({
    session_id: 'thread-7',
    run_id: 'run-7',
  });
});

test('the same session is replayed under one session id, and each call under a run id of its own', async () => {
  const { endpoint, turns } = recording();
  const body = { ...REPLAY, input: 'hello', svc_original_session_id: 's-1' };
  await Promise.all([endpoint(post(body)), endpoint(post(body))]);
  expect(new Set(turns.map((turn) => turn.sessionId)).size).toBe(1);
  expect(new Set(turns.map((turn) => turn.runId)).size).toBe(2);
});

test('no metadata is longer than SDKs keep, and long ids stay apart', async () => {
  const { endpoint, turns } = recording();
  for (const last of ['a', 'b']) {
    await endpoint(post({ ...REPLAY, input: 'hello', svc_original_session_id: `${'s'.repeat(400)}${last}` }));
  }
  for (const turn of turns) {
    expect(Math.max(...Object.values(turn.metadata).map((value) => value.length))).toBe(200);
    expect(turn.sessionId.length).toBe(200);
  }
  expect(turns[0]?.sessionId).not.toBe(turns[1]?.sessionId);
});

test('keys of an object prototype are data', async () => {
  const { endpoint, turns } = recording();
  await endpoint(post(`{"is_replay":true,"messages":[{"role":"user","content":"x","__proto__":{"polluted":1}}]}`));
  expect(JSON.stringify(turns[0]?.messages)).toContain('"__proto__":{"polluted":1}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('a body above the limit is refused, whether or not it says its length', async () => {
  const { endpoint, turns } = recording({ enabled: true, maxBodyBytes: 100 });
  const said = post({ ...REPLAY, input: 'x'.repeat(200) }, { 'content-length': '240' });
  const unsaid = post({ ...REPLAY, input: 'x'.repeat(200) });
  for (const request of [said, unsaid]) {
    expect(await refusal(await endpoint(request))).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
  }
  expect(turns).toEqual([]);
});

test('nothing of a body is read before the token is known to be right', async () => {
  const request = post({ ...REPLAY, input: 'x' });
  await recording({ enabled: true, token: 'token' }).endpoint(request);
  expect(request.bodyUsed).toBe(false);
});

function inProduction<T>(run: () => T): T {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    return run();
  } finally {
    process.env.NODE_ENV = before;
  }
}

test('an empty token is refused everywhere: its variable is not set, and nothing would be protected', () => {
  const made = () => recording({ enabled: true, token: '' });
  for (const make of [made, () => inProduction(made)])
    expect(make).toThrow('The token of the replay endpoint is not set.');
});

test('in production the endpoint is not there, unless it is enabled; the log says so once', async () => {
  using log = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const off = inProduction(() => recording({}));
  const on = inProduction(() => recording({ enabled: true }));
  for (let call = 0; call < 2; call++) {
    expect((await off.endpoint(post({ ...REPLAY, input: 'x' }))).status).toBe(404);
  }
  expect(log).toHaveBeenCalledTimes(1);
  expect(off.turns).toEqual([]);
  expect((await on.endpoint(post({ ...REPLAY, input: 'x' }))).status).toBe(200);
});

describe('fault 137: by default the endpoint answers no stranger', async () => {
  const closed = { status: 404, headers: { 'x-svc-replay-off': 'closed' } };
  beforeAll(() => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {});
    return () => log.mockRestore();
  });
  const server = createServer(nodeHandler(ENDPOINTS.byDefault)).listen(0);
  await once(server, 'listening');
  afterAll(() => server.close());
  const { port } = server.address() as AddressInfo;

  test.each(BY_DEFAULT)('asked $what it answers $status', async (asked) => {
    const { status, answered: headers = {} } = asked;
    expect(await askOver(`http://127.0.0.1:${port}`, asked)).toMatchObject({ status, headers });
    expect(await askOver(`http://[::1]:${port}`, asked)).toMatchObject({ status, headers });
  });

  const elsewhere = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  test.skipIf(elsewhere === undefined)(
    'asked from an address that is no loopback, whatever host it names',
    async () => {
      const [here] = BY_DEFAULT;
      const asked = { ...(here as AskedEndpoint), headers: { host: 'localhost' } };
      expect(await askOver(`http://${elsewhere}:${port}`, asked)).toMatchObject(closed);
    },
  );

  test.each(['development', 'test', undefined])('a caller of unknown address, where NODE_ENV is %s', async (env) => {
    vi.stubEnv('NODE_ENV', env);
    const { endpoint } = recording({});
    vi.unstubAllEnvs();
    const response = await endpoint(post({ ...REPLAY, input: 'x' }, { host: 'localhost' }));
    expect([response.status, response.headers.get('x-svc-replay-off')]).toEqual([404, 'closed']);
  });
});

test('in production the calls of the run that has started the agent are taken, and others are told why not', async () => {
  using _ = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { endpoint, turns } = inProduction(() => recording({}));
  process.env.SVC_RUN_TOKEN = 'of this run';
  try {
    const off = await endpoint(post({ ...REPLAY, input: 'x' }, { 'x-svc-run-token': 'of another' }));
    expect([off.status, off.headers.get('x-svc-replay-off')]).toEqual([404, 'closed']);
    expect(turns).toEqual([]);
    const taken = await endpoint(post({ ...REPLAY, input: 'x' }, { 'x-svc-run-token': 'of this run' }));
    expect(taken.status).toBe(200);
    const disabled = recording({ enabled: false });
    const refused = await disabled.endpoint(post({ ...REPLAY, input: 'x' }, { 'x-svc-run-token': 'of this run' }));
    expect([refused.status, refused.headers.get('x-svc-replay-off')]).toEqual([404, 'disabled']);
  } finally {
    delete process.env.SVC_RUN_TOKEN;
  }
});

test('asked with a nonce, it proves that the run has started it, and only with the token of that run', async () => {
  const { endpoint, turns } = recording();
  const ask = async (token: string | undefined) => {
    if (token !== undefined) process.env.SVC_RUN_TOKEN = token;
    try {
      const asked = new Request('http://127.0.0.1/replay', { headers: { 'x-svc-replay-start': 'a nonce' } });
      return (await endpoint(asked)).headers.get('x-svc-replay-start');
    } finally {
      delete process.env.SVC_RUN_TOKEN;
    }
  };
  expect(await ask('of this run')).toBe(startProof('a nonce', 'of this run'));
  expect(await ask('of another')).not.toBe(startProof('a nonce', 'of this run'));
  expect(await ask(undefined)).toBe('none');
  expect(turns).toEqual([]);
});

test('enabled in production with a token that is not set, it does not come up unprotected', () => {
  expect(() => inProduction(() => recording({ enabled: true, token: process.env.NOT_SET }))).toThrow(
    /token .* not set/,
  );
});

test('a handler that fails is a 500 that tells the caller nothing of why', async () => {
  const seen: unknown[] = [];
  const failure = new Error('db password is hunter2');
  const { endpoint } = recording({ enabled: true, onError: (error) => seen.push(error) }, () => {
    throw failure;
  });
  const bodies = await Promise.all(
    [1, 2].map(async () => {
      const response = await endpoint(post({ ...REPLAY, input: 'x' }));
      expect(response.status).toBe(500);
      return response.text();
    }),
  );
  expect(JSON.parse(bodies[0] ?? '')).toEqual({
    error: { code: 'TURN_FAILED', message: "The turn failed. The agent's own log says why." },
  });
  expect(bodies[0]).toBe(bodies[1]);
  expect(seen).toEqual([failure, failure]);
});

test('a turn that failed before it was traced says so, and no trace of it is waited for', async () => {
  const endpoint = replayEndpoint(() => Promise.reject(new Error('no')), { enabled: true, onError: () => {} });
  const { headers } = await endpoint(post({ ...REPLAY, input: 'x' }));
  expect(headers.get('x-svc-trace-spans')).toBe('0');
});

test('traces are flushed before the answer, also those of a turn that failed', async () => {
  const order: string[] = [];
  const flush = async () => void order.push('flush');
  const good = recording({ enabled: true, flush }, () => {
    order.push('turn');
    return 'done';
  });
  await good.endpoint(post({ ...REPLAY, input: 'x' })).then(() => order.push('answer'));
  const bad = recording({ enabled: true, flush, onError: () => {} }, () => {
    throw new Error('no');
  });
  await bad.endpoint(post({ ...REPLAY, input: 'x' })).then(() => order.push('answer'));
  expect(order).toEqual(['turn', 'flush', 'answer', 'flush', 'answer']);
});

test('a trace that could not be sent is a 500, and the next call is not affected', async () => {
  let flushes = 0;
  const flush = async () => {
    if (++flushes === 1) throw new Error('401 from the platform');
  };
  const seen: unknown[] = [];
  const { endpoint } = recording({ enabled: true, flush, onError: (error) => seen.push(String(error)) });
  expect(await refusal(await endpoint(post({ ...REPLAY, input: 'x' })))).toMatchObject({
    status: 500,
    code: 'TRACE_NOT_SENT',
  });
  expect(seen).toContain('Error: 401 from the platform');
  expect((await endpoint(post({ ...REPLAY, input: 'x' }))).status).toBe(200);
});

test('flushes never run side by side, and calls that come during one share the next', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const entered = gates.map(() => Promise.withResolvers<void>());
  let flushes = 0;
  const flush = async () => {
    const mine = flushes++;
    entered[mine]?.resolve();
    await gates[mine]?.promise;
  };
  const { endpoint, turns } = recording({ enabled: true, flush });
  const first = endpoint(post({ ...REPLAY, input: 'x' }));
  await entered[0]?.promise;
  const others = [1, 2, 3].map(() => endpoint(post({ ...REPLAY, input: 'x' })));
  await vi.waitUntil(() => turns.length === 4);
  // Long enough for a flush that does not wait to have begun.
  await new Promise((resolve) => setImmediate(resolve));
  expect(flushes).toBe(1);
  gates[0]?.resolve();
  await entered[1]?.promise;
  gates[1]?.resolve();
  for (const response of await Promise.all([first, ...others])) expect(response.status).toBe(200);
  expect(flushes).toBe(2);
});

test('a turn knows when its caller has gone', async () => {
  const caller = new AbortController();
  const { endpoint, turns } = recording();
  await endpoint(new Request(post({ ...REPLAY, input: 'x' }), { signal: caller.signal }));
  caller.abort();
  expect(turns[0]?.signal.aborted).toBe(true);
});
