import { expect, test } from 'vitest';
import { compareRules, compareTurn } from '../../src/compare/index.ts';
import type { Recording } from '../../src/contract/index.ts';
import { learnedRules } from '../../src/report/index.ts';
import { report, session } from './fixtures/reports.ts';

const TIME = new Date(0).toISOString();

/** A turn with one call of a tool that answers with a value under a key. */
function turnOf(value: string, { name = 'book', key = 'ticket', output = 'Booked.' } = {}): Recording {
  const times = { startTime: TIME, endTime: TIME };
  return {
    output,
    observations: [{ id: 't', parentId: null, type: 'tool', name, ...times, input: {}, output: { [key]: value } }],
  };
}

function learned(recorded: Recording, replays: readonly Recording[], requested = replays.length): string[] {
  const runs = replays.map((recording, index) => ({ run: index + 1, recording }));
  const comparison = compareTurn([recorded], runs, compareRules.parse({}), { requested });
  const outcome = session('one', { turns: [{ turn: 1, comparison, failures: [] }] });
  return learnedRules(report([outcome])).map(({ path }) => path);
}

const VALUES = ['T-1', 'T-2', 'T-3'];

test('a place where every replay has another generated value is learned', () => {
  expect(
    learned(
      turnOf('T-0'),
      VALUES.map((value) => turnOf(value)),
    ),
  ).toEqual(['tool:book/result/ticket']);
});

test('nothing is learned of a turn that lost a run, or where something else that counts differs', () => {
  const replays = VALUES.map((value) => turnOf(value));
  expect(learned(turnOf('T-0'), replays, 4)).toEqual([]);
  expect(learned(turnOf('T-0', { output: 'Refused.' }), replays)).toEqual([]);
});

test('a place that repeats, or that holds words, is unstable and not learned', () => {
  expect(
    learned(
      turnOf('T-0'),
      ['T-1', 'T-1', 'T-2'].map((value) => turnOf(value)),
    ),
  ).toEqual([]);
  expect(
    learned(
      turnOf('red'),
      ['green', 'blue', 'grey'].map((value) => turnOf(value)),
    ),
  ).toEqual([]);
});

test('names of tools and keys cannot make a rule wider, nor two of one', () => {
  for (const odd of [{ name: '*' }, { name: 'a/result' }, { key: '*' }, { key: 'x\noutput' }, { key: 'x\u202e' }]) {
    expect(
      learned(
        turnOf('T-0', odd),
        VALUES.map((value) => turnOf(value, odd)),
      ),
    ).toEqual([]);
  }
});
