import { hash } from 'node:crypto';
import type { Recording, TurnRequest } from '../contract/index.ts';
import { byCodeUnit } from './canonical.ts';
import { causeOf, type InputEvidence, inputEvidence } from './cause.ts';
import { type Explanation, explain, isMeaningful } from './classify.ts';
import type { SettledRuns } from './early-stop.ts';
import { figuresOf, withoutRates } from './figures.ts';
import { maskText } from './identities.ts';
import { proposeNoise } from './noise.ts';
import { leafDifferences, pathRules } from './paths.ts';

import { permutationTest } from './permutation.ts';
import type { KeyedStep } from './project.ts';
import {
  type Cluster,
  type Difference,
  type Divergence,
  type FirstDifference,
  type Fork,
  MAX_DIFFERENCES,
  type Permutation,
  type ShownStep,
  type Stopped,
  type TurnComparison,
} from './result.ts';
import type { CompareRules } from './rules.ts';
import { runSteps } from './run-steps.ts';
import { sentenceFor } from './sentence.ts';
import type { Trajectory } from './steps.ts';
import { extremesOf, learnTools } from './tools.ts';
import { buildTrie, commonPrefix, forksOf } from './trie.ts';
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
  /** Where the runs stand, if no further one can move them; null while what is learned of tools still could. */
  settled(): SettledRuns | null;
  /** Says that no more runs will be made, although more were asked for. */
  stop(stopped: Stopped): void;
  /** What the runs of a cluster did: the recording that stands for it, and its steps. */
  behaviour(clusterId: number): { recording: Recording; steps: readonly ShownStep[] } | undefined;
}

/** A way in which the agent behaved, and who did. */
interface Behaviour {
  readonly steps: readonly KeyedStep[];
  /** Keys as the strictness sees them, and the steps that they stand for. */
  readonly keys: readonly string[];
  readonly seen: readonly KeyedStep[];
  readonly inputs: readonly InputEvidence[];
  readonly recording: Recording;
  /** Digest of all steps as they are: the order among equals. */
  readonly exact: string;
  /** The run that it was taken from; 0 for a recording of the pin. */
  readonly run: number;
}

interface Group {
  /** Shown for the group: the behaviour with the smallest digest. */
  representative: Behaviour;
  readonly runs: number[];
  /** Indexes of the pin's recordings in it. */
  readonly recordings: number[];
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
  readonly #paths: ReturnType<typeof pathRules>;
  readonly #original: Behaviour | undefined;
  /** Tools that ran at the same time in the original. */
  readonly #overlaps: ReadonlySet<string> | undefined;
  readonly #groups = new Map<string, Group>();
  /** Whether a behaviour counts as recorded whatever is learned of tools; null when that depends. */
  readonly #standings = new WeakMap<Behaviour, boolean | null>();
  #stopped: Stopped | null = null;
  #view: View | undefined;

  constructor(recordings: readonly Recording[], rules: CompareRules, options: TurnOptions) {
    this.#rules = rules;
    this.#options = options;
    this.#paths = pathRules(rules);
    const [original, ...baselines] = recordings;
    if (original === undefined) return;
    const { trajectory, behaviour } = this.#behaviourOf(original, 0);
    this.#overlaps = trajectory.overlaps;
    this.#original = behaviour;
    this.#join(behaviour).recordings.push(0);
    for (const [index, baseline] of baselines.entries()) {
      this.#join(this.#behaviourOf(baseline, 0).behaviour).recordings.push(index + 1);
    }
  }

  add(run: number, recording: Recording): void {
    this.#join(this.#behaviourOf(recording, run).behaviour).runs.push(run);
    this.#view = undefined;
  }

  result(): TurnComparison {
    return this.#current().comparison;
  }

