import { expect, test } from 'vitest';
import type { z } from 'zod';
import { type Verdict, verdict } from '../../src/compare/result.ts';
import type { GatePolicy } from '../../src/report/gate.ts';
import { gateOf, gatePolicy, type Report, type SessionOutcome } from '../../src/report/index.ts';
import { report, SESSIONS, session, turn, UNREADABLE_PIN, VARIES } from './fixtures/reports.ts';

const policy = (value: z.input<typeof gatePolicy>): GatePolicy => gatePolicy.parse(value);

function outcome(
  sessions: readonly SessionOutcome[],
  value: z.input<typeof gatePolicy> = {},
  over = {},
): Report['results'] {
  return report(sessions, over, policy(value)).results;
}

/** One session of each verdict, in the vocabulary's order; a mask of a bit for each picks from them. */
const ALL = { ...SESSIONS, varies: VARIES };
const BY_VERDICT = verdict.options.map((each) => ALL[each]);
const EVERY_MIX = Array.from({ length: 2 ** BY_VERDICT.length }, (_, mask) =>
  verdict.options.filter((_, bit) => mask & (1 << bit)),
);
const DIVERGED: readonly Verdict[] = ['changed', 'unsettled', 'flaky'];

test.each([[[]], [[UNREADABLE_PIN]]])(
  'every mix of verdicts with problems %j has the status that its worst one gives',
  (problems) => {
    for (const mix of EVERY_MIX) {
      const sessions = mix.map((each) => ALL[each]);
      const expected = DIVERGED.some((each) => mix.includes(each))
        ? 'failed'
        : mix.includes('inconclusive') || mix.length === 0 || problems.length > 0
          ? 'error'
          : 'passed';
      expect(outcome(sessions, {}, { problems }).status, mix.join(' ')).toBe(expected);
    }
  },
);

test('every mix of verdicts under every level of each verdict is decided by the levels alone', () => {
  const levels = ['error', 'warn', 'off'] as const;
  for (const changed of levels) {
    for (const unsettled of levels) {
      for (const flaky of levels) {
        for (const inconclusive of ['error', 'warn'] as const) {
          const failOn = { changed, unsettled, flaky, inconclusive };
          for (const mix of EVERY_MIX) {
            const { status } = outcome(
              mix.map((each) => ALL[each]),
              { failOn },
            );
            const diverged = DIVERGED.some((each) => mix.includes(each) && failOn[each as 'flaky'] === 'error');
            const verified = mix.some((each) => each !== 'inconclusive');
            const doubt = mix.includes('inconclusive') && inconclusive === 'error';
            const expected = diverged ? 'failed' : doubt || !verified ? 'error' : 'passed';
            expect(status, JSON.stringify({ mix, failOn })).toBe(expected);
          }
        }
      }
    }
  }
});

test.each([
  ['passed', [SESSIONS.reproduced], undefined, 0],
  ['failed', [SESSIONS.changed], undefined, 1],
  ['error', [SESSIONS.inconclusive], undefined, 2],
  ['interrupted', [SESSIONS.changed], 'SIGINT', 130],
  ['interrupted', [SESSIONS.reproduced], 'SIGTERM', 143],
] as const)('status %s has its exit code (%#)', (status, sessions, interruptedBy, exitCode) => {
  const made = report(sessions, interruptedBy ? { evidence: { interruptedBy } } : {});
  expect(gateOf(made)).toMatchObject({ status, exitCode });
});

test('the title counts what was not verified next to what diverged', () => {
  expect(outcome(Object.values(SESSIONS), {}, { problems: [UNREADABLE_PIN] }).title).toBe(
    '3 of 7 sessions diverged, 1 in other words (not judged), 2 not verified, 1 problem',
  );
});

test('the title of a run with a problem says what was reproduced when no session was left unverified', () => {
  expect(outcome([SESSIONS.reproduced], {}, { problems: [UNREADABLE_PIN] }).title).toBe(
    '1 of 1 session reproduced, 1 problem',
  );
});

test('the title of a pass counts what the policy let pass', () => {
  const { title, status } = outcome([SESSIONS.reproduced, SESSIONS.flaky, SESSIONS.inconclusive], {
    failOn: { flaky: 'warn', inconclusive: 'warn' },
  });
  expect([status, title]).toEqual([
    'passed',
    '1 of 3 sessions reproduced, 1 diverged within the policy, 1 not verified',
  ]);
});

