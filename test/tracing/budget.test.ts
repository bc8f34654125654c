import { expect, test } from 'vitest';
import { ReadBudget, type ReadDelay } from '../../src/tracing/platform/budget.ts';
import { virtualClock } from './platform-server.ts';

test('reads that wait for a limit together are told how long all of them wait, once in half a minute', async () => {
  const clock = virtualClock();
  const delays: ReadDelay[] = [];
  const budget = new ReadBudget(clock, 30, (delay) => delays.push(delay));
  const { signal } = new AbortController();
  for (let n = 0; n < 30; n++) await budget.take(signal);
  expect(delays).toEqual([]);
  await Promise.all(Array.from({ length: 45 }, () => budget.take(signal)));
  // 30 of them after a minute, the others after another one.
  expect(delays[0]).toEqual({ perMinute: 30, aboutMs: 120_000 });
  expect(delays.length).toBeLessThanOrEqual(clock.elapsedMs() / 30_000 + 1);
  expect(budget.made).toBe(75);
});

test('a wait of a moment is not told', async () => {
  const clock = virtualClock();
  const delays: ReadDelay[] = [];
  const budget = new ReadBudget(clock, undefined, (delay) => delays.push(delay));
  budget.pauseFor(2_000);
  await budget.take(new AbortController().signal);
  expect(delays).toEqual([]);
  expect(clock.elapsedMs()).toBe(2_000);
});
