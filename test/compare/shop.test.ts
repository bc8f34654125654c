import { expect, test } from 'vitest';
import { rules } from './agents.ts';
import { compareTurn } from './compare-turn.ts';
import { type Visit, visit } from './shop.ts';

const PAIRS = 200;
const SLIPS = 0.2;

/** Whether two visits differ in what the agent did. */
function differInDid(a: Visit, b: Visit): boolean {
  const { clusters } = compareTurn([a.recording], [{ run: 1, recording: b.recording }], rules());
  return clusters.some(({ differences }) => differences.some(({ aspect }) => aspect === 'did'));
}

test(`of ${PAIRS} pairs of visits to a shop those with another effect differ in what was done, and of the others at most 6 %`, () => {
  const pairs = Array.from({ length: PAIRS }, (_, index) => {
    const task = index % 20;
    const [a, b] = [visit(task, 2 * index, 0), visit(task, 2 * index + 1, SLIPS)];
    return { isSame: a.effect === b.effect, isRed: differInDid(a, b) };
  });
  const [same, others] = [pairs.filter(({ isSame }) => isSame), pairs.filter(({ isSame }) => !isSame)];
  expect(Math.min(same.length, others.length)).toBeGreaterThan(40);
  expect(others.filter(({ isRed }) => !isRed)).toEqual([]);
  expect(same.filter(({ isRed }) => isRed).length / same.length).toBeLessThanOrEqual(0.06);
  expect({
    same: same.length,
    red: same.filter(({ isRed }) => isRed).length,
    others: others.length,
  }).toMatchInlineSnapshot(`
    {
      "others": 78,
      "red": 4,
      "same": 122,
    }
  `);
});
