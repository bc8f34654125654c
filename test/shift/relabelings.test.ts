import { expect, test } from 'vitest';
import { randomFrom } from '../../src/shift/random.ts';
import { MAX_RELABELINGS, type Relabelings, relabelings, waysToChoose } from '../../src/shift/relabelings.ts';
import fc from '../fast-check.ts';

function groupsOf({ count, chosen, members }: Relabelings): string[] {
  return Array.from({ length: count }, (_, way) => members.slice(way * chosen, (way + 1) * chosen).join());
}

/** Some of so many runs. */
const groups = fc.integer({ min: 1, max: 9 }).chain((runs) =>
  fc.record({
    runs: fc.constant(runs),
    observed: fc.subarray(
      Array.from({ length: runs }, (_, run) => run),
      { minLength: 1 },
    ),
  }),
);

const never = () => {
  throw new Error('nothing is drawn where all can be listed');
};

test('every way to relabel the runs is listed once, what was observed first', () => {
  fc.assert(
    fc.property(groups, ({ runs, observed }) => {
      const ways = relabelings(runs, observed, MAX_RELABELINGS, never);
      const listed = groupsOf(ways);
      expect(listed[0]).toBe(observed.join());
      expect(new Set(listed).size).toBe(waysToChoose(runs, observed.length));
      expect(listed).toHaveLength(ways.count);
      for (const group of listed) {
        const own = group.split(',').map(Number);
        expect(own.every((run, index) => run < runs && run > (own[index - 1] ?? -1))).toBe(true);
      }
    }),
  );
});

test('5 recordings and 20 replays are looked at in all 53,130 ways, 9 and 9 too, and 10 and 10 in a sample', () => {
  const first = (count: number) => Array.from({ length: count }, (_, run) => run);
  const random = () => randomFrom('seed');
  expect(relabelings(25, first(5), MAX_RELABELINGS, never)).toMatchObject({ count: 53_130 });
  expect(relabelings(18, first(9), MAX_RELABELINGS, never)).toMatchObject({ count: 48_620 });
  expect(relabelings(20, first(10), MAX_RELABELINGS, random)).toMatchObject({ count: 60_000 });
});

test('a sample holds what was observed, is evenly drawn, and is the same for the same seed', () => {
  const sample = (seed: string) => relabelings(12, [1, 3, 6, 7, 8, 11], 500, () => randomFrom(seed));
  const listed = groupsOf(sample('one'));
  expect(listed[0]).toBe('1,3,6,7,8,11');
  for (const group of listed) expect(new Set(group.split(',')).size).toBe(6);
  expect(groupsOf(sample('one'))).toEqual(listed);
  expect(groupsOf(sample('two'))).not.toEqual(listed);
  for (let run = 0; run < 12; run++) {
    const share = listed.filter((group) => group.split(',').includes(String(run))).length / listed.length;
    // Five deviations of a mean of 500.
    expect(Math.abs(share - 0.5)).toBeLessThan(5 * Math.sqrt(0.25 / 500));
  }
});

test('seeded numbers are the same on every machine', () => {
  const random = randomFrom('agent-replay');
  expect(Array.from({ length: 8 }, () => random(1_000))).toMatchInlineSnapshot(`
    [
      243,
      289,
      96,
      806,
      690,
      522,
      944,
      375,
    ]
  `);
  expect(Array.from({ length: 3 }, () => random(2 ** 32))).toMatchInlineSnapshot(`
    [
      2657368533,
      1482300052,
      189370112,
    ]
  `);
});
