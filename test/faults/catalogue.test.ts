import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** A title carries one number, several, or a placeholder, with the number first in each row of its table. */
function faultsIn(file: string): number[] {
  const text = read(file);
  const named = [...text.matchAll(/fault (\d+(?:(?:, | and )\d+)*)/g)].flatMap(
    ([, list = '']) => list.match(/\d+/g) ?? [],
  );
  const rows = text.includes('fault %s') ? [...text.matchAll(/\[\s*'(\d+)[:,]/g)].map(([, number = '']) => number) : [];
  return [...new Set([...named, ...rows].map(Number))];
}

test('every fault that is tested is named once, for users in docs/reliability.md or else in bench/soak.md, and no other', () => {
  const tested = new Set(globSync('test/**/*.test.ts', { cwd: ROOT }).flatMap(faultsIn));
  const rows = ['docs/reliability.md', 'bench/soak.md'].flatMap((page) => [
    ...read(page).matchAll(/^- (\d+(?:, \d+)*): /gm),
  ]);
  const documented = rows.flatMap(([, list = '']) => list.split(', ').map(Number));
  const inOrder = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
  expect(inOrder(documented)).toEqual(inOrder(tested));
});

test('what SECURITY.md says is shown by a test is shown by one', () => {
  const names = [...read('SECURITY.md').matchAll(/`([\w-]+\/[\w.-]+)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !existsSync(path.join(ROOT, 'test', `${name}.test.ts`)))).toEqual([]);
});
