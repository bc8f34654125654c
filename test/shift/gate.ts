import {
  judgeSuite,
  judgeTurns,
  MOST_REPLAYS,
  needsSecondLook,
  type RunTable,
  type ShiftRun,
  type SuiteState,
  shiftRun,
  suiteTest,
  type TurnJudgement,
  tableOf,
  turnTest,
} from '../../src/shift/index.ts';
import { randomFrom } from '../../src/shift/random.ts';
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
  const { seed, recordings, replays, draws = 20_000, limits = [ALL, ALL] } = options;
  const made = sessions.map((session, index) => new Session(session, `${seed} ${index}`, recordings));
  const looks = made.map((session, index) => {
    const first = turnTest(session.table(replays), { limit: limits[0] });
    if (first === null) throw new Error('a simulated session has runs of both sides');
    const second = needsSecondLook(first) ? secondLook(session.table(MOST_REPLAYS), limits[1]) : undefined;
    return { id: String(index), first, ...(second === undefined ? {} : { second }) };
  });
  const judged = judgeTurns(looks, POLICY);
  const turns = looks.map(({ id, first }) => ({ ...(judged.get(id) as TurnJudgement), first: first.p }));
  const suiteOf = (count: number) =>
    suiteTest(
      made.map((session, index) => ({ id: String(index), table: session.table(count) })),
      { draws },
    );
  const first = suiteOf(replays);
  if (first === null) throw new Error('a simulated session has runs of both sides');
  const state = judgeSuite(first, POLICY);
  const second = state === 'confirm' ? suiteOf(2 * replays) : null;
  return {
    turns,
    shift: first.shift,
    suite: second === null ? state : judgeSuite(first, POLICY, second),
    extra: looks.filter((look) => look.second !== undefined).length * (MOST_REPLAYS - replays),
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
