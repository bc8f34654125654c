import { holm } from './holm.ts';
import {
  isTestable,
  judgeSuite,
  judgeTurns,
  MOST_REPLAYS,
  needsSecondLook,
  reachOf,
  type ShiftPolicy,
  type SuiteState,
  type TurnJudgement,
} from './judge-turns.ts';
import type { ShiftRun } from './run.ts';
import { separation } from './separation.ts';
import type { RunShift, SuiteShift, TurnShift } from './shift-result.ts';
import { type SuiteTest, shiftOf, suiteTest } from './suite-test.ts';
import { type RunTable, tableOf } from './table.ts';
import { type TurnTest, turnTest } from './turn-test.ts';

export interface UnitOptions {
  /** Unique in the run. */
  readonly id: string;
  /** The agent whose sessions are tested together. */
  readonly suite?: string | undefined;
  readonly recordings: readonly ShiftRun[];
  /** Runs of the base by number, instead of recordings. Those of a second look are tested only against each other. */
  readonly base?: ReadonlyMap<number, ShiftRun> | undefined;
  /** The pass over the suite in which each was made; undefined if unknown for one of them. */
  readonly passes?: readonly string[] | undefined;
  /** Replays of the first look. */
  readonly requested: number;
}

/** A unit's first look as data, for the test of its suite. */
export interface FirstLook extends UnitOptions {
  /** Conclusive ones, by the number of their run. */
  readonly replays: readonly (readonly [run: number, did: ShiftRun])[];
}

/** What is tested as one: a turn, or a session whose turns build on each other. */
export class ShiftUnit {
  readonly id: string;
  readonly suite: string | undefined;
  readonly passes: readonly string[] | undefined;
  readonly requested: number;
  readonly isAgainstBase: boolean;
  readonly #recordings: readonly ShiftRun[];
  readonly #base: ReadonlyMap<number, ShiftRun> | undefined;
  /** Numbers of the runs that were asked for. */
  readonly #asked = new Set<number>();
  readonly #replays = new Map<number, ShiftRun>();
  readonly #tables = new Map<string, RunTable>();
  readonly #tests = new Map<string, TurnTest | null>();

  constructor({ id, suite, recordings, base, passes, requested }: UnitOptions) {
    this.id = id;
    this.suite = suite;
    this.#recordings = recordings;
    this.#base = base;
    this.isAgainstBase = base !== undefined;
    this.passes = passes;
    this.requested = requested;
  }

  /** Runs still to come. */
  ask(runs: Iterable<number>): void {
    for (const run of runs) this.#asked.add(run);
  }

  /** A conclusive one. */
  add(run: number, did: ShiftRun): void {
    this.#replays.set(run, did);
  }

  /** @param data of {@link firstLook} */
  static of({ replays, ...options }: FirstLook): ShiftUnit {
    const unit = new ShiftUnit(options);
    unit.ask(Array.from({ length: options.requested }, (_, index) => index + 1));
    for (const [run, did] of replays) unit.add(run, did);
    return unit;
  }

  get firstLook(): FirstLook {
    const { id, suite, passes, requested } = this;
    const replays = this.#runs(requested).map((run) => [run, this.#replays.get(run) as ShiftRun] as const);
    return { id, suite, passes, requested, recordings: this.recordings(), replays };
  }

  get asked(): number {
    return this.#asked.size;
  }

  /** Conclusive ones of the first so many. */
  replays(most: number): number {
    return this.#runs(most).length;
  }

