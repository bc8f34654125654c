import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verdict as anyVerdict, type Verdict } from '../../src/compare/result.ts';
import { turnVerdict } from '../../src/compare/verdict.ts';
import { sessionVerdict } from '../../src/report/build.ts';

/** Runs as recorded, sizes of the other clusters, runs lost, and what is to come of them. */
const TABLE: [number, number[], number, Verdict, number | null, string | null][] = [
  // original seen, replays agree
  [1, [], 0, 'reproduced', null, null],
  [5, [], 0, 'reproduced', null, null],
  // all conclusive ones as recorded, but fewer than asked for
  [4, [], 1, 'inconclusive', null, '1 of 5 not verified'],
  [1, [], 4, 'inconclusive', null, '4 of 5 not verified'],
  // no conclusive run
  [0, [], 0, 'inconclusive', null, null],
  [0, [], 5, 'inconclusive', null, '5 of 5 not verified'],
  // original seen, replays disagree
  [4, [1], 0, 'flaky', null, null],
  [1, [1, 1, 1, 1], 0, 'flaky', null, null],
  [3, [1], 1, 'flaky', null, '1 of 5 not verified'],
  // not seen, replays agree
  [0, [1], 0, 'changed', null, null],
  [0, [5], 0, 'changed', null, null],
  [0, [4], 1, 'changed', null, '1 of 5 not verified'],
  // not seen, replays disagree: few behaviours seen only once
  [0, [3, 2], 0, 'changed', null, null],
  [0, [3, 1], 0, 'changed', null, null],
  [0, [6, 1, 1], 0, 'changed', null, null],
  [0, [3, 1], 1, 'changed', null, '1 of 5 not verified'],
  // not seen, replays disagree: many behaviours seen only once
  [0, [1, 1], 0, 'unsettled', null, null],
  [0, [2, 1], 0, 'unsettled', 4, null],
  [0, [3, 1, 1], 0, 'unsettled', 8, null],
  [0, [5, 1, 1], 0, 'unsettled', 8, null],
  [0, [1, 1, 1, 1, 1], 0, 'unsettled', null, null],
  [0, [2, 1, 1, 1], 0, 'unsettled', null, null],
  [0, [2, 2, 1, 1], 0, 'unsettled', 8, null],
  [0, [2, 1], 2, 'unsettled', 4, '2 of 5 not verified'],
];

function outcome(asRecorded: number, others: readonly number[], lost: number) {
  const conclusive = others.reduce((sum, size) => sum + size, asRecorded);
  return {
    requested: conclusive + lost,
    conclusive,
    asRecorded,
    minor: 0,
    reworded: 0,
    clusterSizes: asRecorded > 0 ? [asRecorded, ...others] : [...others],
    originalSeen: asRecorded > 0,
  };
}

test.each(TABLE)('%i as recorded, others %j, %i lost: %s', (asRecorded, others, lost, verdict, suggestedRuns, note) => {
  expect(turnVerdict(outcome(asRecorded, others, lost))).toEqual({ verdict, suggestedRuns, note });
});

/** All ways to put so many runs into clusters, the largest first. */
function partitions(runs: number, largest = runs): number[][] {
  if (runs === 0) return [[]];
  return Array.from({ length: Math.min(runs, largest) }, (_, index) => index + 1).flatMap((first) =>
    partitions(runs - first, first).map((rest) => [first, ...rest]),
  );
}

/** The table of the design, cell by cell. */
function cell(seen: boolean, clusters: number, singles: number, conclusive: number): Verdict {
  if (clusters === 1) return seen ? 'reproduced' : 'changed';
  if (seen) return 'flaky';
  return singles * 4 <= conclusive ? 'changed' : 'unsettled';
}

test('every combination of up to 8 runs has the verdict of its cell', () => {
  let combinations = 0;
  for (let requested = 0; requested <= 8; requested++) {
    for (let lost = 0; lost <= requested; lost++) {
      for (let asRecorded = 0; asRecorded <= requested - lost; asRecorded++) {
        for (const others of partitions(requested - lost - asRecorded)) {
          combinations++;
          const given = outcome(asRecorded, others, lost);
          const isUnverified = given.conclusive === 0 || (others.length === 0 && lost > 0);
          const singles = given.clusterSizes.filter((size) => size === 1).length;
          const expected = cell(given.originalSeen, given.clusterSizes.length, singles, given.conclusive);
          expect([given, turnVerdict(given).verdict]).toEqual([given, isUnverified ? 'inconclusive' : expected]);
        }
      }
    }
  }
  expect(combinations).toBeGreaterThan(400);
});

test('unsettled suggests the least number of runs that would settle it if no other behaviour came, and none where one is likely to come', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 30 }), (others) => {
      const given = outcome(0, others, 0);
      const { verdict, suggestedRuns } = turnVerdict(given);
      const singles = others.filter((size) => size === 1).length;
      expect(suggestedRuns !== null).toBe(verdict === 'unsettled' && singles / given.conclusive <= 0.5);
      if (suggestedRuns === null) return;
      expect(suggestedRuns).toBeGreaterThan(given.conclusive);
      expect(singles / suggestedRuns).toBeLessThanOrEqual(0.25);
      expect(singles / (suggestedRuns - 1)).toBeGreaterThan(0.25);
    }),
    { numRuns: 1_000 },
  );
});

test('no more runs are suggested than a run can make', () => {
  const singles = (count: number) => Array.from({ length: count }, () => 1);
  expect(turnVerdict(outcome(0, [251, ...singles(250)], 0)).suggestedRuns).toBe(1_000);
  expect(turnVerdict(outcome(0, [252, ...singles(251)], 0))).toMatchObject({
    verdict: 'unsettled',
    suggestedRuns: null,
  });
});

test('runs in other words are as recorded in every verdict, and make reworded of reproduced alone', () => {
  for (const [asRecorded, others, lost] of [
    [5, [], 0],
    [3, [2], 0],
    [4, [], 1],
    [1, [1, 1, 1], 0],
  ] as const) {
    const given = outcome(asRecorded, others, lost);
    const [plain, reworded] = [turnVerdict(given), turnVerdict({ ...given, reworded: 1 })];
    expect(reworded.verdict).toBe(plain.verdict === 'reproduced' ? 'reworded' : plain.verdict);
    expect(reworded.suggestedRuns).toBe(plain.suggestedRuns);
    expect(reworded.note).toContain(`${asRecorded} of ${given.conclusive} as recorded, 1 in other words (not judged)`);
  }
});

test('a session has the verdict of its worst turn', () => {
  expect(anyVerdict.options).toEqual([
    'changed',
    'unsettled',
    'flaky',
    'inconclusive',
    'varies',
    'reworded',
    'reproduced',
  ]);
  for (const [rank, worst] of anyVerdict.options.entries()) {
    for (const other of anyVerdict.options.slice(rank)) {
      expect([sessionVerdict([worst, other]), sessionVerdict([other, worst, other])]).toEqual([worst, worst]);
    }
  }
  expect(sessionVerdict([])).toBe('inconclusive');
});
