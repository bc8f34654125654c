import { expect, test } from 'vitest';
import { redactor, redactTexts } from '../../src/redaction/index.ts';
import { secretsRedactor } from '../../src/redaction/known-values.ts';
import { SEEN_FORMS } from '../../src/redaction/view.ts';
import { redactReport, renderMarkdown, renderTerminal, report as reportSchema } from '../../src/report/index.ts';
import { visible } from '../../src/text/index.ts';
import fc from '../fast-check.ts';
import { growth, LINEAR } from '../growth.ts';
import { hostileReport } from './fixtures/hostile.ts';
import { REPORTS } from './fixtures/reports.ts';
import { renderJson, renderJunit } from './rendered.ts';

const CANARY = 'c4n4ry/+ "k€y"-ÿ7Q!&';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
const spelledOut = (text: string, which: RegExp) =>
  text.replace(which, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

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
  'as a form field': (secret) => String(new URLSearchParams({ secret })).slice('secret='.length),
  'URL-encoded as Python does': (secret) => encodeURIComponent(secret).replaceAll('!', '%21').replaceAll('%2F', '/'),
  'URL-encoded, with a colour in it': (secret) =>
    encodeURIComponent(`${secret.slice(0, 5)}\u001b[31m${secret.slice(5)}`),
  'JSON-escaped': escaped,
  'JSON-escaped twice': (secret) => escaped(escaped(secret)),
  'JSON with escaped slashes': (secret) => escaped(secret).replaceAll('/', '\\/'),
  'JSON as Go writes it': (secret) => spelledOut(escaped(secret), /[<>&]/g),
  'JSON as Python writes it': (secret) => spelledOut(escaped(secret), /[^ -~]/g),
  'JSON as .NET writes it': (secret) =>
    spelledOut(escaped(secret), /[^ -~]|[<>&'+`]/g).replace(/(?<=\\u)\w{4}/g, (code) => code.toUpperCase()),
  'JSON as Python writes it, with a tag in it': (secret) =>
    spelledOut(escaped(`${secret.slice(0, 5)}\u{e0041}${secret.slice(5)}`), /[^ -~]/g),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex in upper case': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'split over lines': (secret) => `${secret.slice(0, 5)}\r\n    ${secret.slice(5, 9)}\n${secret.slice(9)}`,
  'base64 split over lines': (secret) => base64(secret).replace(/.{10}/g, '$&\n'),
  'in upper case': (secret) => secret.toUpperCase(),
  'in lower case': (secret) => secret.toLowerCase(),
  'with its accents apart': (secret) => secret.normalize('NFD'),
  'with a colour in it': (secret) => `${secret.slice(0, 5)}\u001b[31m${secret.slice(5)}`,
  'with a colour in it, in JSON': (secret) => escaped(`${secret.slice(0, 5)}\u001b[31m${secret.slice(5)}`),
  'with a colour in it, as Python prints it': (secret) => `${secret.slice(0, 5)}\\x1b[31m${secret.slice(5)}`,
  'with colours around a line break': (secret) => `${secret.slice(0, 5)}\u001b[0m\n\u001b[1m${secret.slice(5)}`,
  'base64 with a title in it': (secret) => base64(secret).replace(/.{9}/, '$&\u001b]0;title\u0007'),
  'with invisible characters in it': (secret) => secret.replaceAll('4', '\u200b4\u00ad\ufe0f'),
  'inside a sequence, with an invisible character': (secret) =>
    `\u001b]0;${secret.slice(0, 5)}\u200b${secret.slice(5)}\u0007`,
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

test('fault 66: of a random secret with random unseen parts nothing is left, as files keep it and as sinks show it', () => {
  const unseen = [
    '',
    '',
    '\u001b[31m',
    '\u009b1m',
    '\u001b(B',
    '\u001b]8;;x\u001b\\',
    '\0',
    '\u200b',
    '\u{e0041}',
    '\\u001b[0m',
  ];
  const part = fc.tuple(fc.constantFrom(...'abcXYZ019_-'), fc.constantFrom(...unseen));
  fc.assert(
    fc.property(fc.array(part, { minLength: 8, maxLength: 20 }), fc.string(), (parts, text) => {
      const secret = parts.map(([character]) => character).join('');
      const said = parts.flat().join('');
      const value = { [said]: [`${text} ${said} ${text}`, JSON.stringify({ said }), `${escaped(said)} ${said}`] };
      const kept = redactTexts(value, secretsRedactor([secret]));
      const shown = JSON.stringify(kept).replace(/\\+[ux]\w{4}/g, '');
      for (const form of [
        shown,
        ...SEEN_FORMS.map((formOf) => formOf(JSON.stringify(kept))),
        ...Object.values(kept).flat().map(visible),
      ]) {
        expect(form).not.toContain(secret);
      }
      expect(Object.keys(kept)).toEqual([expect.stringContaining('<secret>')]);
    }),
  );
});

test('fault 66: a key is known by its shape although something unseen is in it, and so is personal data', () => {
  const redact = redactor({ personal: true });
  expect(redact(`key ghp_${'a1B2'.repeat(4)}\u001b[0m${'a1B2'.repeat(5)}!`)).toBe('key <secret>!');
  expect(redact('from jane\u200b@example.com')).toBe(redact('from jane@example.com'));
  expect(redact('\u001b[31mno key\u001b[0m \u200b')).toBe('\u001b[31mno key\u001b[0m \u200b');
});

test('fault 66: a secret that begins with an n is found after a backslash', () => {
  expect(secretsRedactor(['nsecret-value'])('C:\\nsecret-value')).toBe('C:\\<secret>');
});

test('fault 66: what an ellipsis has left of a secret is masked too, also one of three dots', () => {
  expect(secretsRedactor(['sk-0123456789abcdef'])('key sk-0123456789ab... refused')).toBe('key <secret>... refused');
  expect(secretsRedactor(['sk-0123456789abcdef'])('replayed "sk-0123456789…" in 4 runs')).toBe(
    'replayed "<secret>…" in 4 runs',
  );
});

test('fault 66: a form of a secret that JSON would escape is found in a value, too', () => {
  const redact = secretsRedactor([CANARY]);
  for (const form of [CANARY.toUpperCase(), CANARY.replace(' ', '')]) {
    expect(redactTexts({ [form]: [form] }, redact)).toEqual({ '<secret>': ['<secret>'] });
  }
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

const PIECES = [
  ' ',
  'a',
  'it’s a ',
  'aaaa-secret-49 ',
  '\\n',
  '\u001b[3',
  '\u001b]x',
  '\u200b',
  '\\',
  '\\u001b[31m',
  'aaaa-\u001b[0m',
  'Aaaa-\u00ad',
  'aaaa-%1B%5B',
];
test.each(PIECES)('redacting is linear in a text of %j again and again', (piece) => {
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
  expect(renderTerminal(clean, { columns: 200 })).toContain(
    '✘ failed: 1 of 7 sessions changed, 2 vary, 1 as recorded, 3 could not tell (1 worded differently)',
  );
});

test('a report without secrets is not changed by redaction', () => {
  expect(redactReport(REPORTS.mixed, secretsRedactor(['some-secret']))).toEqual(REPORTS.mixed);
});
