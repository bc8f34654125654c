import { MOST_REPLAYS, type ShiftRun, shiftRun } from '../../src/shift/index.ts';
import { judgeSuite, judgeTurns, needsSecondLook, type SuiteState, type TurnJudgement } from '../../src/shift/judge.ts';
import { randomFrom } from '../../src/shift/random.ts';
import { suiteTest } from '../../src/shift/suite-test.ts';
import { type RunTable, tableOf } from '../../src/shift/table.ts';
import { turnTest } from '../../src/shift/turn-test.ts';
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
  /** Relabelings of a first and of a second look, beyond which they are sampled. */
  readonly limits?: readonly [first: number, second: number];
  /** Only one of the tests is made; what the other one says is not asked. */
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
/** A sample of so many relabelings spares the rest of them where it says that a turn is far from red. */
const QUICK = 1_000;
const FAR = 0.02;

/** One suite through the whole gate: every turn's test, second looks, the suite's test and its confirmation. */
export function simulate(sessions: readonly SimulatedSession[], options: SimulationOptions): Outcome {
  const { seed, recordings, replays, draws = 20_000, limits = [ALL, ALL], only } = options;
  const made = sessions.map((session, index) => new Session(session, `${seed} ${index}`, recordings));
  const turns = only === 'suite' ? { judged: [], extra: 0 } : judgedTurns(made, replays, limits);
  const suite = only === 'turns' ? { state: 'as-before' as const, shift: 0 } : judgedSuite(made, replays, draws);
  return { turns: turns.judged, extra: turns.extra, suite: suite.state, shift: suite.shift };
}

function judgedTurns(sessions: readonly Session[], replays: number, limits: readonly [number, number]) {
  const looks = sessions.map((session, index) => {
    const first = turnTest(session.table(replays), { limit: limits[0] });
    if (first === null) throw new Error('a simulated session has runs of both sides');
    const second = needsSecondLook(first) ? secondLook(session.table(MOST_REPLAYS), limits[1]) : undefined;
    return { id: String(index), first, ...(second === undefined ? {} : { second }) };
  });
  const states = judgeTurns(looks, POLICY);
  return {
    judged: looks.map(({ id, first }) => ({ ...(states.get(id) as TurnJudgement), first: first.p })),
    extra: looks.filter((look) => look.second !== undefined).length * (MOST_REPLAYS - replays),
  };
}

function judgedSuite(sessions: readonly Session[], replays: number, draws: number) {
  const suiteOf = (count: number) => {
    const turns = sessions.map((session, index) => ({ id: String(index), table: session.table(count) }));
    const found = suiteTest(turns, { draws });
    if (found === null) throw new Error('a simulated session has runs of both sides');
    return found;
  };
  const first = suiteOf(replays);
  const state = judgeSuite(first, POLICY);
  return {
    shift: first.shift,
    state: state === 'confirm' ? judgeSuite(first, POLICY, suiteOf(2 * replays)) : state,
  };
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

/** A suite of an agent that does not change. */
export function unchanged(kind: Kind, sessions: number, suite: number): SimulatedSession[] {
  return Array.from({ length: sessions }, (_, session) => {
    const agent = agentOf(kind, `${suite} ${session}`);
    return { recorded: agent, replayed: agent };
  });
}

/** How many of so many may be red, of which each is with this probability: three deviations. */
export function atMost(count: number, share: number): number {
  return count * share + 3 * Math.sqrt(count * share * (1 - share));
}
