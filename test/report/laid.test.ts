import { expect, test } from 'vitest';
import type { PairRow } from '../../src/compare/index.ts';
import { laidPairs } from '../../src/report/index.ts';
import { comparison } from './fixtures/reports.ts';

const row = (number: number, value: string): PairRow => ({
  recorded: { number, kind: 'call', name: 'search', value: { q: value } },
  replayed: null,
  same: false,
  differences: [],
});

test('the largest behaviours that are not as recorded are laid beside the recording, at most three', () => {
  const { clusters } = comparison({ verdict: 'flaky', clusters: [3, 1, 4, 2, 5], requested: 15 });
  const pairs = laidPairs(clusters, (cluster) => [row(1, `of ${cluster}`)]);
  expect(pairs.map(({ cluster }) => cluster)).toEqual([4, 2, 3]);
  expect(pairs[0]?.rows).toEqual([
    { left: { number: 1, kind: 'call', name: 'search', text: '{"q":"of 4"}' }, right: null, same: false },
  ]);
});

test('what a report keeps of steps is bounded, in their number and in their values', () => {
  const { clusters } = comparison({ verdict: 'changed', clusters: [0, 5] });
  const rows = Array.from({ length: 1_000 }, (_, index) => row(index + 1, 'x'.repeat(10_000)));
  const [pair] = laidPairs(clusters, () => rows);
  expect(pair?.rows).toHaveLength(200);
  expect(pair?.more).toBe(800);
  expect(pair?.rows[0]?.left?.text).toHaveLength(600);
});

test('a behaviour that was not kept is not laid out', () => {
  const { clusters } = comparison({ verdict: 'changed', clusters: [0, 5] });
  expect(laidPairs(clusters, () => undefined)).toEqual([]);
});
