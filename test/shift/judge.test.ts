import { expect, test } from 'vitest';
import { benjaminiHochberg } from '../../src/shift/benjamini-hochberg.ts';
import { assess, nextLooks, type ShiftRun, ShiftUnit } from '../../src/shift/index.ts';
import { drawsFor, judgeTurns, type LookedAt, reachOf } from '../../src/shift/judge-turns.ts';
import { leastP } from '../../src/shift/relabelings.ts';
import fc from '../fast-check.ts';

const ALPHA = { alpha: 0.01 };
const LOOKS = { least: 2, most: 20 };
const POLICY = { alpha: 0.01, minShift: 0.03 };

const turn = (id: string, p: number, ...last: number[]): LookedAt => ({ id, p, last });
/** Turns that ended as recorded. */
const still = (count: number) => Array.from({ length: count }, (_, index) => turn(`still ${index}`, 1));

test('the correction counts all turns, not those that were looked at to the end', () => {
  expect(judgeTurns([turn('a', 0.0005), ...still(19)], ALPHA).get('a')).toEqual({ state: 'shifted', adjusted: 0.01 });
  expect(judgeTurns([turn('a', 0.0005, 0.01, 0.0005), ...still(20)], ALPHA).get('a')?.state).toBe('may-have-shifted');
  // As many turns as the whole run has, where these are one part of it.
  expect(judgeTurns([turn('a', 0.0005)], ALPHA, 21).get('a')?.state).toBe('as-before');
});

test('the correction is that of its definition: the least of p times turns over rank, from its rank up', () => {
  expect(benjaminiHochberg([0.01, 0.04, 0.03, 0.005])).toEqual([0.02, 0.04, 0.04, 0.02]);
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (ps) => {
      const ranks = ps.map((p) => ps.filter((other) => other <= p).length);
      const defined = ps.map((p) =>
        Math.min(1, ...ps.flatMap((other, at) => (other >= p ? (other * ps.length) / (ranks[at] as number) : []))),
      );
      expect(benjaminiHochberg(ps)).toEqual(defined.map((p) => Number(p.toPrecision(6))));
    }),
  );
});

test('among thousands of turns one that has nothing in common with its recordings is red, and so are several', () => {
  for (const [turns, changed] of [
    [600, 1],
    [5_000, 5],
    [23_000, 3],
  ] as const) {
    const least = 1 / drawsFor(turns, changed, ALPHA);
    const suite = [
      ...Array.from({ length: changed }, (_, index) => turn(`changed ${index}`, least)),
      ...still(turns - changed),
    ];
    const red = [...judgeTurns(suite, ALPHA)].filter(([, { state }]) => state === 'shifted');
    expect(red.map(([id]) => id)).toEqual(Array.from({ length: changed }, (_, index) => `changed ${index}`));
  }
});

test('the second of two shifted turns needs less', () => {
  const found = judgeTurns([turn('a', 0.004), turn('b', 0.008)], ALPHA);
  expect([...found.values()].map(({ state }) => state)).toEqual(['shifted', 'shifted']);
});

test.each([
  ['twice at most .05', 0.05, 0.05, 'may-have-shifted'],
  ['only before', 0.04, 0.06, 'as-before'],
  ['only at last', 0.06, 0.02, 'as-before'],
])('a turn that is not red may have shifted when its p at the last two looks was %s', (_, first, second, state) => {
  expect(judgeTurns([turn('a', second, first, second), ...still(9)], ALPHA).get('a')?.state).toBe(state);
});

/** Runs that call some tools. */
const calling = (...tools: readonly string[]): ShiftRun => ({
  calls: tools.map((tool) => ({ tool, tokens: [] })),
  answers: [],
  failures: [],
});
const times = (count: number, of: (run: number) => ShiftRun) =>
  new Map(Array.from({ length: count }, (_, index) => [index + 1, of(index + 1)]));

test.each([
  [4, 5, true],
  [3, 5, false],
  [16, 20, true],
  [15, 20, false],
  [0, 0, false],
])('%i conclusive replays of %i: tested %s', (conclusive, requested, expected) => {
  const unit = new ShiftUnit({ id: 'one', recordings: [calling('a')], requested });
  unit.ask(times(requested, () => calling()).keys());
  for (const [run, did] of times(conclusive, () => calling('a'))) unit.add(run, did);
  expect(unit.table() !== undefined).toBe(expected);
});

