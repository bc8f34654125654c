import { expect, test } from 'vitest';
import {
  type Carrier,
  identifiers,
  outputOfResponse,
  parseReplayRequest,
  type ReplayRequest,
  readTraceMetadata,
  renderReplayRequest,
  type SentMessage,
  wireNames,
} from '../../src/contract/index.ts';
import fc from '../fast-check.ts';

const message: fc.Arbitrary<SentMessage> = fc
  .tuple(fc.constantFrom('user', 'assistant', 'tool', 'system'), fc.jsonValue())
  .map(([role, content]) => ({ role, content }) as SentMessage);

/** What a header can carry: visible ASCII. */
const id = fc.stringMatching(/^[A-Za-z][\w.-]{0,40}$/);

const metadata = fc.record(
  { replayRunId: id, originalSessionId: id, turnTraceId: id, includePriorContext: fc.boolean() },
  { requiredKeys: [] },
);
const payload = fc.oneof(
  fc.record({ messages: fc.array(message, { minLength: 1 }) }),
  fc.record({ input: fc.string() }),
  fc.record({ messages: fc.array(message, { minLength: 1 }), input: fc.string(), model: fc.string() }),
);
const request: fc.Arbitrary<Omit<ReplayRequest, 'isReplay'>> = fc
  .tuple(payload, metadata)
  .map(([body, ids]) => ({ ...body, ...ids }));
const brand = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const carrier = fc.constantFrom<Carrier>('both', 'body', 'headers');

/** As servers hand them on. */
function arrived(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

test('parse(render(x)) = x for every carrier and every brand', () => {
  fc.assert(
    fc.property(request, carrier, brand, (sent, where, word) => {
      const names = identifiers.parse({ brand: word });
      const { body, headers } = renderReplayRequest(sent, { carrier: where, identifiers: names });
      const wire = JSON.parse(JSON.stringify(body));
      expect(parseReplayRequest(wire, arrived(headers), { identifiers: names })).toEqual({
        ...JSON.parse(JSON.stringify(sent)),
        isReplay: true,
      });
    }),
    { numRuns: 500 },
  );
});

test('headers alone and the body alone say the same', () => {
  fc.assert(
    fc.property(request, (sent) => {
      const inBody = renderReplayRequest(sent, { carrier: 'body' });
      const inHeaders = renderReplayRequest(sent, { carrier: 'headers' });
      expect(inBody.headers).toEqual({});
      expect(parseReplayRequest(inHeaders.body, arrived(inHeaders.headers))).toEqual(
        parseReplayRequest(inBody.body, {}),
      );
    }),
  );
});

test('every name on the wire follows from the two words of the setting', () => {
  const { keys, headers, env } = wireNames(identifiers.parse({ brand: 'acme', tracing: 'LENS' }));
  expect(Object.values(keys)).toEqual([
    'is_replay',
    'acme_replay_run_id',
    'acme_original_session_id',
    'acme_turn_trace_id',
    'acme_include_prior_context',
  ]);
  expect(Object.values(headers)).toEqual([
    'X-Acme-Replay',
    'X-Acme-Replay-Run-Id',
    'X-Acme-Original-Session-Id',
    'X-Acme-Turn-Trace-Id',
    'X-Acme-Include-Prior-Context',
    'X-Acme-Run-Token',
    'X-Acme-Replay-Start',
  ]);
  expect(env).toEqual({
    publicKey: 'LENS_PUBLIC_KEY',
    secretKey: 'LENS_SECRET_KEY',
    host: 'LENS_HOST',
    agentId: 'ACME_AGENT_ID',
    runToken: 'ACME_RUN_TOKEN',
  });
});

test('booleans may come as text, and what is not there as null', () => {
  const parsed = parseReplayRequest({
    input: 'hello',
    messages: null,
    is_replay: 'True',
    svc_include_prior_context: 'false',
    svc_turn_trace_id: null,
  });
  expect(parsed).toEqual({ input: 'hello', isReplay: true, includePriorContext: false });
});

test('a request without messages and input is refused, and a mistake is named by its path', () => {
  expect(() => parseReplayRequest({ is_replay: true })).toThrow(/messages or input is required/);
  expect(() => parseReplayRequest({ input: 'x', is_replay: 'maybe' })).toThrow(/is_replay/);
  expect(() => parseReplayRequest({ messages: [{ content: 'no role' }] })).toThrow(/role/);
});

test('trace metadata is read leniently: what SDKs make of booleans is one', () => {
  for (const value of [true, 'true', 'True']) {
    expect(readTraceMetadata({ is_replay: value, svc_replay_run_id: 'r1' })).toMatchObject({
      isReplay: true,
      replayRunId: 'r1',
    });
  }
  expect(readTraceMetadata({ is_replay: 'maybe', session_id: 7 })).toMatchObject({
    isReplay: undefined,
    sessionId: '7',
  });
});

test('the output of a response is found under its usual names, or where the setting says', () => {
  expect(outputOfResponse({ output: { a: 1 }, session_id: 's', run_id: null })).toEqual({ a: 1 });
  expect(outputOfResponse({ choices: [{ message: { content: 'hi' } }] })).toBe('hi');
  expect(outputOfResponse({ data: [{ 'a/b': 5 }] }, { outputPointer: '/data/0/a~1b' })).toBe(5);
  expect(outputOfResponse({ ok: true })).toBeUndefined();
});
