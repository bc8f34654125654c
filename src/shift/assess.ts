import { byCodeUnit } from '../json/index.ts';
import { benjaminiHochberg } from './benjamini-hochberg.ts';
import {
  type AssessOptions,
  drawsFor,
  judgeTurns,
  reachOf,
  type ShiftPolicy,
  type TurnJudgement,
} from './judge-turns.ts';
import { fewestLooks } from './looks.ts';
import { separation } from './separation.ts';
import { RAISES_ALARM, type RunShift, type SuiteShift, type TurnShift } from './shift-result.ts';
import { blindIn, firstShift, followSuite, suitesOf } from './suites.ts';
import { type FirstLook, type Followed, ShiftUnit } from './unit.ts';

/** A look that is wanted next, after so many replays. */
interface WantedLook {
  readonly replays: number;
  /** As a run says it, after "because". */
  readonly why: string;
}

/** The next look at each unit that is to be replayed again; of several reasons, that of the latest look. */
export function nextLooks(units: readonly ShiftUnit[], options: AssessOptions): Map<ShiftUnit, WantedLook> {
  const next = new Map<ShiftUnit, WantedLook>();
  const want = (unit: ShiftUnit, replays: number, why: string) => {
    if (replays > Math.max(unit.asked, next.get(unit)?.replays ?? 0)) next.set(unit, { replays, why });
  };
  for (const unit of units) {
    const { state, replays } = unit.follow(barOf(units, options));
    if (state === 'open') want(unit, replays, 'the test of a turn is open');
    if (unit.isAgainstBase) continue;
    // What raises an alarm in every replay may go beyond the last look of few recordings.
    if (state === 'over') want(unit, unit.least, RAISES_ALARM);
    if (isAlone(options))
      want(unit, unit.alone(options.lastLook), 'the test of all sessions needs more replays of each');
  }
  for (const { suite, standing } of suitesIn(units, options).seen) {
    if (standing.state === 'open')
      for (const unit of suite.members) want(unit, standing.replays, 'the test of all sessions is open');
  }
  return next;
}

/** Known before the run, so that each part of it ends a turn where one job would. */
function barOf(units: readonly ShiftUnit[], { alpha, planned, counted }: AssessOptions): number {
  return alpha / Math.max(1, counted ?? planned ?? units.length);
}

/** Other sessions are elsewhere, so none are tested together. */
function isAlone({ isPart = false, counted }: AssessOptions): boolean {
  return isPart || counted !== undefined;
}

/** Where suites stand, without those of which nothing could be red; and turns of which nothing could be, whatever they did. */
function suitesIn(units: readonly ShiftUnit[], options: AssessOptions) {
  const varying = new Set(units.filter((unit) => varies(unit.follow(0))));
  const suites = suitesOf(units, options).map((suite) => ({ suite, blind: blindIn(suite, varying, options) }));
  const seen = suites.filter(
    ({ suite: { members }, blind }) =>
      blind.length === 0 || blind.length < members.filter((unit) => varying.has(unit)).length,
  );
  return {
    seen: isAlone(options) ? [] : seen.map(({ suite }) => ({ suite, ...followSuite(suite) })),
    blind: new Set(suites.flatMap(({ blind }) => blind)),
  };
}

/** Whether some runs differ. */
function varies({ tests }: Followed): boolean {
  return tests.some((test) => test.varies);
}

/** The tests of suites whose sessions were replayed one by one: one look at the first replays. */
export function assessSuites(looks: readonly FirstLook[], policy: ShiftPolicy): RunShift['suites'] {
  return suitesIn(looks.map(ShiftUnit.of), policy).seen.flatMap(({ told }) => told ?? []);
}

