import { expect, test } from 'vitest';
import { partingsOf } from '../../src/compare/figures/forks.ts';
import { commonPrefix } from '../../src/compare/values/common-prefix.ts';
import fc from '../fast-check.ts';
import { RUNS } from './agents.ts';

const many = { numRuns: RUNS };
const path = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });

test('the first difference is symmetric, and is where the longest common prefix ends', () => {
  fc.assert(
    fc.property(path, path, (a, b) => {
      const length = commonPrefix(a, b);
      expect(commonPrefix(b, a)).toBe(length);
      expect(a.slice(0, length)).toEqual(b.slice(0, length));
      expect(length === a.length || length === b.length || a[length] !== b[length]).toBe(true);
    }),
    many,
  );
});

test('a shared prefix moves the first difference by its length, and nothing after it does', () => {
  fc.assert(
    fc.property(path, path, path, path, path, (prefix, a, b, x, y) => {
      const length = commonPrefix(a, b);
      expect(commonPrefix([...prefix, ...a], [...prefix, ...b])).toBe(prefix.length + length);
      const parted = length < a.length && length < b.length;
      if (parted) expect(commonPrefix([...a, ...x], [...b, ...y])).toBe(length);
    }),
    many,
  );
});

test('first differences are an ultrametric: no third run parts from both before they part', () => {
  fc.assert(
    fc.property(path, path, path, (a, b, c) => {
      expect(commonPrefix(a, c)).toBeGreaterThanOrEqual(Math.min(commonPrefix(a, b), commonPrefix(b, c)));
    }),
    many,
  );
});

test('any two runs part once, where they part when they are compared alone', () => {
  fc.assert(
    fc.property(fc.array(path, { minLength: 2, maxLength: 6 }), (paths) => {
      const partings = partingsOf(paths);
      for (const [i, a] of paths.entries()) {
        for (const [j, b] of paths.entries()) {
          const between = partings.filter(({ branches }) => {
            const [own, other] = [i, j].map((run) => branches.findIndex((branch) => branch.includes(run)));
            return own !== -1 && other !== -1 && own !== other;
          });
          const isSame = a.join() === b.join();
          expect(between.map(({ depth }) => depth)).toEqual(isSame ? [] : [commonPrefix(a, b)]);
        }
      }
    }),
    many,
  );
});
