import { expect, test } from 'vitest';
import { AgentReplayError } from '../../src/errors.ts';
import { openReplays, type ReplayResult, replayOptions } from '../../src/replay/index.ts';
import { wholeMessage } from '../whole-message.ts';
import { all, idsOf, json, openPartOf, replays, serve, sessionOf } from './served.ts';

const OK = { output: 'done' };
const summary = ({ session, turn, run, outcome }: ReplayResult) =>
  `${session}.${turn}.${run} ${outcome.kind === 'replayed' ? outcome.kind : outcome.error.code}`;
const wholeMessages = (results: readonly ReplayResult[]) =>
  results.flatMap(({ outcome }) => (outcome.kind === 'unverified' ? wholeMessage(outcome.error) : []));

test('fault 75: more workers than calls, and no calls at all, end as they should', async () => {
  await using agent = await serve((_, response) => json(response, OK));
  expect(await all({ target: agent.url, settings: { workers: 100 } })).toHaveLength(1);
  expect(await all({ target: agent.url, sessions: [] })).toEqual([]);
  expect(await all({ target: agent.url, sessions: [{ id: 's', turns: [] }] })).toEqual([]);
});

test('never more calls are in flight than there are workers, and all of them work', async () => {
  const held: (() => void)[] = [];
  await using agent = await serve((_, response) => {
    held.push(() => json(response, OK));
    if (held.length === 5) for (const release of held.splice(0)) release();
  });
  const results = await all({ target: agent.url, settings: { runs: 20, workers: 5 } });
  expect(results.map(summary).sort()).toEqual(Array.from({ length: 20 }, (_, n) => `s.1.${n + 1} replayed`).sort());
  expect(agent.inFlight.most).toBe(5);
});

test('fault 75: when the most calls are made, the rest fails as such and nothing more is sent; retries count', async () => {
  await using agent = await serve((_, response) =>
    json(response, {}, { status: 503, headers: { 'retry-after': '0' } }),
  );
  const results = await all({ target: agent.url, settings: { runs: 5, workers: 1, maxCalls: 4 } });
  // Which calls are tried again before others are sent at all is a matter of their pauses.
  const codes = results.map(({ outcome }) => outcome.kind === 'unverified' && outcome.error.code);
  const exceeded = codes.filter((code) => code === 'CALLS_EXCEEDED').length;
  expect(codes.filter((code) => code === 'RESPONSE_STATUS')).toHaveLength(5 - exceeded);
  expect(exceeded).toBeGreaterThan(0);
  expect(agent.asked).toHaveLength(4);
});

test('a retry that the budget does not allow leaves the answer that there was', async () => {
  await using agent = await serve((_, response) => json(response, {}, { status: 503 }));
  const [result] = await all({ target: agent.url, settings: { maxCalls: 1 } });
  expect(result).toMatchObject({ attempts: 1, outcome: { error: { code: 'RESPONSE_STATUS' } } });
});

test('fault 10: when the agent crashes, what is in flight and what is left fail with it, and finished results stay', async () => {
  const crashed = new AbortController();
  await using agent = await serve(({ number }, response) => {
    if (number <= 2) json(response, OK);
    else crashed.abort(new AgentReplayError('AGENT_CRASHED', 'The agent was ended by SIGKILL while it was in use.'));
  });
  const results = await all({
    target: agent.url,
    crashed: crashed.signal,
    settings: { runs: 5, workers: 1 },
  });
  expect(results.map(summary).sort()).toEqual([
    's.1.1 replayed',
    's.1.2 replayed',
    's.1.3 AGENT_CRASHED',
    's.1.4 AGENT_CRASHED',
    's.1.5 AGENT_CRASHED',
  ]);
  expect(agent.asked).toHaveLength(3);
});

test('when it is cancelled, every call that is not finished says so', async () => {
  const cancel = new AbortController();
  await using agent = await serve(({ number }, response) => (number === 1 ? json(response, OK) : cancel.abort()));
  const results = await all({ target: agent.url, signal: cancel.signal, settings: { runs: 3, workers: 1 } });
  expect(results.map(summary).sort()).toEqual(['s.1.1 replayed', 's.1.2 INTERRUPTED', 's.1.3 INTERRUPTED']);
});

test('a replay that is cancelled before it begins sends nothing', async () => {
  await using agent = await serve((_, response) => json(response, OK));
  const results = await all({ target: agent.url, signal: AbortSignal.abort(), settings: { runs: 2 } });
  expect(results.map(summary)).toEqual(['s.1.1 INTERRUPTED', 's.1.2 INTERRUPTED']);
  expect(wholeMessages(results)[0]).toMatchInlineSnapshot(`
    "The run was stopped before this replay had ended. (INTERRUPTED)
      -> Run again: what had finished is in the report."
  `);
  expect(agent.asked).toHaveLength(0);
});

test('fault 17: a limit for all replays together ends what is left', async () => {
  await using agent = await serve(() => {});
  const results = await all({ target: agent.url, settings: { runs: 3, workers: 2, timeouts: { total: 100 } } });
  expect(results.map(summary).sort()).toEqual(['s.1.1 TOTAL_TIMEOUT', 's.1.2 TOTAL_TIMEOUT', 's.1.3 TOTAL_TIMEOUT']);
  expect(wholeMessages(results)[0]).toMatchInlineSnapshot(`
    "The replays did not finish within 0.1 s. (TOTAL_TIMEOUT)
      -> Raise timeouts.total or workers, replay fewer sessions or runs, or spread them over shards."
  `);
});

