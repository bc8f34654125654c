import { expect, test } from 'vitest';
import { type ShiftRun, turnTest } from '../../src/shift/index.ts';
import { type SuiteTurn, suiteTest } from '../../src/shift/suite-test.ts';
import { tableOf } from '../../src/shift/table.ts';
import fc from '../fast-check.ts';
import { run, runs } from './runs.ts';

const answering = (...words: string[]): ShiftRun => ({ calls: [], answers: [{ words }], failures: [] });
const times = (count: number, of: ShiftRun): ShiftRun[] => Array.from({ length: count }, () => of);

function turns(count: number, of: (index: number) => [recordings: ShiftRun[], replays: ShiftRun[]]): SuiteTurn[] {
  return Array.from({ length: count }, (_, index) => ({ id: `turn ${index}`, table: tableOf(...of(index)) }));
}

function tested(suite: readonly SuiteTurn[], options: Parameters<typeof suiteTest>[1] = { draws: 500 }) {
  const found = suiteTest(suite, options);
  if (found === null) throw new Error('some turn has runs of both sides');
  return found;
}

const someTurns = fc
  .array(fc.record({ recordings: runs(4), replays: runs(4) }), { minLength: 1, maxLength: 5 })
  .map((all) => turns(all.length, (index) => [all[index]?.recordings ?? [], all[index]?.replays ?? []]));

test('the order of turns and of their runs makes no difference to any byte', () => {
  fc.assert(
    fc.property(someTurns, (suite) => {
      expect(JSON.stringify(tested(suite.toReversed()))).toBe(JSON.stringify(tested(suite)));
    }),
    { numRuns: 50 },
  );
});

test('turns whose runs are all alike change neither p nor shift', () => {
  fc.assert(
    fc.property(someTurns, fc.array(run, { maxLength: 3 }), (suite, alike) => {
      const still = turns(alike.length, (index) => [
        times(3, alike[index] as ShiftRun),
        times(5, alike[index] as ShiftRun),
      ]);
      const { turns: all, ...found } = tested([
        ...suite,
        ...still.map((turn) => ({ ...turn, id: `still ${turn.id}` })),
      ]);
      const { turns: own, ...without } = tested(suite);
      expect(found).toEqual(without);
      expect(all).toBe(own + alike.length);
    }),
    { numRuns: 50 },
  );
});

/** All make the same calls, and only their order differs: one channel varies. */
const ordered = fc
  .shuffledSubarray(['a', 'b', 'c'], { minLength: 3 })
  .map((tools): ShiftRun => ({ calls: tools.map((tool) => ({ tool, tokens: [] })), answers: [], failures: [] }));

test('of one turn and one channel the suite says what the turn says, as far as it draws', () => {
  const group = fc.array(ordered, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(group, group, (recordings, replays) => {
      const suite = turns(1, () => [recordings, replays]);
      const exact = turnTest(suite[0]?.table as SuiteTurn['table'])?.p as number;
      expect(Math.abs(tested(suite, { draws: 4_000 }).p - exact)).toBeLessThan(5 * Math.sqrt(0.25 / 4_000));
    }),
    { numRuns: 30 },
  );
});

test('a suite in which nothing varies has a p of 1 and no shift', () => {
  const found = tested(turns(5, () => [times(5, answering('yes')), times(5, answering('yes'))]));
  expect(found).toMatchObject({ p: 1, shift: 0, turns: 5, varying: 0 });
});

test('what every turn does a little is found together, where no turn by itself could show it', () => {
  const shifted = turns(12, (index) => [
    [answering('a', String(index)), answering('b', 'c'), answering('a', 'd')],
    [answering('x', 'y'), answering('x', 'b'), answering('z', 'y')],
  ]);
  for (const { table } of shifted) expect(turnTest(table)?.p).toBeGreaterThanOrEqual(0.1);
  expect(tested(shifted).p).toBeLessThan(0.01);
});

test('one recording of each turn is enough', () => {
  const shifted = turns(12, () => [
    [answering('a', 'b')],
    [answering('x', 'y'), answering('x', 'z'), answering('v', 'y'), answering('x', 'w')],
  ]);
  expect(tested(shifted)).toMatchObject({ p: 1 / 501, turns: 12 });
});

test('the shift is how much further a replay is from a recording than two runs of one side are from each other', () => {
  // Within each side half of the words are shared (1 of 3 parts differ), between the sides none are.
  const found = tested(
    turns(3, () => [
      [answering('a', 'b'), answering('a', 'c')],
      [answering('x', 'y'), answering('x', 'z')],
    ]),
  );
  expect(found.shift).toBeCloseTo(1 / 0.75 - 1, 5);
  expect(tested(turns(2, () => [times(3, answering('a')), times(3, answering('b'))])).shift).toBeNull();
});

test('a side that varies more, and has more runs, does not hide how far it is from the other one', () => {
  const some = (left: number, all: number) =>
    Array.from({ length: all }, (_, run) => (run < left ? answering('b') : answering('a')));
  for (const [left, replays] of [
    [2, 5],
    [4, 10],
    [8, 20],
  ] as const) {
    const { shift } = tested(turns(10, () => [times(5, answering('a')), some(left, replays)]));
    expect(shift).toBeGreaterThan(0.3);
  }
});

test('turns that lack a side are in no test', () => {
  const [whole] = turns(1, () => [[answering('a')], [answering('b')]]);
  const bare = [{ id: 'bare', table: tableOf([answering('a')], []) }];
  expect(suiteTest(bare)).toBeNull();
  expect(tested([whole as SuiteTurn, ...bare])).toMatchObject({ turns: 1 });
});

/** Turns whose answers all depend on the pass in which they were given. */
function byPasses(count: number, passes: readonly string[]): SuiteTurn[] {
  return turns(count, (index) => {
    const all = passes.map((mood, pass) => answering(mood, `turn${index}`, `${(pass * 7 + index) % 3}`));
    return [all.slice(0, 5), all.slice(5)];
  });
}

test('a bad minute of the provider in some passes is not taken for as many witnesses as there are turns', () => {
  // Four of five replayed passes and one recorded one were made in a bad minute: one way in five is like that.
  const passes = ['ok', 'ok', 'bad', 'ok', 'ok', 'bad', 'bad', 'bad', 'ok', 'bad'];
  expect(tested(byPasses(20, passes)).p).toBeLessThan(0.01);
  expect(tested(byPasses(20, passes), { passes: true }).p).toBeGreaterThan(0.1);
});

test('passes that have nothing in common are still told apart', () => {
  const passes = [...Array.from({ length: 5 }, () => 'ok'), ...Array.from({ length: 5 }, () => 'bad')];
  expect(tested(byPasses(20, passes), { passes: true }).p).toBe(2 / 252);
});

test('turns that lack a run of a pass are left out, and with too few passes each turn is relabelled by itself', () => {
  const whole = byPasses(6, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']);
  const lacking = turns(1, () => [times(5, answering('a')), times(4, answering('b'))]).map((turn) => ({
    ...turn,
    id: 'lacking',
  }));
  expect(tested([...whole, ...lacking], { passes: true })).toMatchObject({ turns: 6 });
  const few = turns(3, () => [times(4, answering('a')), times(5, answering('b'))]);
  expect(tested(few, { passes: true, draws: 500 })).toEqual(tested(few, { draws: 500 }));
  expect(tested(few, { passes: true, draws: 500 })).toMatchObject({ turns: 3, p: expect.closeTo(1 / 501, 2) });
});