test('where nothing was reproduced the title begins with what there was, and of every mix it counts each session once', () => {
  expect(outcome([VARIES]).title).toBe('1 of 1 session varies as recorded');
  expect(outcome([VARIES, SESSIONS.reworded]).title).toBe(
    '1 of 2 sessions in other words (not judged), 1 varies as recorded',
  );
  const failOn = { changed: 'warn', unsettled: 'warn', flaky: 'warn', inconclusive: 'warn' } as const;
  for (const mix of EVERY_MIX.filter((each) => each.some((verdict) => verdict !== 'inconclusive'))) {
    const sessions = mix.map((each) => ALL[each]);
    for (const interruptedBy of [undefined, 'SIGINT'] as const) {
      const { title } = gateOf(
        report(sessions, interruptedBy ? { evidence: { interruptedBy } } : {}, policy({ failOn })),
      );
      const [first, ...others] = title.replace(', then interrupted', '').split(', ');
      const [, count, total] = /^([1-9]\d*) of (\d+) sessions? \w/.exec(first ?? '') ?? [];
      const counts = [count, ...others.map((each) => /^[1-9]\d* /.exec(each)?.[0])].map(Number);
      expect([Number(total), counts.reduce((sum, each) => sum + each, 0)], title).toEqual([mix.length, mix.length]);
    }
  }
});

test('other words pass with a warning, and are told in the title and the message', () => {
  const { status, title, message, sessions } = outcome([SESSIONS.reproduced, SESSIONS.reworded]);
  expect([status, title]).toEqual(['passed', '1 of 2 sessions reproduced, 1 in other words (not judged)']);
  expect(message).not.toContain('as recorded');
  expect(message).toContain('not judged');
  expect(sessions.map(({ level }) => level).sort()).toEqual(['off', 'warn']);
});

test('other words fail a run whose policy says so, and are no divergence', () => {
  for (const failOn of [{ reworded: 'error' }, ['reworded']] as const) {
    expect(outcome([SESSIONS.reproduced, SESSIONS.reworded], { failOn: failOn as never })).toMatchObject({
      status: 'failed',
      title: '1 of 2 sessions in other words',
    });
  }
  expect(outcome([SESSIONS.changed, SESSIONS.reworded], { failOn: { reworded: 'error' } }).title).toBe(
    '1 of 2 sessions diverged, 1 in other words (not judged)',
  );
});

test('other words that are let pass do not soften what diverges, nor a doubt', () => {
  const failOn = { reworded: 'off' } as const;
  expect(outcome([SESSIONS.reworded], { failOn }).status).toBe('passed');
  expect(outcome([SESSIONS.reworded, SESSIONS.flaky], { failOn }).status).toBe('failed');
  expect(outcome([SESSIONS.reworded, SESSIONS.inconclusive], { failOn }).status).toBe('error');
});

test('"as recorded in every run" is said when nothing that was compared differs, with what was compared', () => {
  const as = 'The agent behaved as recorded in every run.';
  expect(outcome([SESSIONS.reproduced]).message).toBe(`${as} Compared: calls, results, errors, answers.`);
  const lesser = turn({ verdict: 'reproduced' });
  lesser.comparison.clusters[0]!.minor.push({
    kind: 'call-missing',
    severity: 'minor',
    recordedStep: 2,
    replayedStep: null,
    tool: 'search',
    runs: [2],
  });
  expect(outcome([session('s', { turns: [lesser] })]).message).not.toContain(as);
});

test('a run in which nothing was verified is an error even when doubts are only warned of', () => {
  expect(outcome([SESSIONS.inconclusive, SESSIONS.notReplayable], { failOn: { inconclusive: 'warn' } })).toMatchObject({
    status: 'error',
    title: 'no session was verified',
  });
});

test('inconclusive cannot be switched off', () => {
  expect(gatePolicy.safeParse({ failOn: { inconclusive: 'off' } }).error?.issues).toMatchObject([{ path: ['failOn'] }]);
  expect(gatePolicy.safeParse({ failOn: { inconclusive: 'warn' } }).success).toBe(true);
});

test('a list fails on the verdicts that it names, and doubt still fails closed', () => {
  expect(outcome([SESSIONS.flaky, SESSIONS.reproduced], { failOn: ['changed'] }).status).toBe('passed');
  expect(outcome([SESSIONS.changed], { failOn: ['changed'] }).status).toBe('failed');
  expect(outcome([SESSIONS.inconclusive, SESSIONS.reproduced], { failOn: ['changed'] }).status).toBe('error');
});

