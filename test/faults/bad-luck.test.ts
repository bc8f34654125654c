import { expect, test } from 'vitest';
import { played } from '../simulated/played.ts';

test('in simulated bad luck every job ends in time with a report that is true', () => {
  const { code, text } = played('0-11');
  expect([code, text.replace(/\{"[\s\S]*/, '')]).toEqual([0, '']);
  // All four ends happen, so no promise is kept for want of a case.
  for (const end of ['passed', 'failed', 'error', 'interrupted']) expect(text).toContain(`"${end}":`);
});
