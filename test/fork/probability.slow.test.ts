import { expect, test } from 'vitest';
import { shareCovered } from './coverage.ts';

test("the model's own probability lies in the measured interval as often as a 95 % interval says, over 100 models", async () => {
  // Three standard deviations below 95 %: sqrt(.95 * .05 / 100) is .022.
  expect(await shareCovered(100)).toBeGreaterThan(0.88);
});
