import { expect, test } from 'vitest';
import {
  isTestable,
  judgeSuite,
  judgeTurns,
  leastP,
  needsSecondLook,
  reachOf,
  type TurnLooks,
} from '../../src/shift/judge-turns.ts';
import type { SuiteTest } from '../../src/shift/suite-test.ts';
import type { TurnTest } from '../../src/shift/turn-test.ts';

const ALPHA = { alpha: 0.01 };
const POLICY = { alpha: 0.01, minShift: 0.03 };

function looked(p: number, varies = true): TurnTest {
  return {
    p,
    varies,
    channels: { calls: p, tools: 1, arguments: 1, answer: 1, words: 1 },
    speaks: 'calls',
    recordings: 5,
    replays: 5,
    relabelings: 252,
    isExact: true,
  };
}
const turn = (id: string, first: number, second?: number, varies = true): TurnLooks => ({
  id,
  first: looked(first, varies),
  ...(second === undefined ? {} : { second: looked(second) }),
});
const still = (count: number) => Array.from({ length: count }, (_, index) => turn(`still ${index}`, 0.6));

test('a turn is looked at again from p = .10 down, and by its first p alone it is never red', () => {
  expect(needsSecondLook(looked(0.1))).toBe(true);
  expect(needsSecondLook(looked(0.101))).toBe(false);
  expect(judgeTurns([turn('a', 0.0001)], ALPHA).get('a')).toEqual({ state: 'as-before', adjusted: 1 });
});

test('the correction counts all turns, not those that were looked at again', () => {
  expect(judgeTurns([turn('a', 0.01, 0.0005), ...still(19)], ALPHA).get('a')).toEqual({
    state: 'shifted',
    adjusted: 0.01,
  });
  expect(judgeTurns([turn('a', 0.01, 0.0005), ...still(20)], ALPHA).get('a')?.state).toBe('may-have-shifted');
  // As many turns as the whole run has, where these are one part of it.
  expect(judgeTurns([turn('a', 0.01, 0.0005)], ALPHA, 21).get('a')?.state).toBe('may-have-shifted');
});

test('turns whose runs are all alike are not counted', () => {
  const alike = Array.from({ length: 80 }, (_, index) => turn(`alike ${index}`, 1, undefined, false));
  expect(judgeTurns([turn('a', 0.01, 0.0005), ...still(19), ...alike], ALPHA).get('a')?.state).toBe('shifted');
});

test('the second of two shifted turns needs less', () => {
  const found = judgeTurns([turn('a', 0.01, 0.004), turn('b', 0.01, 0.008)], ALPHA);
  expect([...found.values()].map(({ state }) => state)).toEqual(['shifted', 'shifted']);
});

test.each([
  ['twice at most .05', 0.05, 0.05, 'may-have-shifted'],
  ['only at first', 0.04, 0.06, 'as-before'],
  ['only at last', 0.06, 0.02, 'as-before'],
])('a turn that is not red may have shifted when its p was %s', (_, first, second, state) => {
  expect(judgeTurns([turn('a', first, second), ...still(9)], ALPHA).get('a')?.state).toBe(state);
});

test.each([
  [4, 5, true],
  [3, 5, false],
  [16, 20, true],
  [15, 20, false],
  [0, 0, false],
])('%i conclusive replays of %i: tested %s', (conclusive, requested, expected) => {
  expect(isTestable(conclusive, requested)).toBe(expected);
});

function suite(p: number, shift: number | null): SuiteTest {
  const channels = { calls: p, tools: 1, arguments: 1, answer: 1, words: 1 };
  return { p, channels, speaks: 'calls', shift, turns: 8, varying: 8, relabelings: 20_001, byPasses: false };
}

test.each<[string, SuiteTest, SuiteTest | undefined, string]>([
  ['nothing odd', suite(0.011, 0.5), undefined, 'as-before'],
  ['odd, and too small to matter', suite(0.001, 0.029), undefined, 'too-small'],
  ['odd at first', suite(0.01, 0.03), undefined, 'confirm'],
  ['odd where no run of either side varies', suite(0.01, null), undefined, 'confirm'],
  ['odd twice', suite(0.01, 0.03), suite(0.009, 0.04), 'shifted'],
  ['odd once', suite(0.01, 0.03), suite(0.02, 0.04), 'unconfirmed'],
  ['odd twice, and the second time too small', suite(0.01, 0.03), suite(0.001, 0.02), 'unconfirmed'],
])('a suite is red when it is odd twice and by enough: %s', (_, first, second, state) => {
  expect(judgeSuite(first, POLICY, second)).toBe(state);
});

test('three recordings are too few from 18 turns on, five are enough for 531', () => {
  expect(reachOf(3, 17, ALPHA)).toMatchObject({ isEnough: true });
  expect(reachOf(3, 18, ALPHA)).toEqual({ least: leastP(3, 20), needed: 0.01 / 18, isEnough: false, recordings: 4 });
  expect(reachOf(5, 531, ALPHA)).toMatchObject({ isEnough: true, recordings: 5 });
  expect(reachOf(5, 532, ALPHA)).toMatchObject({ isEnough: false, recordings: 6 });
});

test.each([
  [5, 20, 1 / 53_130],
  [5, 5, 2 / 252],
  [1, 5, 1 / 6],
  [10, 20, 1 / 60_000],
  [0, 5, 1],
])('the least p of %i recordings and %i replays', (recordings, replays, least) => {
  expect(leastP(recordings, replays)).toBe(least);
});
