import { expect, test } from 'vitest';
import { ShiftUnit, shiftRun, turnTest, wouldSee } from '../../src/shift/index.ts';
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
  expect(wouldSee(units('deterministic', 5), 1e-7)).toEqual({ share: 1, found: 0, of: 20 });
  expect(wouldSee(units('wild', 5), 0.01 / 4)).toMatchObject({ share: 1, of: 20 });
});

test('the order of turns changes no digit, and fewer than five recordings say nothing', () => {
  const turns = units('mild', 5, 3);
  expect(wouldSee(turns.toReversed(), 0.01)).toEqual(wouldSee(turns, 0.01));
  expect(wouldSee(units('mild', 4), 0.01)).toBeUndefined();
});

test.each([
  [20, 5, 120_000],
  [20, 10, 150_000],
  [100, 10, 600_000],
] as const)('of %d turns with %d recordings it draws at most %d relabelings', (turns, recordings, most) => {
  let drawn = 0;
  const counting: typeof turnTest = (table, options) => {
    drawn += options?.limit ?? Number.POSITIVE_INFINITY;
    return turnTest(table, options);
  };
  expect(wouldSee(units('mild', recordings), 0.01 / turns, counting)).toBeDefined();
  expect(drawn).toBeGreaterThan(0);
  expect(drawn).toBeLessThanOrEqual(most);
});

test('among so many turns that it would take more relabelings than that, nothing is simulated', () => {
  expect(wouldSee(units('mild', 10), 0.01 / 1_000)).toBeUndefined();
});
