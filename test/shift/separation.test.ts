import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ShiftRun, turnTest } from '../../src/shift/index.ts';
import { separation } from '../../src/shift/separation.ts';
import { CHANNELS } from '../../src/shift/shift-result.ts';
import { tableOf } from '../../src/shift/table.ts';
import { wordsOf } from '../../src/shift/word-pairs.ts';
import { runs } from './runs.ts';

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
  expect(separated(recordings, replays).sentences).toContain(sentence);
});

test('at most three things are told, what parts the groups most first, and nothing twice', () => {
  const shifted: ShiftRun = {
    ...saying('no it is not free'),
    calls: [{ tool: 'pay', tokens: ['/to\0"me"'] }],
    failures: ['error of pay'],
  };
  const mixed = times(3, calling('find'));
  const { sentences } = separated([...times(2, plain), ...mixed], times(5, shifted));
  expect(sentences).toHaveLength(3);
  expect(new Set(sentences).size).toBe(3);
  expect(sentences[0]).toBe('all 5 replays call pay, and no recording does');
});

test('calls in another order, of which no one is missing, are told by how far apart they are', () => {
  expect(separated(times(5, calling('a', 'b', 'c')), times(5, calling('c', 'a', 'b'))).sentences).toEqual([
    'no two runs of the same side differ in their calls, but recordings and replays do',
  ]);
  const recordings = [...times(4, calling('a', 'b', 'c')), calling('a', 'c', 'b')];
  expect(separated(recordings, times(5, calling('c', 'a', 'b'))).sentences).toEqual([
    expect.stringMatching(
      /^in its calls a replay is \d+ % further from a recording than two runs of one side are from each other$/,
    ),
  ]);
});

test('untrusted words are cut and never told in full', () => {
  const { sentences } = separated(times(5, plain), times(5, calling('x'.repeat(10_000))));
  expect(sentences[0]?.length).toBeLessThan(200);
});

test('every run has a place in every row, and where groups part the replays lie to the right', () => {
  fc.assert(
    fc.property(runs(5), runs(5), (recordings, replays) => {
      const { rows } = separated(recordings, replays);
      expect(rows.map(({ channel }) => channel)).toEqual(CHANNELS);
      for (const row of rows) {
        expect(row.recordings).toHaveLength(recordings.length);
        expect(row.replays).toHaveLength(replays.length);
        for (const place of [...row.recordings, ...row.replays]) expect(Math.abs(place)).toBeLessThanOrEqual(1);
      }
    }),
  );
  const { rows } = separated(times(5, calling('a')), times(4, calling('b')));
  expect(rows.find(({ channel }) => channel === 'calls')).toEqual({
    channel: 'calls',
    feature: null,
    recordings: [-1, -1, -1, -1, -1],
    replays: [1, 1, 1, 1],
  });
  expect(rows.find(({ channel }) => channel === 'tools')).toEqual({
    channel: 'tools',
    feature: 'no replay calls a, and all 5 recordings do',
    recordings: [0, 0, 0, 0, 0],
    replays: [1, 1, 1, 1],
  });
});

test('places stand in the order in which the runs were given', () => {
  const { rows } = separated([plain, calling('a'), plain], [calling('a'), calling('a')]);
  expect(rows.find(({ channel }) => channel === 'tools')).toMatchObject({ recordings: [0, 1, 0], replays: [1, 1] });
});
