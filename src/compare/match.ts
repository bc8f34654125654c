import { type AlignedPair, align } from './align.ts';
import { type KeyedStep, renamedStep } from './project.ts';
import { callsWithOutcomes } from './tools.ts';

/** Two runs laid side by side. */
export interface Match {
  /** In the order of the recording. */
  readonly pairs: readonly AlignedPair[];
  /** The replay, with its generated ids under the names of those that they stand for. */
  readonly replayed: readonly KeyedStep[];
}

/**
 * Lays a replay beside the recording. A run numbers its ids by itself, so that one call more, or parallel calls that come
 * by another value, would give all ids behind it other numbers. So the runs are first laid side by side whatever the
 * numbers, then each id is named as the one that it stands for, and what differs then does so for a reason of its own.
 */
export function matchRuns(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[]): Match {
  const named = namedAlike(recorded, replayed);
  return { pairs: align(recorded, named), replayed: named };
}

function namedAlike(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[]): readonly KeyedStep[] {
  if (replayed.every(({ made }) => made.length === 0)) return replayed;
  const names = new Map<string, string>();
  for (const [a, b] of counterparts(recorded, replayed)) {
    const ids = Map.groupBy(a.made.toReversed(), shapeOf);
    for (const name of b.made) {
      const same = names.has(name) ? undefined : ids.get(shapeOf(name))?.pop();
      if (same === undefined) continue;
      names.set(name, same);
    }
  }
  const known = new Set(recorded.flatMap(({ made }) => made));
  const counts = Map.groupBy([...known, ...replayed.flatMap(({ made }) => made)], shapeOf);
  for (const name of replayed.flatMap(({ made }) => made)) {
    if (names.has(name)) continue;
    const alike = counts.get(shapeOf(name)) ?? [];
    const free = known.has(name) ? `${shapeOf(name)}#${alike.push(name)}>` : name;
    names.set(name, free);
  }
  return [...names].every(([name, other]) => name === other)
    ? replayed
    : replayed.map((step) => renamedStep(step, names));
}

/** `<create_order.uuid` of `<create_order.uuid#1>`. */
function shapeOf(name: string): string {
  return name.slice(0, name.lastIndexOf('#'));
}

/**
 * Calls that are each other's, and what they came to: those that say the same, first where they lie side by side and
 * then wherever they are, and else those of one tool that lie side by side.
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
  for (const [a, b] of beside) if (a.kind === 'call' && a.name === b.name) match(a, b);
  for (const [a, b] of beside) if (a.kind === 'error' && a.name === undefined) found.push([a, b]);
  return found;
}

function unnumbered(step: KeyedStep): KeyedStep {
  return step.exact === step.loose ? step : { ...step, exact: step.loose };
}
