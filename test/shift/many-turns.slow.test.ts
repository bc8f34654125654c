import { expect, test } from 'vitest';
import { assess, nextLooks, type ShiftRun, ShiftUnit } from '../../src/shift/index.ts';

const POLICY = { alpha: 0.01, minShift: 0.03 };

/** A run of an agent that calls one tool, and never asks for the same thing twice. */
const calling = (tool: string, run: number): ShiftRun => ({
  calls: [{ tool, tokens: [`/query\0${run}`] }],
  answers: [],
  failures: [],
});

/** One turn of so many, of which every replay calls another tool than its recordings do. */
function found(counted: number, recordings: number) {
  const options = { ...POLICY, counted, planned: counted };
  const made = Array.from({ length: recordings }, (_, run) => calling('look', run));
  const unit = new ShiftUnit({ id: 'one', recordings: made, requested: 0 });
  for (let to = 0; to !== undefined; to = nextLooks([unit], options).get(unit)?.replays as number) {
    for (let run = unit.asked + 1; run <= to; run++) {
      unit.ask([run]);
      unit.add(run, calling('search', 1_000 + run));
    }
  }
  const { run, of } = assess([unit], options);
  return { replays: unit.asked, state: of('one')?.state, reach: run.reach };
}

test('one changed turn is red among 24,000 with ten recordings, and among 12,217 with five, which take 40 replays', () => {
  expect(found(24_000, 10)).toEqual({ replays: 20, state: 'shifted', reach: null });
  expect(found(12_217, 5)).toEqual({ replays: 40, state: 'shifted', reach: null });
});
