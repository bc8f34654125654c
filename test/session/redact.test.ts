import { expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson } from '../../src/json/index.ts';
import { type RedactOptions, redactor, redactRecording } from '../../src/redaction/index.ts';
import { redactSession } from '../../src/session/index.ts';
import type { Observation } from '../../src/trace/index.ts';
import fc from '../fast-check.ts';
import { growth, LINEAR } from '../growth.ts';
import { messageFrom } from '../whole-message.ts';
import { aSession } from './folder.ts';

const redact = redactor({ personal: true });

const KEYS = {
  openai: 'sk-proj-4f9aT0y8kLmN2pQrS7uV',
  anthropic: 'sk-ant-api03-AbCdEfGh1234567890',
  langfuse: 'pk-lf-1234abcd-12ab-34cd-56ef-1234567890ab',
  github: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'github (fine-grained)': 'github_pat_11ABCDEFG0abcdefghij_klmnopqrstuvwxyz',
  slack: 'xoxb-123456789012-abcdefghijkl',
  aws: 'AKIAIOSFODNN7EXAMPLE',
  google: 'AIzaSyA1234567890abcdefghijklmnopqrstuv',
  stripe: 'sk_live_abcdefghijklmnop1234',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
  pem: '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234\n',
};

test.each(Object.entries(KEYS))('a key of %s is replaced wherever it stands', (_, key) => {
  expect(redactor({ personal: false })({ text: `use ${key}, then`, list: [key] })).toEqual({
    text: expect.not.stringContaining(key.slice(8, 20)),
    list: ['<secret>'],
  });
});

test('a bearer token and the password in a URL are replaced, what is around them stays', () => {
  expect(redact('curl -H "Authorization: Bearer abc.def-1234567890" https://bob:hunter2@host.example/x')).toBe(
    'curl -H "Authorization: Bearer <secret>" https://<secret>@host.example/x',
  );
});

test('what stands under the name of a secret is replaced, in values and in JSON that a string holds', () => {
  expect(redact({ password: 'hunter2', nested: { API_KEY: 'x', token: 'page-2' }, authorization: null })).toEqual({
    password: '<secret>',
    nested: { API_KEY: '<secret>', token: 'page-2' },
    authorization: null,
  });
  expect(redact('{"user":"u","password": "hunter2"}')).toBe('{"user":"u","password": "<secret>"}');
  expect(redact('{\\"password\\":\\"hunter2\\"}')).toBe('{\\"password\\":\\"<secret>\\"}');
  const inner = JSON.stringify({ password: 'hunter2' });
  for (const text of [inner, inner.replaceAll('"', '\\u0022'), JSON.stringify(inner)]) {
    const twice = JSON.stringify(JSON.stringify(text));
    expect(redact(twice)).toBe(twice.replace('hunter2', '<secret>'));
  }
});

test('e-mail addresses, card and phone numbers are replaced as personal data only', () => {
  const text = 'bob@example.com, 4111 1111 1111 1111, +44 20 7946 0958, (415) 555-0100';
  expect(redact(text)).toMatch(/^<email:\w{4}>, <card:\w{4}>, <phone:\w{4}>, <phone:\w{4}>$/);
  expect(redactor({ personal: false })(text)).toBe(text);
  expect(redact([4111111111111111, { 'bob@example.com': 1 }])).toEqual([
    expect.stringMatching(/^<card:/),
    { [redact('bob@example.com') as string]: 1 },
  ]);
});

test.each([
  '2024-05-15 15:00:00',
  '2026-11-20T10:00:00.000Z',
  '550e8400-e29b-41d4-a716-446655440000',
  'call_9f8e7d6c5b4a39281706f5e4',
  'toolu_01A09q90qw90lq917835lq9',
  '4155550100',
  '1715785200000',
  '4111111111111112',
  'task-management-software-suite',
  'sk-learn-something-very-long',
  'react@19.2.0 and @scope/name',
  'HAT136, HAT039 and 8:30',
  'order #W2378156 for $1,234.56',
])('%j is neither a secret nor personal', (text) => {
  expect(redact(text)).toBe(text);
});

