import type { TurnRequest } from '../contract/index.ts';
import type { Recording } from '../trace/index.ts';
import { type Behaviour, behaviourOf, type Group, Groups, type Variant } from './behaviour.ts';
import { anchorOf, clustersOf, differing, type Gathered, headOf, originOf } from './clusters.ts';
import { Constants } from './constants.ts';
import { divergenceOf, firstDifferenceOf, leavingOf } from './divergence.ts';
import type { SettledRuns, TurnSoFar } from './early-stop.ts';
import type { ExplainContext } from './explain/explain.ts';
import { extremesOf, learnTools, type ToolKnowledge } from './explain/tool-knowledge.ts';
import { figuresOf, withoutRates } from './figures/figures.ts';
import { forkTable, survivalOf } from './figures/forks.ts';
import { permutationTest } from './figures/permutation.ts';
import { minorIn, runsWith } from './minor.ts';
import { proposeNoise } from './noise.ts';
import {
  type Cluster,
  MAX_DIFFERENCES,
  type Permutation,
  type ShownStep,
  type Stopped,
  type TurnComparison,
} from './result.ts';
import { type NumberedStep, numbered, type PairRow, rowsOf } from './rows.ts';
import type { CompareRules } from './rules.ts';
import type { Traits } from './steps/trajectory.ts';
import type { JudgedTexts } from './text/judged.ts';
import { type KeyedStep, withoutKeys } from './values/keys.ts';
import { type PathRules, pathRules } from './values/paths.ts';
import { RecordedWords } from './values/recorded-words.ts';
import { turnVerdict } from './verdict.ts';
import { type OpenTexts, openTextsOf, rewordedIn, wordingsOf } from './wordings.ts';

export interface TurnOptions {
  readonly requested: number;
  /** From 1, for the sentence. */
  readonly turn?: number;
  /** The replayed request. Ids in it never count as generated. */
  readonly request?: TurnRequest | undefined;
  /** What is known about answers in other words. */
  readonly judged?: JudgedTexts | undefined;
}

/**
 * The comparison of one turn, which takes runs one by one. It keeps one copy of each distinct behaviour, however many runs
 * come.
 */
export interface TurnComparator {
  /** Takes a conclusive run. */
  add(run: number, recording: Recording): void;
  /** The comparison of the runs so far; the same for any order of arrival. */
  result(): TurnComparison;
  /** The clusters of the runs, if no further run can move them; null while learning about tools still could. */
  settled(): SettledRuns | null;
  /** The same in numbers, including lost runs. */
  soFar(lost: number): TurnSoFar | null;
  /** Raises the number of requested runs. */
  expect(requested: number): void;
  /** No more runs will be made, although more were requested. */
  stop(stopped: Stopped): void;
  /** Answers in other words that nobody has judged. */
  openTexts(): OpenTexts[];
  /** What the runs of a cluster did: their representative recording, and its steps. */
  behaviour(clusterId: number): { recording: Recording; steps: readonly ShownStep[] } | undefined;
  /** The runs of a cluster laid beside the original. */
  rows(clusterId: number): readonly PairRow[] | undefined;
  /** Steps of a cluster's runs; by default of what all are compared with, the original if there is one. */
  steps(clusterId?: number): readonly NumberedStep[];
}

/** Compares replays with the recordings of a turn: the original first, then further ones. Pure. */
export function compareTurn(
  recordings: readonly Recording[],
  replays: readonly { readonly run: number; readonly recording: Recording }[],
  rules: CompareRules,
  options: Partial<TurnOptions> = {},
): TurnComparison {
  const comparator = startTurnComparison(recordings, rules, { requested: replays.length, ...options });
  for (const { run, recording } of replays) comparator.add(run, recording);
  return comparator.result();
}

export function startTurnComparison(
  recordings: readonly Recording[],
  rules: CompareRules,
  options: TurnOptions,
): TurnComparator {
  return new Comparator(recordings, rules, options);
}

