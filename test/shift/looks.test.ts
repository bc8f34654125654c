import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assess, nextLooks, plannedReplays, ShiftUnit } from '../../src/shift/index.ts';
import { follow, type Look, suiteLooks, turnLooks } from '../../src/shift/looks.ts';
import fc from '../fast-check.ts';
import { runs } from './runs.ts';

const RANGE = { least: 2, most: 20 };
const BAR = 0.01 / 20;
const at = (looks: readonly Look[]) => looks.map(({ replays, share }) => [replays, share]);
const suite = (recordings: number, range = RANGE, leastAt = (_: number) => 0) =>
  at(suiteLooks(recordings, range, { alpha: 0.01, leastAt }));

test('with ten recordings a turn can be red at 10 replays and at 20, with five at 20, with fewer where that could show it', () => {
  expect(at(turnLooks(10, RANGE, BAR))).toEqual([
    [2, 0],
    [3, 0],
    [5, 0],
    [7, 0],
    [10, 0.2],
    [20, 0.8],
  ]);
  expect(at(turnLooks(5, RANGE, BAR))).toEqual([
    [2, 0],
    [3, 0],
    [5, 0],
    [7, 0],
    [10, 0],
    [20, 1],
  ]);
  expect(at(turnLooks(4, RANGE, BAR))).toEqual([
    [5, 0],
    [20, 1],
  ]);
  expect(at(turnLooks(1, RANGE, BAR))).toEqual([[5, 1]]);
});

test('five recordings of more turns than 20 replays can tell apart are looked at 40 times, and never more', () => {
  expect(at(turnLooks(5, RANGE, 0.01 / 531)).at(-1)).toEqual([20, 1]);
  expect(at(turnLooks(5, RANGE, 0.01 / 532)).slice(-2)).toEqual([
    [20, 0],
    [40, 1],
  ]);
  // Where the most is set, it is kept to.
  expect(at(turnLooks(5, { least: 2, most: 15 }, 0.01 / 532)).at(-1)).toEqual([15, 1]);
});

test('looks keep to the range that is set', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 19 }),
      fc.integer({ min: 0, max: 30 }),
      (recordings, least, more) => {
        const range = { least, most: least + more };
        for (const looks of [
          turnLooks(recordings, range, BAR),
          suiteLooks(recordings, range, { alpha: 0.01, leastAt: () => 0 }),
        ]) {
          const numbers = looks.map(({ replays }) => replays);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
          expect(Math.min(...numbers)).toBeGreaterThanOrEqual(least);
          expect(Math.max(...numbers)).toBeLessThanOrEqual(Math.max(range.most, 40));
          expect(looks.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
        }
      },
    ),
  );
});

test('a look at all sessions together that could show nothing gives its share to the next one', () => {
  expect(suite(5)).toEqual([
    [2, 0.1],
    [5, 0.4],
    [10, 0.5],
  ]);
  expect(suite(1)).toEqual([
    [5, 0.4],
    [10, 0.6],
  ]);
  expect(suite(5, { least: 5, most: 20 })).toEqual([
    [5, 0.5],
    [10, 0.5],
  ]);
  expect(suite(5, { least: 5, most: 5 })).toEqual([[5, 1]]);
  // Where nothing could ever be red, nothing is replayed for it.
  expect(suite(5, RANGE, () => 1)).toEqual([[2, 0]]);
  // Passes: two of them are too few, five and five reach p = 2 / 252.
  expect(suite(5, RANGE, (replays) => (replays < 5 ? 1 : replays < 10 ? 2 / 252 : 1 / 3_003))).toEqual([
    [2, 0],
    [5, 0],
    [10, 1],
  ]);
});