test('equal texts get equal tokens and different ones different tokens, so that comparing still works', () => {
  expect(redact('to Bob@Example.com.')).toBe(`to ${redact('bob@example.com')}.`);
  expect(redact('bob@example.com')).not.toBe(redact('eve@example.com'));
  expect(redact('4111-1111-1111-1111')).toBe(redact('4111111111111111'));
});

test('ids by which a call and its result find each other are never touched', () => {
  const message = {
    role: 'assistant',
    tool_calls: [{ id: '4111111111111111', function: { arguments: '{"card":"4111111111111111"}' } }],
    tool_call_id: '415-555-0100',
  };
  expect(redact(message)).toMatchObject({
    tool_calls: [{ id: '4111111111111111', function: { arguments: expect.stringMatching(/^{"card":"<card:/) } }],
    tool_call_id: '415-555-0100',
  });
  const observation: Observation = {
    id: '4111111111111111',
    parentId: '5500005555555559',
    type: 'tool',
    name: 'refund',
    startTime: '2026-11-20T10:00:00.000Z',
    endTime: null,
    input: 'bob@example.com',
    callId: '378282246310005',
  };
  const recording = redactRecording({ traceId: '6011000990139424', observations: [observation] }, { personal: true });
  expect(recording).toEqual({
    traceId: '6011000990139424',
    observations: [{ ...observation, input: redact('bob@example.com') }],
  });
});

test('a value with nothing to replace is returned as the very same', () => {
  const value = { a: ['x', { b: null }], n: 1.5, big: parseJson('12345678901234567890123') };
  expect(redact(value)).toBe(value);
});

test('fault 58: prototype keys stay data', () => {
  const value = parseJson('{"__proto__": {"mail": "bob@example.com"}}');
  expect(Object.keys(redact(value) as object)).toEqual(['__proto__']);
  expect(({} as { mail?: string }).mail).toBeUndefined();
});

const fragment = fc.constantFrom(
  ...Object.values(KEYS),
  ...['bob@example.com', 'a@b.co_c@d.io', '@', '415-555-0100', '(415) 555-0100', '+14155550100', '4111111111111111'],
  ...[
    '4111 1111 1111 1111',
    'Bearer ',
    '://',
    'bob:pw',
    '"password":"',
    '\\"',
    "'",
    'x',
    '1',
    '+',
    '-',
    '.',
    '_',
    ' ',
    '(',
    '<',
  ],
);
const mixture = fc
  .array(fc.oneof({ weight: 9, arbitrary: fragment }, fc.string()), { maxLength: 12 })
  .map((parts) => parts.join(''));

test('redacting twice is redacting once', () => {
  fc.assert(
    fc.property(mixture, (text) => {
      const once = redact(text);
      expect(redact(once)).toBe(once);
    }),
    { numRuns: 3_000 },
  );
  const value = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      mixture,
      fc.constant(4111111111111111),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(mixture, fc.constantFrom('id', 'password', '__proto__')), tie('tree'), { maxKeys: 3 }),
    ) as fc.Arbitrary<Json>,
  })).tree;
  fc.assert(
    fc.property(value, (tree) => {
      expect(redact(redact(tree))).toEqual(redact(tree));
    }),
  );
});

test.each([
  'a',
  'a@',
  'a.',
  '@a.',
  'sk-',
  'eyJ',
  'eyJaaaaaaaa.',
  '1',
  '1 ',
  '+1',
  '+1 ',
  '(415) ',
  '://a:',
  '"password":"',
  'Bearer ',
  '-----BEGIN PRIVATE KEY-----',
  'a@b -----',
  `${'a'.repeat(70)}@`,
  'a.a-a@a-a.a-',
])('fault 54: redacting %j again and again takes linear time', (unit) => {
  const text = (size: number) => unit.repeat(Math.ceil(size / unit.length));
  expect(growth(2 ** 12, text, redact)).toBeLessThan(LINEAR);
});

test('fault 54: megabytes of what is nearly an address, or nearly a key, are redacted', () => {
  for (const unit of ['a@', '@a.', 'a.']) expect(redact(unit.repeat(2 ** 22))).toBe(unit.repeat(2 ** 22));
  const longer = 'sk-'.repeat(2 ** 23);
  expect(redact(longer) === longer).toBe(true);
});

