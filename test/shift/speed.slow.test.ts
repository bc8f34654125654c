import { expect, test } from 'vitest';
import { type ShiftRun, shiftRun, turnTest } from '../../src/shift/index.ts';
import { randomFrom } from '../../src/shift/random.ts';
import { tableOf } from '../../src/shift/table.ts';
import { growth, LINEAR } from '../growth.ts';
import { agentOf } from './agents.ts';

/** As many recordings as replays, of which each can be compared with so many others in all. */
function sidesOf(pairs: number): [recordings: ShiftRun[], replays: ShiftRun[]] {
  const agent = agentOf('wild', 'speed');
  const random = randomFrom('speed');
  const side = () => Array.from({ length: Math.round(Math.sqrt(pairs) / 2) }, () => shiftRun(agent(random)));
  return [side(), side()];
}

test('a turn takes time in proportion to the relabelings', () => {
  const table = tableOf(...sidesOf(24 ** 2));
  expect(
    growth(
      1_000,
      (limit) => limit,
      (limit) => turnTest(table, { limit }),
    ),
  ).toBeLessThan(LINEAR);
});

test('a turn takes time in proportion to the square of its runs, at most', () => {
  expect(growth(64, sidesOf, ([recordings, replays]) => tableOf(recordings, replays))).toBeLessThan(LINEAR);
  expect(
    growth(
      64,
      (pairs) => tableOf(...sidesOf(pairs)),
      (table) => turnTest(table, { limit: 200 }),
    ),
  ).toBeLessThan(LINEAR);
});
