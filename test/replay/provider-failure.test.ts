import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { providerFailure } from '../../src/replay/provider-failure.ts';
import type { Observation } from '../../src/trace/index.ts';

/** What real SDKs trace while a model answers 200, 401, 429 and 500, and is then switched off: provider-sdks.slow.test.ts. */
const CAPTURES: Record<string, Record<string, Observation[]>> = JSON.parse(
  readFileSync(new URL('fixtures/provider-failures.json', import.meta.url), 'utf8'),
);

describe.each(Object.entries(CAPTURES))('%s', (name, traces) => {
  const found = (answer: string) => providerFailure(traces[answer] as Observation[]);

  test('a model that answers has not failed', () => {
    expect(found('200')).toBeUndefined();
  });

  test('a key that is refused is no hiccup', () => {
    expect(found('401')).toMatchObject({ isReached: true, isHiccup: false, model: 'small' });
  });

  test('a limit and an error of the server are', () => {
    expect(found('429')).toMatchObject({ status: 429, reason: '429', isHiccup: true, model: 'small' });
    expect(found('500')).toMatchObject({
      // This one's telemetry tells no status.
      ...(name === 'ai-sdk-6' ? { reason: 'server error' } : { status: 500, reason: '500' }),
      isHiccup: true,
      model: 'small',
    });
  });

  test('one that is switched off was not reached, where it is known at which address', () => {
    const isSilent = name === 'openai-observed-by-langfuse' || name === 'langfuse-by-hand';
    expect(found('down')).toMatchObject({
      isReached: false,
      isHiccup: true,
      model: 'small',
      reason: name.startsWith('ai-sdk') ? 'connection refused' : 'no connection',
      address: isSilent ? undefined : '127.0.0.1:4010',
    });
  });
});

/** Start and end in milliseconds. */
function generation(from: number, to: number, fields: Partial<Observation> = {}): Observation {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const id = `g${from}-${to}`;
  return { id, parentId: 'r', type: 'generation', name: 'chat', startTime: at(from), endTime: at(to), ...fields };
}
const failed = (from: number, to: number, statusMessage: string) =>
  generation(from, to, { level: 'ERROR', statusMessage });

test.each([
  // What clients of other languages and providers say.
  ["Error code: 429 - {'error': {'message': 'Rate limit reached', 'type': 'requests'}}", '429', true],
  ['429 {"type":"error","error":{"type":"rate_limit_error","message":"too fast"}}', '429', true],
  ['529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', '529', true],
  ["Client error '429 Too Many Requests' for url 'https://api.example.com/v1/chat/completions'", '429', true],
  ['Request failed with status code 503', '503', true],
  ['503 status code (no body)', '503', true],
  ['HTTP/1.1 502 Bad Gateway', '502', true],
  ['429 RESOURCE_EXHAUSTED. Quota exceeded for requests per minute', '429', true],
  ['ThrottlingException: Too many requests, please wait before trying again.', '429', true],
  ['Error: 429 You exceeded your current quota, please check your plan and billing details.', '429', false],
  ['Error: 401 Incorrect API key provided', '401', false],
  ['AI_LoadAPIKeyError: API key is missing. Pass it using the apiKey parameter.', 'key refused', false],
  ['400 API key not valid. Please pass a valid API key.', 'key refused', false],
  [
    "HTTPConnectionPool(host='localhost', port=11434): Max retries exceeded: Connection refused",
    'connection refused',
    true,
  ],
  ['connect ECONNREFUSED ::1:11434', 'connection refused', true],
  ['getaddrinfo ENOTFOUND api.example.com', 'host not found', true],
  ['read ECONNRESET', 'connection reset', true],
  ['terminated', 'connection reset', true],
  ['All connection attempts failed', 'no connection', true],
  ['Request timed out.', 'timed out', true],
  ['Overloaded', 'overloaded', true],
])('%s: %s', (said, reason, isHiccup) => {
  expect(providerFailure([failed(0, 1, said)])).toMatchObject({ reason, isHiccup, said });
});

test.each([
  "400 This model's maximum context length is 8192 tokens",
  "Error code: 404 - {'error': {'message': 'The model `smal` does not exist'}}",
  '422 Unprocessable Entity: temperature must be at most 2',
  'AI_NoObjectGeneratedError: No object generated: could not parse the response.',
  '500 tokens are the most that may be asked for',
  "Cannot read properties of undefined (reading 'content')",
])("%s: the agent's own doing", (said) => {
  expect(providerFailure([failed(0, 1, said)])).toBeUndefined();
});

test.each([
  ['an error object', { error: { message: 'Rate limit reached', code: 429 } }, '429'],
  ['an error in words', 'APIConnectionError: Connection error.', 'no connection'],
])('a generation whose output is %s has failed', (_, output, reason) => {
  expect(providerFailure([generation(0, 1, { output })])).toMatchObject({ reason });
});

test('an answer that speaks of errors is an answer', () => {
  const answers: Observation['output'][] = [
    'The status code 429 means: too many requests.',
    { role: 'assistant', content: 'Error: 500' },
    { error: { code: 500 }, content: 'done' },
  ];
  for (const output of answers) expect(providerFailure([generation(0, 1, { output })])).toBeUndefined();
});

test('an agent that tries again or falls back by itself has answered', () => {
  const limit = failed(0, 10, '429 Too Many Requests');
  const answer = generation(10, 20, { output: 'hello' });
  expect(providerFailure([limit, answer])).toBeUndefined();
  expect(providerFailure([answer, limit])).toBeUndefined();
});

test('a generation around it that answered went on by itself', () => {
  const outer = generation(0, 30, { output: 'hello' });
  expect(providerFailure([outer, { ...failed(5, 10, '429 Too Many Requests'), parentId: outer.id }])).toBeUndefined();
});

test('an earlier answer, one that was given meanwhile, and a later failure mend nothing', () => {
  const limit = failed(10, 20, '429 Too Many Requests');
  for (const other of [
    generation(0, 10, { output: 'let me look' }),
    generation(12, 30, { output: 'from another sub-agent' }),
    failed(20, 30, 'connect ECONNREFUSED 127.0.0.1:4010'),
    generation(20, 30),
  ]) {
    expect(providerFailure([limit, other])).toBeDefined();
  }
});

test("a tool's connection is not the model's", () => {
  const tool: Observation = { ...failed(0, 1, 'connect ECONNREFUSED 127.0.0.1:5432'), type: 'tool' };
  expect(providerFailure([tool, generation(1, 2, { output: 'sorry' })])).toBeUndefined();
});
