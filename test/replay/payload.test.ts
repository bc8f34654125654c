import { expect, test } from 'vitest';
import { carrier, parseReplayRequest } from '../../src/contract/index.ts';
import type { JsonObject } from '../../src/json/index.ts';
import { payloadOf } from '../../src/replay/payload.ts';
import fc from '../fast-check.ts';
import { all, json, serve } from './served.ts';

test('what is sent reads back as the request with its metadata, whatever carries them and whatever they hold', () => {
  const text = fc.string({ unit: 'grapheme' });
  const request = fc.record(
    {
      messages: fc.array(fc.record({ role: text, content: fc.jsonValue() }) as fc.Arbitrary<JsonObject>, {
        minLength: 1,
      }),
      input: text,
      model: text,
      includesPriorContext: fc.boolean(),
    },
    { requiredKeys: ['messages'] },
  );
  fc.assert(
    fc.property(request, text, fc.constantFrom(...carrier.options), (request, sessionId, carrier) => {
      const source = { request, originalSessionId: sessionId, turnTraceId: 'trace' };
      for (const runId of ['u-1.t1.r1', 'u-1.t1.r2.a2']) {
        const { body, headers } = payloadOf(source, runId, { carrier, identifiers: undefined, headers: [] });
        const entries = headers.flatMap((name, index) =>
          index % 2 === 0 ? [[name.toLowerCase(), headers[index + 1]!]] : [],
        );
        const { originalSessionId, ...read } = parseReplayRequest(
          JSON.parse(body.toString()),
          Object.fromEntries(entries),
        );
        const { includesPriorContext, ...sent } = JSON.parse(JSON.stringify(request)) as typeof request;
        expect(read).toEqual({
          ...sent,
          isReplay: true,
          replayRunId: runId,
          turnTraceId: 'trace',
          ...(includesPriorContext === undefined ? {} : { includePriorContext: includesPriorContext }),
        });
        const isEncoded = carrier === 'headers' && !/^[\x20-\x7e]+$/.test(sessionId);
        expect(originalSessionId).toBe(isEncoded ? encodeURIComponent(sessionId) : sessionId);
      }
    }),
  );
});

test('calls of one turn differ in nothing but the run id', async () => {
  await using agent = await serve((_, response) => json(response, { output: 1 }));
  await all({ target: agent.url, settings: { runs: 5 } });
  const ids = agent.asked.map(({ body }) => String(body.svc_replay_run_id));
  expect(new Set(ids).size).toBe(5);
  const same = new Set(
    agent.asked.map(({ text, headers }, index) => JSON.stringify([text, headers]).replaceAll(ids[index]!, '')),
  );
  expect(same.size).toBe(1);
});

test('run ids say turn and run, never look like a number, and nobody can guess that of another replay', async () => {
  await using agent = await serve((_, response) => json(response, { output: 1 }));
  const turns = [{ turn: 3, request: { input: 'x' } }];
  const results = await all({
    target: agent.url,
    sessions: [
      { id: 'a', turns },
      { id: 'b', turns },
    ],
    settings: { runs: 2 },
  });
  const ids = results.map(({ replayRunId }) => replayRunId);
  expect(new Set(ids.map((id) => id.split('.').at(-1))).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^r[0-9a-f]{12}-[12]\.t3\.r[12]\.[0-9a-f]{24}$/);
  expect(agent.asked.map(({ body }) => body.svc_replay_run_id).sort()).toEqual(ids.sort());
});

test('the carrier decides whether body, headers or both hold the metadata', async () => {
  await using agent = await serve((_, response) => json(response, { output: 1 }));
  for (const carrier of ['both', 'body', 'headers'] as const) await all({ target: agent.url, settings: { carrier } });
  expect(
    agent.asked.map(({ body, headers }) => ['svc_replay_run_id' in body, 'x-svc-replay-run-id' in headers]),
  ).toEqual([
    [true, true],
    [true, false],
    [false, true],
  ]);
});

test('no encoding but identity is asked for', async () => {
  await using agent = await serve(({ headers }, response) => json(response, { output: headers['accept-encoding'] }));
  expect(await all({ target: agent.url })).toMatchObject([{ outcome: { response: { output: 'identity' } } }]);
});
