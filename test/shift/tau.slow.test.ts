import { expect, test } from 'vitest';
import { compareRules, type ReadStep } from '../../src/compare/index.ts';
import { stepReader } from '../../src/compare/read-steps.ts';
import { type ShiftEvent, type ShiftRun, shiftRun } from '../../src/shift/index.ts';
import { isLarge } from '../../src/shift/judge-turns.ts';
import { randomFrom } from '../../src/shift/random.ts';
import type { Answer, CallMade } from '../../src/shift/run.ts';
import { suiteTest } from '../../src/shift/suite-test.ts';
import { tableOf } from '../../src/shift/table.ts';
import { observationsOf, outputOf, requestOf } from '../tau/conversation.ts';
import { readTrials, type Trial } from '../tau/trials.ts';
import { eventsOf } from './events.ts';

const WRITING = [
  'book_reservation',
  'cancel_reservation',
  'send_certificate',
  'update_reservation_baggages',
  'update_reservation_flights',
  'update_reservation_passengers',
];
const POLICY = { alpha: 0.01, minShift: 0.03 };
const rules = compareRules.parse({ tools: Object.fromEntries(WRITING.map((tool) => [tool, { mutating: true }])) });

/** The four trials of each of 50 tasks: a real agent that was asked the same thing four times. */
const tasks = [...Map.groupBy(readTrials(), ({ task }) => task).values()].map((trials) => stepsOf(trials));

const runs = tasks.map((trials) => trials.map(shiftRun));

function stepsOf(trials: readonly Trial[]): ReadStep[][] {
  const [first] = trials;
  if (first === undefined) throw new Error('a task has trials');
  const recording = (trial: Trial) => ({ observations: observationsOf(trial), output: outputOf(trial) });
  const read = stepReader(rules, { request: { messages: requestOf(first) }, original: recording(first) });
  return trials.map((trial) => read(recording(trial)));
}

/** Two trials of each task as recordings and two as replays, as chance has it. */
function split<T>(trials: readonly T[], random: (below: number) => number): [recordings: T[], replays: T[]] {
  const left = [...trials];
  const recordings = [0, 1].map(() => left.splice(random(left.length), 1)[0] as T);
  return [recordings, left];
}

function suiteOf(seed: string, edit: (run: ShiftRun) => ShiftRun = (run) => run) {
  const random = randomFrom(seed);
  const turns = runs.map((trials, task) => {
    const [recordings, replays] = split(trials, random);
    return { id: String(task), table: tableOf(recordings, replays.map(edit)) };
  });
  const found = suiteTest(turns, { draws: 2_000 });
  if (found === null) throw new Error('every task has both');
  return { ...found, isRed: found.p <= POLICY.alpha && isLarge(found, POLICY) };
}

test('of 50 random halves of the trials, at most 3 are told to have shifted', () => {
  const splits = Array.from({ length: 50 }, (_, seed) => suiteOf(`half ${seed}`));
  expect(splits.filter(({ p }) => p <= POLICY.alpha).length).toBeLessThanOrEqual(3);
  // Uniform, as far as 50 can tell: five deviations.
  const mean = splits.reduce((sum, { p }) => sum + p, 0) / splits.length;
  expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / splits.length));
});

const EDITS: readonly [string, (run: ShiftRun) => ShiftRun][] = [
  ['the first call is left out', (run) => ({ ...run, calls: run.calls.slice(1) })],
  ['the last call is left out', (run) => ({ ...run, calls: run.calls.slice(0, -1) })],
  ['every call has another argument', (run) => ({ ...run, calls: run.calls.map(withNote) })],
  ['answers are cut to a third', (run) => ({ ...run, answers: run.answers.map(cut) })],
];

test.each(EDITS)('planted in the replays of every task, it is found in each of 10 halves: %s', (_, edit) => {
  const splits = Array.from({ length: 10 }, (_, seed) => suiteOf(`half ${seed}`, edit));
  expect(splits.map(({ isRed }) => isRed)).toEqual(splits.map(() => true));
});

function withNote({ tool, tokens }: CallMade): CallMade {
  return { tool, tokens: [...tokens, '/note\0"x"'] };
}

function cut(answer: Answer): Answer {
  return 'words' in answer ? { words: answer.words.slice(0, answer.words.length / 3) } : answer;
}

const isWrite = ({ kind, name = '' }: ReadStep) => kind === 'call' && WRITING.includes(name);
const critical = compareRules.parse({ tools: Object.fromEntries(WRITING.map((tool) => [tool, { critical: true }])) });

/** Tasks of which some trial writes, with the tool that it writes with. */
const writing = tasks.flatMap((trials) => {
  const tool = trials.flat().find(isWrite)?.name;
  return tool === undefined ? [] : [{ trials, tool }];
});

const WIPE: ReadStep = { kind: 'call', name: 'wipe_reservation', value: {}, isCompared: true };
type Plant = (trials: readonly ReadStep[][], tool: string) => ReadStep[][];