test('a divergence is softened by its cause only when every divergence of the session has a softened cause', () => {
  const of = (...causes: ('environment' | 'model')[]) =>
    session('s', { turns: [turn({ verdict: 'flaky', clusters: [2, 2, 1], causes })] });
  const failOn = { cause: { environment: 'warn' } } as const;
  expect(outcome([of('environment', 'environment')], { failOn }).status).toBe('passed');
  expect(outcome([of('environment', 'model')], { failOn }).status).toBe('failed');
  expect(outcome([of('model', 'environment')], { failOn }).status).toBe('failed');
});

test('a divergence without an explanation is not softened by any cause', () => {
  const unexplained = turn({ verdict: 'flaky', clusters: [2, 2, 1], causes: ['environment'] });
  unexplained.comparison.clusters[2]!.divergence = null;
  const failOn = { cause: { environment: 'off' } } as const;
  expect(outcome([session('s', { turns: [unexplained] })], { failOn }).status).toBe('failed');
});

test('a cause can be made to fail where its verdict is let pass', () => {
  const failOn = { changed: 'off', cause: { model: 'error' } } as const;
  expect(outcome([SESSIONS.changed], { failOn }).status).toBe('failed');
});

test.each([
  [0.6, 'passed'],
  [0.61, 'failed'],
] as const)('flaky with 3 of 5 runs as recorded and minAgreement %d is %s', (minAgreement, status) => {
  expect(outcome([SESSIONS.flaky], { minAgreement }).status).toBe(status);
});

test('minAgreement lets no changed session pass', () => {
  expect(outcome([SESSIONS.changed], { minAgreement: 0 }).status).toBe('failed');
});

test('a turn that fails the run does so although another turn gives the session a softer verdict', () => {
  const both = session('s', {
    turns: [turn({ verdict: 'changed', clusters: [0, 5] }), turn({ verdict: 'flaky', clusters: [3, 2] }, { turn: 2 })],
  });
  const { status, sessions } = outcome([both], { failOn: { changed: 'warn' } });
  expect([status, sessions[0]?.verdict, sessions[0]?.level]).toEqual(['failed', 'changed', 'error']);
});

test('a turn that was not verified fails the run although another turn diverged within the policy', () => {
  const both = session('s', {
    turns: [
      turn({ verdict: 'changed', clusters: [0, 5] }),
      turn({ verdict: 'inconclusive', clusters: [0] }, { turn: 2 }),
    ],
  });
  expect(outcome([both], { failOn: { changed: 'off' } }).status).toBe('error');
});

test('a session that could not be replayed as a whole is never reproduced', () => {
  const doubtful = session('s', { turns: [turn({ verdict: 'reproduced' })], problems: [UNREADABLE_PIN] });
  expect(outcome([doubtful])).toMatchObject({ status: 'error', sessions: [{ verdict: 'inconclusive' }] });
});

const QUARANTINE = { until: '2026-12-31', why: 'the shop is moving' };

test('a session in quarantine fails nothing, is counted with its day, and is no verification', () => {
  const changed = { ...SESSIONS.changed, quarantine: QUARANTINE };
  const doubtful = { ...SESSIONS.inconclusive, quarantine: QUARANTINE };
  const { status, title, message, sessions } = outcome([SESSIONS.reproduced, changed, doubtful]);
  expect({ status, title }).toEqual({
    status: 'passed',
    title: '1 of 3 sessions reproduced, 2 quarantined until 2026-12-31',
  });
  expect(message).toContain('fails no run until its date');
  expect(sessions.map(({ level }) => level).sort()).toEqual(['off', 'warn', 'warn']);
  expect(outcome([changed])).toMatchObject({
    status: 'error',
    title: 'no session was verified, 1 quarantined until 2026-12-31',
  });
});

test('what must never be fails in quarantine too, where a critical tool does it or the user forbids it', () => {
  const event = (over: object) => ({
    ...{ kind: 'unseen', weight: 'red', tool: 'pay', runs: [1], of: 5, fails: true },
    ...{ sentence: '1 of 5 replays calls pay, and no recording does', ...over },
  });
  const of = (over: object) =>
    outcome([
      SESSIONS.reproduced,
      session('s', {
        quarantine: QUARANTINE,
        turns: [turn({ verdict: 'changed', clusters: [4, 1] }, { events: [event(over) as never] })],
      }),
    ]).status;
  expect(of({ isCritical: true })).toBe('failed');
  expect(of({ kind: 'forbidden' })).toBe('failed');
  expect(of({ kind: 'error' })).toBe('passed');
});
