import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { mutate } from './mutate.ts';

const SRC = path.join(import.meta.dirname, '../../src');

test('each mutant has a name of its own', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

test.each(MUTANTS)('there is something to change where $name', ({ file, of, change }) => {
  const source = readFileSync(path.join(SRC, file), 'utf8');
  const mutated = mutate(source, of, change);
  expect(mutated).not.toBe(source);
  parseAst(mutated, { lang: 'ts' });
});