const PLANTS: readonly [string, Plant, ShiftEvent['kind']][] = [
  ['a write made twice as often', (trials, tool) => trials.map((run) => doubled(run, tool)), 'more-often'],
  ['a write added', (trials) => trials.map((run) => [WIPE, ...run]), 'unseen'],
  ['a write added in one replay', ([first = [], ...others]) => [[WIPE, ...first], ...others], 'unseen'],
];

function doubled(run: readonly ReadStep[], tool: string): ReadStep[] {
  return run.flatMap((step) => (step.kind === 'call' && step.name === tool ? [step, step] : [step]));
}

test.each(PLANTS)(
  '%s in a task is an alarm of a mutating tool, and red of a critical one, in every task that writes',
  (_, plant, kind) => {
    const wipe = { wipe_reservation: { mutating: true } };
    expect(writing.length).toBeGreaterThan(30);
    for (const { trials, tool } of writing) {
      const replays = plant(trials, tool);
      const alarms = eventsOf(trials, replays, { ...rules.tools, ...wipe });
      expect(alarms).toEqual([expect.objectContaining({ kind, weight: 'alarm' })]);
      const reds = eventsOf(trials, replays, { ...critical.tools, wipe_reservation: { critical: true } });
      expect(reds).toEqual([expect.objectContaining({ kind, weight: 'red' })]);
    }
  },
);

test('a write that every trial makes and no replay, likewise', () => {
  const always = writing.filter(({ trials, tool }) =>
    trials.every((run) => run.some((step) => isWrite(step) && step.name === tool)),
  );
  expect(always.length).toBeGreaterThan(10);
  for (const { trials, tool } of always) {
    const replays = trials.map((run) => run.filter((step) => !(isWrite(step) && step.name === tool)));
    expect(eventsOf(trials, replays, { [tool]: { mutating: true } })).toMatchObject([
      { kind: 'never', weight: 'alarm', tool },
    ]);
    expect(eventsOf(trials, replays, { [tool]: { critical: true } })).toMatchObject([
      { kind: 'never', weight: 'red', tool },
    ]);
  }
});

test('nothing changed: three sessions in ten raise an alarm, which is why it is not red by itself', () => {
  const random = randomFrom('alarms');
  const halves = Array.from({ length: 20 }, () =>
    tasks.map((trials) => eventsOf(...split(trials, random), rules.tools)),
  ).flat();
  const alarmed = halves.filter((events) => events.length > 0);
  expect(alarmed.length / halves.length).toBeGreaterThan(0.2);
  expect(alarmed.length / halves.length).toBeLessThan(0.4);
  expect(alarmed.flat().filter(({ weight }) => weight === 'red')).toEqual([]);
});

/** What an agent that does as in these trials might do in so many further runs. */
function drawn(trials: readonly ReadStep[][], count: number, random: (below: number) => number): ReadStep[][] {
  return Array.from({ length: count }, () => trials[random(trials.length)] as ReadStep[]);
}

const RECORDINGS = 5;
/** Of both looks. */
const REPLAYS = 20;
const wiping = { ...rules.tools, wipe_reservation: { mutating: true } };

function failsByAlarm(recordings: readonly ReadStep[][], replays: readonly ReadStep[][]): boolean {
  return eventsOf(recordings, replays, wiping, REPLAYS).some(({ fails }) => fails);
}

test('nothing changed: at most 2 % of suites are red through what mutating tools do in all replays of both looks', () => {
  const random = randomFrom('suites');
  const red = Array.from({ length: 50 }, () =>
    tasks.some((trials) => failsByAlarm(drawn(trials, RECORDINGS, random), drawn(trials, REPLAYS, random))),
  ).filter(Boolean);
  expect(red.length).toBeLessThanOrEqual(1);
});

const ALL_REPLAYS: readonly [string, (run: readonly ReadStep[], tool: string) => ReadStep[]][] = [
  ['made twice', doubled],
  ['added', (run) => [WIPE, ...run]],
  ['left out', (run, tool) => run.filter((step) => !(isWrite(step) && step.name === tool))],
];

/** Of which a trial makes the very same write twice: made twice again it is nothing new there. */
const repeats = ({ trials, tool }: (typeof writing)[number]) =>
  trials.some((run) => {
    const said = run.filter((step) => isWrite(step) && step.name === tool).map(({ value }) => JSON.stringify(value));
    return new Set(said).size < said.length;
  });

test.each(ALL_REPLAYS)('a write that is %s in all replays is red in every task that always writes', (what, plant) => {
  const random = randomFrom('planted');
  const always = writing.filter(({ trials, tool }) =>
    trials.every((run) => run.some((step) => isWrite(step) && step.name === tool)),
  );
  const meant = what === 'made twice' ? always.filter((task) => !repeats(task)) : always;
  expect(meant.length).toBeGreaterThan(10);
  for (const { trials, tool } of meant) {
    const replays = drawn(trials, REPLAYS, random).map((run) => plant(run, tool));
    expect(failsByAlarm(drawn(trials, RECORDINGS, random), replays)).toBe(true);
  }
});
