import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';

const SRC = path.join(import.meta.dirname, '../../src');

test('each mutant changes one place of its file, and has a name of its own', () => {
  const stale = MUTANTS.filter(({ file, from }) => readFileSync(path.join(SRC, file), 'utf8').split(from).length !== 2);
  expect(stale.map(({ name }) => name)).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});
