import { expect, test } from 'vitest';
import type { z } from 'zod';
import { outcome as anyOutcome, type Outcome } from '../../src/compare/index.ts';
import { gateOf, gatePolicy, type Report, type SessionOutcome } from '../../src/report/index.ts';
import type { GatePolicy } from '../../src/report/policy.ts';
import { outcomes } from '../outcomes.ts';
import { AS_BEFORE, report, SESSIONS, session, sessionThat, turn, UNREADABLE_PIN } from './fixtures/reports.ts';

const policy = (value: z.input<typeof gatePolicy>): GatePolicy => gatePolicy.parse(value);

function outcome(
  sessions: readonly SessionOutcome[],
  value: z.input<typeof gatePolicy> = {},
  over = {},
): Report['results'] {
  return report(sessions, over, policy(value)).results;
}

/** One session of each verdict; a mask of a bit for each picks from them. */
const ALL: Record<Outcome, SessionOutcome> = {
  changed: SESSIONS.changed,
  varies: SESSIONS.varies,
  'could-not-tell': SESSIONS.couldNotTell,
  'as-recorded': SESSIONS.asRecorded,
};
const EVERY_MIX = Array.from({ length: 2 ** anyOutcome.options.length }, (_, mask) =>
  anyOutcome.options.filter((_, bit) => mask & (1 << bit)),
);
const DIVERGED = [outcomes.changed, outcomes.varies] as const;

test.each([[[]], [[UNREADABLE_PIN]]])(
  'every mix of verdicts with problems %j has the status that its worst one gives',
  (problems) => {
    for (const mix of EVERY_MIX) {
      const sessions = mix.map((each) => ALL[each]);
      const expected = DIVERGED.some((each) => mix.includes(each))
        ? 'failed'
        : mix.includes(outcomes.couldNotTell) || mix.length === 0 || problems.length > 0
          ? 'error'
          : 'passed';
      expect(outcome(sessions, {}, { problems }).status, mix.join(' ')).toBe(expected);
    }
  },
);

test('every mix of verdicts under every policy is decided by the policy alone', () => {
  for (const did of [undefined, [], ['changed'], ['varies'], ['changed', 'varies']] as const) {
    for (const couldNotTell of ['error', 'warn'] as const) {
      for (const mix of EVERY_MIX) {
        const { status } = outcome(
          mix.map((each) => ALL[each]),
          { failOn: { did: did && [...did], couldNotTell } },
        );
        const failing: readonly Outcome[] = did ?? DIVERGED;
        const diverged = mix.some((each) => failing.includes(each));
        const verified = mix.some((each) => each !== outcomes.couldNotTell);
        const doubt = mix.includes(outcomes.couldNotTell) && couldNotTell === 'error';
        const expected = diverged ? 'failed' : doubt || !verified ? 'error' : 'passed';
        expect(status, JSON.stringify({ mix, did, couldNotTell })).toBe(expected);
      }
    }
  }
});

test('an aspect that fails nothing leaves the verdict to the others, and its own outcome stands beside', () => {
  const { status, sessions } = outcome([SESSIONS.changed], { failOn: { did: [] } });
  expect([status, sessions[0]?.verdict, sessions[0]?.level, sessions[0]?.aspects?.did]).toEqual([
    'passed',
    outcomes.asRecorded,
    'warn',
    outcomes.changed,
  ]);
});

test.each([
  ['passed', [SESSIONS.asRecorded], undefined, 0],
  ['failed', [SESSIONS.changed], undefined, 1],
  ['error', [SESSIONS.couldNotTell], undefined, 2],
  ['interrupted', [SESSIONS.changed], 'SIGINT', 130],
  ['interrupted', [SESSIONS.asRecorded], 'SIGTERM', 143],
] as const)('status %s has its exit code (%#)', (status, sessions, interruptedBy, exitCode) => {
  const made = report(sessions, interruptedBy ? { evidence: { interruptedBy } } : {});
  expect(gateOf(made)).toMatchObject({ status, exitCode });
});

test('the title counts what was not verified next to what diverged', () => {
  expect(outcome(Object.values(SESSIONS), {}, { problems: [UNREADABLE_PIN] }).title).toBe(
    '1 of 7 sessions changed, 2 vary, 1 as recorded, 3 could not tell (1 worded differently), and 1 more cannot be read',
  );
});

test('the title of a run with a problem says what is as recorded when no session was left unverified', () => {
  expect(outcome([SESSIONS.asRecorded], {}, { problems: [UNREADABLE_PIN] }).title).toBe(
    '1 of 1 session as recorded, and 1 more cannot be read',
  );
});

test('the title of a pass counts what the policy let pass', () => {
  const { title, status } = outcome([SESSIONS.asRecorded, SESSIONS.varies, SESSIONS.couldNotTell], {
    failOn: { did: ['changed'], couldNotTell: 'warn' },
  });
  expect([status, title]).toEqual([
    'passed',
    '1 of 3 sessions as recorded, 1 differs within the policy, 1 could not tell',
  ]);
});

