import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { doctorPage } from '../../scripts/doctor.ts';

test('docs/doctor.md holds what the code says of each rule (npm run generate:doctor)', async () => {
  expect(await readFile(new URL('../../docs/doctor.md', import.meta.url), 'utf8')).toBe(await doctorPage());
});
