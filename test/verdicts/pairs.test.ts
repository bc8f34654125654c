import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Recording } from '../../src/trace/index.ts';
import { type Pair, readPairs } from './pairs.ts';

const HALVES = { development: readPairs('development'), 'held-out': readPairs('held-out') } as const;
const OTHERS = { seen: readPairs('others-seen'), kept: readPairs('others-kept') } as const;
const ALL = Object.values(HALVES).flat();

test('there are more than 400 pairs, a good half of them red, each with an id of its own and a reason', () => {
  expect(ALL.length).toBeGreaterThan(400);
  expect(new Set(ALL.map(({ id }) => id)).size).toBe(ALL.length);
  expect(ALL.filter(({ why }) => why.length < 10)).toEqual([]);
  const red = ALL.filter(({ label }) => label === 'changed' || label === 'meaning-changed').length;
  expect(red / ALL.length).toBeGreaterThan(0.5);
  expect(red / ALL.length).toBeLessThan(0.75);
});

test('the digest of its id decides in which half a pair stands', () => {
  for (const [half, pairs] of Object.entries(HALVES)) {
    const isOdd = (id: string) =>
      Number.parseInt(createHash('sha256').update(id).digest('hex').charAt(0), 16) % 2 === 1;
    expect(pairs.filter(({ id }) => isOdd(id) !== (half === 'held-out'))).toEqual([]);
  }
});

/** What a run did, in one text, without what is its own in every run. */
function deeds({ output, observations }: Recording): string {
  const inOrder = observations.toSorted((a, b) => (a.startTime < b.startTime ? -1 : 1));
  const told = inOrder.map(({ id: _, parentId, startTime, endTime, callId, usage, ...rest }) => rest);
  return JSON.stringify([output, told]).replaceAll(/call_[0-9a-f]{22}|"signature":"[0-9a-f]+"/g, '');
}

test('what should be red differs in what the agent did', () => {
  const isRed = ({ label }: Pair) => label === 'changed' || label === 'meaning-changed';
  const equal = [...ALL, ...Object.values(OTHERS).flat()]
    .filter(isRed)
    .filter(({ recorded, replays }) => replays.every((replay) => deeds(replay) === deeds(recorded)));
  expect(equal.map(({ id }) => id)).toEqual([]);
});
