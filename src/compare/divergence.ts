import { canonical } from '../json/index.ts';
import type { Behaviour, Group } from './behaviour.ts';
import { type CauseContext, causeOf } from './explain/cause.ts';
import { isMeaningful } from './explain/explain.ts';
import type { Explanation } from './explain/match.ts';
import { differingByDay } from './explain/of-the-day.ts';
import { commonPrefix } from './figures/trie.ts';
import {
  type Cause,
  type CountedDifference,
  type Difference,
  type Divergence,
  type FirstDifference,
  MAX_DIFFERENCES,
  MAX_OTHERS,
} from './result.ts';
import type { CompareRules } from './rules.ts';
import { sentenceFor, type Told } from './sentence.ts';
import type { KeyedStep } from './values/keys.ts';
import { leafDifferences } from './values/paths.ts';

/** Runs that leave the recording at one place, and what they do there. */
export interface Leaving {
  /** Number of the recorded step at which they leave, or before which they do something extra. */
  readonly place: number;
  /** Equal for runs that do the same thing there, whatever the arguments of an unrecorded call. */
  readonly way: string;
  /** What is shown of the replay. */
  readonly shown: string;
  readonly runs: number;
}

/** How a cluster leaves the recording at its first meaningful difference. */
export function leavingOf(at: Difference, explanation: Explanation, runs: number): Leaving {
  const { pairs, recorded } = explanation;
  const behind = pairs.slice(pairAt(at, explanation)).find(({ a }) => recorded[a] !== undefined);
  const place = (behind && recorded[behind.a]?.number) ?? (recorded.at(-1)?.number ?? 0) + 1;
  return { place, way: wayOf(at), shown: canonical(at.replayed), runs };
}

function wayOf({ kind, tool, pointer, change, replayed }: Difference): string {
  // Whether the call stands in the place of another one depends on the alignment. Either way the run called this tool
  // there.
  if (kind === 'call-extra') return `calls ${tool}`;
  if (kind === 'call-name') return `calls ${replayed}`;
  return [kind, tool, pointer, change, canonical(replayed)].join('\0');
}

/** Index of the pair of steps that a difference belongs to. */
function pairAt({ recordedStep, replayedStep }: Difference, { pairs, recorded, replayed }: Explanation): number {
  return pairs.findIndex(({ a, b }) =>
    recordedStep === null ? replayed[b]?.number === replayedStep : recorded[a]?.number === recordedStep,
  );
}

/**
 * The divergence of a cluster, with everything that is said about it.
 * @param told.leaving all clusters that are not as recorded, including this one
 */
export function divergenceOf(
  at: Difference,
  explanation: Explanation,
  anchor: Behaviour,
  group: Group,
  rules: CompareRules,
  told: Pick<Told, 'of' | 'asRecorded' | 'minor' | 'agreement' | 'turn'> & { readonly leaving: readonly Leaving[] },
): Divergence {
  const { differences, pairs, recorded, replayed } = explanation;
  const before = differences.slice(0, differences.indexOf(at));
  const earlier: Divergence['earlier'] = {};
  for (const { severity } of before) earlier[severity] = (earlier[severity] ?? 0) + 1;
  const meets = pairs
    .slice(pairAt(at, explanation) + 1)
    .map(({ a, b }) => [recorded[a], replayed[b]] as const)
    .find(([a, b]) => a !== undefined && a.kind !== 'result' && a.kind !== 'text' && a.exact === b?.exact);
  const context = { recorded: anchor, replayed: group.representative, match: explanation, differences };
  const counted = withCause(at, context);
  const { cause } = counted;
  const others = othersAfter(counted, rules, context);
  const meetsAgainAt = meets?.[0]?.number ?? null;
  const own = leavingOf(at, explanation, group.runs.length);
  const here = told.leaving.filter(({ place }) => place === own.place);
  const runs = sumOf(here);
  const alike = here.filter(({ way }) => way === own.way);
  const otherwise = runs - sumOf(alike);
  const { replayed: _, ...call } = at;
  // The arguments of an extra call are shown only if all runs that make it agree on them.
  const difference = at.kind === 'call-extra' && alike.some(({ shown }) => shown !== own.shown) ? call : at;
  return {
    ...at,
    cause,
    runs,
    of: told.of,
    earlier,
    others,
    meetsAgainAt,
    sentence: sentenceFor({ ...told, difference, cause, others, runs, otherwise, earlier, meetsAgainAt }),
  };
}

