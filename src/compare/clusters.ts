import { type ExplainContext, explain, isMeaningful, type PairContext } from './explain/explain.ts';
import type { Explanation } from './explain/match.ts';
import { haveSameOwnInput } from './explain/own-input.ts';
import { type Behaviour, bySize, type Group } from './keys/behaviour.ts';
import type { Difference } from './shapes/result.ts';
import type { CompareRules } from './shapes/rules.ts';
import { overlapsIn } from './steps/overlap.ts';

/** Groups that count as one behaviour, and how it differs from the original. */
export interface Gathered {
  readonly group: Group;
  readonly explanation: Explanation;
  /** The first difference that counts, if any. */
  readonly meaningful: Difference | undefined;
}

/** The same, with the difference of each group from the one that the cluster is named after. */
export interface Joined extends Gathered {
  readonly members: readonly Gathered[];
}

/** All behaviours of a turn: the recording's own, and those that diverge from it. */
interface Clusters {
  /** The original's group, or one that differs from it by nothing that counts; undefined if there are no runs at all. */
  readonly home: Group | undefined;
  /** Every group in it. */
  readonly own: readonly Gathered[];
  /** The clusters that diverge from it, largest first. */
  readonly others: readonly Joined[];
}

/** What behaviours are compared with: the original, or the largest group if there is none. */
export function originOf(groups: readonly Group[]): Group | undefined {
  return groups.find(({ recordings }) => recordings.includes(0)) ?? groups[0];
}

export function anchorOf({ recorded, representative }: Group): Behaviour {
  return recorded ?? representative;
}

/**
 * Joins groups into clusters. A group that differs from a recording by nothing that counts joins that recording's cluster,
 * the original's first; every other group is a cluster of its own.
 * @param groups largest first
 */
export function clustersOf(groups: readonly Group[], rules: CompareRules, context: ExplainContext): Clusters {
  const origin = originOf(groups);
  if (origin === undefined) return { home: undefined, own: [], others: [] };
  const gathered = groups.map((group) => differing(origin, group, rules, context));
  const known = new Map(gathered.map((each) => [each.group, each]));
  const isNear = (from: Group, to: Group) => {
    const { meaningful } = (from === origin && known.get(to)) || differing(from, to, rules, context);
    return meaningful === undefined;
  };
  const { relation } = rules;
  const members = Map.groupBy(gathered, ({ group }) =>
    headOf(group, groups, relation === undefined ? isNear : (from, to) => from === to),
  );
  const own = members.get(origin) ?? [];
  members.delete(origin);
  const others = [...members].map(([head, all]): Joined => {
    const near = all.filter(({ group }) => group !== head).map(({ group }) => differing(head, group, rules, context));
    const apart = known.get(head) as Gathered;
    // It may be told apart from all recordings by its words alone, and do what another one than the original does.
    const isUnlike = relation !== undefined && head.recordings.length === 0 && apart.meaningful !== undefined;
    const isKnown = isUnlike && headOf(head, groups, isNear) !== head;
    const group = mergeGroup(all, head.representative);
    return { ...apart, ...(isKnown && { meaningful: undefined }), group, members: near };
  });
  const shown = own.find(({ group, meaningful }) => group.runs.length > 0 && meaningful === undefined);
  return {
    home: mergeGroup(own, shown?.group.representative ?? anchorOf(origin)),
    own,
    others: others.sort((a, b) => bySize(a.group, b.group)),
  };
}

/**
 * The group whose cluster a group joins: the first recording near it, or itself.
 * @param isNear whether nothing that counts differs
 */
function headOf(group: Group, groups: readonly Group[], isNear: (from: Group, to: Group) => boolean): Group {
  const origin = originOf(groups);
  if (origin === undefined || isNear(origin, group)) return origin ?? group;
  if (group.recordings.length > 0) return group;
  const near = groups
    .filter((each) => each !== origin && each.recordings.length > 0)
    .sort((a, b) => Math.min(...a.recordings) - Math.min(...b.recordings))
    .find((each) => isNear(each, group));
  return near === undefined ? group : headOf(near, groups, isNear);
}

const NOTHING_DIFFERS: Explanation = { differences: [], pairs: [], recorded: [], replayed: [] };

function differing(from: Group, to: Group, rules: CompareRules, context: ExplainContext): Gathered {
  const [a, b] = [anchorOf(from), to.representative];
  let overlaps: ReturnType<typeof overlapsIn> | undefined;
  const pair: PairContext = {
    ...context,
    isSameAgent: () => haveSameOwnInput(a, b),
    ranAtOnce(one, other) {
      overlaps ??= overlapsIn(a.recording.observations);
      return overlaps(one, other);
    },
  };
  const explanation = a.exact === b.exact ? NOTHING_DIFFERS : explain(a.steps, b.steps, pair);
  return { group: to, explanation, meaningful: explanation.differences.find((each) => isMeaningful(each, rules)) };
}

function mergeGroup(members: readonly Gathered[], representative: Behaviour): Group {
  return {
    representative,
    recorded: undefined,
    runs: members.flatMap(({ group }) => group.runs),
    recordings: members.flatMap(({ group }) => group.recordings),
    variants: members.flatMap(({ group }) => group.variants),
  };
}
