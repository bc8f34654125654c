import { type KeyedStep, renamedStep } from '../keys/keys.ts';
import type { Id } from '../keys/names.ts';
import type { Difference } from '../shapes/result.ts';
import { callsWithOutcomes } from '../steps/calls.ts';
import { leavesIn } from '../values/canonical.ts';
import { type AlignedPair, align } from './align.ts';

/** Two aligned runs. */
export interface Match {
  /** In the order of the recording. */
  readonly pairs: readonly AlignedPair[];
  /** Both sides, with the same names for ids that correspond. */
  readonly recorded: readonly KeyedStep[];
  readonly replayed: readonly KeyedStep[];
  /** New names of ids on each side, by the names that each run alone gave them. */
  readonly names: { readonly recorded: ReadonlyMap<string, string>; readonly replayed: ReadonlyMap<string, string> };
}

/** All differences of a replay from the recording, in order, and the alignment of the two. */
export interface Explanation extends Omit<Match, 'names'> {
  readonly differences: readonly Difference[];
}

/**
 * Aligns a replay with the recording. Each run numbers its ids by itself, so one extra call, or parallel calls in another
 * order, would renumber all ids after it. Therefore the runs are first aligned without the numbers, and then corresponding
 * ids get the same name. Differences that remain are real.
 */
export function matchRuns(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[]): Match {
  const { ours, theirs } = commonNames(recorded, replayed);
  const [a, b] = [renamed(recorded, ours), renamed(replayed, theirs)];
  return { pairs: align(a, b), recorded: a, replayed: b, names: { recorded: ours, replayed: theirs } };
}

type Renames = ReadonlyMap<string, string>;

function renamed(steps: readonly KeyedStep[], names: Renames): readonly KeyedStep[] {
  return names.size === 0 ? steps : steps.map((step) => renamedStep(step, names));
}

const NO_NAMES: Renames = new Map();

/** The ids that need another name on each side before the two can be compared. */
function commonNames(
  recorded: readonly KeyedStep[],
  replayed: readonly KeyedStep[],
): { ours: Renames; theirs: Renames } {
  const [made, alsoMade] = [newIn(recorded), newIn(replayed)];
  if (made.length === 0 && alsoMade.length === 0) return { ours: NO_NAMES, theirs: NO_NAMES };
  const pairs = counterparts(recorded, replayed);
  const ours = new Map<string, string>();
  const theirs = new Map<string, string>();
  // Ids that both tools returned unchanged are the same id, whatever each run calls it.
  for (const [a, b] of pairs) {
    if (![...a.ids, ...b.ids].some(isNew)) continue;
    const [inA, inB] = [idsIn(a), idsIn(b)];
    for (const { text, name } of b.ids.filter(isNew)) if (inA.has(text)) theirs.set(name, inA.get(text) ?? text);
    for (const { text, name } of a.ids.filter(isNew)) {
      const other = inB.get(text);
      if (other === text) ours.set(name, text);
      else if (other !== undefined) theirs.set(other, name);
    }
  }
  const taken = new Set(theirs.values());
  for (const [a, b] of pairs) {
    const free = a.ids.filter((id) => id.isNew && !taken.has(id.name) && !ours.has(id.name));
    const byShape = Map.groupBy(free.reverse(), shapeOf);
    for (const id of b.ids) {
      const same = id.isNew && !theirs.has(id.name) ? byShape.get(shapeOf(id))?.pop() : undefined;
      if (same !== undefined) theirs.set(id.name, same.name);
    }
  }
  // The other ids correspond to none, so their names must differ from all names of the recording.
  const ourNames = new Set(made.map(({ name }) => name));
  const known = new Set([...ourNames, ...alsoMade.map(({ name }) => name)]);
  let number = made.length;
  for (const { name } of alsoMade) {
    if (theirs.has(name) || !ourNames.has(name)) continue;
    const prefix = name.slice(0, name.lastIndexOf('#') + 1);
    do number++;
    while (known.has(`${prefix}${number}>`));
    known.add(`${prefix}${number}>`);
    theirs.set(name, `${prefix}${number}>`);
  }
  for (const [name, other] of theirs) if (name === other) theirs.delete(name);
  return { ours, theirs };
}

/** The ids of a step, by what they were. A value that something else had told before stands in it as it was. */
function idsIn({ ids, value }: KeyedStep): ReadonlyMap<string, string> {
  const told = value === undefined ? [] : leavesIn(value).filter((leaf) => typeof leaf === 'string');
  return new Map([...told.map((leaf) => [leaf, leaf] as const), ...ids.map(({ text, name }) => [text, name] as const)]);
}

function newIn(steps: readonly KeyedStep[]): Id[] {
  return steps.flatMap(({ ids }) => ids.filter(isNew));
}

function isNew({ isNew }: Id): boolean {
  return isNew;
}

/** `<create_order.uuid#1>` -> `uuid` */
function shapeOf({ name }: Id): string {
  return name.slice(name.lastIndexOf('.') + 1, name.lastIndexOf('#'));
}

/**
 * Pairs calls that correspond, with their outcomes: first equal ones side by side, then equal ones anywhere, then those of
 * one tool side by side, then those of different tools.
 */
function counterparts(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[]): [KeyedStep, KeyedStep][] {
  const beside = new Map<KeyedStep, KeyedStep>();
  for (const { a, b } of align(recorded.map(unnumbered), replayed.map(unnumbered))) {
    const [left, right] = [recorded[a], replayed[b]];
    if (left !== undefined && right !== undefined) beside.set(left, right);
  }
  const ours = new Map(callsWithOutcomes(recorded).map(({ call, outcome }) => [call, outcome]));
  const theirs = new Map(callsWithOutcomes(replayed).map(({ call, outcome }) => [call, outcome]));
  const found: [KeyedStep, KeyedStep][] = [];
  const match = (a: KeyedStep, b: KeyedStep | undefined): void => {
    if (b === undefined || !ours.has(a) || !theirs.has(b)) return;
    const [outcomeA, outcomeB] = [ours.get(a), theirs.get(b)];
    found.push([a, b]);
    if (outcomeA !== undefined && outcomeB !== undefined) found.push([outcomeA, outcomeB]);
    ours.delete(a);
    theirs.delete(b);
  };
  for (const [a, b] of beside) if (a.loose === b.loose) match(a, b);
  const elsewhere = Map.groupBy([...theirs.keys()].reverse(), ({ loose }) => loose);
  for (const a of [...ours.keys()]) match(a, elsewhere.get(a.loose)?.pop());
  for (const [a, b] of beside) if (a.name === b.name) match(a, b);
  for (const [a, b] of beside) match(a, b);
  for (const [a, b] of beside) if (a.kind === 'error' && a.name === undefined) found.push([a, b]);
  return found;
}

function unnumbered(step: KeyedStep): KeyedStep {
  return step.exact === step.loose ? step : { ...step, exact: step.loose };
}
