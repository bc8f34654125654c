import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Certainty,
  certain,
  type RunOutcome,
  type Standing,
  type StopRule,
  type TurnSoFar,
} from '../../src/compare/early-stop.ts';
import type { CompareRules } from '../../src/compare/index.ts';
import { type Verdict, verdict } from '../../src/compare/result.ts';
import { startTurnComparison } from '../../src/compare/turn.ts';
import { turnVerdict } from '../../src/compare/verdict.ts';
import type { JsonObject } from '../../src/json/index.ts';
import type { Recording } from '../../src/trace/index.ts';
import { growth, LINEAR } from '../growth.ts';
import { type Act, type Agent, type Rendering, RUNS, record, rules } from './agents.ts';

type StopPolicy = Omit<StopRule, 'mode'>;

const ALL: StopPolicy = { failing: ['changed', 'unsettled', 'flaky', 'inconclusive', 'reworded'] };

/** A run of cluster 0 in other words. */
const REWORDED = -1;

function soFar(requested: number, outcomes: readonly RunOutcome[], recorded?: readonly number[]): TurnSoFar {
  return {
    requested,
    outcomes: outcomes.map((each) => (each === REWORDED ? 0 : each)),
    recorded,
    reworded: outcomes.filter((each) => each === REWORDED).length,
  };
}

/** What the full run comes to, by the verdict of a turn and the rule of the gate. */
function fullRun(
  given: readonly RunOutcome[],
  policy: StopPolicy,
  recorded: readonly number[] = [0],
): { verdict: Verdict; standing: Standing } {
  const { outcomes, reworded = 0 } = soFar(given.length, given);
  const conclusive = outcomes.filter((outcome) => outcome !== 'lost');
  const asRecorded = conclusive.filter((cluster) => recorded.includes(cluster)).length;
  const { verdict } = turnVerdict({
    requested: outcomes.length,
    conclusive: conclusive.length,
    asRecorded,
    minor: 0,
    reworded,
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
});
const recordings = fc.constantFrom<number[] | undefined>(undefined, [0, 1]);
const outcome = fc.oneof(
  { weight: 3, arbitrary: fc.constant<RunOutcome>(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 1, arbitrary: fc.constant<RunOutcome>('lost') },
  { weight: 1, arbitrary: fc.constant<RunOutcome>(REWORDED) },
);

/** The worst of all turns, as a session is judged. */
function fullSession(turns: readonly (readonly RunOutcome[])[], policy: StopPolicy, recorded?: readonly number[]) {
  const ends = turns.map((outcomes) => fullRun(outcomes, policy, recorded));
  return {
    verdict: verdict.options.find((each) => ends.some((end) => end.verdict === each)) ?? null,
    standing: (['fail', 'doubt', 'pass'] as const).find((each) => ends.some((end) => end.standing === each)) ?? null,
  };
}

test('whatever is called certain of a session is what the full run comes to', () => {
  const sessions = fc
    .tuple(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 3 }))
    .chain(([runs, turns]) =>
      fc.array(fc.array(outcome, { minLength: runs, maxLength: runs }), { minLength: turns, maxLength: turns }),
    );
  fc.assert(
    fc.property(sessions, policies, recordings, (session, policy, recorded) => {
      const end = fullSession(session, policy, recorded);
      const requested = session[0]?.length ?? 0;
      for (let finished = 0; finished <= requested; finished++) {
        const so = session.map((outcomes) => soFar(requested, outcomes.slice(0, finished), recorded));
        for (const mode of ['status', 'verdict'] as const) {
          const found = certain(so, { mode, ...policy });
          const isTrue =
            found === null ||
            (found.standing === end.standing &&
              (found.verdict === end.verdict || (mode === 'status' && found.verdict === null)));
          expect([so, policy, mode, isTrue]).toEqual([so, policy, mode, true]);
        }
      }
    }),
    { numRuns: 1_500 },
  );
});

/** Every way in which the remaining runs can go. A new behaviour gets the next free number. */
function futures(outcomes: readonly RunOutcome[], left: number): RunOutcome[][] {
  if (left === 0) return [[...outcomes]];
  const known = outcomes.filter((each) => each !== 'lost');
  const choices = new Set<RunOutcome>([0, REWORDED, 1, ...known, Math.max(1, ...known) + 1, 'lost']);
  return [...choices].flatMap((next) => futures([...outcomes, next], left - 1));
}

