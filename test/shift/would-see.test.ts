import { expect, test } from 'vitest';
import { ShiftUnit, shiftRun, wouldSee } from '../../src/shift/index.ts';
import { randomFrom } from '../../src/shift/random.ts';
import { agentOf, type Kind } from './agents.ts';

/** Turns with recordings of such an agent, in an order. */
function units(kind: Kind, recordings: number, turns = 4): ShiftUnit[] {
  const random = randomFrom(`seen ${kind}`);
  return Array.from({ length: turns }, (_, index) => {
    const agent = agentOf(kind, `seen ${index}`);
    const made = Array.from({ length: recordings }, () => shiftRun(agent(random)));
    return new ShiftUnit({ id: String(index), recordings: made, requested: 2 });
  });
}

test('a green run says the smallest share of runs that it sees often; more recordings see more', () => {
  const [few, many] = [5, 10].map((recordings) => wouldSee(units('deterministic', recordings), 0.01 / 4));
  expect(few).toMatchObject({ of: 20 });
  expect(few?.found).toBeGreaterThanOrEqual(16);
  expect(many?.share).toBeLessThanOrEqual(few?.share ?? 0);
});

test('where not even a call that is always missing is seen often, that is told', () => {
  const told = wouldSee(units('deterministic', 5), 1e-7);
  expect(told).toEqual({ share: 1, found: 0, of: 20 });
});

test('the order of turns changes no digit, and fewer than five recordings say nothing', () => {
  const turns = units('mild', 5, 3);
  expect(wouldSee(turns.toReversed(), 0.01)).toEqual(wouldSee(turns, 0.01));
  expect(wouldSee(units('mild', 4), 0.01)).toBeUndefined();
});
