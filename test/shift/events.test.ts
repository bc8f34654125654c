import { expect, test } from 'vitest';
import type { ReadStep } from '../../src/compare/index.ts';
import type { ForbidRule } from '../../src/compare/shapes/rules.ts';
import { forbiddenIn, turnEvents } from '../../src/shift/index.ts';
import { messageFrom } from '../whole-message.ts';
import { eventsOf } from './events.ts';

const call = (name: string): ReadStep => ({ kind: 'call', name, value: {}, isCompared: false });
const failed = (name: string, value: string): ReadStep => ({ kind: 'error', name, value, isCompared: true });
const ended = (value: string): ReadStep => ({ kind: 'end', value, isCompared: true });
const answer: ReadStep = { kind: 'final', value: 'done', isCompared: true };
const calls = (...names: string[]) => [...names.map(call), answer];
const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);

const CRITICAL = { book: { critical: true } };
const MUTATING = { book: { mutating: true } };

test.each<[string, string[][], string[][], string]>([
  [
    'one replay calls it, and no recording does',
    [['find'], ['find']],
    [['find'], ['find', 'book'], ['find']],
    '1 of 3 replays calls book, and no recording does',
  ],
  [
    'all replays call it, and no recording does',
    [['find']],
    [['book'], ['book']],
    'all 2 replays call book, and no recording does',
  ],
  [
    'one replay calls it more often',
    [['book'], []],
    [['book', 'book', 'book'], ['book']],
    '1 of 2 replays calls book up to 3 times, and no recording more than once',
  ],
  [
    'every recording calls it, and no replay does',
    [['book'], ['book']],
    [['find'], []],
    'no replay calls book, and every recording does',
  ],
])('a critical tool is red: %s', (_, recordings, replays, sentence) => {
  const [recorded, replayed] = [recordings, replays].map((runs) => runs.map((names) => calls(...names))) as [
    ReadStep[][],
    ReadStep[][],
  ];
  expect(eventsOf(recorded, replayed, CRITICAL)).toMatchObject([{ weight: 'red', tool: 'book', sentence }]);
  // Of a tool that is only mutating the same things raise an alarm, of any other one they are nothing.
  expect(eventsOf(recorded, replayed, MUTATING)).toMatchObject([{ weight: 'alarm', tool: 'book', sentence }]);
  expect(eventsOf(recorded, replayed, { book: { readOnly: true } })).toEqual([]);
});

test('a critical tool is no event where some recording calls it as often, or some replay still calls it', () => {
  const recorded = [calls('book', 'book'), calls('find')];
  expect(eventsOf(recorded, [calls('book', 'book'), calls()], CRITICAL)).toEqual([]);
  expect(eventsOf(times(3, calls('book')), [calls('book'), calls(), calls()], CRITICAL)).toEqual([]);
});

test('the same call made again is an event where recordings call the tool as often, with other arguments', () => {
  const booking = (...flights: string[]) => flights.map((flight): ReadStep => ({ ...call('book'), value: { flight } }));
  const recorded = [booking('A', 'B'), booking('A', 'B', 'C')];
  expect(eventsOf(recorded, [booking('B', 'C'), booking('A', 'A')], CRITICAL)).toMatchObject([
    {
      kind: 'more-often',
      runs: [2],
      sentence: '1 of 2 replays calls book up to twice with the same arguments, and no recording more than once',
    },
  ]);
  expect(eventsOf([...recorded, booking('C', 'C')], [booking('A', 'A')], CRITICAL)).toEqual([]);
});

test('an alarm fails by itself when it stands in every replay of all looks', () => {
  const fails = (...replays: ReadStep[][]) =>
    eventsOf([calls('find')], replays, MUTATING, 20).map((each) => each.fails);
  expect(fails(...times(20, calls('book')))).toEqual([true]);
  expect(fails(...times(5, calls('book')))).toEqual([false]);
  expect(fails(...times(19, calls('book')), calls())).toEqual([false]);
});

const forbidden = (runs: ReadStep[][], rules: ForbidRule[], turn?: number) =>
  turnEvents({
    forbidden: new Map(runs.map((run, index) => [index + 1, forbiddenIn(run, rules, turn)])),
    tools: {},
    asked: runs.length,
    isLast: true,
  });

const NONE = {};

