import { expect, test } from 'vitest';
import { randomFrom } from '../../src/shift/random.ts';
import { combinedP, rarities } from '../../src/shift/rarity.ts';
import { MAX_RELABELINGS, relabelings } from '../../src/shift/relabelings.ts';
import { energyDistances, shareDifferences } from '../../src/shift/statistics.ts';
import fc from '../fast-check.ts';

const sizes = fc.record({ smaller: fc.integer({ min: 1, max: 4 }), more: fc.integer({ min: 0, max: 3 }) });

function waysOf(smaller: number, larger: number) {
  const observed = Array.from({ length: smaller }, (_, run) => 2 * run).filter((run) => run < smaller + larger);
  return relabelings(smaller + larger, observed, MAX_RELABELINGS, () => randomFrom('unused'));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

test('the energy distance is that of its definition, but for a factor that depends on the sizes alone', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), ({ smaller, more }, seed) => {
      const random = randomFrom(String(seed));
      const ways = waysOf(smaller, smaller + more);
      const { runs, chosen, count, members } = ways;
      const values = new Int32Array(runs * runs);
      for (let a = 0; a < runs; a++) {
        for (let b = 0; b < a; b++) values[a * runs + b] = values[b * runs + a] = random(1_000_001);
      }
      const between = (one: readonly number[], other: readonly number[]) =>
        mean(one.flatMap((a) => other.filter((b) => a !== b).map((b) => values[a * runs + b] as number)));
      const found = energyDistances(values, ways);
      const defined = Array.from({ length: count }, (_, way) => {
        const own = [...members.slice(way * chosen, (way + 1) * chosen)];
        const rest = Array.from({ length: runs }, (_, run) => run).filter((run) => !own.includes(run));
        return 2 * between(own, rest) - between(own, own) - between(rest, rest);
      });
      const at = defined.findIndex((value) => Math.abs(value) > 1);
      if (at === -1) return;
      const factor = (found[at] as number) / (defined[at] as number);
      expect(factor).toBeGreaterThan(0);
      for (const [way, value] of defined.entries()) expect(found[way]).toBeCloseTo(factor * value, 2);
      expect(found.every(Number.isSafeInteger)).toBe(true);
    }),
  );
});

test.each([
  ['one word of bits', 7],
  ['two words of bits', 40],
])('the largest difference of shares is that of its definition: %s', (_, runs) => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 30 }), (seed, count) => {
      const random = randomFrom(String(seed));
      const features = Array.from({ length: count }, () =>
        Array.from({ length: runs }, (_, run) => run).filter(() => random(3) === 0),
      );
      const ways = relabelings(runs, [0, 2, 5], 200, () => random);
      const found = shareDifferences(
        features.map((having) => ({ runs: having })),
        ways,
      );
      for (let way = 0; way < ways.count; way++) {
        const own = new Set(ways.members.slice(way * 3, way * 3 + 3));
        const differences = features.map((having) => {
          const inside = having.filter((run) => own.has(run)).length;
          return Math.abs(inside / 3 - (having.length - inside) / (runs - 3));
        });
        expect(found[way]).toBeCloseTo(Math.max(...differences) * 3 * (runs - 3), 6);
      }
    }),
    { numRuns: 50 },
  );
});

const channel = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 6 }), { minLength: length, maxLength: length })
    .map((values) => Float64Array.from(values));
const channels = fc
  .integer({ min: 1, max: 40 })
  .chain((length) => fc.array(channel(length), { minLength: 1, maxLength: 4 }));

test('the combined p is that of its definition: the sum of one over each rank, ranked among those of all relabelings', () => {
  fc.assert(
    fc.property(channels, (all) => {
      const rank = (statistics: Float64Array, way: number) =>
        statistics.filter((value) => value >= (statistics[way] as number)).length;
      // In whole parts of 1.
      const sums = [...(all[0] as Float64Array).keys()].map((way) =>
        all.reduce((sum, each) => sum + 2n ** 44n / BigInt(rank(each, way)), 0n),
      );
      const [observed] = sums as [bigint];
      expect(combinedP(all.map(rarities))).toBe(sums.filter((sum) => sum >= observed).length / sums.length);
    }),
    { numRuns: 1_000 },
  );
});

test('a statistic that never varies changes no combined p, and neither does the order of those that do', () => {
  fc.assert(
    fc.property(channels, fc.nat(), (all, at) => {
      const still = new Float64Array(all[0]?.length ?? 0).fill(7);
      const p = combinedP(all.map(rarities));
      expect(combinedP(all.toSpliced(at % (all.length + 1), 0, still).map(rarities))).toBe(p);
      expect(combinedP(all.toReversed().map(rarities))).toBe(p);
    }),
  );
});