test('of every mix the title counts each session once', () => {
  const failOn = { did: [], couldNotTell: 'warn' } as const;
  for (const mix of EVERY_MIX.filter((each) => each.some((verdict) => verdict !== outcomes.couldNotTell))) {
    const sessions = mix.map((each) => ALL[each]);
    for (const interruptedBy of [undefined, 'SIGINT'] as const) {
      for (const given of [{}, { failOn: { ...failOn, did: [] } }]) {
        const made = report(sessions, interruptedBy ? { evidence: { interruptedBy } } : {}, policy(given));
        const { title } = gateOf(made);
        const [first = '', ...others] = title.replace('interrupted: ', '').split(', ');
        const [, count, total] = /^(?:could not tell in )?([1-9]\d*) of (\d+) session/.exec(first) ?? [];
        const counts = [count ?? 0, ...others.map((each) => /^[1-9]\d* /.exec(each)?.[0])].map(Number);
        const sum = counts.reduce((sum, each) => sum + each, 0);
        expect([Number(total), sum], title).toEqual([mix.length, mix.length]);
      }
    }
  }
});

test('an answer in other words is no pass: nobody could tell, and the message says what to do', () => {
  const { status, title, message } = outcome([SESSIONS.asRecorded, SESSIONS.inOtherWords]);
  expect([status, title]).toEqual(['error', 'could not tell in 1 of 2 sessions: worded differently, 1 as recorded']);
  expect(message).toContain('Read them');
  expect(message).toContain('agent-replay accept');
  expect(outcome([SESSIONS.changed, SESSIONS.inOtherWords])).toMatchObject({
    status: 'failed',
    title: '1 of 2 sessions changed, 1 could not tell: worded differently',
  });
});

test('what the policy lets pass hides no doubt about another aspect, nor a replay that failed', () => {
  const varies = { verdict: outcomes.varies, clusters: [3, 2] };
  const unread = turn({ ...varies, reworded: 1 });
  const lost = turn({ ...varies, requested: 6 });
  for (const doubtful of [unread, lost]) {
    const sessions = [SESSIONS.asRecorded, session('s', { turns: [doubtful] })];
    for (const given of [
      { failOn: { did: [] } },
      { failOn: { cause: { model: 'warn' as const } } },
      { minAgreement: 0.5 },
    ]) {
      expect(outcome(sessions, given).status, JSON.stringify(given)).toBe('error');
    }
    expect(outcome(sessions).status).toBe('failed');
  }
});

test('other words may warn where something was verified, and soften nothing else', () => {
  const failOn = { couldNotTell: 'warn' } as const;
  expect(outcome([SESSIONS.inOtherWords, SESSIONS.asRecorded], { failOn }).status).toBe('passed');
  expect(outcome([SESSIONS.inOtherWords], { failOn }).status).toBe('error');
  expect(outcome([SESSIONS.inOtherWords, SESSIONS.varies], { failOn }).status).toBe('failed');
});

test('"as recorded in every run" is said when nothing that was compared differs, with what was compared', () => {
  const as = 'The agent behaved as recorded in every run.';
  expect(outcome([SESSIONS.asRecorded]).message).toBe(`${as} Compared: calls, results, errors, answers.`);
  const lesser = turn({ verdict: outcomes.asRecorded });
  lesser.comparison.clusters[0]!.minor.push({
    kind: 'call-missing',
    aspect: 'path',
    severity: 'minor',
    recordedStep: 2,
    replayedStep: null,
    tool: 'search',
    runs: [2],
  });
  expect(outcome([session('s', { turns: [lesser] })]).message).not.toContain(as);
});

test('a run in which nothing was verified is an error even when doubts are only warned of', () => {
  expect(outcome([SESSIONS.couldNotTell, SESSIONS.notReplayable], { failOn: { couldNotTell: 'warn' } })).toMatchObject({
    status: 'error',
    title: 'could not tell in 2 of 2 sessions',
  });
});

test('could not tell cannot be switched off', () => {
  expect(gatePolicy.safeParse({ failOn: { couldNotTell: 'off' } }).error?.issues).toMatchObject([
    { path: ['failOn', 'couldNotTell'] },
  ]);
  expect(gatePolicy.safeParse({ failOn: { couldNotTell: 'warn' } }).success).toBe(true);
});

test('a divergence is softened by its cause only when every divergence of the session has a softened cause', () => {
  const of = (...causes: ('environment' | 'model')[]) =>
    sessionThat(outcomes.varies, 's', { clusters: [2, 2, 1], causes });
  const failOn = { cause: { environment: 'warn' } } as const;
  expect(outcome([of('environment', 'environment')], { failOn }).status).toBe('passed');
  expect(outcome([of('environment', 'model')], { failOn }).status).toBe('failed');
  expect(outcome([of('model', 'environment')], { failOn }).status).toBe('failed');
});

