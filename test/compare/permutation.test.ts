import fc from 'fast-check';
import { expect, test } from 'vitest';
import { baselinesNeeded, permutationTest } from '../../src/compare/figures/permutation.ts';
import { holm } from '../../src/report/words/significance.ts';

const times = (count: number, cluster: number): number[] => Array.from({ length: count }, () => cluster);

/** The definition: every labelling, the means over all pairs. */
function byEnumeration(baselines: readonly number[], replays: readonly number[]): number {
  const runs = [...baselines, ...replays];
  const statistic = (isBaseline: (index: number) => boolean): number => {
    const [between, within] = [
      { sum: 0, pairs: 0 },
      { sum: 0, pairs: 0 },
    ];
    for (let i = 0; i < runs.length; i++) {
      for (let j = i + 1; j < runs.length; j++) {
        const group = isBaseline(i) === isBaseline(j) ? within : between;
        group.pairs++;
        group.sum += runs[i] === runs[j] ? 0 : 1;
      }
    }
    return between.sum / between.pairs - (within.pairs === 0 ? 0 : within.sum / within.pairs);
  };
  const seen = statistic((index) => index < baselines.length);
  let [extreme, total] = [0, 0];
  for (let labels = 0; labels < 2 ** runs.length; labels++) {
    const ones = labels.toString(2).replaceAll('0', '').length;
    if (ones !== baselines.length) continue;
    total++;
    if (statistic((index) => ((labels >> index) & 1) === 1) >= seen - 1e-9) extreme++;
  }
  return extreme / total;
}

const group = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 });

test('p is the share of all labellings that are at least as extreme', () => {
  fc.assert(
    fc.property(group, group, (baselines, replays) => {
      expect(permutationTest(baselines, replays)?.p).toBeCloseTo(byEnumeration(baselines, replays), 5);
    }),
    { numRuns: 1_000 },
  );
});

test.each<[number, number, number]>([
  [1, 5, 1 / 6],
  [1, 19, 1 / 20],
  [5, 5, 2 / 252],
  [3, 5, 1 / 56],
  [20, 20, 2 / 137_846_528_820],
  [1, 1, 1],
])('%i recordings and %i replays that have nothing in common reach the smallest p', (m, r, smallest) => {
  const found = permutationTest(times(m, 0), times(r, 1));
  expect(found).toEqual({ p: Number(smallest.toPrecision(6)), smallest: found?.p, baselines: m, replays: r });
});

test('no data reach less than the smallest p, and the names and order of runs and clusters do not matter', () => {
  const many = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(many, many, (baselines, replays) => {
      const found = permutationTest(baselines, replays);
      expect(found?.p).toBeGreaterThanOrEqual(found?.smallest ?? 2);
      expect(found?.p).toBeLessThanOrEqual(1);
      const renamed = (list: readonly number[]) => list.map((cluster) => 100 - cluster).toReversed();
      expect(permutationTest(renamed(baselines), renamed(replays))).toEqual(found);
      expect(permutationTest(replays, baselines)?.p).toBe(found?.p);
    }),
    { numRuns: 1_000 },
  );
});

test('groups that behave alike are not significant, nor are runs of which no two are alike', () => {
  expect(permutationTest(times(20, 0), times(20, 0))?.p).toBe(1);
  expect(permutationTest([0, 1, 2, 3, 4], [5, 6, 7, 8, 9])?.p).toBe(1);
});

test('unchanged behaviour is significant at .05 in at most 5 % of cases', () => {
  // All labellings of one mixed group: as often as p says, and no more.
  const runs = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3];
  let [significant, total] = [0, 0];
  for (let labels = 0; labels < 2 ** runs.length; labels++) {
    const baselines = runs.filter((_, index) => ((labels >> index) & 1) === 1);
    if (baselines.length !== 5) continue;
    const replays = runs.filter((_, index) => ((labels >> index) & 1) === 0);
    total++;
    if ((permutationTest(baselines, replays)?.p ?? 1) <= 0.05) significant++;
  }
  expect(total).toBe(252);
  expect(significant / total).toBeLessThanOrEqual(0.05);
  expect(significant).toBeGreaterThan(0);
});

test('nothing to compare, or too much to count, has no p', () => {
  expect(permutationTest([], [0])).toBeNull();
  expect(permutationTest([0], [])).toBeNull();
  const endless = Array.from({ length: 1_000 }, (_, index) => index % 30);
  expect(permutationTest(endless, endless)).toBeNull();
});

test.each([
  ['all apart', (index: number) => index],
  ['two clusters', (index: number) => index % 2],
  ['five clusters', (index: number) => index % 5],
  ['uneven clusters', (index: number) => Math.floor(Math.sqrt(index))],
])('20 recordings and 20 replays are counted exactly: %s', (_, clusterOf) => {
  const runs = Array.from({ length: 40 }, (_, index) => clusterOf(index));
  expect(permutationTest(runs.slice(0, 20), runs.slice(20))?.smallest).toBeCloseTo(2 / 137_846_528_820, 15);
});

test('five recordings and 1,000 replays of ten behaviours are counted as well', () => {
  const replays = Array.from({ length: 1_000 }, (_, index) => index % 10);
  expect(permutationTest(times(5, 11), replays)?.p).toBeLessThan(1e-9);
});

test('Holm’s adjustment, by hand', () => {
  expect(holm([])).toEqual([]);
  expect(holm([0.03])).toEqual([0.03]);
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  expect(holm([0.6, 0.9])).toEqual([1, 1]);
});

test('Holm’s adjustment keeps the order of p-values, lowers none, and raises none more than Bonferroni', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (ps) => {
      const adjusted = holm(ps);
      for (const [i, p] of ps.entries()) {
        expect(adjusted[i]).toBeGreaterThanOrEqual(p * 0.99999);
        expect(adjusted[i]).toBeLessThanOrEqual(Math.min(1, p * ps.length) * 1.00001);
        for (const [j, q] of ps.entries()) if (p < q) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j] ?? 0);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the number of recordings that could reach .05 is the least', () => {
  expect(baselinesNeeded(5, 1)).toBe(2);
  expect(baselinesNeeded(1, 1)).toBe(19);
  expect(baselinesNeeded(0, 1)).toBeNull();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (replays, tests) => {
      const needed = baselinesNeeded(replays, tests) ?? 0;
      const best = (baselines: number) =>
        holm(times(tests, permutationTest(times(baselines, 0), times(replays, 1))?.smallest ?? 1))[0] ?? 1;
      expect(best(needed)).toBeLessThanOrEqual(0.05);
      if (needed > 1) expect(best(needed - 1)).toBeGreaterThan(0.05);
    }),
    { numRuns: 1_000 },
  );
});