class Comparator implements TurnComparator {
  readonly #rules: CompareRules;
  #options: TurnOptions;
  readonly #paths: PathRules;
  readonly #original: Traits | undefined;
  /** Texts of the recordings; while a recording is read, of the recordings before it. */
  #recorded: RecordedWords | undefined;
  readonly #groups = new Groups();
  readonly #constants: Constants;
  /** For each behaviour, the group whose cluster it joins whatever is learned about tools; null if that depends. */
  readonly #heads = new WeakMap<Behaviour, Group | null>();
  #stopped: Stopped | null = null;
  #view: View | undefined;

  constructor(recordings: readonly Recording[], rules: CompareRules, options: TurnOptions) {
    this.#rules = rules;
    this.#options = options;
    this.#paths = pathRules(rules);
    this.#constants = new Constants(rules);
    const recorded: (readonly KeyedStep[])[] = [];
    for (const [index, recording] of recordings.entries()) {
      const { trajectory, behaviour } = this.#behaviourOf(recording, 0);
      this.#original ??= trajectory.traits;
      this.#groups.addRecording(index, behaviour);
      this.#constants.addRecording(behaviour.steps);
      recorded.push(behaviour.steps);
      this.#recorded = new RecordedWords(recorded, options.judged);
    }
  }

  add(run: number, recording: Recording): void {
    const { behaviour } = this.#behaviourOf(recording, run);
    this.#groups.addRun(run, behaviour);
    this.#constants.addRun(behaviour.steps);
    this.#view = undefined;
  }

  result(): TurnComparison {
    return this.#current().comparison;
  }

  settled(): SettledRuns | null {
    const groups = this.#groups.all();
    const origin = originOf(groups);
    if (origin?.recorded === undefined) return null;
    const clusters = new Map<number, number>();
    const recorded = new Set([0]);
    const members = new Map<Group, Variant[]>();
    for (const group of groups) {
      const head = this.#headOf(group, groups);
      if (head === null) return null;
      // A value that looks generated may still turn out to be data. Then no run in this group is as recorded.
      if (head.recordings.length > 0 && group.runs.length > 0 && this.#constants.isOpen) return null;
      if (head.recordings.length > 0) members.set(head, [...(members.get(head) ?? []), ...group.variants]);
      const cluster = head === origin ? 0 : groups.indexOf(head) + 1;
      if (head.recordings.length > 0) recorded.add(cluster);
      for (const run of group.runs) clusters.set(run, cluster);
    }
    const context = this.#explaining(extremesOf(this.#rules)[0]);
    const reworded = [...members.values()].flatMap((variants) => rewordedIn(variants, context));
    return { clusters, recorded: [...recorded], reworded: new Set(reworded) };
  }

  soFar(lost: number): TurnSoFar | null {
    const settled = this.settled();
    if (settled === null) return null;
    const { clusters, recorded, reworded } = settled;
    const outcomes = [...clusters.values(), ...new Array<'lost'>(lost).fill('lost')];
    return { requested: this.#options.requested, outcomes, recorded, reworded: reworded.size };
  }

  expect(requested: number): void {
    this.#options = { ...this.#options, requested };
    this.#view = undefined;
  }

  stop(stopped: Stopped): void {
    this.#stopped = stopped;
    this.#view = undefined;
  }

  openTexts(): OpenTexts[] {
    return this.#current().openTexts();
  }

  behaviour(clusterId: number): { recording: Recording; steps: readonly ShownStep[] } | undefined {
    const shown = this.#current().shown[clusterId];
    return shown && { recording: shown.recording, steps: shown.steps.map(withoutKeys) };
  }

  rows(clusterId: number): readonly PairRow[] | undefined {
    const { shown, anchor, comparison } = this.#current();
    const [behaviour, cluster] = [shown[clusterId], comparison.clusters[clusterId]];
    if (behaviour === undefined || anchor === undefined || cluster === undefined) return undefined;
    return rowsOf(anchor.steps, behaviour.steps, cluster.differences);
  }

  steps(clusterId?: number): readonly NumberedStep[] {
    const { anchor, shown } = this.#current();
    const of = clusterId === undefined ? anchor : shown[clusterId];
    return of?.steps.map((step) => numbered(step)) ?? [];
  }

  #current(): View {
    this.#view ??= viewOf(this.#constants.splitGroups(this.#groups.all()), {
      rules: this.#rules,
      paths: this.#paths,
      stopped: this.#stopped,
      ...this.#options,
    });
    return this.#view;
  }

  /** Learning about tools only makes differences lesser, so an outcome on which both extremes agree is final. */
  #headOf(group: Group, groups: readonly Group[]): Group | null {
    const known = this.#heads.get(group.representative);
    if (known !== undefined) return known;
    const [least, most] = extremesOf(this.#rules).map((tools) =>
      headOf(
        group,
        groups,
        (from, to) => differing(from, to, this.#rules, this.#explaining(tools)).meaningful === undefined,
      ),
    );
    const head = least === most ? (least as Group) : null;
    this.#heads.set(group.representative, head);
    return head;
  }

  #explaining(tools: ToolKnowledge): ExplainContext {
    return { tools, paths: this.#paths, judged: this.#options.judged };
  }

  #behaviourOf(recording: Recording, run: number) {
    return behaviourOf(recording, run, {
      rules: this.#rules,
      paths: this.#paths,
      request: this.#options.request,
      original: this.#original,
      recorded: this.#recorded,
    });
  }
}

