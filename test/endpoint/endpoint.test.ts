import { expect, test, vi } from 'vitest';
import { type Carrier, type ReplayRequest, renderReplayRequest } from '../../src/contract/index.ts';
import { type EndpointOptions, type ReplayHandler, type ReplayTurn, replayEndpoint } from '../../src/endpoint/index.ts';

const REPLAY = { is_replay: true, svc_replay_run_id: 'r-1' };

function post(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request('http://agent/replay', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** An endpoint that remembers the turns that it took. Reading `metadata` stands for putting it on a trace. */
function recording(options: EndpointOptions = {}, answer: ReplayHandler = () => 'done') {
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

test.each<Carrier>(['body', 'headers', 'both'])(
  'carried by %s, the metadata of a replay is the same',
  async (carrier) => {
    const request: Omit<ReplayRequest, 'isReplay'> = {
      input: 'hello',
      replayRunId: 'r-1',
      originalSessionId: 's-1',
      turnTraceId: 't-1',
      includePriorContext: false,
    };
    const { body, headers } = renderReplayRequest(request, { carrier });
    const { endpoint, turns } = recording({ agentId: 'support' });
    expect((await endpoint(post(body, headers))).status).toBe(200);
    expect(turns[0]?.metadata).toEqual({
      is_replay: 'true',
      svc_replay_run_id: 'r-1',
      svc_original_session_id: 's-1',
      svc_turn_trace_id: 't-1',
      svc_include_prior_context: 'false',
      agent_id: 'support',
      session_id: 'replay-s-1',
      run_id: turns[0]?.runId,
    });
  },
);

test('the answer carries the ids of the replay and the output', async () => {
  const { endpoint, turns } = recording({}, () => ({ output: { text: 'done', cards: [1] } }));
  const response = await endpoint(post({ ...REPLAY, input: 'hello', svc_original_session_id: 's-1' }));
  expect(await response.json()).toEqual({
    session_id: 'replay-s-1',
    run_id: turns[0]?.runId,
    svc_replay_run_id: 'r-1',
    output: { text: 'done', cards: [1] },
  });
});

test('ids that the agent gave the turn itself are the ones that are answered', async () => {
  const { endpoint } = recording({}, () => ({ output: 'done', sessionId: 'thread-7', runId: 'run-7' }));
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

test('messages win over input, and are handed on as they came', async () => {
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', source: {} },
      ],
      custom: { nested: [1] },
    },
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'f', arguments: {} }] },
    { role: 'tool', tool_call_id: 'c', content: 'result' },
  ];
  const { endpoint, turns } = recording();
  await endpoint(post({ ...REPLAY, messages, input: 'two' }));
  expect(turns[0]?.messages).toEqual(messages);
  expect(turns[0]?.input).toBe('one');
});

test('an input alone is one message of the user', async () => {
  const { endpoint, turns } = recording();
  await endpoint(post({ ...REPLAY, input: 'hello', model: 'm-1' }));
  expect(turns[0]).toMatchObject({ messages: [{ role: 'user', content: 'hello' }], input: 'hello', model: 'm-1' });
});

test.each([
  ['OpenAI', { role: 'user', content: 'hello' }],
  [
    'Anthropic',
    {
      role: 'user',
      content: [
        { type: 'tool_result', content: 'no' },
        { type: 'text', text: 'hello' },
      ],
    },
  ],
  ['OpenTelemetry', { role: 'user', parts: [{ type: 'text', content: 'hello' }] }],
  [
    'AI SDK',
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'hel' },
        { type: 'text', text: 'lo' },
      ],
    },
  ],
])('the input is read from messages in the shape of %s', async (_shape, message) => {
  const { endpoint, turns } = recording();
  await endpoint(post({ ...REPLAY, messages: [{ role: 'user', content: 'earlier' }, message] }));
  expect(turns[0]?.input).toBe('hello');
});

