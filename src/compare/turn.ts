import type { Recording, TurnRequest } from '../contract/index.ts';
import { type Behaviour, behaviourOf, bySize, type Group, Groups } from './behaviour.ts';
import { type Clusters, clustersOf } from './clusters.ts';
import { divergenceOf, firstDifferenceOf } from './divergence.ts';
import { figuresOf } from './figures.ts';
import { forkTable, survivalOf } from './forks.ts';
import { proposeNoise } from './noise.ts';
import { type PathRules, pathRules } from './paths.ts';
import { permutationTest } from './permutation.ts';
import type { KeyedStep } from './project.ts';
import { type Cluster, MAX_DIFFERENCES, type Permutation, type ShownStep, type TurnComparison } from './result.ts';
import type { CompareRules } from './rules.ts';
import { learnTools } from './tools.ts';
import { turnVerdict } from './verdict.ts';

export interface TurnOptions {
  /** Runs that were asked for. */
  readonly requested: number;
  /** From 1, for the sentence. */
  readonly turn?: number;
  /** What was replayed: ids in it are never taken for generated ones. */
  readonly request?: TurnRequest | undefined;
}

/** The comparison of one turn, fed run by run. It keeps one copy of each distinct behaviour, however many runs come. */
export interface TurnComparator {
  /** Takes a conclusive run. */
  add(run: number, recording: Recording): void;
  /** The comparison of what has come so far; the same for any order of arrival. */
  result(): TurnComparison;
  /** What the runs of a cluster did: the recording that stands for it, and its steps. */
  behaviour(clusterId: number): { recording: Recording; steps: readonly ShownStep[] } | undefined;
}

/** Compares replays with the recordings of a turn: the original first, then further baselines. Pure. */
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
  readonly #options: TurnOptions;
  readonly #paths: PathRules;
  readonly #original: Behaviour | undefined;
  /** Tools that ran at the same time in the original. */
  readonly #overlaps: ReadonlySet<string> | undefined;
  readonly #groups = new Groups();
  #view: View | undefined;

  constructor([original, ...baselines]: readonly Recording[], rules: CompareRules, options: TurnOptions) {
    this.#rules = rules;
    this.#options = options;
    this.#paths = pathRules(rules);
    if (original === undefined) return;
    const { trajectory, behaviour } = this.#behaviourOf(original, 0);
    this.#overlaps = trajectory.overlaps;
    this.#original = behaviour;
    this.#groups.of(behaviour).recordings.push(0);
    for (const [index, baseline] of baselines.entries()) {
      this.#groups.of(this.#behaviourOf(baseline, 0).behaviour).recordings.push(index + 1);
    }
  }

  add(run: number, recording: Recording): void {
    this.#groups.of(this.#behaviourOf(recording, run).behaviour).runs.push(run);
    this.#view = undefined;
  }

  result(): TurnComparison {
    return this.#current().comparison;
  }

  behaviour(clusterId: number): { recording: Recording; steps: readonly ShownStep[] } | undefined {
    const shown = this.#current().shown[clusterId];
    return shown && { recording: shown.recording, steps: shown.steps.map(shownStep) };
  }

  #current(): View {
    this.#view ??= viewOf(this.#groups.all().sort(bySize), this.#original, {
      rules: this.#rules,
      paths: this.#paths,
      ...this.#options,
    });
    return this.#view;
  }

  #behaviourOf(recording: Recording, run: number) {
    return behaviourOf(recording, run, {
      rules: this.#rules,
      paths: this.#paths,
      request: this.#options.request,
      overlaps: this.#overlaps,
    });
  }
}

interface ViewContext extends TurnOptions {
  readonly rules: CompareRules;
  readonly paths: PathRules;
}

interface View {
  readonly comparison: TurnComparison;
  /** By cluster id. */
  readonly shown: readonly Behaviour[];
}

