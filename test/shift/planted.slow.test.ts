import { expect, test } from 'vitest';
import { type Kind, type Plant, planted } from './agents.ts';
import { atMost, simulate, unchanged } from './gate.ts';

const SESSIONS = 8;
/** 200 of each in `npm run test:soak`. */
const SUITES = Number(process.env.SUITES ?? 15);

/** Suites in which one session is changed: in how many of them that one is red, and in how many another one. */
function foundIn(kind: Kind, plant: Plant, options: { share: number; recordings: number }) {
  let [found, others] = [0, 0];
  for (let suite = 0; suite < SUITES; suite++) {
    const [first, ...rest] = unchanged(kind, SESSIONS, suite);
    if (first === undefined) continue;
    const changed = { ...first, replayed: planted(first.recorded, plant, options.share) };
    const seed = `${plant} ${kind} ${options.share} ${options.recordings} ${suite}`;
    const { turns } = simulate([changed, ...rest], { ...options, seed });
    if (turns[0]?.state === 'shifted') found++;
    if (turns.slice(1).some(({ state }) => state === 'shifted')) others++;
  }
  expect(others).toBeLessThanOrEqual(atMost(SUITES, 0.01));
  return found / SUITES;
}

test.each<[Plant, Kind, number]>([
  ['call', 'mild', 0.8],
  ['argument', 'mild', 0.8],
  ['number', 'mild', 0.8],
  ['word', 'mild', 0.9],
  ['not', 'mild', 0.9],
  ['exchange', 'mild', 0.8],
  ['number', 'wild', 0.7],
  ['not', 'wild', 0.5],
  ['argument', 'wild', 0.6],
  ['argument', 'long', 0.6],
  ['not', 'long', 0.7],
  ['error', 'long', 0.7],
])(
  'of one session of 8 changed in all replays, five recordings find: %s, %s agent, at least %d',
  (plant, kind, least) => {
    expect(foundIn(kind, plant, { share: 1, recordings: 5 })).toBeGreaterThanOrEqual(least);
  },
);

test('the more replays leave a call out, the more often it is found', () => {
  const shares = [0.3, 0.6, 1].map((share) => foundIn('mild', 'call', { share, recordings: 10 }));
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBeGreaterThanOrEqual(0.95);
});