  settled(): SettledRuns | null {
    if (this.#original === undefined) return null;
    const clusters = new Map<number, number>();
    const recorded = new Set([0]);
    for (const [index, { representative, runs, recordings }] of [...this.#groups.values()].entries()) {
      const isHome = this.#standing(representative);
      if (isHome === null) return null;
      const cluster = isHome ? 0 : index + 1;
      if (recordings.length > 0) recorded.add(cluster);
      for (const run of runs) clusters.set(run, cluster);
    }
    return { clusters, recorded: [...recorded] };
  }

  stop(stopped: Stopped): void {
    this.#stopped = stopped;
    this.#view = undefined;
  }

  behaviour(clusterId: number): { recording: Recording; steps: readonly ShownStep[] } | undefined {
    const shown = this.#current().shown[clusterId];
    return shown && { recording: shown.recording, steps: shown.steps.map(shownStep) };
  }

  #current(): View {
    const options = { ...this.#options, stopped: this.#stopped };
    this.#view ??= viewOf([...this.#groups.values()], this.#original, this.#rules, options, this.#paths);
    return this.#view;
  }

  /** More knowledge of tools only makes differences lesser: what both extremes agree on stays. */
  #standing(behaviour: Behaviour): boolean | null {
    const known = this.#standings.get(behaviour);
    if (known !== undefined) return known;
    const original = this.#original;
    const [least, most] = extremesOf(this.#rules).map(
      (tools) =>
        original !== undefined &&
        !explain(original.steps, behaviour.steps, { tools, paths: this.#paths }).differences.some((each) =>
          isMeaningful(each, this.#rules),
        ),
    );
    const standing = least === most ? (least as boolean) : null;
    this.#standings.set(behaviour, standing);
    return standing;
  }

  #behaviourOf(recording: Recording, run: number): { trajectory: Trajectory; behaviour: Behaviour } {
    const { trajectory, steps } = runSteps(recording, {
      rules: this.#rules,
      paths: this.#paths,
      request: this.#options.request,
      overlaps: this.#overlaps,
    });
    const seen = steps.filter(({ key }) => key !== null);
    const mask = (text: string) => maskText(text, trajectory.clock);
    const behaviour: Behaviour = {
      steps,
      seen,
      keys: seen.map(({ key }) => key as string),
      inputs: trajectory.inputs.map((input) => inputEvidence(input, mask)),
      recording,
      exact: digest(steps.map(({ exact }) => exact)),
      run,
    };
    return { trajectory, behaviour };
  }

  #join(behaviour: Behaviour): Group {
    const id = digest(behaviour.keys);
    const known = this.#groups.get(id);
    if (known === undefined) {
      const group: Group = { representative: behaviour, runs: [], recordings: [] };
      this.#groups.set(id, group);
      return group;
    }
    if (comesBefore(behaviour, known.representative)) known.representative = behaviour;
    return known;
  }
}

/** The behaviour that stands for its group is the same whatever came first; of equals the lowest run. */
function comesBefore(a: Behaviour, b: Behaviour): boolean {
  return byCodeUnit(a.exact, b.exact) < 0 || (a.exact === b.exact && a.run < b.run);
}

interface View {
  readonly comparison: TurnComparison;
  /** By cluster id. */
  readonly shown: readonly Behaviour[];
}

/** A group, explained against the anchor. */
interface Explained {
  readonly group: Group;
  readonly explanation: Explanation | undefined;
  readonly meaningful: Difference | undefined;
}

const NOTHING_DIFFERS: Explanation = { differences: [], pairs: [] };

function viewOf(
  groups: readonly Group[],
  original: Behaviour | undefined,
  rules: CompareRules,
  { stopped, ...options }: TurnOptions & { readonly stopped: Stopped | null },
  paths: ReturnType<typeof pathRules>,
): View {
  const bySize = groups.toSorted(
    (a, b) => b.runs.length - a.runs.length || byCodeUnit(a.representative.exact, b.representative.exact),
  );
  const anchor = original ?? bySize[0]?.representative;
  const tools = learnTools(
    bySize.map(({ representative }) => representative.steps),
    rules,
  );
  const explained = bySize.map((group): Explained => {
    if (anchor === undefined) return { group, explanation: undefined, meaningful: undefined };
    if (group.representative.exact === anchor.exact)
      return { group, explanation: NOTHING_DIFFERS, meaningful: undefined };
    const explanation = explain(anchor.steps, group.representative.steps, { tools, paths });
    const meaningful = explanation.differences.find((each) => isMeaningful(each, rules));
    return { group, explanation, meaningful };
  });
  const own = explained.filter(({ meaningful }) => meaningful === undefined);
  const others = explained.filter(({ meaningful }) => meaningful !== undefined);
  const home: Group = {
    representative: representativeOf(own, anchor),
    runs: own.flatMap(({ group }) => group.runs),
    recordings: own.flatMap(({ group }) => group.recordings),
  };
  const conclusive = groups.reduce((sum, { runs }) => sum + runs.length, 0);
  const recordedRuns = [
    ...home.runs,
    ...others.flatMap(({ group }) => (group.recordings.length > 0 ? group.runs : [])),
  ];
  const hasOriginal = original !== undefined;
  const isSeen = hasOriginal ? recordedRuns.length > 0 : home.runs.length > 0;
  const sizes = [home, ...others.map(({ group }) => group)].map(({ runs }) => runs.length).filter((size) => size > 0);
  const asRecorded = hasOriginal ? recordedRuns.length : home.runs.length;
  const survival = survivalOf(bySize, anchor, recordedRuns);
  const full = figuresOf({ clusterSizes: sizes, asRecorded, survival });
  const figures = stopped === null ? full : withoutRates(full);
  const verdict = turnVerdict({
    requested: options.requested,
    conclusive,
    asRecorded,
    clusterSizes: sizes,
    originalSeen: isSeen,
  });
  const clusters: Cluster[] = [
    {
      id: 0,
      runs: home.runs.toSorted(ascending),
      recorded: hasOriginal,
      representative: home.runs.length === 0 ? null : Math.min(...home.runs),
      firstDifference: null,
      divergence: null,
      differences: lesserOf(own),
    },
    ...others.map(({ group, explanation, meaningful }, index): Cluster => {
      const differences = explanation?.differences ?? [];
      return {
        id: index + 1,
        runs: group.runs.toSorted(ascending),
        recorded: group.recordings.length > 0,
        representative: group.representative.run || null,
        firstDifference: anchor === undefined ? null : firstDifferenceOf(anchor, group.representative),
        divergence:
          meaningful === undefined || anchor === undefined || explanation === undefined || group.runs.length === 0
            ? null
            : divergenceOf(meaningful, explanation, anchor, group, {
                of: conclusive,
                asRecorded,
                agreement: figures.agreement,
                turn: options.turn ?? 1,
              }),
        differences: differences.slice(0, MAX_DIFFERENCES),
      };
    }),
  ];
  const divergence = clusters.find((each) => each.divergence !== null && !each.recorded)?.divergence ?? null;
  return {
    shown: [home.representative, ...others.map(({ group }) => group.representative)].filter(
      (each) => each !== undefined,
    ),
    comparison: {
      ...(stopped === null ? verdict : { ...verdict, ...stopNote(stopped, options.requested) }),
      requested: options.requested,
      conclusive,
      clusters,
      divergence,
      forks: forkTable(bySize, anchor),
      figures,
      noise: proposeNoise(
        explained.map(({ group, explanation }) => ({
          runs: group.runs.length,
          differences: explanation?.differences ?? [],
        })),
        tools,
      ),
      permutation: stopped === null ? permutationOf([home, ...others.map(({ group }) => group)]) : null,
      stopped,
    },
  };
}

/** More runs of one that was stopped are not what could settle it: it is settled. */
function stopNote({ after }: Stopped, requested: number): { suggestedRuns: null; note: string } {
  return { suggestedRuns: null, note: `stopped after ${after} of ${requested}` };
}

/** Recordings against replays, when there are recordings to see them vary by. */
function permutationOf(clusters: readonly Group[]): Permutation | null {
  const recordings = clusters.flatMap((each, id) => each.recordings.map(() => id));
  const replays = clusters.flatMap(({ runs }, id) => runs.map(() => id));
  return recordings.length < 2 ? null : permutationTest(recordings, replays);
}

function representativeOf(own: readonly Explained[], anchor: Behaviour | undefined): Behaviour {
  const withRuns = own.filter(({ group }) => group.runs.length > 0);
  return (withRuns[0]?.group.representative ?? anchor) as Behaviour;
}

/** The lesser differences of the runs that count as recorded, most frequent group first. */
function lesserOf(own: readonly Explained[]): Difference[] {
  const found = own.find(
    ({ group, explanation }) => group.runs.length > 0 && (explanation?.differences.length ?? 0) > 0,
  );
  return [...(found?.explanation?.differences ?? [])].slice(0, MAX_DIFFERENCES);
}

function divergenceOf(
  at: Difference,
  { differences, pairs }: Explanation,
  anchor: Behaviour,
  group: Group,
  told: { of: number; asRecorded: number; agreement: number | null; turn: number },
): Divergence {
  const { representative, runs } = group;
  const before = differences.slice(0, differences.indexOf(at));
  const earlier: Divergence['earlier'] = {};
  for (const { severity } of before) earlier[severity] = (earlier[severity] ?? 0) + 1;
  const place = pairs.findIndex(({ a, b }) =>
    at.recordedStep === null
      ? representative.steps[b]?.number === at.replayedStep
      : anchor.steps[a]?.number === at.recordedStep,
  );
  const meets = pairs
    .slice(place + 1)
    .map(({ a, b }) => [anchor.steps[a], representative.steps[b]] as const)
    .find(([a, b]) => a !== undefined && a.kind !== 'result' && a.kind !== 'text' && a.exact === b?.exact);
  const cause = causeOf(at, ...inputsAt(at, anchor, representative), before);
  const meetsAgainAt = meets?.[0]?.number ?? null;
  return {
    ...at,
    cause,
    runs: runs.length,
    of: told.of,
    earlier,
    meetsAgainAt,
    sentence: sentenceFor({ ...told, difference: at, cause, runs: runs.length, earlier, meetsAgainAt }),
  };
}

/** What the generations behind the two sides were given; where a side has no step there, the same generation in order. */
function inputsAt(
  { recordedStep, replayedStep }: Difference,
  anchor: Behaviour,
  replay: Behaviour,
): [InputEvidence | undefined, InputEvidence | undefined] {
  const of = ({ steps }: Behaviour, number: number | null) => steps.find((step) => step.number === number)?.generation;
  const [a, b] = [of(anchor, recordedStep), of(replay, replayedStep)];
  return [anchor.inputs[a ?? b ?? 0], replay.inputs[b ?? Math.min(a ?? 0, replay.inputs.length - 1)]];
}

/** Where two runs part by position alone. */
function firstDifferenceOf(anchor: Behaviour, replay: Behaviour): FirstDifference | null {
  const prefix = commonPrefix(anchor.keys, replay.keys);
  const [a, b] = [anchor.seen[prefix], replay.seen[prefix]];
  if (a === undefined && b === undefined) return null;
  const [callA, callB] = [a, b].map((step) => step?.kind === 'call');
  const kind: FirstDifference['kind'] =
    callA && callB
      ? a?.name === b?.name
        ? 'args'
        : 'name'
      : callB
        ? 'extra'
        : callA
          ? 'ended'
          : a && b
            ? 'value'
            : a
              ? 'ended'
              : 'extra';
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

/** Share of the replays that are still on the recorded path after each of its steps. */
function survivalOf(groups: readonly Group[], anchor: Behaviour | undefined, recorded: readonly number[]): number[] {
  if (anchor === undefined) return [];
  const isRecorded = new Set(recorded);
  const left = anchor.keys.map(() => 0);
  let total = 0;
  for (const { representative, runs } of groups) {
    const prefix = commonPrefix(anchor.keys, representative.keys);
    for (const run of runs) {
      total++;
      const survived = isRecorded.has(run) ? anchor.keys.length : prefix;
      if (survived > 0) left[survived - 1] = (left[survived - 1] ?? 0) + 1;
    }
  }
  const survival: number[] = [];
  let still = 0;
  for (const count of left.toReversed()) {
    still += count;
    survival.push(total === 0 ? 0 : still / total);
  }
  return survival.reverse();
}

/** Most places that the fork table lists: beyond it nobody reads on. */
const MAX_FORKS = 20;

function forkTable(groups: readonly Group[], anchor: Behaviour | undefined): Fork[] {
  const paths = groups.map(({ representative }) => representative);
  const trie = buildTrie(paths.map(({ keys }) => keys));
  const lengths = paths.map(({ keys }) => keys.length);
  const isRecorded = (path: number) => (groups[path]?.recordings.length ?? 0) > 0 || paths[path] === anchor;
  return forksOf(trie, lengths)
    .filter(({ node }) => node.paths.some((path) => (groups[path]?.runs.length ?? 0) > 0))
    .slice(0, MAX_FORKS)
    .map(({ node, ended }): Fork => {
      const branches = [...node.children.values()].map((child) => child.paths);
      if (ended.length > 0) branches.push(ended);
      const stepAt = (path: number) => paths[path]?.seen[node.depth];
      return {
        step: Math.min(...node.paths.map((path) => stepAt(path)?.number ?? Number.POSITIVE_INFINITY)),
        branches: branches
          .map((members) => ({
            label: labelOf(stepAt(members[0] as number), branches, stepAt),
            runs: members.flatMap((path) => groups[path]?.runs ?? []).sort(ascending),
            recorded: members.some(isRecorded),
          }))
          .filter(({ runs, recorded }) => runs.length > 0 || recorded)
          .sort((a, b) => b.runs.length - a.runs.length || byCodeUnit(a.label, b.label)),
      };
    })
    .filter(({ branches }) => branches.length > 1);
}

const MAX_LABEL = 60;

/** What a branch does, in a word or two; with its value where another branch does the same thing otherwise. */
function labelOf(
  step: KeyedStep | undefined,
  branches: readonly (readonly number[])[],
  stepAt: (path: number) => KeyedStep | undefined,
): string {
  if (step === undefined) return 'ends';
  const plain = ({ kind, name }: KeyedStep) =>
    kind === 'call'
      ? `calls ${name}`
      : kind === 'result'
        ? `${name} answers`
        : kind === 'final'
          ? 'answers'
          : `${kind}${name ? ` of ${name}` : ''}`;
  const alike = branches.filter((members) => {
    const other = stepAt(members[0] as number);
    return other !== undefined && plain(other) === plain(step);
  });
  if (alike.length < 2) return plain(step);
  const value = JSON.stringify(step.value ?? null);
  return `${plain(step)} ${value.length > MAX_LABEL ? `${value.slice(0, MAX_LABEL).toWellFormed()}…` : value}`;
}

function shownStep({ kind, name, value, observationId }: KeyedStep): ShownStep {
  return {
    kind,
    ...(name === undefined ? {} : { name }),
    ...(value === undefined ? {} : { value }),
    ...(observationId === undefined ? {} : { observationId }),
  };
}

function digest(parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url');
}

function ascending(a: number, b: number): number {
  return a - b;
}
