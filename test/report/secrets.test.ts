import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretsRedactor } from '../../src/redaction/known-values.ts';
import { redactReport, renderMarkdown, renderTerminal } from '../../src/report/index.ts';
import { renderJson } from '../../src/report/outputs/json.ts';
import { renderJunit } from '../../src/report/outputs/junit.ts';
import { report as reportSchema } from '../../src/report/schema.ts';
import { growth, LINEAR } from '../growth.ts';
import { hostileReport } from './fixtures/hostile.ts';
import { REPORTS } from './fixtures/reports.ts';

const CANARY = 'c4n4ry/+ "k€y"-ÿ7Q';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** The ways in which a secret comes out of an agent, a trace, an error body or a URL. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  base64: base64,
  'base64 after one byte': (secret) => base64(`u${secret}`),
  'base64 after two bytes': (secret) => base64(`u:${secret}`),
  'base64 before others': (secret) => base64(`${secret}x`),
  'base64 as URLs write it': (secret) => Buffer.from(`user:${secret}`).toString('base64url'),
  'URL-encoded': encodeURIComponent,
  'URL-encoded in lower case': (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  'as a form field': (secret) => encodeURIComponent(secret).replaceAll('%20', '+'),
  'JSON-escaped': escaped,
  'JSON-escaped twice': (secret) => escaped(escaped(secret)),
  'JSON with escaped slashes': (secret) => escaped(secret).replaceAll('/', '\\/'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex in upper case': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'split over lines': (secret) => `${secret.slice(0, 5)}\r\n    ${secret.slice(5, 9)}\n${secret.slice(9)}`,
  'base64 split over lines': (secret) => base64(secret).replace(/.{10}/g, '$&\n'),
  'split over lines in JSON': (secret) => escaped(`${secret.slice(0, 6)}\n${secret.slice(6)}`),
};

test.each(Object.entries(FORMS))('fault 66: a secret %s is masked', (_, form) => {
  const redact = secretsRedactor(['other', CANARY]);
  const redacted = redact(`before ${form(CANARY)} after`);
  expect(redacted).toMatch(/^before .{0,8}<secret>/s);
  expect(redacted).toMatch(/ after$/);
  expect(redacted.replace(/^before | after$|<secret>|\s|\\n/g, '').length).toBeLessThanOrEqual(8);
});

test('fault 66: of random secrets nothing is left, in any form, among random text', () => {
  const secret = fc
    .string({ unit: fc.constantFrom(...'abcXYZ019+/=-_ "\\\n€'), minLength: 8, maxLength: 40 })
    .filter((text) => text.trim().length >= 8);
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...Object.values(FORMS).slice(0, 14)),
      fc.string(),
      (secrets, form, text) => {
        const redacted = secretsRedactor(secrets)(`${text}|${form(secrets[0]!.trim())}|${text}`);
        expect(redacted).not.toContain(form(secrets[0]!.trim()));
        expect(redacted).toContain('<secret>');
      },
    ),
  );
});

test('fault 66: a secret that begins with an n is found after a backslash', () => {
  expect(secretsRedactor(['nsecret-value'])('C:\\nsecret-value')).toBe('C:\\<secret>');
});

test('fault 66: what an ellipsis has left of a secret is masked too', () => {
  expect(secretsRedactor(['sk-0123456789abcdef'])('replayed "sk-0123456789…" in 4 runs')).toBe(
    'replayed "<secret>…" in 4 runs',
  );
});

test('fault 66: each line of a secret of many lines is one', () => {
  const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----';
  expect(secretsRedactor([key])('log: kqhkiG9w0BAQEF!')).toBe('log: <secret>!');
});

test('masking keeps the number of lines', () => {
  expect(secretsRedactor(['secret-value'])('a secret-\n  value b\nc')).toBe('a <secret>\n<secret> b\nc');
});

test('values under 6 characters and blank ones mask nothing', () => {
  const redact = secretsRedactor(['', ' ', 'abcde', '    ', '\n\n\n\n\n']);
  expect(redact('abcde    \n\n\n\n\n')).toBe('abcde    \n\n\n\n\n');
});

test('a text without secrets is the very same', () => {
  const redact = secretsRedactor(['some-secret']);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => redact(text) === text));
});

test.each([' ', 'a', 'aaaa-secret-49 ', '\\n'])('redacting is linear in a text of %j again and again', (piece) => {
  const redact = secretsRedactor(Array.from({ length: 50 }, (_, index) => `aaaa-secret-${index}`));
  expect(growth(2 ** 12, (size) => piece.repeat(size / piece.length), redact)).toBeLessThan(LINEAR);
});

const SINKS = { renderJson, renderTerminal, renderMarkdown, renderJunit } as const;

test.each(Object.entries(SINKS))('fault 66: a canary in every place of a report is in none of %s', (_, render) => {
  const canary = 'canary-0123456789';
  const redact = secretsRedactor([canary]);
  for (const form of [canary, base64(`x:${canary}`)]) {
    const dirty = hostileReport(`value ${form} `);
    dirty.evidence.agentLog = ['key is canary-01', '23456789 it said', 'done'];
    dirty.evidence.environment = { [form]: form };
    dirty.evidence.target = `http://u:${form}@host/`;
    const core = form.slice(4, -4);
    expect(renderJson(dirty)).toContain(core);
    const clean = redactReport(dirty, redact);
    expect(render(clean)).not.toContain(core);
    expect(clean.evidence.agentLog).toEqual(['key is <secret>', '<secret> it said', 'done']);
  }
});

test('fault 66: what looks like a key is taken out although nobody named it', () => {
  const clean = redactReport(hostileReport(`ghp_${'a1B2'.repeat(9)}`), (text) => text);
  expect(renderJson(clean)).not.toContain('ghp_');
});

test('fault 66: a secret that is one of our own words does not break the report', () => {
  const redact = secretsRedactor([
    'failed',
    'changed',
    'argument',
    'behaviour',
    'error',
    'model',
    'agent-replay',
    'replayed',
  ]);
  const clean = redactReport(REPORTS.mixed, redact);
  expect(reportSchema.safeParse(clean).error).toBeUndefined();
  expect(renderTerminal(clean)).toContain(
    '✘ failed: 3 of 7 sessions diverged, 1 in other words (not judged), 2 not verified',
  );
});

test('a report without secrets is not changed by redaction', () => {
  expect(redactReport(REPORTS.mixed, secretsRedactor(['some-secret']))).toEqual(REPORTS.mixed);
});
