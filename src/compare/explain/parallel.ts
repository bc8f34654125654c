import type { KeyedStep } from '../keys/keys.ts';

/** A call of a parallel group with its outcome, as places in the run. */
interface Block {
  readonly call: KeyedStep;
  readonly from: number;
  readonly to: number;
}

/**
 * Places of the replay in the order in which they are aligned. Parallel calls have no order of their own; each run has them
 * sorted by content, so a call with other content is elsewhere. Therefore the calls of a group are moved beside their
 * equals in the recording's group, or else beside calls of the same tool.
 */
export function besideRecorded(recorded: readonly KeyedStep[], replayed: readonly KeyedStep[]): number[] {
  const [ours, theirs] = [groupsIn(recorded), groupsIn(replayed)];
  const places = replayed.map((_, place) => place);
  for (const [index, group] of theirs.entries()) {
    const fromEnd = ours.length - theirs.length + index;
    const [own, shifted] = [ours[index] ?? [], ours[fromEnd] ?? []];
    // Neighbouring groups may share a call. The group that shares more calls, or else more tools, is the right one.
    const more = common(shifted, group, wordsOf) - common(own, group, wordsOf);
    const isShifted = (more || common(shifted, group, toolOf) - common(own, group, toolOf)) > 0;
    const counterpart = isShifted ? shifted : ours[index];
    const from = group[0]?.from ?? 0;
    if (counterpart === undefined || group.length < 2) continue;
    const laid = laidBeside(counterpart, group).flatMap((block) => places.slice(block.from, block.to));
    places.splice(from, laid.length, ...laid);
  }
  return places;
}

/** The blocks of each group, in order. A group inside a call's sub-agent stays within its block. */
function groupsIn(steps: readonly KeyedStep[]): Block[][] {
  const endOf = new Map(steps.map((step, place) => [groupOf(step), place + 1]));
  const groups: Block[][] = [];
  for (let place = 0; place < steps.length; place++) {
    const step = steps[place] as KeyedStep;
    const group = groupOf(step);
    if (group === undefined || step.kind !== 'call') continue;
    const end = endOf.get(group) ?? place + 1;
    const starts: number[] = [];
    for (let at = place; at < end; at++)
      if (groupOf(steps[at]) === group && steps[at]?.kind === 'call') starts.push(at);
    groups.push(starts.map((from, i) => ({ call: steps[from] as KeyedStep, from, to: starts[i + 1] ?? end })));
    place = end - 1;
  }
  return groups;
}

/** The name of a step's group, or of the part of it that has no order. */
function groupOf(step: KeyedStep | undefined): string | undefined {
  return step?.group === undefined ? undefined : `${step.group}.${step.part ?? ''}`;
}

/** Number of calls of `b` whose key some call of `a` has. */
function common(a: readonly Block[], b: readonly Block[], keyOf: (call: KeyedStep) => string): number {
  const known = new Set(a.map(({ call }) => keyOf(call)));
  return b.filter(({ call }) => known.has(keyOf(call))).length;
}

const wordsOf = ({ exact }: KeyedStep) => exact;
const toolOf = ({ name = '' }: KeyedStep) => name;

function laidBeside(recorded: readonly Block[], replayed: readonly Block[]): Block[] {
  const slots: (Block | undefined)[] = recorded.map(() => undefined);
  const free = new Set(replayed);
  const fill = (keyOf: (call: KeyedStep) => string): void => {
    const byKey = Map.groupBy([...free].reverse(), ({ call }) => keyOf(call));
    for (const [index, { call }] of recorded.entries()) {
      const block = slots[index] === undefined ? byKey.get(keyOf(call))?.pop() : undefined;
      if (block === undefined) continue;
      slots[index] = block;
      free.delete(block);
    }
  };
  fill(wordsOf);
  fill(toolOf);
  fill(() => '');
  return [...slots.filter((block) => block !== undefined), ...free];
}