test('a consumer that leaves early ends what is in flight', async () => {
  const left = Promise.withResolvers<void>();
  await using agent = await serve(({ number }, response) => {
    if (number === 1) json(response, OK);
    else response.on('close', () => left.resolve());
  });
  let planned = 0;
  const tools = { begin: async () => void planned++, use: () => undefined, end: () => {} };
  let plannedThen: number | undefined;
  for await (const _ of replays({ target: agent.url, tools, settings: { runs: 50, workers: 2 } })) {
    plannedThen = planned;
    break;
  }
  await left.promise;
  expect(planned).toBe(plannedThen);
});

test('results that nobody takes hold back further calls', async () => {
  await using agent = await serve((_, response) => json(response, OK));
  const results = replays({ target: agent.url, settings: { runs: 500, workers: 2 } })[Symbol.asyncIterator]();
  await results.next();
  // More than enough for hundreds of calls, were they not held back.
  for (let request = 0; request < 100; request++) await (await fetch(agent.url, { method: 'POST' })).text();
  const replayed = agent.asked.filter(({ text }) => text !== '');
  expect(replayed.length).toBeLessThanOrEqual(8);
  await results.return?.();
});

test('an error of what the caller handed over comes out, and does not hang', async () => {
  await using agent = await serve((_, response) => json(response, OK));
  const onAnswered = ({ run }: { run: number }) => {
    if (run === 3) throw new Error('mine');
  };
  await expect(all({ target: agent.url, onAnswered, settings: { runs: 5, workers: 1 } })).rejects.toThrow('mine');
});

test('a second round makes only the runs that it names, and its run ids go on', async () => {
  await using agent = await serve((_, response) => json(response, OK));
  const settings = replayOptions.parse({ runs: 2, workers: 1 });
  const [one, two] = [sessionOf('a', 'x', 'y'), sessionOf('b', 'x')];
  await using opened = openReplays({ target: agent.url, source: null, uid: 'u', settings });
  const first = await Array.fromAsync(opened.round([one, two]));
  const again = await Array.fromAsync(opened.round([{ ...two, runs: [4, 5] }]));
  expect([first.length, again.map(({ session, run }) => `${session}${run}`)]).toEqual([6, ['b4', 'b5']]);
  expect(idsOf(agent).slice(6)).toEqual(['u-2.t1.r4', 'u-2.t1.r5']);
});

test('sequence: each turn is given what the replay itself answered before', async () => {
  await using agent = await serve(({ body }, response) =>
    json(response, { output: `answer to ${JSON.stringify(body.messages).length}` }),
  );
  const user = (content: string) => ({ role: 'user', content });
  const recorded = (content: string) => ({ role: 'assistant', content });
  const turns = [
    { turn: 1, request: { messages: [user('one')] } },
    {
      turn: 2,
      request: { messages: [user('one'), recorded('as recorded'), user('two')], includesPriorContext: true },
    },
  ];
  await all({ target: agent.url, sessions: [{ id: 's', turns }], settings: { context: 'sequence' } });
  const [first, second] = agent.asked.map(({ body }) => body);
  expect(first).not.toHaveProperty('svc_include_prior_context');
  expect(first?.messages).toEqual([user('one')]);
  expect(second).toMatchObject({
    svc_include_prior_context: true,
    messages: [user('one'), recorded('answer to 33'), user('two')],
  });
});

test('sequence: a turn on the user path becomes messages, and answers take the shape that the conversation has', async () => {
  await using agent = await serve((_, response) => json(response, { output: { total: 3 } }));
  const parts = (text: string) => ({ role: 'user', parts: [{ type: 'text', content: text }] });
  const turns = [
    { turn: 1, request: { messages: [parts('one')] } },
    { turn: 2, request: { input: 'two' } },
  ];
  await all({ target: agent.url, sessions: [{ id: 's', turns }], settings: { context: 'sequence' } });
  expect(agent.asked[1]?.body.messages).toEqual([
    parts('one'),
    { role: 'assistant', parts: [{ type: 'text', content: '{"total":3}' }] },
    { role: 'user', content: 'two' },
  ]);
});

test('sequence: the turns after one without an answer are not sent, and say why', async () => {
  await using agent = await serve(({ body }, response) =>
    json(response, OK, { status: openPartOf(body.svc_replay_run_id).endsWith('t2.r1') ? 500 : 200 }),
  );
  const results = await all({
    target: agent.url,
    sessions: [sessionOf('s', 'x', 'y', 'z')],
    settings: { context: 'sequence', runs: 2 },
  });
  expect(results.map(summary).sort()).toEqual([
    's.1.1 replayed',
    's.1.2 replayed',
    's.2.1 RESPONSE_STATUS',
    's.2.2 replayed',
    's.3.1 CALL_FAILED',
    's.3.2 replayed',
  ]);
  expect(results.find(({ turn, run }) => turn === 3 && run === 1)?.outcome).toMatchObject({
    error: { message: expect.stringContaining('was not sent') },
  });
  expect(agent.asked).toHaveLength(5);
});

test('the same bytes are as good a reason for the same failure', async () => {
  await using agent = await serve((_, response) => response.end('nonsense'));
  const results = await all({ target: agent.url, settings: { runs: 3 } });
  expect(results.map(summary)).toEqual(['s.1.1', 's.1.2', 's.1.3'].map((call) => `${call} RESPONSE_NOT_JSON`));
});