test("a user's pattern that takes JavaScript's engine for ever takes linear time", () => {
  const redact = redactor({ personal: false, patterns: ['(\\w+\\s?)+@'] });
  expect(growth(2 ** 12, (size) => 'word '.repeat(size / 5), redact)).toBeLessThan(LINEAR);
  expect(redact('😀 see me and you@ here')).toMatch(/^😀 <pattern:[0-9a-f]{4}> here$/);
});

test('a pattern that no linear engine takes is refused by its name', async () => {
  const make = () => redactor({ personal: false, patterns: ['(?<=a)b'] });
  expect(await messageFrom(make)).toMatchInlineSnapshot(`
    "The pattern "(?<=a)b" cannot be used: invalid named capture: \`(?<=a)b\`. (PATTERN_UNSUPPORTED)
      -> Write it as an RE2 expression: without back references, and without looking ahead or behind."
  `);
});

test('a pinned session is redacted in what was recorded, and tells what stays in its requests', () => {
  const mail = 'bob@example.com';
  const recorded = { output: `Sent to ${mail}`, observations: [] };
  const session = aSession('a', {
    title: `Mail ${mail}`,
    turns: [{ request: { input: `I am ${mail}, key ${KEYS.aws}` }, recorded, baselines: [recorded] }],
  });
  const result = redactSession(session);
  expect(result.session.turns[0]?.request?.input).toBe(`I am ${mail}, key <secret>`);
  expect(result.session).toMatchObject({
    title: expect.stringMatching(/^Mail <email:/),
    redacted: { personal: true, request: false },
    turns: [{ recorded: { output: redact(`Sent to ${mail}`) }, baselines: [{ output: redact(`Sent to ${mail}`) }] }],
  });
  expect(result.redacted).toEqual([
    { kind: 'secret', pointer: '/turns/0/request/input' },
    { kind: 'email', pointer: '/turns/0/recorded/output' },
    { kind: 'email', pointer: '/turns/0/baselines/0/output' },
  ]);
  expect(result.leftInRequests).toEqual([{ kind: 'email', pointer: '/turns/0/request/input' }]);
  const all = redactSession(session, { request: true });
  expect(all.session.turns[0]?.request?.input).toBe(redact(`I am ${mail}, key ${KEYS.aws}`));
  expect(all.leftInRequests).toEqual([]);
  // What is masked in a request and not in its recording would make each replay another one.
  const none = redactSession(session, { personal: false, request: true });
  expect(none.session.turns[0]).toEqual({ ...session.turns[0], request: { input: `I am ${mail}, key <secret>` } });
  expect(none.leftInRequests).toEqual([]);
});

test('patterns of the user are replaced in what was recorded, in replays alike, and twice is once', () => {
  const recorded = { observations: [], output: { ticket: 'case AB-1234 of AB-99', 'AB-7': 1, id: 'AB-1234' } };
  const session = aSession('s', { turns: [{ request: { input: 'see AB-1234' }, recorded }] });
  const patterns = ['\\bAB-\\d+\\b', '\\w+'];
  const { session: pinned, redacted, leftInRequests } = redactSession(session, { patterns: patterns.slice(0, 1) });
  const output = pinned.turns[0]?.recorded.output as JsonObject;
  expect(JSON.stringify(output)).not.toMatch(/AB-\d/);
  expect(output.ticket).toBe(`case ${output.id} of ${String(output.ticket).split(' ')[3]}`);
  expect(pinned.turns[0]?.request?.input).toBe('see AB-1234');
  expect(redacted).toHaveLength(4);
  expect(leftInRequests).toEqual([{ kind: 'pattern', pointer: '/turns/0/request/input' }]);
  // What a pin was redacted with is in it: its replays are redacted with the same.
  expect(redactRecording(recorded, pinned.redacted as RedactOptions)).toEqual(pinned.turns[0]?.recorded);
  const everything = redactor({ personal: true, patterns });
  expect(everything(everything(recorded.output))).toEqual(everything(recorded.output));
});
