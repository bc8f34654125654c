import { expect, test } from 'vitest';
import { isGenerated } from '../../src/compare/index.ts';

test('fault 105: a word of megabytes is no generated id, however it begins, and is read all the same', () => {
  expect(isGenerated(`call_${'a'.repeat(24)}`)).toBe(true);
  expect(isGenerated(`call_${'a'.repeat(2 ** 24)}`)).toBe(false);
});