test('an error of a tool that no recording holds is red in most replays, and not in half of them', () => {
  const bad = [call('book'), failed('book', 'no seat 7 left')];
  const found = eventsOf([calls('book')], [bad, bad, bad, calls('book'), calls('book')], NONE);
  expect(found).toEqual([
    {
      kind: 'error',
      weight: 'red',
      tool: 'book',
      of: 5,
      sentence: 'an error of book in 3 of 5 replays and in no recording',
      runs: [1, 2, 3],
      fails: true,
    },
  ]);
  expect(eventsOf([calls('book')], [bad, bad, calls('book'), calls('book')], NONE)).toEqual([]);
  expect(eventsOf([calls('book'), bad], times(5, bad), NONE)).toEqual([]);
});

test('another error of a tool that failed before is red too; another number in its message is not another error', () => {
  const recorded = [[failed('book', 'no seat 7 left')]];
  expect(eventsOf(recorded, times(3, [failed('book', 'no seat 12 left')]), NONE)).toEqual([]);
  expect(eventsOf(recorded, times(3, [failed('book', 'not allowed')]), NONE)).toMatchObject([
    { kind: 'error', sentence: 'an error of book, "not allowed", in 3 of 3 replays and in no recording' },
  ]);
});

test('errors that differ every time are one event of their tool', () => {
  const replays = ['one', 'two', 'three'].map((message) => [failed('book', message)]);
  expect(eventsOf([calls('book')], replays, NONE)).toMatchObject([{ kind: 'error', tool: 'book', runs: [1, 2, 3] }]);
});

test('an end that no recording holds is red in most replays', () => {
  const cut = [call('find'), ended('length')];
  expect(eventsOf([calls('find')], [cut, cut, calls('find')], NONE)).toMatchObject([
    { kind: 'end', weight: 'red', sentence: 'the turn ends with "length" in 2 of 3 replays and in no recording' },
  ]);
});

test.each<[string, string[], string[]]>([
  ['refund', ['refund'], ['refunds', 'do_refund', 'Refund']],
  ['delete_*', ['delete_', 'delete_user'], ['undelete_user', 'delete']],
  ['*refund*', ['refund', 'do_refund_now'], ['fund']],
  ['a*b*c', ['abc', 'axxbyyc', 'abbc'], ['acb', 'ab', 'ac']],
  ['*', ['anything'], []],
  ['a.c', ['a.c'], ['abc']],
])('compare.forbid %j names tools', (pattern, named, allowed) => {
  const found = (name: string) => forbidden([calls(name)], [pattern]);
  for (const name of named) {
    const sentence = `${name} is called, which compare.forbid names`;
    expect(found(name)).toMatchObject([{ kind: 'forbidden', weight: 'red', tool: name, sentence }]);
  }
  for (const name of allowed) expect(found(name)).toEqual([]);
});

test('a function of compare.forbid is given a copy of the run, and its sentence is told', () => {
  const steps: ReadStep[] = [{ kind: 'call', name: 'pay', value: { amount: 500 }, isCompared: true }, answer];
  const rule: ForbidRule = ({ turn, steps: given, output }) => {
    const args = given[0]?.value as { amount: number };
    const sentence = `turn ${turn} pays ${args.amount} and says ${JSON.stringify(output)}`;
    args.amount = 0;
    return args.amount === 0 && sentence;
  };
  expect(forbidden([steps, steps], [rule], 2)).toEqual([
    {
      kind: 'forbidden',
      weight: 'red',
      of: 2,
      sentence: 'turn 2 pays 500 and says "done"',
      runs: [1, 2],
      fails: true,
    },
  ]);
  expect(steps[0]?.value).toEqual({ amount: 500 });
  expect(forbidden([steps], [() => false])).toEqual([]);
});

test.each<[string, () => unknown, string]>([
  [
    'throws',
    () => {
      throw new Error('no such field');
    },
    'it threw: no such field',
  ],
  ['returns a promise', async () => false, 'it returned object'],
  ['returns nothing', () => undefined, 'it returned undefined'],
  ['returns true', () => true, 'it returned boolean'],
  ['says nothing', () => ' ', 'it returned an empty text'],
])('a function of compare.forbid that %s decides nothing', (_, rule, evidence) => {
  expect(() => forbiddenIn(calls('find'), [rule as ForbidRule])).toThrow(
    expect.objectContaining({ code: 'FORBID_FAILED', evidence: [evidence] }),
  );
});

test('a function of compare.forbid that decides nothing says what it has to return', async () => {
  const rule = (() => undefined) as unknown as ForbidRule;
  expect(await messageFrom(() => forbiddenIn(calls('find'), [rule]))).toMatchInlineSnapshot(`
    "A function of compare.forbid did not say whether a run is forbidden. (FORBID_FAILED)
      it returned undefined
      -> Return a sentence that says what is wrong, or false; not a promise."
  `);
});

test('without replays nothing happened', () => {
  expect(eventsOf([calls('book')], [], CRITICAL)).toEqual([]);
});
