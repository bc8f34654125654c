import { canonical, present } from '../json/index.ts';
import type { Gathered } from './clusters.ts';
import { type CauseContext, causeOf } from './explain/cause.ts';
import { isOfEnvironment } from './explain/downstream.ts';
import { isMeaningful } from './explain/explain.ts';
import { differingByDay } from './explain/of-the-day.ts';
import type { Behaviour, Group } from './keys/behaviour.ts';
import type { KeyedStep } from './keys/keys.ts';
import type { Aspect } from './shapes/aspects.ts';
import {
  type Cause,
  type CountedDifference,
  type Difference,
  type Divergence,
  type FirstDifference,
  MAX_DIFFERENCES,
  MAX_OTHERS,
  MAX_WAYS,
} from './shapes/result.ts';
import type { CompareRules } from './shapes/rules.ts';
import { statedInNone } from './text/shared.ts';
import { commonPrefix } from './values/common-prefix.ts';
import { leafDifferences } from './values/paths.ts';

/** What differs at one place of the recording, whatever the value there: equal for runs of which the same is true. */
interface Fact {
  readonly at: Difference;
  readonly of: Gathered;
  /** Number of the recorded step that differs, or before which something was added. */
  readonly place: number;
}

/** The differences that count of all behaviours that no recording shows, by what they are and where. */
export class Facts {
  readonly #rules: CompareRules;
  readonly #facts = new Map<string, Fact[]>();
  readonly #firsts: Fact[] = [];
  /** Total of the runs that differ. */
  readonly #runs: number;

