import { expect, test } from 'vitest';
import { parseConfig, secretsOf } from '../../src/config/index.ts';
import { findingOf } from '../../src/job/judging/finding.ts';
import { Ledger } from '../../src/job/ledger/ledger.ts';
import { redactScope } from '../../src/job/records/run-scope.ts';
import { settingsOf } from '../../src/job/records/run-settings.ts';
import { aboutRun } from '../../src/job/running/about-run.ts';
import { type Plan, scopeOf } from '../../src/job/running/plan.ts';
import { secretsRedactor } from '../../src/redaction/known-values.ts';
import type { Pin } from '../../src/session/index.ts';
import { growth, LINEAR } from '../growth.ts';
import { renderJson } from '../report/rendered.ts';

const SECRET = 'kanarienvogel-0123456789';
const redact = secretsRedactor([SECRET]);
const config = parseConfig({ runs: 1, tracing: 'none', agent: { url: 'http://127.0.0.1:1/replay' } }, { folder: '/' });

/** The report on one replay that answers in this way. */
function reportOn(recorded: string, replayed: string, remove: (text: string) => string = redact): string {
  const turns = [{ request: { input: 'hello' }, recorded: { output: { text: recorded }, observations: [] } }];
  const pin: Pin = {
    session: { version: 1, stepsVersion: 1, id: 's', turns },
    path: 'replays/s.session.json',
    turns: [{ ok: true }],
    locate: () => undefined,
  };
  const agent = {
    id: undefined,
    options: { url: '' } as never,
    sessions: [{ pin, turns: [1], runs: [1], problems: [] }],
  };
  const plan: Plan = {
    agents: [agent],
    sessions: agent.sessions,
    notReplayed: [],
    problems: [],
    runs: [1],
    calls: 1,
    mutatingCalls: new Map(),
  } as never;
  const ledger = new Ledger(settingsOf(config), redactScope(scopeOf(plan), remove));
  const response = { output: { text: replayed } };
  const result = { session: 's', turn: 1, run: 1, replayRunId: 'x.t1.r1', attempts: 1, callMs: 1 } as const;
  ledger.take(findingOf({ ...result, outcome: { kind: 'replayed', response, trace: null } }, pin, remove, config));
  return renderJson(ledger.report({ about: aboutRun({ agents: [] }), durationMs: 0 }));
}

test('fault 66: a secret shows nothing of itself wherever a value is cut', () => {
  for (let before = 0; before <= 130; before++) {
    const report = reportOn('Done.', `${'x'.repeat(before)}${SECRET}${'y'.repeat(3_000)}`);
    expect(report).toContain('changed');
    expect([before, /kana|nari|vogel|0123|6789/.exec(report)?.[0]]).toEqual([before, undefined]);
  }
});

test('a replay is read as often to remove secrets from it when it is long as when it is short', () => {
  const readOf = (chars: number) => {
    let read = 0;
    reportOn('Done.', 'It is done. '.repeat(chars / 12), (text) => {
      read += text.length;
      return redact(text);
    });
    return read;
  };
  expect(readOf(2 ** 20)).toBeLessThanOrEqual(4 * readOf(2 ** 18));
});

test('a secret that both sides hold is no difference, and what stands beside it is', () => {
  expect(reportOn(`key ${SECRET}`, `key ${SECRET}`)).toContain('"verdict": "as-recorded"');
  expect(reportOn(`key ${SECRET}`, `key ${SECRET} 2`)).toContain('"verdict": "changed"');
});

test('a key in the query of the target URL is a secret, the rest of the query is none', () => {
  const url = 'https://me:p%40ss-word@agent.example/replay?api_key=abc%2Fdef123&mode=production&broken=%E0%A4';
  const config = parseConfig({ agent: { url } }, { folder: '/' });
  expect(secretsOf(config, {})).toEqual(
    expect.arrayContaining(['p%40ss-word', 'p@ss-word', 'abc/def123', 'abc%2Fdef123']),
  );
  expect(secretsOf(config, {})).not.toContain('production');
});