test('booleans as text and unknown fields are accepted', async () => {
  const { endpoint, turns } = recording();
  const body = { input: 'hello', is_replay: 'True', svc_include_prior_context: '1', future_field: { a: 1 } };
  expect((await endpoint(post(body))).status).toBe(200);
  expect(turns[0]).toMatchObject({ includePriorContext: true, metadata: { svc_include_prior_context: 'true' } });
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

test.each([
  ['no message and no input', { ...REPLAY }, [{ path: '', message: 'messages or input is required' }]],
  ['no messages in the list', { ...REPLAY, messages: [] }, [{ path: '/messages' }]],
  [
    'a message without a role',
    { ...REPLAY, messages: [{}] },
    [{ path: '/messages/0', message: 'a message needs a role' }],
  ],
  ['an input that is no text', { ...REPLAY, input: 7 }, [{ path: '/input' }]],
  ['no is_replay', { input: 'hello' }, [{ path: '/is_replay', message: 'must be true' }]],
  ['is_replay false', { is_replay: false, input: 'hello' }, [{ path: '/is_replay', message: 'must be true' }]],
  [
    'a run id that SDKs would drop',
    { ...REPLAY, input: 'x', svc_replay_run_id: 'r'.repeat(201) },
    [{ path: '/svc_replay_run_id' }],
  ],
  ['two mistakes', { is_replay: 'maybe', input: {} }, [{ path: '/input' }, { path: '/is_replay' }]],
  ['a list for a body', [], [{ path: '' }]],
])('a request with %s is refused with the path of each mistake, and nothing runs', async (_what, body, issues) => {
  const { endpoint, turns } = recording();
  const refused = await refusal(await endpoint(post(body)));
  expect(refused).toMatchObject({ status: 400, code: 'REQUEST_INVALID', issues });
  expect(turns).toEqual([]);
});

test('a header that is no boolean is named', async () => {
  const refused = await refusal(await recording().endpoint(post({ input: 'x' }, { 'X-Svc-Replay': 'perhaps' })));
  expect(refused).toMatchObject({ status: 400, issues: [{ path: '/x-svc-replay' }] });
});

test.each([
  ['cut off', '{"input": "hel', 'BODY_NOT_JSON'],
  ['empty', '', 'BODY_NOT_JSON'],
  ['nested too deeply', `${'['.repeat(5000)}${']'.repeat(5000)}`, 'BODY_NOT_JSON'],
])('a body that is %s is refused', async (_what, body, code) => {
  expect(await refusal(await recording().endpoint(post(body)))).toMatchObject({ status: 400, code });
});

test('keys of an object prototype are data', async () => {
  const { endpoint, turns } = recording();
  await endpoint(post(`{"is_replay":true,"messages":[{"role":"user","content":"x","__proto__":{"polluted":1}}]}`));
  expect(JSON.stringify(turns[0]?.messages)).toContain('"__proto__":{"polluted":1}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('a body in another encoding than UTF-8 is refused', async () => {
  const latin1 = Buffer.from('{"is_replay":true,"input":"caf\xe9"}', 'latin1');
  const request = new Request('http://agent/', {
    method: 'POST',
    body: latin1,
    headers: { 'content-type': 'application/json' },
  });
  expect(await refusal(await recording().endpoint(request))).toMatchObject({ status: 400, code: 'BODY_NOT_JSON' });
});

test('a body above the limit is refused, whether or not it says its length', async () => {
  const { endpoint, turns } = recording({ maxBodyBytes: 100 });
  const said = post({ ...REPLAY, input: 'x'.repeat(200) }, { 'content-length': '240' });
  const unsaid = post({ ...REPLAY, input: 'x'.repeat(200) });
  for (const request of [said, unsaid]) {
    expect(await refusal(await endpoint(request))).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
  }
  expect(turns).toEqual([]);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
  'the content type %s is refused: a web page could send it to a developer machine unasked',
  async (type) => {
    const response = await recording().endpoint(post({ ...REPLAY, input: 'x' }, { 'content-type': type }));
    expect(response.status).toBe(415);
  },
);

test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.replay+json'])(
  'the content type %s is JSON',
  async (type) => {
    const response = await recording().endpoint(post({ ...REPLAY, input: 'x' }, { 'content-type': type }));
    expect(response.status).toBe(200);
  },
);

test('another method than POST is refused, and the right one is said', async () => {
  const response = await recording().endpoint(new Request('http://agent/replay'));
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
});

test.each([
  ['none', undefined, 401],
  ['another', 'Bearer tokem', 401],
  ['a part of it', 'Bearer toke', 401],
  ['another scheme', 'Basic token', 401],
  ['the token', 'Bearer token', 200],
  ['the token, scheme in lower case', 'bearer token', 200],
])('with a token set, %s is answered as it should be', async (_what, authorization, status) => {
  const { endpoint, turns } = recording({ token: 'token' });
  const response = await endpoint(post({ ...REPLAY, input: 'x' }, authorization ? { authorization } : {}));
  expect(response.status).toBe(status);
  expect(turns.length).toBe(status === 200 ? 1 : 0);
});

test('nothing of a body is read before the token is known to be right', async () => {
  const request = post({ ...REPLAY, input: 'x' });
  await recording({ token: 'token' }).endpoint(request);
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

test('in production the endpoint is not there, unless it is enabled; the log says so once', async () => {
  using log = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const off = inProduction(() => recording());
  const on = inProduction(() => recording({ enabled: true }));
  for (let call = 0; call < 2; call++) {
    expect((await off.endpoint(post({ ...REPLAY, input: 'x' }))).status).toBe(404);
  }
  expect(log).toHaveBeenCalledTimes(1);
  expect(off.turns).toEqual([]);
  expect((await on.endpoint(post({ ...REPLAY, input: 'x' }))).status).toBe(200);
});

test('in production the calls of the run that has started the agent are taken, and others are told why not', async () => {
  using _ = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { endpoint, turns } = inProduction(() => recording());
  process.env.SVC_RUN_TOKEN = 'of this run';
  try {
    const off = await endpoint(post({ ...REPLAY, input: 'x' }, { 'x-svc-run-token': 'of another' }));
    expect([off.status, off.headers.get('x-svc-replay-off')]).toEqual([404, 'production']);
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

test('enabled in production with a token that is not set, it does not come up unprotected', () => {
  expect(() => inProduction(() => recording({ enabled: true, token: process.env.NOT_SET }))).toThrow(
    /token .* not set/,
  );
});

test('a handler that fails is a 500 that tells the caller nothing of why', async () => {
  const seen: unknown[] = [];
  const failure = new Error('db password is hunter2');
  const { endpoint } = recording({ onError: (error) => seen.push(error) }, () => {
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

test('an output that is no JSON is a 500', async () => {
  const { endpoint } = recording({ onError: () => {} }, () => ({ output: 1n }));
  expect((await endpoint(post({ ...REPLAY, input: 'x' }))).status).toBe(500);
});

test('a response that the handler throws is sent as it is', async () => {
  const { endpoint } = recording({}, () => {
    throw new Response('slow down', { status: 429, headers: { 'retry-after': '2' } });
  });
  const response = await endpoint(post({ ...REPLAY, input: 'x' }));
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
});

test('a turn whose metadata nobody took is a 500 that says what to do', async () => {
  const endpoint = replayEndpoint(({ input }) => `you said: ${input}`, { onError: () => {} });
  const refused = await refusal(await endpoint(post({ ...REPLAY, input: 'x' })));
  expect(refused).toMatchObject({ status: 500, code: 'TURN_NOT_TRACED' });
  expect(refused.message).toContain('replaySpanProcessor()');
});

test('traces are flushed before the answer, also those of a turn that failed', async () => {
  const order: string[] = [];
  const flush = async () => void order.push('flush');
  const good = recording({ flush }, () => {
    order.push('turn');
    return 'done';
  });
  await good.endpoint(post({ ...REPLAY, input: 'x' })).then(() => order.push('answer'));
  const bad = recording({ flush, onError: () => {} }, () => {
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
  const { endpoint } = recording({ flush, onError: (error) => seen.push(String(error)) });
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
  const { endpoint, turns } = recording({ flush });
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

test('another brand goes through every name', async () => {
  const { endpoint, turns } = recording({ identifiers: { brand: 'acme' } });
  const response = await endpoint(post({ input: 'x' }, { 'X-Acme-Replay': 'true', 'X-Acme-Replay-Run-Id': 'r-2' }));
  expect(await response.json()).toMatchObject({ acme_replay_run_id: 'r-2' });
  expect(turns[0]?.metadata).toMatchObject({ is_replay: 'true', acme_replay_run_id: 'r-2' });
});
