import { expect, test } from 'vitest';
import { shareCovered } from './coverage.ts';

test("the model's own probability lies in the measured interval as often as a 95 % interval says, over 1,000 models", async () => {
  const share = await shareCovered(1_000);
  // Three standard deviations below 95 %: sqrt(.95 * .05 / 1,000) is .0069. One that holds all would be too wide.
  expect(share).toBeGreaterThan(0.929);
  expect(share).toBeLessThan(0.99);
});
