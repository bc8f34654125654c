import { expect, test } from 'vitest';
import type { Kind } from './agents.ts';
import { alarmAt, nights } from './nights.ts';

/** Each with its own agents. One in 100 alarms if the rate is kept to, and two or more of 20 in one case of 60. */
const YEARS = Number(process.env.YEARS ?? 20);
const KINDS: readonly Kind[] = ['mild', 'wild', 'long', 'deterministic'];

test(`of ${YEARS} years of 365 nights of agents that do not change at most one alarms`, () => {
  const years = Array.from({ length: YEARS }, (_, year) =>
    nights(365, `year ${year}`, { kind: KINDS[year % KINDS.length] as Kind, sessions: 4 }),
  );
  expect(years.filter((year) => alarmAt(year) !== -1).length).toBeLessThanOrEqual(1);
  // Without an alarm every night of it was judged.
  expect(years.filter((year) => alarmAt(year) === -1 && year.length !== 365)).toEqual([]);
});
