import { MOST_REPLAYS, type ShiftRun, shiftRun } from '../../src/shift/index.ts';
import {
  FRESH_RUNS,
  judgeSuite,
  judgeTurns,
  needsSecondLook,
  type SuiteState,
  type TurnJudgement,
} from '../../src/shift/judge-turns.ts';
import { randomFrom } from '../../src/shift/random.ts';
import { type SuiteTest, suiteTest } from '../../src/shift/suite-test.ts';
import { type RunTable, tableOf } from '../../src/shift/table.ts';
import { type TurnTest, turnTest } from '../../src/shift/turn-test.ts';
import { type Agent, agentOf, type Kind } from './agents.ts';

export interface SimulatedSession {
  readonly recorded: Agent;
  readonly replayed: Agent;
}

export interface SimulationOptions {
  readonly seed: string;
  readonly recordings: number;
  readonly replays: number;
  readonly draws?: number;
  /** Numbers of relabelings in a first and a second look; beyond them they are sampled. */
  readonly limits?: readonly [first: number, second: number];
  /** How many turns the correction counts, if these sessions are only a part of the suite. */
  readonly counted?: number | undefined;
  /** Makes only one of the tests. */
  readonly only?: 'turns' | 'suite';
}

export interface Outcome {
  readonly turns: readonly (TurnJudgement & { readonly first: number })[];
  readonly suite: SuiteState;
  readonly shift: number | null;
  /** Replays made besides those of the first look. */
  readonly extra: number;
}

const ALL = 60_000;
const POLICY = { alpha: 0.01, minShift: 0.03 };
/** A sample of so many relabelings is enough if it shows that a turn is far from red. */
const QUICK = 1_000;
const FAR = 0.02;

/** One suite through the whole gate: every turn's test, second looks, the suite's test and its confirmation. */
export function simulate(sessions: readonly SimulatedSession[], options: SimulationOptions): Outcome {
  const { seed, recordings, replays, draws = 20_000, limits = [ALL, ALL], counted, only } = options;
  const made = sessions.map((session, index) => new Session(session, `${seed} ${index}`, recordings));
  const turns = only === 'suite' ? { judged: [], extra: 0 } : judgedTurns(made, replays, limits, counted);
  const suite = only === 'turns' ? { state: 'as-before' as const, shift: 0 } : judgedSuite(made, replays, draws);
  return { turns: turns.judged, extra: turns.extra, suite: suite.state, shift: suite.shift };
}

/**
 * One suite against a base, with both sides replayed now: the tests of a run with `--base`. `recorded` is the agent of
 * the base. Turns that get a second look are tested only on fresh runs of both sides.
 */
export function simulateAgainstBase(
  sessions: readonly SimulatedSession[],
  { seed, replays, draws = 20_000, limits = [ALL, ALL], only }: Omit<SimulationOptions, 'recordings'>,
): Outcome {
  const made = sessions.map((session, index) => new PairedSession(session, `${seed} ${index}`));
  const looks = made.map((session, index) => {
    const first = tested(session.table(0, replays), limits[0]);
    const fresh = () => secondLook(session.table(replays, replays + FRESH_RUNS), limits[1]);
    const second = only !== 'suite' && needsSecondLook(first) ? fresh() : undefined;
    return { id: String(index), first, ...(second && { second }) };
  });
  const states = judgeTurns(looks, { ...POLICY, isFresh: true });
  const suiteOf = (runs: number) =>
    suiteTested(
      made.map((session) => session.table(0, runs)),
      draws,
    );
  const suite = only === 'turns' ? undefined : judgedTwice(suiteOf(replays), () => suiteOf(2 * replays));
  return {
    turns: looks.map(({ id, first }) => ({ ...(states.get(id) as TurnJudgement), first: first.p })),
    suite: suite?.state ?? 'as-before',
    shift: suite?.shift ?? 0,
    extra: looks.filter(({ second }) => second !== undefined).length * FRESH_RUNS,
  };
}

function tested(table: RunTable, limit: number): TurnTest {
  const found = turnTest(table, { limit });
  if (found === null) throw new Error('a simulated session has runs of both sides');
  return found;
}

function suiteTested(tables: readonly RunTable[], draws: number): SuiteTest {
  const found = suiteTest(
    tables.map((table, index) => ({ id: String(index), table })),
    { draws },
  );
  if (found === null) throw new Error('a simulated session has runs of both sides');
  return found;
}

function judgedTwice(first: SuiteTest, again: () => SuiteTest): { state: SuiteState; shift: number | null } {
  const state = judgeSuite(first, POLICY);
  return { shift: first.shift, state: state === 'confirm' ? judgeSuite(first, POLICY, again()) : state };
}

function judgedTurns(
  sessions: readonly Session[],
  replays: number,
  limits: readonly [number, number],
  counted?: number,
) {
  const looks = sessions.map((session, index) => {
    const first = tested(session.table(replays), limits[0]);
    const second = needsSecondLook(first) ? secondLook(session.table(MOST_REPLAYS), limits[1]) : undefined;
    return { id: String(index), first, ...(second === undefined ? {} : { second }) };
  });
  const states = judgeTurns(looks, POLICY, counted);
  return {
    judged: looks.map(({ id, first }) => ({ ...(states.get(id) as TurnJudgement), first: first.p })),
    extra: looks.filter((look) => look.second !== undefined).length * (MOST_REPLAYS - replays),
  };
}

function judgedSuite(sessions: readonly Session[], replays: number, draws: number) {
  const suiteOf = (count: number) =>
    suiteTested(
      sessions.map((session) => session.table(count)),
      draws,
    );
  return judgedTwice(suiteOf(replays), () => suiteOf(2 * replays));
}

function secondLook(table: RunTable, limit: number) {
  const quick = turnTest(table, { limit: QUICK });
  return quick !== null && quick.p > FAR ? quick : (turnTest(table, { limit }) ?? undefined);
}

class Session {
  readonly #recordings: readonly ShiftRun[];
  readonly #replays: ShiftRun[] = [];
  readonly #next: () => ShiftRun;
  readonly #tables = new Map<number, RunTable>();

  constructor({ recorded, replayed }: SimulatedSession, seed: string, recordings: number) {
    const random = randomFrom(seed);
    this.#recordings = Array.from({ length: recordings }, () => shiftRun(recorded(random)));
    this.#next = () => shiftRun(replayed(random));
  }

  table(replays: number): RunTable {
    while (this.#replays.length < replays) this.#replays.push(this.#next());
    const known = this.#tables.get(replays) ?? tableOf(this.#recordings, this.#replays.slice(0, replays));
    this.#tables.set(replays, known);
    return known;
  }
}

/** Runs of the base and of the changed tree, as many of the one as of the other. */
class PairedSession {
  readonly #sides: readonly { readonly runs: ShiftRun[]; readonly next: () => ShiftRun }[];

  constructor({ recorded, replayed }: SimulatedSession, seed: string) {
    this.#sides = [recorded, replayed].map((agent, side) => {
      const random = randomFrom(`${seed} ${side}`);
      return { runs: [], next: () => shiftRun(agent(random)) };
    });
  }

  table(from: number, to: number): RunTable {
    const [base = [], head = []] = this.#sides.map(({ runs, next }) => {
      while (runs.length < to) runs.push(next());
      return runs.slice(from, to);
    });
    return tableOf(base, head);
  }
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