interface ViewContext extends TurnOptions {
  readonly stopped: Stopped | null;
  readonly rules: CompareRules;
  readonly paths: PathRules;
}

interface View {
  readonly comparison: TurnComparison;
  /** The behaviour that others are compared with. */
  readonly anchor: Behaviour | undefined;
  /** By cluster id. */
  readonly shown: readonly Behaviour[];
  readonly openTexts: () => OpenTexts[];
}

/** @param groups largest first */
function viewOf(groups: readonly Group[], context: ViewContext): View {
  const { rules, paths, requested, stopped, turn = 1, judged } = context;
  const origin = originOf(groups);
  const anchor = origin && anchorOf(origin);
  const tools = learnTools(
    groups.map(({ representative }) => representative.steps),
    rules,
  );
  const explaining = { tools, paths, judged };
  const { home, own, others } = clustersOf(groups, rules, explaining);
  const found = [...(home === undefined ? [] : [home]), ...others.map(({ group }) => group)];
  const conclusive = groups.reduce((sum, { runs }) => sum + runs.length, 0);
  const isRecorded = (group: Group) => group === home || group.recordings.length > 0;
  const recordedRuns = found.filter(isRecorded).flatMap(({ runs }) => runs);
  const sizes = found.map(({ runs }) => runs.length).filter((size) => size > 0);
  const asRecorded = recordedRuns.length;
  const lesserIn = (group: Group | undefined, members: readonly Gathered[]) => {
    const { variants = [], representative } = group ?? {};
    const isAsRecorded = group !== undefined && isRecorded(group);
    return {
      minor: minorIn(members, rules),
      reworded: isAsRecorded ? rewordedIn(variants, explaining, representative) : [],
      ...wordingsOf(anchor as Behaviour, variants, explaining),
    };
  };
  const lesser = new Map(
    [{ group: home, members: own }, ...others].map(({ group, members }) => [group, lesserIn(group, members)]),
  );
  const reworded = [...lesser.values()].reduce((sum, of) => sum + of.reworded.length, 0);
  const full = figuresOf({
    clusterSizes: sizes,
    asRecorded,
    minor: runsWith([...lesser.values()].flatMap(({ minor }) => minor)),
    reworded,
    survival: survivalOf(groups, anchor, recordedRuns),
  });
  const figures = stopped === null ? full : withoutRates(full);
  const verdict = turnVerdict({
    requested,
    conclusive,
    asRecorded,
    minor: full.minor,
    reworded,
    clusterSizes: sizes,
    originalSeen: asRecorded > 0,
  });
  const leaving = others.flatMap(({ group, explanation, meaningful }) =>
    meaningful === undefined || isRecorded(group) ? [] : [leavingOf(meaningful, explanation, group.runs.length)],
  );
  const known = groups.reduce((sum, { recordings }) => sum + recordings.length, 0);
  const clusterOf = (
    id: number,
    group: Group | undefined,
    recorded: boolean,
    apart: Pick<Cluster, 'firstDifference' | 'divergence' | 'differences'>,
  ): Cluster => ({
    id,
    runs: group?.runs.toSorted(ascending) ?? [],
    recorded,
    ...(known > 1 && { recordings: group?.recordings.length ?? 0 }),
    representative: group === undefined ? null : representativeOf(group),
    ...apart,
    ...(lesser.get(group) as ReturnType<typeof lesserIn>),
  });
  const clusters = [
    clusterOf(0, home, origin?.recorded !== undefined, {
      firstDifference: null,
      divergence: null,
      differences: lesserOf(own),
    }),
    ...others.map(({ group, explanation, meaningful }, index) => {
      const from = anchor as Behaviour;
      const told = { of: conclusive, asRecorded, minor: full.minor, agreement: figures.agreement, turn };
      return clusterOf(index + 1, group, isRecorded(group), {
        firstDifference: firstDifferenceOf(from, group.representative),
        divergence:
          meaningful === undefined || group.runs.length === 0
            ? null
            : divergenceOf(meaningful, explanation, from, group, rules, {
                ...told,
                leaving: isRecorded(group) ? [leavingOf(meaningful, explanation, group.runs.length)] : leaving,
              }),
        differences: explanation.differences.slice(0, MAX_DIFFERENCES),
      });
    }),
  ];
  return {
    anchor,
    shown: found.map(({ representative }) => representative),
    openTexts: () =>
      [...lesser].flatMap(([group, { reworded }]) =>
        group === undefined || reworded.length === 0 ? [] : openTextsOf(group.variants, reworded, explaining),
      ),
    comparison: {
      ...(stopped === null ? verdict : { ...verdict, ...stopNote(stopped, requested) }),
      requested,
      conclusive,
      clusters,
      divergence: clusters.find((each) => each.divergence !== null && !each.recorded)?.divergence ?? null,
      forks: forkTable(groups, anchor),
      figures,
      noise: proposeNoise(
        [...own, ...others].map(({ group, explanation }) => ({
          runs: group.runs.length,
          clock: group.representative.clock,
          differences: explanation.differences,
        })),
        anchor?.clock,
        tools,
      ),
      permutation: stopped === null ? permutationOf(found) : null,
      stopped,
    },
  };
}

