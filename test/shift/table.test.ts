import { expect, test } from 'vitest';
import type { ShiftRun } from '../../src/shift/index.ts';
import type { Answer } from '../../src/shift/run.ts';
import { tableOf } from '../../src/shift/table.ts';
import { wordsOf } from '../../src/shift/word-pairs.ts';
import fc from '../fast-check.ts';
import { run } from './runs.ts';

const call = (tool: string, ...tokens: string[]) => ({ tool, tokens });
const calling = (...calls: ShiftRun['calls']): ShiftRun => ({ calls, answers: [], failures: [] });
const answering = (...answers: Answer[]): ShiftRun => ({ calls: [], answers, failures: [] });
const saying = (text: string): Answer => ({ words: wordsOf(text) });

function distance(channel: 'calls' | 'answer', one: ShiftRun, other: ShiftRun): number {
  return (tableOf([one], [other])[channel][1] as number) / 1_000_000;
}

test.each<[string, ShiftRun, ShiftRun, number]>([
  ['no calls at all', calling(), calling(), 0],
  ['a call less', calling(call('a'), call('b'), call('c')), calling(call('a'), call('c')), 1 / 3],
  ['another tool', calling(call('a'), call('b')), calling(call('a'), call('c')), 1 / 2],
  ['half of the arguments', calling(call('a', 'x', 'y', 'z')), calling(call('a', 'x', 'y', 'v')), 0.25],
  ['none of the arguments', calling(call('a', 'x')), calling(call('a', 'y')), 0.5],
  ['a failure', calling(call('a')), { ...calling(call('a')), failures: ['error of a'] }, 1 / 2],
  ['two calls change places', calling(call('a'), call('b')), calling(call('b'), call('a')), 1],
])('calls are as far apart as it takes to make one run of the other: %s', (_, one, other, expected) => {
  expect(distance('calls', one, other)).toBeCloseTo(expected, 6);
});

test.each<[string, ShiftRun, ShiftRun, number]>([
  ['no answer on either side', answering(), answering(), 0],
  ['no answer and an empty one', answering(), answering(saying('')), 1],
  ['an empty answer and another one', answering(saying('')), answering(saying('yes')), 1],
  // a, b, ^a, ab, b$ against a, c, ^a, ac, c$.
  ['a word of two', answering(saying('a b')), answering(saying('a c')), 6 / 8],
  ['text and structure', answering(saying('5')), answering({ leaves: [{ pointer: '', value: '5' }] }), 1],
  ['one of two turns', answering(saying('a'), saying('b')), answering(saying('a'), saying('c')), 0.5],
  [
    'one of four leaves, and one that only one side has',
    answering({ leaves: ['/a', '/b', '/c', '/d'].map((pointer) => ({ pointer, value: '1' })) }),
    answering({
      leaves: ['/a', '/b', '/c', '/e'].map((pointer) => ({ pointer, value: pointer === '/a' ? '2' : '1' })),
    }),
    3 / 5,
  ],
  [
    'prose in a structure, as far as its words',
    answering({ leaves: [{ pointer: '/why', value: '"a b"', words: ['a', 'b'] }] }),
    answering({ leaves: [{ pointer: '/why', value: '"a c"', words: ['a', 'c'] }] }),
    6 / 8,
  ],
])('answers are as far apart as what they say: %s', (_, one, other, expected) => {
  expect(distance('answer', one, other)).toBeCloseTo(expected, 6);
});

test('distances are of 0 to 1, the same in both directions, and 0 for equal runs', () => {
  fc.assert(
    fc.property(run, run, (one, other) => {
      for (const channel of ['calls', 'answer'] as const) {
        const found = distance(channel, one, other);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
        expect(distance(channel, other, one)).toBe(found);
        expect(distance(channel, one, one)).toBe(0);
      }
    }),
  );
});

test('runs of thousands of calls are still told apart, in order or out of it', () => {
  const long = Array.from({ length: 3_000 }, (_, index) => call(`tool${index % 50}`, `x${index}`));
  expect(distance('calls', calling(...long), calling(...long.toSpliced(100, 1)))).toBeCloseTo(1 / 3_000, 6);
  const other = long.map(({ tool }, index) => call(tool, index % 3 === 0 ? `x${index}` : `y${index}`));
  expect(distance('calls', calling(...long), calling(...other.toReversed()))).toBeCloseTo(2 / 3, 6);
});

test('features are what some runs have and others have not, equal ones once', () => {
  const table = tableOf(
    [answering(saying('it is free')), answering(saying('it is free'))],
    [
      {
        calls: [call('pay', '/to\0"me"'), call('pay')],
        answers: [saying('it is not free')],
        failures: ['error of pay'],
      },
    ],
  );
  const told = table.features.map(({ trait, kinds }) => ({ ...trait, kinds }));
  expect(told).toEqual(
    expect.arrayContaining([
      { kind: 'tool', tool: 'pay', pointer: '', text: '', more: '1', kinds: ['tool', 'failure'] },
      { kind: 'argument', tool: 'pay', pointer: '/to', text: '"me"', kinds: ['argument', 'given'] },
      { kind: 'word', tool: '', pointer: '', text: 'not', kinds: ['word', 'pair'] },
      { kind: 'pair', tool: '', pointer: '', text: 'is', more: 'free', kinds: ['pair'] },
    ]),
  );
  expect(told).toHaveLength(4);
});
