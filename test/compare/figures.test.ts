import { expect, test } from 'vitest';
import { figuresOf } from '../../src/compare/figures/figures.ts';
import fc from '../fast-check.ts';

const of = (clusterSizes: readonly number[], asRecorded = clusterSizes[0] ?? 0) =>
  figuresOf({ clusterSizes, asRecorded, minor: 0, inOtherWords: 0 });

function choose(n: number, k: number): bigint {
  let result = 1n;
  for (let i = 0; i < k; i++) result = (result * BigInt(n - i)) / BigInt(i + 1);
  return k > n ? 0n : result;
}

/** A quotient of integers to six decimals, without floats. */
function quotient(numerator: bigint, denominator: bigint): number {
  return Number((numerator * 2_000_000n + denominator) / (2n * denominator)) / 1e6;
}

test('nothing is estimated from nothing', () => {
  expect(of([])).toEqual({
    n: 0,
    asRecorded: 0,
    minor: 0,
    inOtherWords: 0,
    behaviours: 0,
    agreement: null,
    tarAtK: [],
    passHatK: [],
    interval: null,
  });
  expect(of([1])).toMatchObject({ agreement: null, tarAtK: [1], passHatK: [1] });
});

test('figures of five runs in clusters of three and two, by hand', () => {
  expect(of([3, 2])).toMatchObject({
    n: 5,
    behaviours: 2,
    agreement: 0.4,
    tarAtK: [1, 0.4, 0.1, 0, 0],
    passHatK: [0.6, 0.3, 0.1, 0, 0],
    interval: [0.230724, 0.882379],
  });
});

test('the Wilson interval agrees with published values, and never leaves 0 to 1', () => {
  // Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  const rounded = (clusters: number[]) => of(clusters).interval?.map((bound) => Number(bound.toFixed(4)));
  expect(rounded([81, 182])).toEqual([0.2553, 0.3662]);
  expect(rounded([15, 133])).toEqual([0.0624, 0.1605]);
  expect(of([20], 0).interval?.map((bound) => Number(bound.toFixed(4)))).toEqual([0, 0.1611]);
  expect(rounded([1, 28])).toEqual([0.0061, 0.1718]);
  expect(of([1_000]).interval?.[1]).toBe(1);
});

test('TAR@k and pass^k are exact to six decimals up to 1,000 runs', () => {
  const sizes = fc
    .array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 30 })
    .filter((list) => list.reduce((sum, size) => sum + size, 0) <= 1_000);
  fc.assert(
    fc.property(sizes, (clusterSizes) => {
      const n = clusterSizes.reduce((sum, size) => sum + size, 0);
      const found = of(clusterSizes);
      expect(found.tarAtK).toHaveLength(Math.min(n, 10));
      for (const [index, tar] of found.tarAtK.entries()) {
        const k = index + 1;
        const agreeing = clusterSizes.reduce((sum, size) => sum + choose(size, k), 0n);
        expect(Math.abs(tar - quotient(agreeing, choose(n, k)))).toBeLessThan(1.5e-6);
        expect(
          Math.abs((found.passHatK[index] ?? 2) - quotient(choose(found.asRecorded, k), choose(n, k))),
        ).toBeLessThan(1.5e-6);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('agreement is the share of pairs of runs that agree, counted pair by pair', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 20 }), (runs) => {
      const clusterSizes = [...Map.groupBy(runs, (cluster) => cluster).values()].map(({ length }) => length);
      const pairs = runs.flatMap((a, index) => runs.slice(index + 1).map((b) => a === b));
      const share = pairs.filter(Boolean).length / pairs.length;
      expect(of(clusterSizes).agreement).toBeCloseTo(share, 5);
    }),
    { numRuns: 1_000 },
  );
});

test('TAR@k and pass^k fall with k, and the order of clusters does not matter', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 }), (clusterSizes) => {
      const found = of(clusterSizes);
      for (const list of [found.tarAtK, found.passHatK]) expect(list).toEqual(list.toSorted((a, b) => b - a));
      expect(of(clusterSizes.toReversed(), found.asRecorded)).toEqual(found);
    }),
    { numRuns: 1_000 },
  );
});
