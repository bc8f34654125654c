import { expect, test } from 'vitest';
import { type ShiftRun, turnTest } from '../../src/shift/index.ts';
import { separation } from '../../src/shift/separation.ts';
import { tableOf } from '../../src/shift/table.ts';
import { wordsOf } from '../../src/shift/word-pairs.ts';

const plain: ShiftRun = { calls: [], answers: [{ words: wordsOf('it is free') }], failures: [] };
const calling = (...tools: string[]): ShiftRun => ({ ...plain, calls: tools.map((tool) => ({ tool, tokens: [] })) });
const given = (...tokens: string[]): ShiftRun => ({ ...plain, calls: [{ tool: 'book', tokens }] });
const saying = (text: string): ShiftRun => ({ ...plain, answers: [{ words: wordsOf(text) }] });
const holding = (pointer: string, value: string): ShiftRun => ({
  ...plain,
  answers: [{ leaves: [{ pointer, value }] }],
});
const times = (count: number, of: ShiftRun): ShiftRun[] => Array.from({ length: count }, () => of);

function separated(recordings: readonly ShiftRun[], replays: readonly ShiftRun[]) {
  const table = tableOf(recordings, replays);
  return separation(table, turnTest(table)?.speaks ?? 'calls');
}

test.each<[string, ShiftRun[], ShiftRun[]]>([
  ['no replay calls check_policy, and all 10 recordings do', times(10, calling('check_policy')), times(5, plain)],
  [
    '4 of 5 replays call find, and 1 of 10 recordings does',
    [...times(9, plain), calling('find')],
    [...times(4, calling('find')), plain],
  ],
  [
    'all 5 replays call find 2 times or more, and no recording does',
    times(5, calling('find')),
    times(5, calling('find', 'find')),
  ],
  ['the replay calls find, and no recording does', times(5, plain), [calling('find')]],
  [
    "'error of book' appears in 5 of 5 replays and in no recording",
    times(5, plain),
    times(5, { ...plain, failures: ['error of book'] }),
  ],
  [
    'book.city is "Rome" in 5 of 5 replays and in no recording',
    times(5, given('/date\x003')),
    times(5, given('/city\0"Rome"', '/date\x003')),
  ],
  [
    "book.query contains 'cheap' twice in 5 of 5 replays and in no recording",
    times(5, given('/query\0cheap')),
    times(5, given('/query\0cheap', '/query\0cheap\x002')),
  ],
  ["'not' appears in 5 of 5 replays and in no recording", times(5, plain), times(5, saying('it is not free'))],
  [
    "the answer begins with 'sure' in 5 of 5 replays and in no recording",
    times(5, saying('it is sure')),
    times(5, saying('sure it is sure')),
  ],
  [
    "'a owes' appears in 5 of 5 replays and in no recording",
    times(5, saying('a shop owes ann')),
    times(5, saying('a owes shop ann')),
  ],
  [
    '/status of the answer is "open" in 5 of 5 replays and in no recording',
    times(5, holding('/status', '"late"')),
    times(5, holding('/status', '"open"')),
  ],
])('%s', (sentence, recordings, replays) => {
  expect(separated(recordings, replays)).toContain(sentence);
});

test('at most three things are told, what parts the groups most first, and nothing twice', () => {
  const shifted: ShiftRun = {
    ...saying('no it is not free'),
    calls: [{ tool: 'pay', tokens: ['/to\0"me"'] }],
    failures: ['error of pay'],
  };
  const mixed = times(3, calling('find'));
  const sentences = separated([...times(2, plain), ...mixed], times(5, shifted));
  expect(sentences).toHaveLength(3);
  expect(new Set(sentences).size).toBe(3);
  expect(sentences[0]).toBe('all 5 replays call pay, and no recording does');
});

test('calls in another order, of which no one is missing, are told by how far apart they are', () => {
  expect(separated(times(5, calling('a', 'b', 'c')), times(5, calling('c', 'a', 'b')))).toEqual([
    'no two runs of the same side differ in their calls, but recordings and replays do',
  ]);
  const recordings = [...times(4, calling('a', 'b', 'c')), calling('a', 'c', 'b')];
  expect(separated(recordings, times(5, calling('c', 'a', 'b')))).toEqual([
    expect.stringMatching(
      /^in its calls a replay is \d+ % further from a recording than two runs of one side are from each other$/,
    ),
  ]);
});

test('untrusted words are cut and never told in full', () => {
  const sentences = separated(times(5, plain), times(5, calling('x'.repeat(10_000))));
  expect(sentences[0]?.length).toBeLessThan(200);
});
