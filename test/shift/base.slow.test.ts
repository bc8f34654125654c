import { expect, test } from 'vitest';
import { KINDS, type Plant, planted } from './agents.ts';
import { atMost, simulateAgainstBase, unchanged } from './gate.ts';

const SESSIONS = 8;
/** 200 of each in `npm run test:soak`. */
const SUITES = Number(process.env.SUITES ?? 15);
const ALPHA = 0.01;

test.each(KINDS)(`against a base, of ${SUITES} suites of an unchanged %s agent hardly one is red`, (kind) => {
  let [turns, suites] = [0, 0];
  for (let suite = 0; suite < SUITES; suite++) {
    const found = simulateAgainstBase(unchanged(kind, SESSIONS, suite), {
      seed: `base ${kind} ${suite}`,
      replays: 5,
    });
    if (found.turns.some(({ state }) => state === 'shifted')) turns++;
    if (found.suite?.state === 'shifted') suites++;
  }
  expect(turns).toBeLessThanOrEqual(atMost(SUITES, ALPHA));
  expect(suites).toBeLessThanOrEqual(atMost(SUITES, ALPHA));
  // What never differs can never be red.
  if (kind === 'deterministic') expect([turns, suites]).toEqual([0, 0]);
});

test.each<[Plant, number]>([
  ['call', 0.8],
  ['number', 0.8],
  ['not', 0.8],
  ['error', 0.8],
])(
  'against a base, one session of 8 changed in all replays is found, by fresh runs alone: %s, at least %d',
  (plant, least) => {
    const found = Array.from({ length: SUITES }, (_, suite) => {
      const sessions = unchanged('mild', SESSIONS, suite).map((session, index) =>
        index === 0 ? { ...session, replayed: planted(session.recorded, plant, 1) } : session,
      );
      const seed = `base ${plant} ${suite}`;
      return simulateAgainstBase(sessions, { seed, replays: 5 }).turns[0]?.state === 'shifted';
    });
    expect(found.filter(Boolean).length / found.length).toBeGreaterThanOrEqual(least);
  },
);