test('what is certain of a turn is found as soon as it is: when every future comes to the same, and not before', () => {
  const short = fc.array(outcome, { maxLength: 7 });
  fc.assert(
    fc.property(short, fc.integer({ min: 0, max: 3 }), policies, recordings, (outcomes, left, policy, recorded) => {
      const ends = futures(outcomes, left).map((runs) => fullRun(runs, policy, recorded));
      const only = <Value>(values: Value[]): Value | null => (new Set(values).size === 1 ? (values[0] ?? null) : null);
      const standing = only(ends.map((end) => end.standing));
      const known = only(ends.map((end) => end.verdict));
      const turns = [soFar(outcomes.length + left, outcomes, recorded)];
      const status = standing === null ? null : { standing, verdict: known };
      expect([turns, certain(turns, { mode: 'status', ...policy })]).toEqual([turns, status]);
      expect([turns, certain(turns, { mode: 'verdict', ...policy })]).toEqual([turns, known === null ? null : status]);
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
  ['an agreement that is still within reach', [0, 1], { ...ALL, minAgreement: 0.8 }, null, null],
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
  [
    'other words are as recorded: nothing is certain of the rest',
    [REWORDED, REWORDED, REWORDED, REWORDED],
    ALL,
    null,
    null,
  ],
  [
    'other words count as recorded where others diverge',
    [REWORDED, 1],
    ALL,
    { standing: 'fail', verdict: 'flaky' },
    { standing: 'fail', verdict: 'flaky' },
  ],
  [
    'with other words an agreement is certain',
    [0, REWORDED, REWORDED, 1],
    { ...ALL, minAgreement: 0.6 },
    { standing: 'pass', verdict: 'flaky' },
    { standing: 'pass', verdict: 'flaky' },
  ],
  ['all runs lost but one', ['lost', 'lost', 'lost', 'lost'], ALL, null, null],
])('of five runs: %s', (_, outcomes, policy, status, full) => {
  const turns = [soFar(5, outcomes)];
  expect([certain(turns, { mode: 'status', ...policy }), certain(turns, { mode: 'verdict', ...policy })]).toEqual([
    status,
    full,
  ]);
});

const call = fc.record({
  tool: fc.constantFrom('search', 'get_page'),
  args: fc.constantFrom<JsonObject>({ query: 'blue tent for two' }, { query: 'tent for two people' }, { query: 'x' }),
  result: fc.constantFrom('three tents', 'three tents', 'no tent at all'),
});
const act: fc.Arbitrary<Act> = fc.record({
  thought: fc.constantFrom('Let me look.', 'I look.', ''),
  calls: fc.array(call, { minLength: 1, maxLength: 1 }),
});
const fewWays: fc.Arbitrary<Agent> = fc.record({
  request: fc.constant({ messages: [{ role: 'user', content: 'Which tent?' }] }),
  acts: fc.array(act, { maxLength: 3 }),
  answer: fc.constantFrom(
    'There are 3 tents for you.',
    'You find here the 3 tents.',
    'There are the 3 tents.',
    'None.',
  ),
});
const AS_SEEN: Rendering = { shape: 'chat', seed: 1, startMs: 0, tickMs: 1, shuffle: 0, spelling: 'plain' };

test('a run that is settled stays where it is, whatever later runs teach of tools', () => {
  const strictnesses = fc.constantFrom('steps', 'behaviour', 'outcome');
  let settledEarly = 0;
  fc.assert(
    fc.property(fc.array(fewWays, { minLength: 2, maxLength: 5 }), strictnesses, (agents, strictness) => {
      const [original, ...replays] = agents.map((each) => record(each, AS_SEEN)) as [Recording, ...Recording[]];
      const options = { requested: replays.length, request: agents[0]?.request };
      const standingsAfter = (count: number) => {
        const comparator = startTurnComparison([original], rules({ strictness }), options);
        for (const [index, replay] of replays.slice(0, count).entries()) comparator.add(index + 1, replay);
        return comparator;
      };
      const { clusters } = standingsAfter(replays.length).result();
      const { runs: home = [], reworded = [] } = clusters[0] ?? {};
      for (let count = 1; count <= replays.length; count++) {
        const settled = standingsAfter(count).settled();
        if (settled === null) continue;
        settledEarly++;
        for (const [run, cluster] of settled.clusters) {
          expect([run, cluster === 0, settled.reworded.has(run)]).toEqual([
            run,
            home.includes(run),
            reworded.includes(run),
          ]);
        }
      }
    }),
    { numRuns: RUNS },
  );
  expect(settledEarly).toBeGreaterThan(0);
});

test('what a tool may still turn out to be leaves a run open: a reworded query with the same result', () => {
  const ways = ['blue tent for two', 'tent for two people'].map((query) =>
    record(
      {
        request: { input: 'Which tent?' },
        acts: [{ thought: '', calls: [{ tool: 'search', args: { query }, result: 'three tents' }] }],
        answer: 'Three.',
      },
      AS_SEEN,
    ),
  ) as [Recording, Recording];
  const settledWith = (tools: CompareRules['tools']) => {
    const comparator = startTurnComparison([ways[0]], rules({ tools }), { requested: 5 });
    comparator.add(1, ways[1]);
    return comparator.settled();
  };
  expect(settledWith({})).toBeNull();
  expect(settledWith({ search: { readOnly: true } })?.clusters).toEqual(new Map([[1, 0]]));
  expect(settledWith({ search: { readOnly: false } })?.clusters.get(1)).toBeGreaterThan(0);
});

test('whether a session is settled takes time linear in its runs', () => {
  const outcomes = (runs: number) => Array.from({ length: runs - 1 }, (_, index) => index % 50);
  const judge = (seen: number[]) =>
    certain([{ requested: seen.length + 1, outcomes: seen }], { mode: 'status', ...ALL });
  expect(growth(1_000, outcomes, judge)).toBeLessThan(LINEAR);
});
