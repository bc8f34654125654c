import { assess, nextLooks, type RunShift, ShiftUnit, shiftRun, type TurnShift } from '../../src/shift/index.ts';
import { randomFrom } from '../../src/shift/random.ts';
import { followSuite, suitesOf } from '../../src/shift/suites.ts';
import { type Agent, agentOf, type Kind } from './agents.ts';

export interface SimulatedSession {
  readonly recorded: Agent;
  readonly replayed: Agent;
}

export interface SimulationOptions {
  readonly seed: string;
  readonly recordings: number;
  /** Turns of the suite, if these sessions are only a part of it. Then nothing is tested together. */
  readonly counted?: number | undefined;
}

export interface Outcome {
  readonly turns: readonly TurnShift[];
  /** Undefined if all runs are alike. */
  readonly suite: RunShift['suites'][number] | undefined;
  /** Replays of all sessions. */
  readonly replays: number;
  /** Those that the looks at each turn ask for by themselves. */
  readonly forTurns?: number;
  /** Replays of each session at which the looks at all together end. */
  readonly together?: number;
}

const POLICY = { alpha: 0.01, minShift: 0.03 };

/** One suite through the whole gate, look by look, as a run takes it. */
export function simulate(
  sessions: readonly SimulatedSession[],
  { seed, recordings, counted }: SimulationOptions,
): Outcome {
  const next = new Map<ShiftUnit, () => void>();
  const units = sessions.map(({ recorded, replayed }, index) => {
    const random = randomFrom(`${seed} ${index}`);
    const made = Array.from({ length: recordings }, () => shiftRun(recorded(random)));
    const unit = new ShiftUnit({ id: String(index), recordings: made, requested: 0 });
    next.set(unit, () => {
      const run = unit.asked + 1;
      unit.ask([run]);
      unit.add(run, shiftRun(replayed(random)));
    });
    return unit;
  });
  // A part of a suite is judged as if the others did as before.
  const policy = { ...POLICY, planned: counted ?? sessions.length };
  const alone = counted === undefined ? policy : { ...policy, isPart: false, counted };
  for (let wanted = nextLooks(units, alone); wanted.size > 0; wanted = nextLooks(units, alone)) {
    for (const [unit, { replays: to }] of wanted) while (unit.asked < to) next.get(unit)?.();
  }
  const bar = POLICY.alpha / policy.planned;
  const [suite] = suitesOf(units, POLICY);
  return {
    ...told(units, alone),
    replays: units.reduce((sum, { asked }) => sum + asked, 0),
    forTurns: units.reduce((sum, unit) => sum + unit.follow(bar).replays, 0),
    ...(counted === undefined && suite && { together: followSuite(suite).standing.replays }),
  };
}

/** One suite against a base, with both sides replayed now; `recorded` is the agent of the base. */
export function simulateAgainstBase(
  sessions: readonly SimulatedSession[],
  { seed, replays, counted }: Omit<SimulationOptions, 'recordings'> & { readonly replays: number },
): Outcome {
  const next = new Map<ShiftUnit, () => void>();
  const units = sessions.map(({ recorded, replayed }, index) => {
    const [ofBase, ofHead] = [randomFrom(`${seed} ${index} 0`), randomFrom(`${seed} ${index} 1`)];
    const base = new Map<number, ReturnType<typeof shiftRun>>();
    const unit = new ShiftUnit({ id: String(index), recordings: [], base, requested: replays });
    next.set(unit, () => {
      const run = unit.asked + 1;
      base.set(run, shiftRun(recorded(ofBase)));
      unit.ask([run]);
      unit.add(run, shiftRun(replayed(ofHead)));
    });
    return unit;
  });
  const upTo = (unit: ShiftUnit, to: number) => {
    while (unit.asked < to) next.get(unit)?.();
  };
  for (const unit of units) upTo(unit, replays);
  const policy = counted === undefined ? POLICY : { ...POLICY, counted };
  for (const [unit, { replays: to }] of nextLooks(units, policy)) upTo(unit, to);
  return { ...told(units, policy), replays: units.reduce((sum, { asked }) => sum + asked, 0) };
}

function told(units: readonly ShiftUnit[], policy: Parameters<typeof assess>[1]): Omit<Outcome, 'replays'> {
  const { run, of } = assess(units, policy);
  return { turns: units.map(({ id }) => of(id) as TurnShift), suite: run.suites[0] };
}

/** A suite of an agent that does not change. */
export function unchanged(kind: Kind, sessions: number, suite: number): SimulatedSession[] {
  return Array.from({ length: sessions }, (_, session) => {
    const agent = agentOf(kind, `${suite} ${session}`);
    return { recorded: agent, replayed: agent };
  });
}

/**
 * How many of `count` suites may be red if each is red with this probability: the mean and three standard deviations.
 */
export function atMost(count: number, share: number): number {
  return count * share + 3 * Math.sqrt(count * share * (1 - share));
}