const SHAPES = {
  GH_PAT: ['abc123def', 'abc123def'],
  DB_PASS: ['hunter22', 'hunter22'],
  DB_PWD: ['hunter22', 'hunter22'],
  API_KEYS: ['one1234,two5678', 'two5678'],
  SLACK_WEBHOOK_URL: ['https://hooks.slack.com/services/T000/B000/wOw', '/services/T000/B000/wOw'],
  GCP_CREDENTIALS_JSON: [JSON.stringify({ client: { private_key: 'line one\nline two' } }), 'line one\nline two'],
  GCP: [Buffer.from('{"client_secret": "rather-quiet"}').toString('base64'), 'rather-quiet'],
  DATABASE_URL: ['postgres://shop:p%40ss-word@db/shop', 'p@ss-word'],
  QUEUE: ['amqps://shop:hunter22@mq.example/shop', 'hunter22'],
  REPORTING: ['https://0123456789abcdef0123456789abcdef@sentry.example/12', '0123456789abcdef0123456789abcdef'],
  LEDGER: ['Server=db;User Id=shop;Password="hunter 22";', 'hunter 22'],
  LIBPQ: ['host=db user=shop password=hunter22', 'hunter22'],
  GO_DSN: ['shop:hunter22@tcp(db:3306)/shop', 'hunter22'],
  OTEL_EXPORTER_OTLP_HEADERS: ['tenant=shop,authorization=Bearer%20quiet-value', 'quiet-value'],
  DEPLOYER: [
    '-----BEGIN KEY-----\\nMIIEvQIBADANBg\\n-----END KEY-----',
    '-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----',
  ],
  ODBC: ['Driver={x};Server=db;Uid=shop;Pwd=hunter22;', 'hunter22'],
  SETTINGS: ['{"db":{"pwd":"hunter22"}}', 'hunter22'],
  VALUES: ['db:\n  user: shop\n  password: "hunter 22"\n', 'hunter 22'],
  HEADER: ['Authorization: Bearer abc-def-123', 'abc-def-123'],
  PROXY: ['Basic c2hvcDpodW50', 'c2hvcDpodW50'],
  BOT: ['https://api.telegram.org/bot123456:AAH-x/sendMessage', '/bot123456:AAH-x/sendMessage'],
  UPSTREAM: [`ghp_${'a1B2'.repeat(9)}`, `ghp_${'a1B2'.repeat(9)}`],
  VENDOR: ['q7Zr2mXv9LpT4kWc8NsB', 'q7Zr2mXv9LpT4kWc8NsB'],
  LICENCE: ['plain-but-named', 'plain-but-named'],
} as const;

test.each(Object.entries(SHAPES))('fault 81: the secret in %s is known by its value', (name, [value, secret]) => {
  const config = parseConfig({ redact: { env: ['LICENCE'] } }, { folder: '/' });
  const known = secretsOf(config, { [name]: value });
  expect(known).toContain(secret);
  expect(secretsRedactor(known)(`before ${secret} after`)).toBe(
    `before ${secret.replace(/[^\n]+/g, '<secret>')} after`,
  );
});

const OPEN = {
  GITHUB_SHA: 'b8ff5541234567890abcdef1234567890abcdef1',
  CI_COMMIT_REF: '0123456789abcdef0123456789abcdef01234567',
  RUNNER_TRACKING_ID: 'github_123e4567-e89b-12d3-a456-426614174000',
  TRACE: '123e4567-e89b-12d3-a456-426614174000',
  PWD: '/builds/shop/shop',
  LAUNCH: 'PWD=/builds/shop/shop node server.js',
  SSH_AUTH_SOCK: '/tmp/ssh-XXXXXXabcdef/agent.42',
  MAX_TOKENS: '128000',
  AUTH: 'required',
  KEY_FILE: '/etc/ssl/shop.pem',
  PUBLIC_URL: 'https://shop.example/welcome?mode=production',
  REGISTRY: 'postgres://reader@db.example/catalogue',
  LS_COLORS: 'rs=0:di=01;34:ln=01;36:or=40;31;01',
  NODE_OPTIONS: '--max-old-space-size=4096 --enable-source-maps',
  KEYBOARD_LAYOUT: 'qwertz-with-dead-keys',
} as const;

test.each(Object.entries(OPEN))('%s is no secret', (name, value) => {
  expect(secretsOf(parseConfig({}, { folder: '/' }), { [name]: value })).toEqual([]);
});

test('redact.values are secret, and one too short to be told from a word is refused', () => {
  const config = parseConfig({ redact: { values: ['blue-lagoon'] } }, { folder: '/' });
  expect(secretsOf(config, {})).toEqual(['blue-lagoon']);
  expect(() => parseConfig({ redact: { values: ['blue'] } }, { folder: '/' })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', evidence: [expect.stringContaining('fewer than 6 characters')] }),
  );
});

test('many secrets that begin alike cost no more for each place of a text than a few', () => {
  const input = (size: number) => {
    const numbers = Array.from({ length: size }, (_, index) => index);
    const keys = numbers.map((index) => `sk-proj-${(index * 7_919).toString(36)}-${index}-of-this-project`);
    return {
      redactAll: secretsRedactor(keys),
      text: numbers
        .map((index) => `sk-proj-${index} `)
        .join('')
        .repeat(50),
    };
  };
  expect(growth(16, input, ({ redactAll, text }) => redactAll(text))).toBeLessThan(LINEAR);
});

test('of secrets that begin alike the longest is taken out, and of a text that was cut the part before the ellipsis', () => {
  const redactAll = secretsRedactor(['project', 'project-key', 'project-key-of-mine']);
  expect(redactAll('project-key-of-mine project-key-of-no project-x project-key-…')).toBe(
    '<secret> <secret>-of-no <secret>-x <secret>-…',
  );
  expect(secretsRedactor(['project-key-of-mine', 'project-key-of-yours'])('project-key-of-y… project-…')).toBe(
    '<secret>… <secret>…',
  );
});
