import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PICTURES } from '../../scripts/gate-pictures.ts';

test.each(Object.entries(PICTURES))('docs/images/%s is what the tests make of the runs today', (name, draw) => {
  const file = path.join(import.meta.dirname, '..', '..', 'docs', 'images', name);
  expect(readFileSync(file, 'utf8'), 'run: node scripts/gate-pictures.ts').toBe(draw());
});
