import type { TurnRequest } from '../contract/index.ts';
import { type Recording, responseOnly, withoutCopies } from '../trace/index.ts';
import { stepLabel } from './figures/forks.ts';
import { otherTools, type RecordedModelCall, recordedModelCalls } from './model-contexts.ts';
import { type ReadStep, stepReader } from './read-steps.ts';
import type { ShownStep, TurnComparison } from './shapes/result.ts';
import { type CompareRules, compareRules } from './shapes/rules.ts';
import type { JudgedTexts } from './text/judged.ts';
import { TurnComparator } from './turn.ts';

interface Pinned {
  readonly request?: TurnRequest | undefined;
  /** The original. */
  readonly recorded: Recording;
  /** Further recordings. */
  readonly baselines?: readonly Recording[] | undefined;
}

/** A pinned turn, prepared for comparing replays with it. */
export class RecordedTurn {
  /** The original first, then further recordings, in the form in which they are compared. */
  readonly recordings: readonly [Recording, ...Recording[]];
  readonly #rules: CompareRules;
  readonly #context: { readonly request: TurnRequest | undefined };
  readonly #shown: (recording: Recording) => Recording;
  #reader: ReturnType<typeof stepReader> | undefined;

  /** @param options.hasTraces false: only the output is compared, on both sides */
  constructor(
    { request, recorded, baselines = [] }: Pinned,
    rules: CompareRules,
    { hasTraces = true }: { readonly hasTraces?: boolean } = {},
  ) {
    this.#shown = (recording) => (hasTraces ? recording : responseOnly(recording.output));
    const [, ...others] = withoutCopies([recorded, ...baselines]);
    this.recordings = [this.#shown(recorded), ...others.map(this.#shown)];
    this.#rules = rules;
    this.#context = { request };
  }

  /** Starts a comparison that takes runs one by one. */
  start(
    requested: number,
    { judged, relation }: { readonly judged?: JudgedTexts | undefined } & Pick<CompareRules, 'relation'> = {},
  ): TurnComparator {
    const rules = { ...this.#rules, relation };
    return new TurnComparator(this.recordings, rules, { requested, judged, ...this.#context });
  }

  /** All steps of a run of this turn, also those that are not compared. */
  stepsOf(recording: Recording): ReadStep[] {
    const [original] = this.recordings;
    this.#reader ??= stepReader(this.#rules, { request: this.#context.request, original });
    return this.#reader(this.#shown(recording));
  }

  compare(...replays: readonly Recording[]): TurnComparison {
    const comparison = this.start(replays.length);
    for (const [index, replay] of replays.entries()) comparison.add(index + 1, this.#shown(replay));
    return comparison.result();
  }

  /** How the definitions of tools in a replay differ from those in every recording, in the way in which it traces them. */
  otherTools(replay: Recording): string | undefined {
    const [original, ...others] = this.recordings.map((recording) => otherTools(recording, replay));
    return others.includes(undefined) ? undefined : original;
  }

  /** The model calls of the original, in order. */
  modelCalls(): RecordedModelCall[] {
    return this.#callsOf(this.recordings[0]);
  }

  /** The model calls of each recording in which the model answers otherwise, the original first. */
  paths(): RecordedModelCall[][] {
    const said = (calls: readonly RecordedModelCall[]) =>
      JSON.stringify(calls.map(({ answer }) => [answer?.text, answer?.calls.map(({ name, args }) => [name, args])]));
    const paths = Map.groupBy(
      this.recordings.map((recording) => this.#callsOf(recording)),
      said,
    );
    return [...paths.values()].flatMap(([calls]) => (calls === undefined ? [] : [calls]));
  }

  #callsOf(recording: Recording): RecordedModelCall[] {
    return recordedModelCalls(recording, this.#rules, this.#context.request);
  }

  /** A step of the original in a few words: `calls refund_order`. */
  labelOf(step: number): string {
    const [original] = this.recordings;
    return stepLabel(this.stepsOf(original)[step - 1] as ReadStep);
  }
}

const AS_THEY_ARE = compareRules.parse({ identities: 'literal' });

/** The steps of one run alone, with ids as recorded. */
export function plainSteps(recording: Recording): ShownStep[] {
  return stepReader(AS_THEY_ARE)(recording).map(({ isCompared: _, ...step }) => step);
}
