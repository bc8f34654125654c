import { expect, test } from 'vitest';
import type { PairRow } from '../../src/compare/rows.ts';
import { laidTurn } from '../../src/report/laid.ts';
import { outcomes } from '../outcomes.ts';
import { comparison } from './fixtures/reports.ts';

const step = (number: number, value: string) => ({
  number,
  kind: 'call' as const,
  name: 'search',
  value: { q: value },
});
const row = (number: number, value: string): PairRow => ({
  recorded: step(number, value),
  replayed: null,
  same: false,
  differences: [],
});
const same = (number: number): PairRow => ({
  recorded: step(number, 'x'),
  replayed: step(number, 'x'),
  same: true,
  differences: [],
});

test('behaviours are laid beside the recording, the largest first', () => {
  const { clusters } = comparison({ verdict: outcomes.varies, clusters: [3, 1, 4, 2, 5], requested: 15 });
  const { pairs } = laidTurn({ clusters, recorded: [], rowsOf: (cluster) => [row(1, `of ${cluster}`)] });
  expect(pairs.map(({ cluster }) => cluster)).toEqual([4, 2, 3, 1]);
  expect(pairs[0]?.rows).toEqual([
    { left: { number: 1, kind: 'call', name: 'search', text: '{"q":"of 4"}' }, right: null, same: false },
  ]);
});

test('what is the same is folded before anything is cut: a divergence at step 9273 of 10000 is kept', () => {
  const { clusters } = comparison({ verdict: outcomes.changed, clusters: [0, 5] });
  const rows = Array.from({ length: 10_000 }, (_, index) => (index === 9_272 ? row(index + 1, 'y') : same(index + 1)));
  const { pairs } = laidTurn({ clusters, recorded: [], rowsOf: () => rows });
  expect(pairs[0]?.rows).toMatchObject([
    { left: 1, right: 1, count: 9_272 },
    { left: { number: 9_273 }, right: null, same: false },
    { left: 9_274, right: 9_274, count: 727 },
  ]);
});

test('what a report keeps of steps is bounded, in their number and in their values, and says how long they were', () => {
  const { clusters } = comparison({ verdict: outcomes.changed, clusters: [0, 5] });
  const rows = Array.from({ length: 1_000 }, (_, index) => row(index + 1, 'x'.repeat(10_000)));
  const recorded = rows.map((each) => each.recorded as NonNullable<PairRow['recorded']>);
  const { pairs, steps } = laidTurn({ clusters, recorded, rowsOf: () => rows });
  const [pair] = pairs;
  expect(pair?.rows).toHaveLength(400);
  expect(pair?.more).toBe(600);
  expect(pair?.rows[0]).toMatchObject({ left: { text: expect.stringMatching(/^.{600}$/), whole: 10_008 } });
  expect(steps).toHaveLength(1_000);
  expect(JSON.stringify(steps).length).toBeLessThan(150_000);
});

test('ids that a name stands for are told by their real values, on each side', () => {
  const { clusters } = comparison({ verdict: outcomes.changed, clusters: [0, 5] });
  const name = '<refund.hex#1>';
  const { ids } = laidTurn({
    clusters,
    recorded: [{ ...step(1, name), ids: [{ name, text: 'aa11' }] }],
    rowsOf: () => [{ ...row(1, 'y'), replayed: { ...step(1, name), ids: [{ name, text: 'bb22' }] } }],
  });
  expect(ids).toEqual([
    { cluster: null, named: [{ name, text: 'aa11' }] },
    { cluster: 1, named: [{ name, text: 'bb22' }] },
  ]);
});

test('a behaviour that was not kept is not laid out', () => {
  const { clusters } = comparison({ verdict: outcomes.changed, clusters: [0, 5] });
  expect(laidTurn({ clusters, recorded: [], rowsOf: () => undefined }).pairs).toEqual([]);
});
