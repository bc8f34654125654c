import { type AssessOptions, isLarge, type ShiftPolicy } from './judge-turns.ts';
import { follow, LOOK_AGAIN, type Look, rangeOfAll, type Standing, suiteLooks } from './looks.ts';
import { leastP } from './relabelings.ts';
import type { SuiteShift } from './shift-result.ts';
import { LEAST_PASSES, type SuiteTest, suiteTest } from './suite-test.ts';
import type { ShiftUnit } from './unit.ts';

/** The sessions of an agent, which are tested together. */
interface Suite {
  readonly agentId: string | undefined;
  readonly members: readonly [ShiftUnit, ...ShiftUnit[]];
  /** Its part: several suites share the probability of a false alarm. */
  readonly policy: ShiftPolicy;
}

export function suitesOf(units: readonly ShiftUnit[], { alpha, minShift }: ShiftPolicy): Suite[] {
  const groups = [...Map.groupBy(units, ({ suite }) => suite)];
  const policy = { alpha: alpha / Math.max(1, groups.length), minShift };
  return groups.map(([agentId, members]) => ({ agentId, members: members as [ShiftUnit, ...ShiftUnit[]], policy }));
}

/** Where the looks at all sessions of an agent stand, and what the last of them has shown. */
export function followSuite(suite: Suite): { standing: Standing; told: SuiteShift | undefined } {
  const { members, policy } = suite;
  const tests: SuiteTest[] = [];
  const [{ isAgainstBase }] = members;
  const standing = follow(
    looksAt(suite),
    (replays) => {
      if (members.some(({ asked }) => asked < replays)) return null;
      const found = testOf(members, replays);
      if (found === null) return undefined;
      tests.push(found);
      return isAgainstBase && !isLarge(found, policy) ? 1 : found.p;
    },
    { bar: policy.alpha },
  );
  const test = tests.at(-1);
  // Against a base the first look decides if no further replays could be made; alone it keeps to alpha.
  return { standing, told: test && toldOf(suite, test, isAgainstBase ? test.p : standing.p) };
}

/** @param p of all looks together */
function toldOf({ agentId, members: [{ isAgainstBase }], policy }: Suite, test: SuiteTest, p: number): SuiteShift {
  const { shift, speaks, turns, varying } = test;
  const state = p > policy.alpha ? 'as-before' : isLarge(test, policy) ? 'shifted' : 'too-small';
  return {
    ...(agentId !== undefined && { agentId }),
    state,
    p: test.p,
    shift,
    speaks,
    turns,
    varying,
    ...(isAgainstBase && { against: 'base' as const }),
  };
}

/** What the first runs alone show, to which none was added because something looked odd; undefined if nothing has shifted. */
export function firstShift(suite: Suite): SuiteShift | undefined {
  const test = testOf(suite.members, suite.members[0].requested);
  const told = test && toldOf(suite, test, test.p);
  return told?.state === 'shifted' ? told : undefined;
}

/**
 * Members whose runs differ, but of which neither their own p nor that of the suite could be red, whatever they did: one
 * recording and five replays are 6 runs, so that no p is below 1/6.
 * @param varying all units whose runs differ
 */
export function blindIn(
  suite: Suite,
  varying: ReadonlySet<ShiftUnit>,
  { alpha, counted, isPart = false }: AssessOptions,
): ShiftUnit[] {
  const { members, policy } = suite;
  const own = members.filter((unit) => varying.has(unit));
  const [{ isAgainstBase, requested }] = members;
  const last = isAgainstBase ? { replays: requested, share: 1 } : (looksAt(suite).at(-1) as Look);
  // Whoever has only a part of a suite cannot know what all of it can show.
  const most = isPart || counted !== undefined ? 1 - Number.EPSILON : policy.alpha * last.share;
  if (leastOf(own, last.replays) <= most) return [];
  const needed = alpha / Math.max(1, counted ?? varying.size);
  return own.filter((unit) => {
    const recordings = unit.recordings().length;
    if (isAgainstBase) return leastP(recordings, unit.replays(requested)) > LOOK_AGAIN;
    const { replays, share } = unit.looksFor(needed).at(-1) as Look;
    return leastP(recordings, replays) / share > needed;
  });
}

/** The least p of all units together. */
function leastOf(units: readonly ShiftUnit[], replays: number): number {
  return units.reduce((p, unit) => p * leastP(unit.recordings().length, replays), 1);
}

function looksAt({ members, policy: { alpha } }: Suite): readonly Look[] {
  const [{ isAgainstBase, requested }] = members;
  if (isAgainstBase) {
    return [
      { replays: requested, ends: alpha, share: 0 },
      { replays: 2 * requested, ends: 1, share: 1 },
    ];
  }
  const recordings = Math.min(...members.map((unit) => unit.recordings().length));
  const range = rangeOfAll(members.map(({ looks }) => looks));
  const byPasses = recordings >= LEAST_PASSES && areWholePasses(members);
  return suiteLooks(recordings, range, {
    alpha,
    // Of too few passes nothing can be told; with too few recorded ones each turn is relabelled by itself.
    leastAt: (replays) =>
      !byPasses ? leastOf(members, replays) : replays < LEAST_PASSES ? 1 : leastP(recordings, replays),
  });
}

/** By the first unit and all tables: they are asked for again at every look. */
const known = new WeakMap<ShiftUnit, Map<string, SuiteTest | null>>();

function testOf(units: Suite['members'], most: number): SuiteTest | null {
  const turns = units.flatMap((unit) => {
    const table = unit.table(most);
    return table === undefined ? [] : [{ id: unit.id, table, unit }];
  });
  const tested = turns.map(({ unit }) => unit);
  const tests = known.get(units[0]) ?? new Map<string, SuiteTest | null>();
  known.set(units[0], tests);
  const key = turns.map(({ id, table: { digest } }) => `${id} ${digest}`).join();
  const passes = areWholePasses(tested) && tested.every((unit) => unit.replays(most) === most);
  const found = tests.get(key) ?? suiteTest(turns, { passes });
  tests.set(key, found);
  return found;
}

/** All were recorded in the same passes over the suite. */
function areWholePasses(units: readonly ShiftUnit[]): boolean {
  const keys = units.map(({ passes }) => passes?.join('\n'));
  return units.length > 1 && keys[0] !== undefined && keys.every((key) => key === keys[0]);
}
