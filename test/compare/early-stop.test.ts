import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Certainty,
  certain,
  type RunOutcome,
  type Standing,
  type StopPolicy,
} from '../../src/compare/early-stop.ts';
import type { Verdict } from '../../src/compare/result.ts';
import { turnVerdict } from '../../src/compare/verdict.ts';

const ALL: StopPolicy = { failing: ['changed', 'unsettled', 'flaky', 'inconclusive'] };

/** What the full run comes to, by the verdict of a turn and the rule of the gate. */
function fullRun(outcomes: readonly RunOutcome[], policy: StopPolicy): { verdict: Verdict; standing: Standing } {
  const conclusive = outcomes.filter((outcome) => outcome !== 'lost');
  const asRecorded = conclusive.filter((cluster) => (policy.recorded ?? [0]).includes(cluster)).length;
  const { verdict } = turnVerdict({
    requested: outcomes.length,
    conclusive: conclusive.length,
    asRecorded,
    clusterSizes: [...Map.groupBy(conclusive, (cluster) => cluster).values()].map(({ length }) => length),
    originalSeen: asRecorded > 0,
  });
  if (verdict === 'inconclusive') return { verdict, standing: 'doubt' };
  const { minAgreement = 2 } = policy;
  const isForgiven = verdict === 'flaky' && asRecorded / conclusive.length >= minAgreement;
  const passes = verdict === 'reproduced' || isForgiven || !policy.failing.includes(verdict);
  return { verdict, standing: passes ? 'pass' : 'fail' };
}

const policies = fc.record({
  failing: fc.subarray([...ALL.failing]),
  minAgreement: fc.option(fc.constantFrom(0, 0.25, 0.5, 0.6, 0.8, 1), { nil: undefined }),
  recorded: fc.constantFrom<number[] | undefined>(undefined, [0, 1]),
});
const outcome = fc.oneof(
  { weight: 3, arbitrary: fc.constant<RunOutcome>(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 1, arbitrary: fc.constant<RunOutcome>('lost') },
);

test('whatever is called certain is what the full run comes to', () => {
  fc.assert(
    fc.property(fc.array(outcome, { minLength: 1, maxLength: 25 }), policies, (outcomes, policy) => {
      const end = fullRun(outcomes, policy);
      for (let finished = 0; finished <= outcomes.length; finished++) {
        const so = { requested: outcomes.length, outcomes: outcomes.slice(0, finished), policy };
        const status = certain('status', so);
        const verdict = certain('verdict', so);
        const isTrue = (found: Certainty | null): boolean =>
          [end.standing, null].includes(found?.standing ?? null) &&
          [end.verdict, null].includes(found?.verdict ?? null);
        expect([so, isTrue(status), isTrue(verdict)]).toEqual([so, true, true]);
        expect([status?.standing, verdict?.verdict]).not.toContain(null);
      }
    }),
    { numRuns: 1_500 },
  );
});

/** Every way in which the remaining runs can go. A new behaviour gets the next free number. */
function futures(outcomes: readonly RunOutcome[], left: number): RunOutcome[][] {
  if (left === 0) return [[...outcomes]];
  const known = outcomes.filter((each) => each !== 'lost');
  const choices = new Set<RunOutcome>([0, 1, ...known, Math.max(1, ...known) + 1, 'lost']);
  return [...choices].flatMap((next) => futures([...outcomes, next], left - 1));
}

test('what is certain is found as soon as it is: when every future comes to the same, and not before', () => {
  const short = fc.array(outcome, { maxLength: 7 });
  fc.assert(
    fc.property(short, fc.integer({ min: 0, max: 3 }), policies, (outcomes, left, policy) => {
      const ends = futures(outcomes, left).map((runs) => fullRun(runs, policy));
      const only = <Value>(values: Value[]): Value | null => (new Set(values).size === 1 ? (values[0] ?? null) : null);
      const expected: Certainty = {
        standing: only(ends.map(({ standing }) => standing)),
        verdict: only(ends.map(({ verdict }) => verdict)),
      };
      const so = { requested: outcomes.length + left, outcomes, policy };
      expect([so, certain('status', so)]).toEqual([so, expected.standing === null ? null : expected]);
      expect([so, certain('verdict', so)]).toEqual([so, expected.verdict === null ? null : expected]);
    }),
    { numRuns: 3_000 },
  );
});

test.each<[string, RunOutcome[], StopPolicy, Certainty | null, Certainty | null]>([
  ['the first divergence fails, its verdict is open', [1], ALL, { standing: 'fail', verdict: null }, null],
  ['as recorded so far says nothing', [0, 0, 0, 0], ALL, null, null],
  [
    'seen and diverged is flaky, and fails',
    [0, 1],
    ALL,
    { standing: 'fail', verdict: 'flaky' },
    { standing: 'fail', verdict: 'flaky' },
  ],
  [
    'an agreement that is still within reach',
    [0, 1],
    { ...ALL, minAgreement: 0.8 },
    null,
    { standing: null, verdict: 'flaky' },
  ],
  [
    'an agreement that is out of reach',
    [0, 1, 1],
    { ...ALL, minAgreement: 0.8 },
    { standing: 'fail', verdict: 'flaky' },
    { standing: 'fail', verdict: 'flaky' },
  ],
  [
    'an agreement that is certain',
    [0, 0, 0, 1],
    { ...ALL, minAgreement: 0.6 },
    { standing: 'pass', verdict: 'flaky' },
    { standing: 'pass', verdict: 'flaky' },
  ],
  [
    'an agreement that any flaky run of five has',
    [1],
    { failing: ['flaky'], minAgreement: 0.2 },
    { standing: 'pass', verdict: null },
    null,
  ],
  ['a lost run, and the rest as recorded', ['lost', 0, 0, 0], ALL, null, null],
  ['all runs lost but one', ['lost', 'lost', 'lost', 'lost'], ALL, null, null],
])('of five runs: %s', (_, outcomes, policy, status, verdict) => {
  const so = { requested: 5, outcomes, policy };
  expect([certain('status', so), certain('verdict', so)]).toEqual([status, verdict]);
});

test('a thousand runs are judged at once', () => {
  const outcomes = Array.from({ length: 999 }, (_, index) => index % 50);
  const start = performance.now();
  for (let count = 0; count < 100; count++) certain('status', { requested: 1_000, outcomes, policy: ALL });
  expect(performance.now() - start).toBeLessThan(500);
});
