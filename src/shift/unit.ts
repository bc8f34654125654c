import { follow, LOOK_AGAIN, type Look, type LookRange, type Standing, turnLooks } from './looks.ts';
import { marksOf } from './nights.ts';
import type { ShiftRun } from './run.ts';
import { FRESH_RUNS, MOST_REPLAYS, SOME_REPLAYS, type UnitMarks } from './shift-result.ts';
import { type RunTable, tableOf } from './table.ts';
import { type TurnTest, turnTest } from './turn-test.ts';

interface UnitOptions {
  /** Unique in the run. */
  readonly id: string;
  /** The agent whose sessions are tested together. */
  readonly suite?: string;
  readonly recordings: readonly ShiftRun[];
  /** Runs of the base by number, instead of recordings. Those of another look are tested only against each other. */
  readonly base?: ReadonlyMap<number, ShiftRun>;
  /** The pass over the suite in which each was made; undefined if unknown for one of them. */
  readonly passes?: readonly string[];
  /** Replays of the first look against a base. */
  readonly requested: number;
  /** Of looks by recordings. Default: 2 to 20. */
  readonly looks?: LookRange;
}

/** A unit's first replays as data, for the test of its suite. */
export interface FirstLook extends UnitOptions {
  /** Conclusive ones, by the number of their run. */
  readonly replays: readonly (readonly [run: number, did: ShiftRun])[];
}

/** Where the looks at a unit stand, and their tests. */
export interface Followed extends Standing {
  readonly tests: readonly TurnTest[];
}

/** A turn with a smaller share of conclusive replays is not tested. */
const LEAST_CONCLUSIVE = 0.8;

/** What is tested as one: a turn, or a session whose turns build on each other. */
export class ShiftUnit {
  readonly id: string;
  readonly suite: string | undefined;
  readonly passes: readonly string[] | undefined;
  readonly requested: number;
  readonly looks: LookRange;
  readonly isAgainstBase: boolean;
  /** Replays before which it does not end as recorded. */
  least = 0;
  readonly #recordings: readonly ShiftRun[];
  readonly #base: ReadonlyMap<number, ShiftRun> | undefined;
  /** Numbers of the runs that were asked for. */
  readonly #asked = new Set<number>();
  readonly #replays = new Map<number, ShiftRun>();
  readonly #tables = new Map<string, RunTable>();
  readonly #tests = new Map<string, TurnTest | null>();

  constructor({ id, suite, recordings, base, passes, requested, looks }: UnitOptions) {
    this.id = id;
    this.suite = suite;
    this.#recordings = recordings;
    this.#base = base;
    this.isAgainstBase = base !== undefined;
    this.passes = passes;
    this.requested = requested;
    this.looks = looks ?? { least: 2, most: MOST_REPLAYS };
  }

  /** Runs still to come. */
  ask(runs: Iterable<number>): void {
    for (const run of runs) this.#asked.add(run);
  }

  /** A conclusive one. */
  add(run: number, did: ShiftRun): void {
    this.#replays.set(run, did);
  }

  static of({ replays, ...options }: FirstLook): ShiftUnit {
    const { requested } = options;
    const unit = new ShiftUnit({ ...options, looks: { least: requested, most: requested } });
    unit.ask(Array.from({ length: requested }, (_, index) => index + 1));
    for (const [run, did] of replays) unit.add(run, did);
    return unit;
  }

  get firstLook(): FirstLook {
    const { id, suite, passes } = this;
    const requested = this.alone();
    return { id, suite, passes, requested, recordings: this.recordings(), replays: within(this.#replays, requested) };
  }

  /** Of its first replays, to which none was added because something looked odd. */
  get marks(): UnitMarks | undefined {
    const replays = within(this.#replays, this.looks.least).map(([, did]) => did);
    return this.isAgainstBase ? undefined : marksOf({ id: this.id, agentId: this.suite }, this.#recordings, replays);
  }

  /**
   * Replays where it is replayed alone, for the test of all together: that can make no further ones.
   * @param last what the last look at all of them reads, where that is asked for
   */
  alone(last?: number): number {
    return Math.max(this.looks.least, last ?? Math.min(SOME_REPLAYS, this.looks.most));
  }

  get asked(): number {
    return this.#asked.size;
  }

  /** Conclusive ones of the first so many. */
  replays(most: number): number {
    return within(this.#replays, most).length;
  }

  /** What replays are compared with: for a base, its runs with these numbers. */
  recordings(most?: number, from?: number): readonly ShiftRun[] {
    return this.#base === undefined ? this.#recordings : within(this.#base, most, from).map(([, did]) => did);
  }

  /** A look at the first runs; undefined if too few of the requested ones could be compared. */
  table(most = Number.POSITIVE_INFINITY, from = 1): RunTable | undefined {
    const asked = [...this.#asked].filter((run) => run >= from && run <= most).length;
    const [recordings, replays] = [this.recordings(most, from), within(this.#replays, most, from)];
    const isTestable = (runs: number) => runs > 0 && runs >= LEAST_CONCLUSIVE * asked;
    if (recordings.length === 0 || !isTestable(replays.length)) return undefined;
    if (this.isAgainstBase && !isTestable(recordings.length)) return undefined;
    const key = `${recordings.length} ${replays.map(([run]) => run)}`;
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const table = tableOf(
      recordings,
      replays.map(([, did]) => did),
    );
    this.#tables.set(key, table);
    return table;
  }

  /** @param draws for a p that is too small for fewer */
  test(most: number, from = 1, draws?: number): TurnTest | undefined {
    const table = this.table(most, from);
    if (table === undefined) return undefined;
    const key = `${draws} ${table.digest}`;
    const known = this.#tests.get(key) ?? turnTest(table, { most: draws });
    this.#tests.set(key, known);
    return known ?? undefined;
  }

  /**
   * Where its looks stand. Against a base there are two, the second only at the further runs, if the first asked for them.
   * @param bar a p so small is red among all turns
   * @param draws for a p that is too small for fewer
   */
  follow(bar: number, draws?: number): Followed {
    const tests: TurnTest[] = [];
    const { requested, isAgainstBase } = this;
    const pAt = (replays: number) => {
      const isFresh = isAgainstBase && replays > requested;
      if (this.asked < (isFresh ? requested + 1 : replays)) return null;
      const found = isFresh ? this.test(Number.POSITIVE_INFINITY, requested + 1, draws) : this.test(replays, 1, draws);
      if (found !== undefined) tests.push(found);
      return found?.p;
    };
    const standing = follow(this.looksFor(bar), pAt, { bar, least: isAgainstBase ? 0 : this.least });
    return { ...standing, tests };
  }

  /** @param bar a p so small is red among all turns */
  looksFor(bar: number): readonly Look[] {
    if (!this.isAgainstBase) return turnLooks(this.#recordings.length, this.looks, bar);
    const { requested } = this;
    return [
      { replays: requested, ends: LOOK_AGAIN, share: 0 },
      { replays: requested + FRESH_RUNS, ends: 1, share: 1 },
    ];
  }

  get recordingsVary(): boolean {
    const [one, ...others] = this.recordings().map((run) => JSON.stringify(run));
    return others.some((other) => other !== one);
  }
}

/** Runs with these numbers, in their order. */
function within(runs: ReadonlyMap<number, ShiftRun>, most = Number.POSITIVE_INFINITY, from = 1) {
  return [...runs].filter(([run]) => run >= from && run <= most).sort(([a], [b]) => a - b);
}
