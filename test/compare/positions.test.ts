import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTrie, forksOf } from '../../src/compare/figures/trie.ts';
import { commonPrefix } from '../../src/compare/values/common-prefix.ts';
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

test('the tree of all runs answers as every pair does', () => {
  fc.assert(
    fc.property(fc.array(path, { minLength: 2, maxLength: 6 }), (paths) => {
      const root = buildTrie(paths);
      const forks = forksOf(
        root,
        paths.map(({ length }) => length),
      );
      for (const [i, a] of paths.entries()) {
        for (const [j, b] of paths.entries()) {
          let node = root;
          for (let next = node.children.get(a[0] ?? ''); next?.paths.includes(j); ) {
            node = next;
            next = node.depth < a.length ? node.children.get(a[node.depth] as string) : undefined;
          }
          if (i !== j) expect(node.depth).toBe(commonPrefix(a, b));
        }
      }
      const depths = new Set(forks.map(({ node }) => node.depth));
      const differing = paths.flatMap((a) => paths.filter((b) => a.join() !== b.join()).map((b) => commonPrefix(a, b)));
      expect(depths).toEqual(new Set(differing));
    }),
    many,
  );
});