test('a divergence without an explanation is not softened by any cause', () => {
  const unexplained = turn({ verdict: outcomes.varies, clusters: [2, 2, 1], causes: ['environment'] });
  unexplained.comparison.clusters[2]!.divergence = null;
  const failOn = { cause: { environment: 'warn' } } as const;
  expect(outcome([session('s', { turns: [unexplained] })], { failOn }).status).toBe('failed');
});

test('a cause can be made to fail where its verdict is let pass', () => {
  const failOn = { did: ['varies' as const], cause: { model: 'error' as const } };
  expect(outcome([SESSIONS.changed], { failOn }).status).toBe('failed');
});

test.each([
  [0.6, 'passed'],
  [0.61, 'failed'],
] as const)('varying with 3 of 5 runs as recorded and minAgreement %d is %s', (minAgreement, status) => {
  expect(outcome([SESSIONS.varies], { minAgreement }).status).toBe(status);
});

test('minAgreement lets no changed session pass', () => {
  expect(outcome([SESSIONS.changed], { minAgreement: 0 }).status).toBe('failed');
});

test('a turn that fails the run does so although another turn gives the session a softer verdict', () => {
  const both = session('s', {
    turns: [
      turn({ verdict: outcomes.changed, clusters: [0, 5] }),
      turn({ verdict: outcomes.varies, clusters: [3, 2] }, { turn: 2 }),
    ],
  });
  const { status, sessions } = outcome([both], { failOn: { did: ['varies'] } });
  expect([status, sessions[0]?.verdict, sessions[0]?.level]).toEqual(['failed', outcomes.changed, 'error']);
});

test('a turn that was not verified fails the run although another turn differs within the policy', () => {
  const both = session('s', {
    turns: [
      turn({ verdict: outcomes.changed, clusters: [0, 5] }),
      turn({ verdict: outcomes.couldNotTell, clusters: [0] }, { turn: 2 }),
    ],
  });
  expect(outcome([both], { failOn: { did: ['varies'] } }).status).toBe('error');
});

test('a session that could not be replayed as a whole is never as recorded', () => {
  const doubtful = sessionThat('asRecorded', 's', {}, { problems: [UNREADABLE_PIN] });
  expect(outcome([doubtful])).toMatchObject({ status: 'error', sessions: [{ verdict: outcomes.couldNotTell }] });
});

const QUARANTINE = { until: '2026-12-31', why: 'the shop is moving' };

test('a session in quarantine fails nothing, is counted with its day, and is no verification', () => {
  const changed = { ...SESSIONS.changed, quarantine: QUARANTINE };
  const doubtful = { ...SESSIONS.couldNotTell, quarantine: QUARANTINE };
  const { status, title, message, sessions } = outcome([SESSIONS.asRecorded, changed, doubtful]);
  expect({ status, title }).toEqual({
    status: 'passed',
    title: '1 of 3 sessions as recorded, 2 quarantined until 2026-12-31',
  });
  expect(message).toContain('fails no run until its date');
  expect(sessions.map(({ level }) => level).sort()).toEqual(['off', 'warn', 'warn']);
  expect(outcome([changed])).toMatchObject({
    status: 'error',
    title: '1 of 1 session quarantined until 2026-12-31',
  });
});

test('what must never be fails in quarantine too, where a critical tool does it or the user forbids it', () => {
  const event = (over: object) => ({
    kind: 'unseen',
    weight: 'red',
    tool: 'pay',
    runs: [1],
    of: 5,
    fails: true,
    sentence: '1 of 5 replays calls pay, and no recording does',
    ...over,
  });
  const of = (over: object) =>
    outcome([
      SESSIONS.asRecorded,
      session('s', {
        quarantine: QUARANTINE,
        turns: [turn({ verdict: outcomes.changed, clusters: [4, 1] }, { events: [event(over) as never] })],
      }),
    ]).status;
  expect(of({ isCritical: true })).toBe('failed');
  expect(of({ kind: 'forbidden' })).toBe('failed');
  expect(of({ kind: 'error' })).toBe('passed');
});

test('where nobody knows whether this change or the world did it, the title counts no session as recorded that is not', () => {
  const not = { verdict: outcomes.asRecorded, clusters: [5], over: { divergence: null } } as const;
  const judged = (name: string, spec: Parameters<typeof turn>[0]) =>
    session(name, { gate: 'shift', turns: [turn(spec, { shift: { ...AS_BEFORE, against: 'base' } })] });
  const { figures } = turn(not).comparison;
  const sessions = [
    judged('same', { verdict: outcomes.asRecorded }),
    judged('other', { ...not, over: { ...not.over, figures: { ...figures, asRecorded: 0 } } }),
  ];
  const base = { ref: 'main', blame: 'open' as const, sessions: 2, drifted: [], driftedSuites: [], without: [] };
  const { status, title } = outcome(sessions, {}, { base });
  expect({ status, title }).toEqual({
    status: 'passed',
    title: '1 of 2 sessions as recorded, unclear whether this change or the world did it, 1 as the base',
  });
});
