import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/index.ts';
import { aboutRun, settingsOf } from '../../src/job/about.ts';
import { findingOf } from '../../src/job/finding.ts';
import { Ledger } from '../../src/job/ledger.ts';
import { type Plan, redactedScopeOf } from '../../src/job/plan.ts';
import { secretsOf } from '../../src/job/secrets.ts';
import { renderJson, secretsRedactor } from '../../src/report/index.ts';
import type { Pin } from '../../src/session/index.ts';

const SECRET = 'kanarienvogel-0123456789';
const redact = secretsRedactor([SECRET]);
const config = parseConfig({ runs: 1, tracing: 'none', agent: { url: 'http://127.0.0.1:1/replay' } }, { folder: '/' });

/** The report on one replay that answers in this way. */
function reportOn(recorded: string, replayed: string): string {
  const turns = [{ request: { input: 'hello' }, recorded: { output: { text: recorded }, observations: [] } }];
  const pin: Pin = {
    session: { version: 1, stepsVersion: 1, id: 's', turns },
    path: 'replays/s.session.json',
    turns: [{ ok: true }],
    locate: () => undefined,
  };
  const agent = { id: undefined, options: { url: '' } as never, sessions: [{ pin, turns: [1], problems: [] }] };
  const plan: Plan = {
    agents: [agent],
    notReplayed: [],
    problems: [],
    runs: [1],
    calls: 1,
    mutatingCalls: new Map(),
  } as never;
  const ledger = new Ledger(settingsOf(config), redactedScopeOf(plan, redact));
  const response = { status: 200, digest: '', output: { text: replayed } };
  const result = { session: 's', turn: 1, run: 1, replayRunId: 'x.t1.r1', attempts: 1, callMs: 1 } as const;
  ledger.take(findingOf({ ...result, outcome: { kind: 'replayed', response, trace: null } }, pin, redact, config));
  return renderJson(ledger.report({ about: aboutRun({ agents: [] }), durationMs: 0 }));
}

test('fault 66: a secret shows nothing of itself wherever a value is cut', () => {
  for (let before = 0; before <= 130; before++) {
    const report = reportOn('Done.', `${'x'.repeat(before)}${SECRET}${'y'.repeat(3_000)}`);
    expect(report).toContain('changed');
    expect([before, /kana|nari|vogel|0123|6789/.exec(report)?.[0]]).toEqual([before, undefined]);
  }
});

test('a secret that both sides hold is no difference, and what stands beside it is', () => {
  expect(reportOn(`key ${SECRET}`, `key ${SECRET}`)).toContain('"verdict": "reproduced"');
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