  /** What replays are compared with: for a base, its runs with these numbers. */
  recordings(most = Number.POSITIVE_INFINITY, from = 1): readonly ShiftRun[] {
    if (this.#base === undefined) return this.#recordings;
    return numbersIn(this.#base, most, from).map((run) => this.#base?.get(run) as ShiftRun);
  }

  /** A look at the first runs; undefined if too few of the requested ones could be compared. */
  table(most = Number.POSITIVE_INFINITY, from = 1): RunTable | undefined {
    const asked = [...this.#asked].filter((run) => run >= from && run <= most).length;
    const [recordings, runs] = [this.recordings(most, from), this.#runs(most, from)];
    if (recordings.length === 0 || !isTestable(runs.length, asked)) return undefined;
    if (this.isAgainstBase && !isTestable(recordings.length, asked)) return undefined;
    const key = `${recordings.length} ${runs.join()}`;
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const table = tableOf(
      recordings,
      runs.map((run) => this.#replays.get(run) as ShiftRun),
    );
    this.#tables.set(key, table);
    return table;
  }

  test(most = Number.POSITIVE_INFINITY, from = 1): TurnTest | undefined {
    const table = this.table(most, from);
    if (table === undefined) return undefined;
    const key = `${from} ${this.#runs(most, from).join()}`;
    const known = this.#tests.get(key) ?? turnTest(table);
    this.#tests.set(key, known);
    return known ?? undefined;
  }

  /** Of the first look. */
  get first(): TurnTest | undefined {
    return this.test(this.requested);
  }

  /**
   * A look at all runs, if more were requested than at first, or as many at once. Against a base: only at the further runs,
   * if the first look asked for them.
   */
  get second(): TurnTest | undefined {
    if (this.isAgainstBase) {
      const isAsked = this.asked > this.requested && this.first !== undefined && needsSecondLook(this.first);
      return isAsked ? this.test(Number.POSITIVE_INFINITY, this.requested + 1) : undefined;
    }
    return this.asked > this.requested || this.requested >= MOST_REPLAYS ? this.test() : undefined;
  }

  /** Whether its recordings differ among themselves. */
  get recordingsVary(): boolean {
    const [one, ...others] = this.recordings().map((run) => JSON.stringify(run));
    return others.some((other) => other !== one);
  }

  #runs(most: number, from = 1): number[] {
    return numbersIn(this.#replays, most, from);
  }
}

function numbersIn(runs: ReadonlyMap<number, ShiftRun>, most: number, from: number): number[] {
  return [...runs.keys()].filter((run) => run >= from && run <= most).sort((a, b) => a - b);
}

export interface AssessOptions extends ShiftPolicy {
  /** Turns that the correction counts, if these units belong to one session of many. Then no suite is tested. */
  readonly counted?: number | undefined;
  /** In a part of a run nothing has shifted by its p yet, and no suite is tested. */
  readonly isPart?: boolean | undefined;
}

/** Units that need a second look: `odd` because of their own p, `confirmed` because their suite looks shifted as a whole. */
export function unitsToRepeat(
  units: readonly ShiftUnit[],
  { isWhole, ...options }: AssessOptions & { readonly isWhole: boolean },
): { readonly odd: ReadonlySet<ShiftUnit>; readonly confirmed: ReadonlySet<ShiftUnit> } {
  const odd = units.filter((unit) => isOpen(unit) && unit.asked <= unit.requested);
  const suites = isWhole ? suitesOf(units, options).filter(({ state }) => state === 'confirm') : [];
  return { odd: new Set(odd), confirmed: new Set(suites.flatMap(({ members }) => members)) };
}

/** Its first look was odd enough for a second one. */
function isOpen({ first, requested, isAgainstBase }: ShiftUnit): boolean {
  return first?.varies === true && (isAgainstBase || requested < MOST_REPLAYS) && needsSecondLook(first);
}

/** The tests of suites, from first looks alone: final if no further replays can be made. */
export function assessSuites(looks: readonly FirstLook[], policy: ShiftPolicy): RunShift['suites'] {
  return suitesOf(
    looks.map((look) => ShiftUnit.of(look)),
    policy,
  ).map(({ told }) => told);
}

/** All results of the tests of a run. Pure. */
export function assess(
  units: readonly ShiftUnit[],
  options: AssessOptions,
): { readonly run: RunShift; readonly of: (id: string) => Omit<TurnShift, 'everyRun'> | undefined } {
  const { alpha, minShift, isPart = false } = options;
  const looks = units.flatMap((unit) => {
    const { id, first, second } = unit;
    return first === undefined ? [] : [{ id, first, ...(second && { second }) }];
  });
  const isFresh = units.some(({ isAgainstBase }) => isAgainstBase);
  const judged = judgeTurns(looks, { alpha, isFresh }, options.counted);
  const recordings = units.length === 0 ? 0 : Math.min(...units.map((unit) => unit.recordings().length));
  const varying = looks.filter(({ first }) => first.varies).length;
  const { isEnough, ...reach } = reachOf(recordings, options.counted ?? varying, { alpha });
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  return {
    run: {
      alpha,
      minShift,
      turns: units.length,
      varying,
      recordings,
      reach: isEnough || varying === 0 || isFresh ? null : reach,
      suites: isPart || options.counted !== undefined ? [] : suitesOf(units, options).map(({ told }) => told),
      ...(isPart && { isPart }),
    },
    of: (id) => {
      const unit = byId.get(id);
      return unit && turnShiftOf(unit, judged.get(id), isPart);
    },
  };
}

function turnShiftOf(
  unit: ShiftUnit,
  judgement: TurnJudgement | undefined,
  isPart: boolean,
): Omit<TurnShift, 'everyRun'> {
  const { first, second, isAgainstBase } = unit;
  const last = unit.asked > unit.requested && (isOpen(unit) || !isAgainstBase) ? second : first;
  const known = {
    recordings: unit.recordings().length,
    ...(isAgainstBase && { against: 'base' as const }),
    recordingsVary: unit.recordingsVary,
    first: lookOf(first),
    second: unit.asked > unit.requested ? lookOf(second) : null,
    adjusted: judgement?.adjusted ?? 1,
  };
  const table = unit.table();
  if (last === undefined || table === undefined || judgement === undefined) {
    return { ...known, state: 'untested', speaks: null, separation: [], rows: [] };
  }
  const isUnseen = isOpen(unit) && unit.asked <= unit.requested;
  const state = isUnseen ? 'open' : isPart && judgement.state === 'shifted' ? 'may-have-shifted' : judgement.state;
  if (!last.varies) return { ...known, state, shift: 0, speaks: null, separation: [], rows: [] };
  const { sentences, rows } = separation(table, last.speaks, isAgainstBase ? 'base run' : 'recording');
  return {
    ...known,
    state,
    shift: shiftOf([{ table }], [last.speaks]),
    speaks: last.speaks,
    separation: sentences,
    rows,
  };
}

function lookOf(test: TurnTest | undefined): TurnShift['first'] {
  return test === undefined ? null : { p: test.p, replays: test.replays, relabelings: test.relabelings };
}

interface Suite {
  readonly members: readonly ShiftUnit[];
  readonly state: SuiteState;
  readonly told: SuiteShift;
}

/** Each agent's sessions are a suite. Several suites share the probability of a false alarm. */
function groupsOf(units: readonly ShiftUnit[], { alpha, minShift }: ShiftPolicy) {
  const groups = [...Map.groupBy(units, ({ suite }) => suite)];
  return { groups, policy: { alpha: alpha / Math.max(1, groups.length), minShift } };
}

function suitesOf(units: readonly ShiftUnit[], alone: ShiftPolicy): Suite[] {
  const { groups, policy } = groupsOf(units, alone);
  return groups.flatMap(([agentId, members]): Suite | [] => {
    const { requested } = members[0] as ShiftUnit;
    const first = suiteOf(members, requested);
    if (first === null) return [];
    const wasRepeated = members.every(({ asked }) => asked >= 2 * requested);
    const second = wasRepeated ? (suiteOf(members, 2 * requested) ?? undefined) : undefined;
    const state = judgeSuite(first, policy, second);
    const told: SuiteShift = {
      ...figuresOf(agentId, second ?? first),
      // If no further replays can be made, the first look decides; alone it keeps to alpha.
      state: state === 'confirm' ? 'shifted' : state,
      isConfirmed: second !== undefined,
      ...(members[0]?.isAgainstBase && { against: 'base' as const }),
    };
    return { members, state, told };
  });
}

function figuresOf(agentId: string | undefined, { p, shift, speaks, turns, varying, byPasses }: SuiteTest) {
  return { ...(agentId !== undefined && { agentId }), p, shift, speaks, turns, varying, byPasses };
}

/** What the first runs of the base, or of this tree, show about the recordings. */
export interface Drift {
  /** Units that are no longer as recorded, with their p by Holm. */
  readonly turns: ReadonlyMap<string, number>;
  /** Agents whose sessions together are no longer as recorded. */
  readonly suites: readonly SuiteShift[];
}

/**
 * Whether runs are as the recordings, judged by the first look alone, to which no run was added because something looked
 * odd. It fails nothing; it shows whether the recordings still describe the agent.
 */
export function driftOf(units: readonly ShiftUnit[], policy: ShiftPolicy): Drift {
  const tested = units.flatMap(({ id, first }) => (first?.varies ? { id, p: first.p } : []));
  const adjusted = holm(tested.map(({ p }) => p));
  const { groups, policy: shared } = groupsOf(units, policy);
  const suites = groups.flatMap(([agentId, members]): SuiteShift | [] => {
    const test = suiteOf(members, members[0]?.requested ?? 0);
    if (test === null || judgeSuite(test, shared) !== 'confirm') return [];
    return { ...figuresOf(agentId, test), state: 'shifted', isConfirmed: false };
  });
  return {
    turns: new Map(
      tested.flatMap(({ id }, index) => {
        const p = adjusted[index] as number;
        return p <= policy.alpha ? [[id, p] as const] : [];
      }),
    ),
    suites,
  };
}

function suiteOf(units: readonly ShiftUnit[], most: number): SuiteTest | null {
  const turns = units.flatMap((unit) => {
    const table = unit.table(most);
    return table === undefined ? [] : [{ id: unit.id, table, unit }];
  });
  return suiteTest(turns, {
    passes: areWholePasses(
      turns.map(({ unit }) => unit),
      most,
    ),
  });
}

/** All were recorded in the same passes over the suite, and replayed in as many. */
function areWholePasses(units: readonly ShiftUnit[], most: number): boolean {
  const keys = units.map(({ passes }) => passes?.join('\n'));
  return (
    units.length > 1 &&
    keys[0] !== undefined &&
    keys.every((key) => key === keys[0]) &&
    units.every((unit) => unit.replays(most) === most)
  );
}
