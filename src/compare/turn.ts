import { hash } from 'node:crypto';
import type { TurnRequest } from '../contract/index.ts';
import { present } from '../json/index.ts';
import type { Recording } from '../trace/index.ts';
import { anchorOf, clustersOf, type Gathered, originOf } from './clusters.ts';
import { Constants } from './constants.ts';
import { divergenceOf, Facts, firstDifferenceOf } from './divergence.ts';
import { writesFirst } from './explain/aspects.ts';
import { editBetween } from './explain/cause.ts';
import { type ExplainContext, isMeaningful } from './explain/explain.ts';
import { hintsIn } from './explain/hints.ts';
import { learnTools } from './explain/tool-knowledge.ts';
import { figuresOf } from './figures/figures.ts';
import { forkTable } from './figures/forks.ts';
import { type Behaviour, behaviourOf, type Group, Groups } from './keys/behaviour.ts';
import { type KeyedStep, withoutKeys } from './keys/keys.ts';
import type { StepContext } from './keys/run-steps.ts';
import { minorIn, runsWith } from './minor.ts';
import { proposeNoise, type Varying } from './noise.ts';
import { type NumberedStep, numbered, type PairRow, rowsOf } from './rows.ts';
import { COMPARED_ASPECTS, type ComparedAspect } from './shapes/aspects.ts';
import {
  type Cluster,
  type Divergence,
  MAX_DIFFERENCES,
  type ShownStep,
  type TurnComparison,
} from './shapes/result.ts';
import type { CompareRules } from './shapes/rules.ts';
import type { Traits } from './steps/recorded-steps.ts';
import type { JudgedTexts } from './text/judged.ts';
import { RecordedWords } from './text/recorded-words.ts';
import { turnOutcome } from './turn-outcome.ts';
import { type PathRules, pathRules } from './values/paths.ts';
import { remembered } from './values/remembered.ts';
import { explainAlone, isReworded, type OpenTexts, openTextsOf, rewordedIn, wordingsOf } from './wordings.ts';

interface TurnOptions {
  readonly requested: number;
  /** The replayed request. Ids in it never count as generated. */
  readonly request?: TurnRequest | undefined;
  /** What is known about answers in other words. */
  readonly judged?: JudgedTexts | undefined;
  readonly read?: StepContext['read'];
}

/** Compares replays with the recordings of a turn: the original first, then further ones. Pure. */
export function compareTurn(
  recordings: readonly Recording[],
  replays: readonly { readonly run: number; readonly recording: Recording }[],
  rules: CompareRules,
  options: Partial<TurnOptions> = {},
): TurnComparison {
  const comparator = new TurnComparator(recordings, rules, { requested: replays.length, ...options });
  for (const { run, recording } of replays) comparator.add(run, recording);
  return comparator.result();
}