/** @param groups largest first */
function viewOf(groups: readonly Group[], original: Behaviour | undefined, context: ViewContext): View {
  const { rules, paths, requested, turn = 1 } = context;
  const hasOriginal = original !== undefined;
  const anchor = original ?? groups[0]?.representative;
  const tools = learnTools(
    groups.map(({ representative }) => representative.steps),
    rules,
  );
  const { home, own, others } = clustersOf(groups, anchor, rules, { tools, paths });
  const conclusive = groups.reduce((sum, { runs }) => sum + runs.length, 0);
  const isRecorded = ({ recordings }: Pick<Group, 'recordings'>) => recordings.length > 0;
  const recordedRuns = [home, ...others.map(({ group }) => group).filter(isRecorded)].flatMap(({ runs }) => runs);
  const sizes = [home, ...others.map(({ group }) => group)].map(({ runs }) => runs.length).filter((size) => size > 0);
  const asRecorded = recordedRuns.length;
  const survival = anchor === undefined ? [] : survivalOf(groups, anchor, recordedRuns);
  const figures = figuresOf({ clusterSizes: sizes, asRecorded, survival });
  const verdict = turnVerdict({
    requested,
    conclusive,
    asRecorded,
    clusterSizes: sizes,
    originalSeen: asRecorded > 0,
  });
  const clusters: Cluster[] = [
    {
      id: 0,
      runs: home.runs.toSorted(ascending),
      recorded: hasOriginal,
      representative: home.runs.toSorted(ascending)[0] ?? null,
      firstDifference: null,
      divergence: null,
      differences: lesserOf(own),
    },
    ...others.map(({ group, explanation, meaningful }, index): Cluster => {
      const runs = group.runs.toSorted(ascending);
      const told = { of: conclusive, asRecorded, agreement: figures.agreement, turn };
      const from = anchor as Behaviour;
      return {
        id: index + 1,
        runs,
        recorded: isRecorded(group),
        representative: group.representative.run || (runs[0] ?? null),
        firstDifference: firstDifferenceOf(from, group.representative),
        divergence:
          meaningful === undefined || runs.length === 0
            ? null
            : divergenceOf(meaningful, explanation, from, group, told),
        differences: explanation.differences.slice(0, MAX_DIFFERENCES),
      };
    }),
  ];
  return {
    shown: [home.representative, ...others.map(({ group }) => group.representative)].filter(
      (each) => each !== undefined,
    ),
    comparison: {
      ...verdict,
      requested,
      conclusive,
      clusters,
      divergence: clusters.find((each) => each.divergence !== null && !each.recorded)?.divergence ?? null,
      forks: forkTable(groups, anchor),
      figures,
      noise: proposeNoise(
        [...own, ...others].map(({ group, explanation }) => ({
          runs: group.runs.length,
          differences: explanation.differences,
        })),
        tools,
      ),
      permutation: permutationOf([home, ...others.map(({ group }) => group)]),
      stoppedAfter: null,
    },
  };
}

/** Recordings against replays, when there are recordings to see them vary by. */
function permutationOf(clusters: readonly Omit<Group, 'representative'>[]): Permutation | null {
  const recordings = clusters.flatMap((each, id) => each.recordings.map(() => id));
  const replays = clusters.flatMap(({ runs }, id) => runs.map(() => id));
  return recordings.length < 2 ? null : permutationTest(recordings, replays);
}

/** The lesser differences of the runs that count as recorded, most frequent group first. */
function lesserOf(own: Clusters['own']): Cluster['differences'] {
  const found = own.find(({ group, explanation }) => group.runs.length > 0 && explanation.differences.length > 0);
  return (found?.explanation.differences ?? []).slice(0, MAX_DIFFERENCES);
}

function shownStep({ kind, name, value, observationId }: KeyedStep): ShownStep {
  return {
    kind,
    ...(name === undefined ? {} : { name }),
    ...(value === undefined ? {} : { value }),
    ...(observationId === undefined ? {} : { observationId }),
  };
}

function ascending(a: number, b: number): number {
  return a - b;
}