function sumOf(leaving: readonly Leaving[]): number {
  return leaving.reduce((sum, { runs }) => sum + runs, 0);
}

/**
 * Differences after the first divergence that count by themselves. If the agent took another way, later differences follow
 * from that and are left out. What a tool answered, and the order of parallel calls, do not explain other differences.
 */
function othersAfter(first: CountedDifference, rules: CompareRules, context: CauseContext): CountedDifference[] {
  const { differences } = context;
  const told: CountedDifference[] = [first];
  const counts = new Map<string, number>();
  const start = differences.findIndex((each) => isSamePlace(each, first) && each.pointer === first.pointer) + 1;
  for (const [index, each] of differences.entries()) {
    if (index < start || each.downstream === true || !isMeaningful(each, rules)) continue;
    const counted = withCause(each, context);
    const weight = weightOf(counted);
    const count = counts.get(weight) ?? 0;
    const isTold = (known: CountedDifference) =>
      leadsTo(known.cause, counted.cause) || (isSamePlace(known, each) && weightOf(known) === weight);
    if (count >= MAX_OTHERS || told.some(isTold)) continue;
    counts.set(weight, count + 1);
    told.push(counted);
  }
  return told.slice(1);
}

/** Equal for differences that a policy treats alike. */
function weightOf({ cause: { kind, partial = false } }: CountedDifference): string {
  return `${kind} ${partial}`;
}

const FOLLOWS: Cause = { kind: 'environment', detail: 'it follows from a different result of a tool' };

/** A difference with its cause. */
function withCause(at: Difference, context: CauseContext): CountedDifference {
  const isOutcome = at.kind === 'result' || at.kind === 'error';
  const cause = at.downstream === true && !isOutcome ? FOLLOWS : causeOf(at, context);
  const isPartial = cause.kind === 'environment' && cause !== FOLLOWS && !isOutcome && !isOfDay(at, context);
  return { ...at, cause: isPartial ? { ...cause, partial: true } : cause };
}

/** Whether a value differs only in the day. A value that is shown cut may differ elsewhere too. */
function isOfDay({ recorded, replayed }: Difference, context: CauseContext): boolean {
  const [a, b] = [recorded, replayed];
  if (typeof a !== 'string' || typeof b !== 'string' || [a, b].some((text) => text.includes('…'))) return false;
  return differingByDay(a, b, [context.recorded.clock, context.replayed.clock]) !== undefined;
}

/**
 * Whether a later difference with this cause follows from the earlier one: the agent stays on its own way, or both come
 * from the same changed input.
 */
function leadsTo(earlier: Cause, later: Cause): boolean {
  if (later.partial === true && earlier.partial !== true) return false;
  if (earlier.kind === later.kind && earlier.changed !== undefined && earlier.detail === later.detail) return true;
  if (earlier.kind === 'environment' || earlier.kind === 'concurrency') return false;
  return later.kind === earlier.kind || later.kind === 'model' || later.kind === 'unknown';
}

/** Several places of one value are reported once. */
function isSamePlace(a: Difference, b: Difference): boolean {
  return a.kind === b.kind && a.recordedStep === b.recordedStep && a.replayedStep === b.replayedStep;
}

function positionalKind(a: KeyedStep | undefined, b: KeyedStep | undefined): FirstDifference['kind'] {
  const [callA, callB] = [a?.kind === 'call', b?.kind === 'call'];
  if (callA && callB) return a?.name === b?.name ? 'args' : 'name';
  if (callA !== callB) return callA ? 'ended' : 'extra';
  return a && b ? 'value' : a ? 'ended' : 'extra';
}

/** Where two runs part, by position alone. */
export function firstDifferenceOf(anchor: Behaviour, replay: Behaviour): FirstDifference | null {
  const prefix = commonPrefix(anchor.keys, replay.keys);
  const [a, b] = [anchor.seen[prefix], replay.seen[prefix]];
  if (a === undefined && b === undefined) return null;
  const kind = positionalKind(a, b);
  return {
    step: (a ?? b)?.number ?? 1,
    callIndex: anchor.seen.slice(0, prefix).filter((step) => step.kind === 'call').length,
    kind,
    recordedName: a?.name ?? null,
    replayedName: b?.name ?? null,
    pointers:
      kind === 'args'
        ? leafDifferences(a?.value, b?.value, { limit: MAX_DIFFERENCES }).map(({ pointer }) => pointer)
        : [],
  };
}
