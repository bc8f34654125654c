import { expect, test } from 'vitest';
import { wholeBody } from '../../src/bounded/index.ts';

test('of a body beyond the limit the parts within it are kept, and nothing else', async () => {
  const parts = ['four', '!', 'three'].map((part) => Buffer.from(part));
  expect((await wholeBody(parts, 8)).toString()).toBe('four!');
  await expect(wholeBody(parts, 8, () => new Error('too large'))).rejects.toThrow('too large');
});
