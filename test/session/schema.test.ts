import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { publishedSchemas } from '../../scripts/schema.ts';

test('the published schemas are those of the code; if not: npm run build:schema', async () => {
  const folder = path.join(import.meta.dirname, '..', '..', 'schema');
  const published: Record<string, string> = {};
  for (const file of await readdir(folder)) published[file] = await readFile(path.join(folder, file), 'utf8');
  expect(published).toEqual(publishedSchemas());
});