/** The comparison of one turn. It keeps one copy of each distinct behaviour, however many runs come. */
export class TurnComparator {
  readonly #rules: CompareRules;
  #options: TurnOptions;
  readonly #paths: PathRules;
  readonly #original: Traits | undefined;
  /** Texts of the recordings; while a recording is read, of the recordings before it. */
  #recorded: RecordedWords | undefined;
  readonly #groups = new Groups();
  /** What runs did of which only the answer is known, by its digest. Times and ids make each traced run another. */
  readonly #known = new Map<string, Behaviour>();
  readonly #constants: Constants;
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
      if (rules.relation === undefined) this.#constants.addRecording(behaviour.steps);
      recorded.push(behaviour.steps);
      this.#recorded = new RecordedWords(recorded, options.judged);
    }
  }

  /** @param recording of a conclusive run */
  add(run: number, recording: Recording): void {
    const behaviour = { ...this.#knownBehaviour(recording, run), run };
    this.#groups.addRun(run, behaviour);
    if (this.#rules.relation === undefined) this.#constants.addRun(behaviour.steps);
    this.#view = undefined;
  }

  /** The comparison of the runs so far; the same for any order of arrival. */
  result(): TurnComparison {
    return this.#current().comparison;
  }

  /** Raises the number of requested runs. */
  expect(requested: number): void {
    this.#options = { ...this.#options, requested };
    this.#view = undefined;
  }

  /** Answers in other words that nobody has judged. */
  openTexts(): OpenTexts[] {
    return this.#current().openTexts();
  }

  /** What most replays do or say otherwise in each aspect, lesser differences too: for a gate that tests the runs. */
  leads(): Divergence[] {
    return this.#current().leads();
  }

  /** What the runs of a cluster did: their representative recording, and its steps. */
  behaviour(clusterId: number): { recording: Recording; steps: readonly ShownStep[] } | undefined {
    const shown = this.#current().shown[clusterId];
    return shown && { recording: shown.recording, steps: shown.steps.map(withoutKeys) };
  }

  /** The runs of a cluster laid beside the original. */
  rows(clusterId: number): readonly PairRow[] | undefined {
    const { shown, anchor, comparison } = this.#current();
    const [behaviour, cluster] = [shown[clusterId], comparison.clusters[clusterId]];
    if (behaviour === undefined || anchor === undefined || cluster === undefined) return undefined;
    return rowsOf(anchor.steps, behaviour.steps, cluster.differences);
  }

  /** Steps of a cluster's runs; by default of what all are compared with, the original if there is one. */
  steps(clusterId?: number): readonly NumberedStep[] {
    const { anchor, shown } = this.#current();
    const of = clusterId === undefined ? anchor : shown[clusterId];
    return of?.steps.map((step) => numbered(step)) ?? [];
  }

  #current(): View {
    this.#view ??= viewOf(this.#constants.splitGroups(this.#groups.all()), {
      rules: this.#rules,
      paths: this.#paths,
      ...this.#options,
    });
    return this.#view;
  }

  #knownBehaviour(recording: Recording, run: number): Behaviour {
    if (recording.observations.length > 0) return this.#behaviourOf(recording, run).behaviour;
    const digest = hash('sha256', JSON.stringify(recording), 'base64url');
    return remembered(this.#known, digest, () => this.#behaviourOf(recording, run).behaviour);
  }

  #behaviourOf(recording: Recording, run: number) {
    const { trajectory, behaviour } = behaviourOf(recording, run, {
      rules: this.#rules,
      paths: this.#paths,
      request: this.#options.request,
      read: this.#options.read,
      original: this.#original,
      recorded: this.#recorded,
    });
    return { trajectory, behaviour: { ...behaviour, relation: this.#rules.relation?.(recording) } };
  }
}

interface ViewContext extends TurnOptions {
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
  readonly leads: () => Divergence[];
}

