import { expect, test } from 'vitest';
import { effectsP } from '../../src/shift/effects.ts';
import { assess, nextLooks, type ShiftRun, ShiftUnit } from '../../src/shift/index.ts';
import fc from '../fast-check.ts';

const times = (count: number, of: string) => Array.from({ length: count }, () => of);

test('replays of which none did what all recordings did have at most the p of their number', () => {
  expect(effectsP(times(5, 'pay 20'), times(20, 'pay 30'))).toBe(1 / 53_130);
  // As rare as it gets: every fifth run might have been the recordings.
  const fives = ['a', 'b', 'c', 'd'].flatMap((did) => times(5, did));
  expect(effectsP(times(5, 'pay 20'), fives)).toBe(5 / 53_130);
  expect(effectsP(times(5, 'pay 20'), fives)).toBeLessThan(0.0001);
});

test.each<[string, string[], string[], number | undefined]>([
  ['one replay did as recorded', times(5, 'a'), [...times(19, 'b'), 'a'], 1],
  ['the recordings differ', [...times(4, 'a'), 'b'], times(20, 'c'), 1],
  ['all runs did the same', times(5, 'a'), times(20, 'a'), undefined],
  ['there are four recordings', times(4, 'a'), times(20, 'b'), undefined],
])('what runs did shows nothing where %s', (_, recordings, replays, p) => {
  expect(effectsP(recordings, replays)).toBe(p);
});

test('of all ways to label the same runs, a share of exactly p at most has a p as small', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 6, maxLength: 11 }),
      fc.integer({ min: 5, max: 6 }),
      (all, size) => {
        const ps = Array.from({ length: 2 ** all.length }, (_, labels) => {
          const isRecording = (index: number) => ((labels >> index) & 1) === 1;
          const recordings = all.filter((_did, index) => isRecording(index));
          return recordings.length === size
            ? [
                effectsP(
                  recordings,
                  all.filter((_did, index) => !isRecording(index)),
                ),
              ]
            : [];
        }).flat();
        const told = ps.filter((p) => p !== undefined);
        // Whether it is counted does not depend on the labels.
        expect([0, ps.length]).toContain(told.length);
        for (const p of told) expect(told.filter((other) => other <= p).length / told.length).toBeCloseTo(p, 12);
      },
    ),
    { numRuns: 50 },
  );
});

const POLICY = { alpha: 0.01, minShift: 0.03 };

/** An agent that searches something else every time, and does one thing. */
const run = (at: number, effects: string | undefined): ShiftRun => ({
  calls: [{ tool: `search_${(at * 7) % 5}`, tokens: [] }],
  answers: [],
  failures: [],
  effects,
});

/** Follows ten sessions to their end. @param did by the replay of a session; without it nobody has read what runs did */
function followed(did?: (session: number, replay: number) => string): ShiftUnit[] {
  const units = Array.from({ length: 10 }, (_, session) => {
    const recordings = Array.from({ length: 5 }, (_none, at) => run(at, did && 'as recorded'));
    return new ShiftUnit({ id: String(session), recordings, requested: 2 });
  });
  for (let next = nextLooks(units, POLICY); next.size > 0; next = nextLooks(units, POLICY)) {
    for (const [unit, { replays: to }] of next) {
      while (unit.asked < to) {
        const replay = unit.asked + 1;
        unit.ask([replay]);
        unit.add(replay, run(replay + 5, did?.(Number(unit.id), replay)));
      }
    }
  }
  return units;
}

const statesOf = (units: readonly ShiftUnit[]) => {
  const { of } = assess(units, POLICY);
  return units.map(({ id }) => of(id)?.state);
};

test('a session of which no replay did what all recordings did goes to its last look, and is red among all turns', () => {
  const units = followed((session) => (session === 0 ? 'another' : 'as recorded'));
  expect(units[0]?.asked).toBe(20);
  expect(Math.max(...units.slice(1).map(({ asked }) => asked))).toBeLessThan(20);
  expect(statesOf(units)).toEqual(['shifted', ...times(9, 'as-before')]);
  const told = assess(units, POLICY).of('0');
  expect(told).toMatchObject({ effects: 1 / 53_130, adjusted: expect.closeTo(11 / 53_130, 8) });
  // Its other behaviour is no other one.
  expect(told?.p).toBeGreaterThan(0.05);
});

test('one replay that did as recorded is enough for a session not to be red by what it did', () => {
  const units = followed((session, replay) => (session === 0 && replay !== 3 ? 'another' : 'as recorded'));
  expect(statesOf(units)).toEqual(times(10, 'as-before'));
});

test('against a base it does not matter what the recordings did', () => {
  const [recordings, made] = [5, 15].map((count) => Array.from({ length: count }, (_, at) => run(at, 'another')));
  const base = new Map(made?.map((did, at) => [at + 1, did]));
  const recorded = recordings?.map((did) => ({ ...did, effects: 'as recorded' })) ?? [];
  const unit = new ShiftUnit({ id: '0', recordings: recorded, base, requested: 5 });
  unit.ask(base.keys());
  for (const [number, did] of base) unit.add(number, did);
  expect(assess([unit], POLICY).of('0')).not.toHaveProperty('effects');
  expect(statesOf([unit])).toEqual(['as-before']);
});

test('what runs did changes nothing where all did the same, or where nobody has read it', () => {
  const told = (units: readonly ShiftUnit[]) => {
    const { run: whole, of } = assess(units, POLICY);
    return JSON.stringify([whole, units.map(({ id, asked }) => [asked, of(id)])]);
  };
  expect(told(followed(() => 'as recorded'))).toBe(told(followed()));
});