/** So many runs of a tree, and of its base, which calls `b` in every second run. */
function againstBase(runs: number, of: (run: number) => ShiftRun): ShiftUnit {
  const unit = new ShiftUnit({ id: 'one', recordings: [], base: times(runs, asBase), requested: 5 });
  const made = times(runs, of);
  unit.ask(made.keys());
  for (const [run, did] of made) unit.add(run, did);
  return unit;
}
const asBase = (run: number) => calling('a', ...(run % 2 === 0 ? ['b'] : []));
const elsewhere = () => calling('c', 'd');

test.each([
  ['nothing odd', asBase, asBase, [], 'as-before'],
  ['odd twice', elsewhere, elsewhere, [15], 'shifted'],
  ['odd once', elsewhere, asBase, [15], 'as-before'],
])('against a base sessions are red together when they are odd twice: %s', (_, first, further, asks, state) => {
  const made = (runs: number) => [againstBase(runs, (run) => (run <= 5 ? first : further)(run))];
  const why = 'the test of a turn is open';
  expect([...nextLooks(made(5), POLICY).values()]).toEqual(asks.map((replays) => ({ replays, why })));
  expect(assess(made(asks[0] ?? 5), POLICY).run.suites).toMatchObject([{ state, against: 'base' }]);
});

test('a shift of all sessions that is too small to matter is told, and red is none', () => {
  const { run } = assess([againstBase(5, elsewhere)], { alpha: 0.01, minShift: 100 });
  expect(run.suites).toMatchObject([{ state: 'too-small' }]);
});

test('three recordings are too few from 18 turns on, and five are looked at more often from 532 on', () => {
  expect(reachOf(3, 17, ALPHA, LOOKS)).toMatchObject({ isEnough: true });
  expect(reachOf(3, 18, ALPHA, LOOKS)).toEqual({
    least: leastP(3, 5),
    needed: 0.01 / 18,
    isEnough: false,
    recordings: 4,
  });
  expect(reachOf(5, 531, ALPHA, LOOKS)).toMatchObject({ isEnough: true });
  expect(reachOf(5, 532, ALPHA, LOOKS)).toMatchObject({ isEnough: true, least: leastP(5, 40) });
});

test('where looks end early, no more is promised than their last replay can show', () => {
  expect(reachOf(5, 20, ALPHA, LOOKS)).toMatchObject({ isEnough: true });
  expect(reachOf(5, 20, ALPHA, { least: 2, most: 5 })).toMatchObject({
    least: leastP(5, 5),
    isEnough: false,
    recordings: 9,
  });
  const units = ['a', 'b'].map((id, index) => {
    const looks = index === 0 ? LOOKS : { least: 2, most: 3 };
    const unit = new ShiftUnit({ id, recordings: Array.from({ length: 5 }, () => calling('a')), requested: 3, looks });
    unit.ask([1, 2, 3]);
    for (const run of [1, 2, 3]) unit.add(run, calling('b'));
    return unit;
  });
  expect(assess(units, POLICY).run.reach).toMatchObject({ least: leastP(5, 3) });
});

test('what many replays can show is told of as many as were asked for', () => {
  const looks = { least: 25, most: 25 };
  const runs = Array.from({ length: 25 }, (_, index) => index + 1);
  const unit = new ShiftUnit({ id: 'a', recordings: runs.slice(0, 5).map(() => calling('a')), requested: 25, looks });
  unit.ask(runs);
  for (const run of runs) unit.add(run, calling('b'));
  expect(assess([unit], { ...POLICY, counted: 100_000 }).run.reach).toMatchObject({ least: leastP(5, 25) });
});

test('more recordings are advised only where they are enough', () => {
  expect(reachOf(5, 12_217, ALPHA, LOOKS)).toMatchObject({ isEnough: true });
  expect(reachOf(5, 12_218, ALPHA, LOOKS)).toMatchObject({ isEnough: false, recordings: 6 });
  expect(reachOf(10, 24_000, ALPHA, LOOKS)).toMatchObject({ isEnough: true });
  expect(reachOf(10, 24_001, ALPHA, LOOKS)).toEqual({
    least: 1 / 3_000_000 / 0.8,
    needed: 0.01 / 24_001,
    isEnough: false,
  });
});

test.each([
  [5, 20, 1 / 53_130],
  [5, 5, 2 / 252],
  [1, 5, 1 / 6],
  [10, 20, 1 / 3_000_000],
  [0, 5, 1],
])('the least p of %i recordings and %i replays', (recordings, replays, least) => {
  expect(leastP(recordings, replays)).toBe(least);
});