/** All results of the tests of a run. Pure. */
export function assess(
  units: readonly ShiftUnit[],
  options: AssessOptions,
): { readonly run: RunShift; readonly of: (id: string) => TurnShift | undefined } {
  const { isPart = false, counted } = options;
  const bar = barOf(units, options);
  const sampled = units.map((unit) => ({ unit, followed: unit.follow(bar) }));
  const varying = sampled.filter(({ followed }) => varies(followed)).length;
  const isAtFloor = ({ followed: { tests } }: { followed: Followed }) => tests.at(-1)?.isAtFloor === true;
  const atFloor = sampled.filter(isAtFloor).length;
  const draws = drawsFor(counted ?? varying, atFloor, options);
  const looked = sampled.map((each) => (isAtFloor(each) ? { ...each, followed: each.unit.follow(bar, draws) } : each));
  const judged = judgeTurns(
    looked.flatMap(({ unit: { id, isAgainstBase }, followed }) => {
      const { p, tests } = followed;
      const isCounted = varies(followed) && (!isAgainstBase || tests.length > 1);
      return isCounted ? { id, p, last: tests.slice(-2).map((test) => test.p) } : [];
    }),
    options,
    counted,
  );
  const recordings = units.length === 0 ? 0 : Math.min(...units.map((unit) => unit.recordings().length));
  const { isEnough, ...reach } = reachOf(
    recordings,
    counted ?? varying,
    options,
    fewestLooks(units.map(({ looks }) => looks)),
  );
  const isFresh = units.some(({ isAgainstBase }) => isAgainstBase);
  const { seen, blind } = suitesIn(units, options);
  const found = new Map(looked.map((each) => [each.unit.id, each]));
  const marks = units.flatMap(({ marks }) => marks ?? []).sort((a, b) => byCodeUnit(a.id, b.id));
  return {
    run: {
      varying,
      recordings,
      reach: isEnough || varying === 0 || isFresh ? null : reach,
      suites: seen.flatMap(({ told }) => told ?? []),
      ...(isPart && { isPart }),
      ...(marks.length > 0 && { marks }),
    },
    of: (id) => {
      const of = found.get(id);
      return of && turnShiftOf(of, { judgement: judged.get(id), isBlind: blind.has(of.unit), isPart });
    },
  };
}

function turnShiftOf(
  { unit, followed }: { readonly unit: ShiftUnit; readonly followed: Followed },
  {
    judgement = { state: 'as-before', adjusted: 1 },
    isBlind,
    isPart,
  }: { readonly judgement: TurnJudgement | undefined; readonly isBlind: boolean; readonly isPart: boolean },
): TurnShift {
  const { isAgainstBase, recordingsVary } = unit;
  const { state: standing, replays, tests } = followed;
  const last = tests.at(-1);
  const known = {
    recordings: unit.recordings().length,
    ...(isAgainstBase && { against: 'base' as const }),
    recordingsVary,
    p: last?.p ?? null,
    adjusted: judgement.adjusted,
  };
  const nothing = { speaks: null, separation: [] };
  const table = unit.table(isAgainstBase ? undefined : replays);
  if (last === undefined || table === undefined || isBlind || standing === 'untested') {
    return { ...known, ...nothing, adjusted: 1, state: 'untested' };
  }
  const state =
    standing === 'open' ? 'open' : isPart && judgement.state === 'shifted' ? 'may-have-shifted' : judgement.state;
  if (!last.varies) return { ...known, ...nothing, state };
  const { speaks } = last;
  const told = separation(table, speaks, isAgainstBase ? 'base run' : 'recording');
  return { ...known, state, speaks, tested: table.replays, separation: told };
}

/** What the first runs of the base, or of this tree, show about the recordings. */
export interface Drift {
  /** Units that are no longer as recorded, with their corrected p, and what sets their runs apart. */
  readonly turns: ReadonlyMap<string, { readonly p: number; readonly what: string }>;
  /** Agents whose sessions together are no longer as recorded. */
  readonly suites: readonly SuiteShift[];
}

/**
 * Whether runs are as the recordings, judged by the first look alone, to which no run was added because something looked
 * odd. It fails nothing; it shows whether the recordings still describe the agent.
 */
export function driftOf(units: readonly ShiftUnit[], policy: ShiftPolicy): Drift {
  const tested = units.flatMap((unit) => {
    const first = unit.test(unit.requested);
    return first?.varies ? { unit, ...first } : [];
  });
  const adjusted = benjaminiHochberg(tested.map(({ p }) => p));
  const turns = tested.flatMap(({ unit, speaks }, index) => {
    const [p, table] = [adjusted[index]!, unit.table(unit.requested)];
    const [what = ''] = p > policy.alpha || table === undefined ? [] : separation(table, speaks);
    return p > policy.alpha ? [] : [[unit.id, { p, what }] as const];
  });
  return {
    turns: new Map(turns),
    suites: suitesOf(units, policy).flatMap((suite) => firstShift(suite) ?? []),
  };
}