/** The result of a stopped turn is certain, so more runs are not suggested. */
function stopNote({ after }: Stopped, requested: number): { suggestedRuns: null; note: string } {
  return { suggestedRuns: null, note: `stopped after ${after} of ${requested}` };
}

/** Tests recordings against replays, if there are enough recordings to vary. */
function permutationOf(clusters: readonly Group[]): Permutation | null {
  const recordings = clusters.flatMap((each, id) => each.recordings.map(() => id));
  const replays = clusters.flatMap(({ runs }, id) => runs.map(() => id));
  return recordings.length < 2 ? null : permutationTest(recordings, replays);
}

/** The lesser differences of runs that count as recorded, most frequent group first. */
function lesserOf(own: readonly Gathered[]): Cluster['differences'] {
  const lesser = own.filter(({ group, meaningful }) => group.runs.length > 0 && meaningful === undefined);
  const found = lesser.find(({ explanation }) => explanation.differences.length > 0);
  return (found?.explanation.differences ?? []).slice(0, MAX_DIFFERENCES);
}

/** The run that represents a group: the one its behaviour was taken from. */
function representativeOf({ representative, runs }: Group): number | null {
  return representative.run || (runs.toSorted(ascending)[0] ?? null);
}

function ascending(a: number, b: number): number {
  return a - b;
}