  /**
   * @param apart behaviours of replays, largest first
   * @param recorded behaviours of further recordings: what they do differs from the original too, and sets nothing apart
   */
  constructor(apart: readonly Gathered[], recorded: readonly Gathered[], rules: CompareRules) {
    this.#rules = rules;
    this.#runs = sumOf(apart.map(({ group }) => group));
    const known = new Set(recorded.flatMap((each) => this.#factsOf(each)).flatMap(valuesAt));
    for (const gathered of apart) {
      const facts = this.#factsOf(gathered);
      const own = facts.filter((fact) => !valuesAt(fact).some((value) => known.has(value)));
      const first = own.find(({ at }) => at.downstream !== true) ?? own[0] ?? facts[0];
      if (first !== undefined) this.#firsts.push(first);
      for (const fact of own.length > 0 ? own : facts) {
        for (const key of new Set(keysAt(fact))) this.#facts.set(key, [...(this.#facts.get(key) ?? []), fact]);
      }
    }
  }

  /** The runs in which the same differs, and what they have there. */
  countOf(at: Difference, of: Gathered): Pick<Divergence, 'runs' | 'ways' | 'moreWays'> {
    const [own = { at, of, place: 0 }] = this.#factsOf(of).filter((fact) => fact.at === at);
    const [key = ''] = keysAt(own);
    return countIn(this.#facts.get(key) ?? [own]);
  }

  /**
   * What sets the replays apart: what is true of all of them, writes first, then reads, then words, unless it comes
   * after the same other result of a tool and is not the agent's own; otherwise what most of those do that leave first. Undefined if no replay
   * differs.
   * @param conclusive number of replays
   * @param anchor what they are compared with
   */
  headline(
    conclusive: number,
    anchor: Behaviour,
  ): { at: Difference; of: Gathered; count: ReturnType<Facts['countOf']> } | undefined {
    const all = [...this.#facts.values()].filter(
      (facts) => this.#runs === conclusive && new Set(facts.map(({ of }) => of)).size === this.#firsts.length,
    );
    const shared = all.filter((facts) => facts.some(({ at }) => at.downstream !== true));
    const [ranked] = shared.toSorted(([a], [b]) => rankOf((a as Fact).at) - rankOf((b as Fact).at));
    const [earliest] = shared.toSorted(([a], [b]) => (a as Fact).place - (b as Fact).place);
    const isOfWorld =
      earliest !== undefined && isOfEnvironment((earliest[0] as Fact).at) && countIn(earliest).ways.length === 1;
    const lead = isOfWorld && !this.#isOfAgent(ranked?.[0] as Fact, anchor) ? earliest : ranked;
    const place = Math.min(...this.#firsts.map((first) => first.place));
    const here = this.#firsts.filter((first) => first.place === place);
    const told = lead ?? here.map((fact) => this.#facts.get(keysAt(fact)[0] as string) ?? [fact]).sort(bySize)[0];
    const first = told && largestOf(told);
    return first && { at: first.at, of: first.of, count: countIn(told) };
  }

  /** What most replays do otherwise in an aspect. */
  leadIn(aspect: Aspect): ReturnType<Facts['headline']> {
    const facts = [...this.#facts.values()]
      .map((each) => each.filter(({ at }) => at.aspect === aspect))
      .sort(bySize)[0];
    const first = facts && largestOf(facts);
    return first && { at: first.at, of: first.of, count: countIn(facts) };
  }

  /** The runs that differ in an aspect, and whether the same fact does in all replays. @param conclusive number of replays */
  partOf(aspect: Aspect, conclusive: number): { runs: number; isShared: boolean } {
    const facts = [...this.#facts.values()].map((each) => each.filter(({ at }) => at.aspect === aspect));
    const runsIn = (each: readonly Fact[]) => sumOf([...new Set(each.map(({ of }) => of.group))]);
    return { runs: runsIn(facts.flat()), isShared: facts.some((each) => runsIn(each) === conclusive) };
  }

  #isOfAgent({ at, of: { explanation, group } }: Fact, recorded: Behaviour): boolean {
    const { differences } = explanation;
    const context = { recorded, replayed: group.representative, match: explanation, differences };
    return withCause(at, context).cause.kind === 'agent';
  }

  #factsOf(of: Gathered): Fact[] {
    const { pairs, recorded, replayed, differences } = of.explanation;
    const before = new Map<number, number>();
    let next = (recorded.at(-1)?.number ?? 0) + 1;
    for (const { a, b } of pairs.toReversed()) {
      next = recorded[a]?.number ?? next;
      const step = replayed[b]?.number;
      if (step !== undefined) before.set(step, next);
    }
    return differences
      .filter((at) => isMeaningful(at, this.#rules))
      .map((at) => ({ at, of, place: at.recordedStep ?? before.get(at.replayedStep ?? 0) ?? next }));
  }
}

/** Writes, then reads, then what is said at the end and in between. */
function rankOf({ aspect, kind }: Difference): number {
  if (aspect === 'did') return 0;
  return kind === 'text' || kind === 'format' ? 3 : aspect === 'said' ? 2 : 1;
}

/**
 * What is true at a difference. Whether a call stands in the place of another one depends on the alignment, and either way
 * the run makes it; a recorded call that another one replaces is missing.
 */
function keysAt({ at: { kind, tool, pointer, replayed }, place }: Fact): string[] {
  const of = (...parts: readonly unknown[]) => [...parts, place].join('\0');
  switch (kind) {
    case 'call-extra':
      return [of('calls', tool)];
    case 'call-name':
      return [of('calls', replayed), of('lacks', tool)];
    case 'call-missing':
      return [of('lacks', tool)];
    default:
      return [of(kind, tool, pointer)];
  }
}

function valuesAt(fact: Fact): string[] {
  return keysAt(fact).map((key) => `${key}\0${fact.at.change}\0${canonical(fact.at.replayed)}`);
}

function countIn(facts: readonly Fact[]): Pick<Divergence, 'runs' | 'ways' | 'moreWays'> {
  const groups = [...new Map(facts.map((fact) => [fact.of, fact])).values()];
  const isNamed = facts.some(({ at }) => at.kind === 'call-name');
  const instead = ({ at: { kind, tool, replayed } }: Fact) => (kind === 'call-extra' && isNamed ? tool : replayed);
  const ways = [...Map.groupBy(groups, (fact) => canonical(instead(fact)))].map(([, alike]) => {
    const replayed = instead(alike[0] as Fact);
    return { ...present({ replayed }), runs: sumOf(alike.map(({ of }) => of.group)) };
  });
  return {
    runs: sumOf(groups.map(({ of }) => of.group)),
    ways: ways.sort((a, b) => b.runs - a.runs).slice(0, MAX_WAYS),
    moreWays: Math.max(0, ways.length - MAX_WAYS),
  };
}

function bySize(a: readonly Fact[], b: readonly Fact[]): number {
  return countIn(b).runs - countIn(a).runs;
}

function largestOf(facts: readonly Fact[]): Fact | undefined {
  return facts.toSorted((a, b) => b.of.group.runs.length - a.of.group.runs.length)[0];
}

function sumOf(groups: readonly Pick<Group, 'runs'>[]): number {
  return groups.reduce((sum, { runs }) => sum + runs.length, 0);
}

/** @param count the runs that differ there, of all that could be compared */
export function divergenceOf(
  at: Difference,
  { explanation, group }: Gathered,
  anchor: Behaviour,
  rules: CompareRules,
  count: Pick<Divergence, 'runs' | 'of' | 'ways' | 'moreWays'>,
): Divergence {
  const { differences } = explanation;
  const context = { recorded: anchor, replayed: group.representative, match: explanation, differences };
  const counted = withCause(at, context);
  const inNone = inNoReplay(at, count);
  return {
    ...counted,
    ...count,
    ...(inNone.length > 0 && { inNone }),
    others: othersBeside(counted, rules, context),
  };
}

/** Answers may be other ones each time, and yet all lack the same. */
function inNoReplay(
  { kind, recorded }: Difference,
  { runs, of, ways, moreWays }: Pick<Divergence, 'runs' | 'of' | 'ways' | 'moreWays'>,
): string[] {
  const answers = ways.map(({ replayed }) => replayed);
  if (kind !== 'final-text' || ways.length < 2 || moreWays > 0 || runs < of) return [];
  const texts = [recorded, ...answers].filter((each) => typeof each === 'string' && !each.includes('…')) as string[];
  return texts.length > ways.length ? statedInNone(texts[0] as string, texts.slice(1)).slice(0, MAX_WAYS) : [];
}

/**
 * Other differences that count by themselves. If the agent took another way, later differences follow
 * from that and are left out. What a tool answered, and the order of parallel calls, do not explain other differences.
 */
function othersBeside(first: CountedDifference, rules: CompareRules, context: CauseContext): CountedDifference[] {
  const { differences } = context;
  const told: CountedDifference[] = [first];
  const counts = new Map<string, number>();
  for (const each of differences) {
    if (each.downstream === true || !isMeaningful(each, rules)) continue;
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
