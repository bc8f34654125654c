import { expect, test } from 'vitest';
import { type ShiftRun, turnTest } from '../../src/shift/index.ts';
import { randomFrom } from '../../src/shift/random.ts';
import { leastP } from '../../src/shift/relabelings.ts';
import { tableOf } from '../../src/shift/table.ts';
import fc from '../fast-check.ts';
import { run, runs } from './runs.ts';

function testOf(recordings: readonly ShiftRun[], replays: readonly ShiftRun[]) {
  const found = turnTest(tableOf(recordings, replays));
  if (found === null) throw new Error('both sides have runs');
  return found;
}

const answering = (...words: string[]): ShiftRun => ({ calls: [], answers: [{ words }], failures: [] });
const times = (count: number, of: ShiftRun): ShiftRun[] => Array.from({ length: count }, () => of);

test('it is exact: of all ways to label the same runs, at most a share of p has a p as small', () => {
  fc.assert(
    fc.property(fc.array(run, { minLength: 2, maxLength: 7 }), fc.nat(), (all, nth) => {
      const size = 1 + (nth % (all.length - 1));
      const ps: number[] = [];
      for (let labels = 0; labels < 2 ** all.length; labels++) {
        const recordings = all.filter((_, index) => ((labels >> index) & 1) === 1);
        if (recordings.length !== size) continue;
        const replays = all.filter((_, index) => ((labels >> index) & 1) === 0);
        ps.push(testOf(recordings, replays).p);
      }
      for (const p of ps) expect(ps.filter((other) => other <= p).length / ps.length).toBeCloseTo(p, 12);
    }),
    { numRuns: 60 },
  );
});

test('the order in which runs come makes no difference to any byte', () => {
  fc.assert(
    fc.property(runs(6), runs(6), (recordings, replays) => {
      const [table, turned] = [tableOf(recordings, replays), tableOf(recordings.toReversed(), replays.toReversed())];
      const { runs: order, ...rest } = table;
      const { runs: turnedOrder, ...turnedRest } = turned;
      expect(JSON.stringify(turnedRest)).toBe(JSON.stringify(rest));
      expect(turnedOrder.map(({ side }) => side)).toEqual(order.map(({ side }) => side));
      expect(JSON.stringify(turnTest(turned))).toBe(JSON.stringify(turnTest(table)));
    }),
  );
});

test('recordings and replays can change places', () => {
  fc.assert(
    fc.property(runs(5), runs(5), (recordings, replays) => {
      expect(testOf(replays, recordings)).toEqual(testOf(recordings, replays));
    }),
  );
});

test('runs that are all alike have a p of 1, and no label could change it', () => {
  fc.assert(
    fc.property(run, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), (of, m, r) => {
      expect(testOf(times(m, of), times(r, of))).toMatchObject({ p: 1, varies: false });
    }),
  );
});

test('tools, their arguments and words can be called anything', () => {
  const renamed = ({ calls, answers, failures }: ShiftRun): ShiftRun => ({
    calls: calls.map(({ tool, tokens }) => ({
      tool: `${tool}_2`,
      tokens: tokens.map((token) => token.replace('/', '/z')).sort(),
    })),
    answers: answers.map((answer) =>
      'words' in answer
        ? { words: answer.words.map((word) => word.toUpperCase()) }
        : { leaves: answer.leaves.map((leaf) => ({ ...leaf, pointer: `/z${leaf.pointer}` })) },
    ),
    failures: failures.map((failure) => `${failure}!`),
  });
  fc.assert(
    fc.property(runs(5), runs(5), (recordings, replays) => {
      expect(testOf(recordings.map(renamed), replays.map(renamed))).toEqual(testOf(recordings, replays));
    }),
  );
});

test('what all runs say in the same way changes nothing', () => {
  fc.assert(
    fc.property(runs(5), runs(5), (recordings, replays) => {
      const silent = (each: ShiftRun): ShiftRun => ({ ...each, answers: [] });
      const alike = (each: ShiftRun): ShiftRun => ({ ...each, answers: [{ words: ['the', 'same'] }] });
      const told = testOf(recordings.map(alike), replays.map(alike));
      expect(told).toEqual(testOf(recordings.map(silent), replays.map(silent)));
    }),
  );
});

test.each([
  [1, 5],
  [3, 5],
  [5, 5],
  [5, 20],
])('%i recordings and %i replays that have nothing in common have the least p that can be', (m, r) => {
  const found = testOf(times(m, answering('yes')), times(r, answering('no')));
  expect(found.p).toBe(leastP(m, r));
  expect(found).toMatchObject({ varies: true });
});

test('a p at the floor of a sample is looked for among more draws, and any other one stands', () => {
  const apart = tableOf(times(10, answering('yes')), times(20, answering('no')));
  expect(turnTest(apart)).toMatchObject({ p: 1 / 60_000 });
  const many = { p: 1 / 150_000, speaks: 'answer' };
  expect(turnTest(apart, { most: 150_000 })).toMatchObject(many);
  const near = tableOf([...times(6, answering('yes')), ...times(4, answering('no'))], times(20, answering('no')));
  expect(turnTest(near, { most: 150_000 })).toEqual(turnTest(near));
  // 6 of 26 runs can be taken in 230,230 ways: all of them are counted.
  const listed = tableOf(times(6, answering('yes')), times(20, answering('no')));
  expect(turnTest(listed, { most: 300_000 })).toMatchObject({ p: 1 / 230_230 });
});

test('a turn without recordings or without replays is not tested', () => {
  expect(turnTest(tableOf([], [answering('yes')]))).toBeNull();
  expect(turnTest(tableOf([answering('yes')], []))).toBeNull();
});

test('the channel that parts the groups speaks', () => {
  const calling = (tool: string): ShiftRun => ({ ...answering('done'), calls: [{ tool, tokens: [] }] });
  expect(testOf(times(5, calling('a')), times(5, calling('b'))).speaks).toBe('calls');
  expect(testOf(times(5, answering('yes')), times(5, answering('no'))).speaks).toBe('answer');
});

test('more runs than can be relabelled in all ways have the same p every time', () => {
  fc.assert(
    fc.property(
      fc.array(run, { minLength: 4, maxLength: 6 }),
      fc.array(run, { minLength: 4, maxLength: 6 }),
      (recordings, replays) => {
        const sampled = () => turnTest(tableOf(recordings, replays), { limit: 50 });
        expect(sampled()).toEqual(sampled());
        const ways = (sampled()?.p ?? 0) * 50;
        expect(ways).toBeCloseTo(Math.round(ways), 9);
      },
    ),
    { numRuns: 20 },
  );
});

test('a word in the place of another is found in long answers, where other words set the sides apart by chance', () => {
  const random = randomFrom('places');
  const words = (place: string) => [
    ...Array.from({ length: 150 }, (_, at) => `w${at % 3 === 0 ? `${at}-${random(3)}` : at}`),
    'costs',
    place,
    'euros',
  ];
  const side = (count: number, place: string) => Array.from({ length: count }, () => answering(...words(place)));
  const [recordings, replays] = [side(5, '57'), side(20, '75')];
  const { runs: order, ...table } = tableOf(recordings, replays);
  const without = table.features.filter(({ trait }) => !JSON.stringify(trait).match(/"(57|75)"/));
  expect(testOf(recordings, replays).p).toBeLessThan(0.01 / 20);
  expect(turnTest({ ...table, runs: order, features: without })?.p).toBeGreaterThan(0.01 / 20);
});
