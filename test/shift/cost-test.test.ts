import { expect, test } from 'vitest';
import { type CostUnit, costTest } from '../../src/shift/cost-test.ts';
import { randomFrom } from '../../src/shift/random.ts';
import fc from '../fast-check.ts';
import { runs, suite, unit } from './costs.ts';
import { atMost } from './gate.ts';

function states(units: readonly CostUnit[]) {
  const told = costTest(units);
  return { suite: told?.suites[0]?.state, sessions: told?.sessions.map(({ state }) => state) };
}

test('an agent that always uses the same is dearer by its ratio alone, from 10 % on, also with one recording', () => {
  expect(costTest([unit('a', [57], [570, 570, 570, 570, 570])])).toMatchObject({
    fails: false,
    sessions: [
      { id: 'a', state: 'changed', ratio: 10, recorded: expect.closeTo(57), replayed: expect.closeTo(570), p: null },
    ],
    suites: [{ state: 'changed', ratio: 10 }],
  });
  expect(states([unit('a', [100], [110, 110])])).toEqual({ suite: 'changed', sessions: ['changed'] });
  expect(states([unit('a', [100], [108, 108])])).toEqual({ suite: 'as-recorded', sessions: ['as-recorded'] });
  // Less is no change for the worse.
  expect(states([unit('a', [100, 100], [50, 50])])).toEqual({ suite: 'as-recorded', sessions: ['as-recorded'] });
});

test('a run fails by its cost only if that is wanted', () => {
  expect(costTest([unit('a', [57], [570])], { gated: true })?.fails).toBe(true);
  expect(costTest([unit('a', [57], [57])], { gated: true })?.fails).toBe(false);
  // A session's own setting is its own: all together go by that of all.
  const own = (gated: boolean) => [{ ...unit('a', [57], [570]), gated }, unit('b', [57], [57])];
  expect(costTest(own(true))?.fails).toBe(true);
  expect(costTest([...own(false), unit('c', [570], [57])], { gated: true })?.fails).toBe(false);
});

test('where fewer than 80 % of the replays, or no recording, tell what they used, nothing is told', () => {
  expect(states([unit('a', [57], [570, 570, 570], { asked: 4 })]).sessions).toEqual(['could-not-tell']);
  expect(states([unit('a', [57], [570, 570, 570, 570], { asked: 5 })]).sessions).toEqual(['changed']);
  expect(states([unit('a', [], [570])]).sessions).toEqual(['could-not-tell']);
  expect(costTest([unit('a', [], [])])).toBeUndefined();
});

test('fewer than four sessions with one recording each, which vary, show nothing together', () => {
  const of = (sessions: number) => states(suite('few', { times: 4, recordings: 1, sessions })).suite;
  expect(of(3)).not.toBe('changed');
  expect(of(8)).toBe('changed');
});

test('of 200 suites of an unchanged agent at most two in a hundred are dearer, and all that use 25 % more are found', () => {
  const count = 200;
  const seeds = Array.from({ length: count }, (_, index) => `cost ${index}`);
  const isRed = (units: readonly CostUnit[]) => {
    const { suite: together, sessions = [] } = states(units);
    return together === 'changed' || sessions.includes('changed');
  };
  expect(seeds.filter((seed) => isRed(suite(seed))).length).toBeLessThanOrEqual(atMost(count, 0.02));
  expect(seeds.filter((seed) => isRed(suite(seed, { times: 1.25 }))).length).toBeGreaterThanOrEqual(0.97 * count);
});

test('one session of 20 that uses three times as much is found by itself', () => {
  const seeds = Array.from({ length: 50 }, (_, index) => `one ${index}`);
  const found = seeds.filter((seed) => {
    const random = randomFrom(seed);
    const others = suite(seed, { sessions: 19 });
    return (
      states([...others, unit('x', runs(10, random), runs(10, random, { times: 3 }))]).sessions?.at(-1) === 'changed'
    );
  });
  expect(found.length).toBeGreaterThanOrEqual(40);
});

test('the order of sessions and runs changes no digit', () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(amounts, amounts), { minLength: 1, maxLength: 5 }), (sides) => {
      const units = sides.map(([before, now], index) => unit(String(index), before, now));
      const turned = sides.map(([before, now], index) => unit(String(index), before.toReversed(), now.toReversed()));
      expect(costTest(turned.toReversed())).toEqual(costTest(units));
    }),
  );
});
