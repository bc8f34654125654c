import { expect, test } from 'vitest';
import { type Kind, type Plant, planted } from './agents.ts';
import { atMost, type SimulatedSession, simulate, unchanged } from './gate.ts';

const SESSIONS = 8;
/** 200 of each in `npm run test:soak`. */
const SUITES = Number(process.env.SUITES ?? 15);

/** The share of the suites with one changed session in which that one is red; of its own, since the others did as before. */
function foundAlone(kind: Kind, plant: Plant, { share = 1, recordings = 5 } = {}): number {
  const found = Array.from({ length: SUITES }, (_, suite) => {
    const [recorded] = unchanged(kind, 1, suite) as [SimulatedSession];
    const changed = { ...recorded, replayed: planted(recorded.recorded, plant, share) };
    const seed = `${plant} ${kind} ${share} ${recordings} ${suite}`;
    return simulate([changed], { recordings, counted: SESSIONS, seed }).turns[0]?.state === 'shifted';
  });
  return found.filter(Boolean).length / SUITES;
}

/** The same through the whole gate, which tests all of them together, too: hardly another one is red. */
function foundIn(kind: Kind, plant: Plant): number {
  let [found, others] = [0, 0];
  for (let suite = 0; suite < SUITES; suite++) {
    const [first, ...rest] = unchanged(kind, SESSIONS, suite);
    if (first === undefined) continue;
    const changed = { ...first, replayed: planted(first.recorded, plant, 1) };
    const { turns } = simulate([changed, ...rest], { recordings: 5, seed: `${plant} ${kind} 1 5 ${suite}` });
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
    expect(foundAlone(kind, plant)).toBeGreaterThanOrEqual(least);
  },
);

test.each<[Plant, Kind]>([
  ['exchange', 'mild'],
  ['number', 'wild'],
  ['not', 'long'],
])('one session of 8 that is changed turns no other one red: %s, %s agent', (plant, kind) => {
  expect(foundIn(kind, plant)).toBeGreaterThanOrEqual(0.7);
});

test('the more replays leave a call out, the more often it is found', () => {
  const shares = [0.3, 0.6, 1].map((share) => foundAlone('mild', 'call', { share, recordings: 10 }));
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBeGreaterThanOrEqual(0.95);
});
