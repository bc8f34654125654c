import { expect, test } from 'vitest';
import { KINDS } from './agents.ts';
import { atMost, simulate, unchanged } from './gate.ts';

const SESSIONS = 8;
/** 200 of each in `npm run test:soak`. */
const SUITES = Number(process.env.SUITES ?? 10);
const SIZES = [1, 3, 5, 10];
const ALPHA = 0.01;

let [byTurns, bySuite] = [0, 0];

test.each(SIZES.flatMap((recordings) => KINDS.map((kind) => ({ recordings, kind }))))(
  `of ${SUITES} suites of an unchanged $kind agent, $recordings recordings, hardly one is red`,
  ({ recordings, kind }) => {
    let [turns, suites] = [0, 0];
    for (let suite = 0; suite < SUITES; suite++) {
      const seed = `unchanged ${kind} ${recordings} ${suite}`;
      const found = simulate(unchanged(kind, SESSIONS, suite), { seed, recordings });
      if (found.turns.some(({ state }) => state === 'shifted')) turns++;
      if (found.suite?.state === 'shifted') suites++;
    }
    expect(turns).toBeLessThanOrEqual(atMost(SUITES, ALPHA));
    expect(suites).toBeLessThanOrEqual(atMost(SUITES, ALPHA));
    // What never differs can never be red.
    if (kind === 'deterministic') expect([turns, suites]).toEqual([0, 0]);
    byTurns += turns;
    bySuite += suites;
  },
);

test('over all sizes and agents, unchanged suites are red in at most the share that was asked for', () => {
  const suites = SIZES.length * KINDS.length * SUITES;
  expect(byTurns).toBeLessThanOrEqual(atMost(suites, ALPHA));
  expect(bySuite).toBeLessThanOrEqual(atMost(suites, ALPHA));
});