test('a plan expects no fewer replays of an unchanged turn than bench/gate.json measures of live agents, and at most one more', () => {
  const file = path.join(import.meta.dirname, '../../bench/gate.json');
  const { unchanged } = JSON.parse(readFileSync(file, 'utf8')) as {
    unchanged: { rows: { name: string; cells: { 'replays a session': number } }[] };
  };
  for (const recordings of [1, 5, 10]) {
    const live = ['mild', 'wild', 'long'].map(
      (kind) => unchanged.rows.find(({ name }) => name === `${recordings}, ${kind}`)?.cells['replays a session'] ?? 0,
    );
    const measured = live.reduce((sum, each) => sum + each, 0) / live.length;
    expect(plannedReplays(recordings, RANGE).usual - measured).toBeGreaterThan(0);
    expect(plannedReplays(recordings, RANGE).usual - measured).toBeLessThan(1);
  }
});

test('what a plan expects follows the looks that are set', () => {
  expect(plannedReplays(10, RANGE)).toEqual({ first: 2, usual: expect.closeTo(3.71), most: 20 });
  expect(plannedReplays(10, { least: 5, most: 20 })).toEqual({ first: 5, usual: expect.closeTo(5.81), most: 20 });
  expect(plannedReplays(10, { least: 3, most: 3 })).toEqual({ first: 3, usual: 3, most: 3 });
  // One recording: only all sessions together are looked at once more.
  expect(plannedReplays(1, RANGE)).toEqual({ first: 5, usual: 7.5, most: 20 });
});

const share = fc.constantFrom(0, 0.2, 0.5);
const looks = fc
  .array(fc.record({ ends: fc.double({ min: 0, max: 1, noNaN: true }), share }), { minLength: 1, maxLength: 5 })
  .map((all) =>
    all.map(
      (look, index): Look => ({ ...look, replays: index + 1, share: index === all.length - 1 ? 0.3 : look.share }),
    ),
  );
const ps = fc.array(fc.double({ min: 0.0001, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 });

test('what failed replays leave out ends nothing as recorded: without a look that ended it, a sequence is not green', () => {
  fc.assert(
    fc.property(looks, ps, fc.integer({ min: 1, max: 5 }), (all, found, lost) => {
      const whole = follow(all, (replays) => found[replays - 1], { bar: 0.001 });
      const lacking = follow(all, (replays) => (replays === lost ? undefined : found[replays - 1]), { bar: 0.001 });
      if (lacking.state === 'ended' && whole.state !== 'ended') {
        // Only by a later look of its own, which the whole sequence did not need.
        expect(whole.state).toBe('over');
        expect(lacking.replays).toBeGreaterThan(whole.replays);
      }
      if (whole.state === 'open') expect(lacking.state).not.toBe('ended');
    }),
  );
});

test('a turn that ended has a p of 1, and one that did not has the least p of its looks over their shares', () => {
  fc.assert(
    fc.property(looks, ps, (all, found) => {
      const { state, replays, p } = follow(all, (at) => found[at - 1], { bar: 0 });
      const made = all.slice(0, replays);
      const shared = made.flatMap((look, index) => (look.share > 0 ? (found[index] as number) / look.share : []));
      expect(p).toBe(state === 'ended' ? 1 : Math.min(1, ...shared));
    }),
  );
});

const POLICY = { alpha: 0.01, minShift: 0.03 };

test('the order in which sessions and replays come changes neither replays nor any result', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ made: runs(6), replayed: runs(20) }), { minLength: 1, maxLength: 4 }), (all) => {
      const run = (isTurned: boolean) => {
        const units = all.map(({ made }, index) => new ShiftUnit({ id: `s${index}`, recordings: made, requested: 2 }));
        const order = isTurned ? units.toReversed() : units;
        for (let next = nextLooks(order, POLICY); next.size > 0; next = nextLooks(order, POLICY)) {
          for (const [unit, { replays: to }] of next) {
            const numbers = Array.from({ length: to - unit.asked }, (_, index) => unit.asked + 1 + index);
            const replays = all[units.indexOf(unit)]?.replayed ?? [];
            unit.ask(numbers);
            for (const number of isTurned ? numbers.toReversed() : numbers) {
              unit.add(number, replays[number % replays.length] as (typeof replays)[number]);
            }
          }
        }
        const { run: whole, of } = assess(order, POLICY);
        return { whole, turns: units.map(({ id, asked }) => [asked, of(id)]) };
      };
      expect(run(true)).toEqual(run(false));
    }),
    { numRuns: 15 },
  );
});