/** @param groups largest first */
function viewOf(groups: readonly Group[], context: ViewContext): View {
  const { rules, paths, requested, judged, request } = context;
  const origin = originOf(groups);
  const anchor = origin && anchorOf(origin);
  const tools = learnTools(
    groups.map(({ representative }) => representative.steps),
    rules,
    () => [
      hintsIn(groups.flatMap(({ recorded }) => recorded ?? [])),
      hintsIn(groups.map(({ representative }) => representative)),
    ],
  );
  const explaining = { tools, paths, judged, request };
  const { home, own, others } = clustersOf(groups, rules, explaining);
  const found = [...(home === undefined ? [] : [home]), ...others.map(({ group }) => group)];
  const conclusive = groups.reduce((sum, { runs }) => sum + runs.length, 0);
  const isRecorded = (group: Group) => group === home || group.recordings.length > 0;
  const recordedRuns = found.filter(isRecorded).flatMap(({ runs }) => runs);
  const sizes = found.map(({ runs }) => runs.length).filter((size) => size > 0);
  const asRecorded = recordedRuns.length;
  const isRelated = rules.relation !== undefined;
  const lesserIn = (group: Group | undefined, members: readonly Gathered[]) => {
    const { variants = [], representative } = group ?? {};
    const isAsRecorded = group !== undefined && isRecorded(group);
    return {
      minor: isRelated ? [] : minorIn(members, rules),
      inOtherWords: isAsRecorded && !isRelated ? rewordedIn(variants, explaining, representative) : [],
      ...wordingsOf(anchor as Behaviour, variants, explaining),
    };
  };
  const lesser = new Map(
    [{ group: home, members: own }, ...others].map(({ group, members }) => [group, lesserIn(group, members)]),
  );
  const inOtherWords = [...lesser.values()].reduce((sum, of) => sum + of.inOtherWords.length, 0);
  const figures = figuresOf({
    clusterSizes: sizes,
    asRecorded,
    minor: runsWith([...lesser.values()].flatMap(({ minor }) => minor)),
    inOtherWords,
  });
  const replayed = others.filter(({ group, meaningful }) => meaningful !== undefined && group.runs.length > 0);
  const unlikeRecorded = replayed.filter(({ group }) => !isRecorded(group));
  const recordedApart = others.filter(({ group }) => isRecorded(group));
  // What explains differences is loaded where there is one.
  const facts = replayed.length === 0 ? undefined : new Facts(unlikeRecorded, recordedApart, rules);
  const headline = facts?.headline(conclusive, anchor as Behaviour);
  const told = (lead: typeof headline) =>
    lead && divergenceOf(lead.at, lead.of, anchor as Behaviour, rules, { ...lead.count, of: conclusive });
  const isOnlyReworded = headline === undefined && inOtherWords > 0;
  const edits = groups.flatMap(({ runs, representative }) =>
    isOnlyReworded && runs.length > 0 ? (editBetween(anchor as Behaviour, representative) ?? []) : [],
  );
  const partOf = (aspect: ComparedAspect) => {
    const differsIn = ({ explanation }: Gathered) =>
      explanation.differences.some((each) => each.aspect === aspect && isMeaningful(each, rules));
    const part = facts?.partOf(aspect, conclusive) ?? { runs: 0, isShared: false };
    return { ...part, recordingsVary: recordedApart.some(differsIn) };
  };
  const unlike = conclusive - asRecorded;
  // What a test compares also tells runs apart that differ in a look more or less, or in words alone.
  const onlySlightly = isRelated && facts === undefined && unlike > 0 ? { runs: unlike, isShared: false } : undefined;
  const isByLooks = others.some(({ explanation }) => explanation.differences.some(({ aspect }) => aspect === 'path'));
  const outcomes = turnOutcome({
    requested,
    conclusive,
    asRecorded,
    minor: figures.minor,
    inOtherWords,
    isUnread: !isRelated && unlikeRecorded.some(({ explanation }) => explanation.differences.some(isReworded)),
    apart: {
      did: partOf('did'),
      said: (isByLooks ? undefined : onlySlightly) ?? partOf('said'),
      path: (isByLooks ? onlySlightly : undefined) ?? partOf('path'),
    },
  });
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
    ...others.map((other, index) => {
      const { group, explanation, meaningful } = other;
      return clusterOf(index + 1, group, isRecorded(group), {
        firstDifference: firstDifferenceOf(anchor as Behaviour, group.representative),
        divergence:
          meaningful === undefined || group.runs.length === 0
            ? null
            : divergenceOf(meaningful, other, anchor as Behaviour, rules, {
                ...(isRecorded(group) || facts === undefined ? new Facts([other], [], rules) : facts).countOf(
                  meaningful,
                  other,
                ),
                of: conclusive,
              }),
        differences: writesFirst(explanation.differences, MAX_DIFFERENCES),
      });
    }),
  ];
  return {
    anchor,
    shown: found.map(({ representative }) => representative),
    openTexts: () =>
      [...lesser].flatMap(([group, { inOtherWords }]) =>
        group === undefined || inOtherWords.length === 0 ? [] : openTextsOf(group.variants, inOtherWords, explaining),
      ),
    leads: () => {
      const apart = others.filter(({ group }) => group.runs.length > 0 && !isRecorded(group));
      const all = new Facts(apart, recordedApart, { ...rules, strictness: 'wording' });
      return COMPARED_ASPECTS.flatMap((aspect) => told(all.leadIn(aspect)) ?? []);
    },
    comparison: {
      ...outcomes,
      requested,
      conclusive,
      clusters,
      divergence: told(headline) ?? null,
      ...present({ edit: edits[0] }),
      forks: forkTable(groups, anchor),
      figures,
      noise: proposeNoise(
        isRelated ? variantsOf(groups, anchor, explaining) : [...own, ...others].map(varyingOf),
        anchor?.clock,
        { tools, areTold: isRelated },
      ),
    },
  };
}

function varyingOf({ group, explanation }: Gathered): Varying {
  return {
    runs: group.runs.length,
    clock: group.representative.clock,
    differences: explanation.differences,
  };
}

/** Runs of one group may differ in what their tools return. */
function variantsOf(groups: readonly Group[], anchor: Behaviour | undefined, context: ExplainContext): Varying[] {
  return groups.flatMap(({ variants, representative: { clock } }) =>
    variants.map(({ steps, runs }) => {
      const differences = anchor === undefined || runs.length === 0 ? [] : explainAlone(anchor.steps, steps, context);
      return { runs: runs.length, clock, differences };
    }),
  );
}

/** The lesser differences of runs that count as recorded, most frequent group first. */
function lesserOf(own: readonly Gathered[]): Cluster['differences'] {
  const lesser = own.filter(({ group, meaningful }) => group.runs.length > 0 && meaningful === undefined);
  const found = lesser.find(({ explanation }) => explanation.differences.length > 0);
  return found === undefined ? [] : writesFirst(found.explanation.differences, MAX_DIFFERENCES);
}

/** The run that its behaviour was taken from. */
function representativeOf({ representative, runs }: Group): number | null {
  return representative.run || (runs.toSorted(ascending)[0] ?? null);
}

function ascending(a: number, b: number): number {
  return a - b;
}
