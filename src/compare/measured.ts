import type { Recording } from '../trace/index.ts';
import { wilson } from './figures/figures.ts';
import type { RecordedModelCall } from './model-contexts.ts';
import type { TurnComparison } from './shapes/result.ts';
import type { CompareRules } from './shapes/rules.ts';
import { compareTurn, type TurnOptions } from './turn.ts';

/** A replay in which the model was asked for one step, with everything before it as recorded. */
export interface AskedRun {
  readonly run: number;
  readonly recording: Recording;
}

/** What a model does at one step if everything before it is as recorded. */
export interface StepMeasurement {
  /** Replays in which it was asked. */
  readonly of: number;
  readonly asRecorded: number;
  /** Wilson score interval of the share as recorded, 95 %; null if it was never asked. */
  readonly interval: readonly [low: number, high: number] | null;
  /** What it does instead, most frequent first. */
  readonly instead: readonly { readonly label: string; readonly runs: number }[];
}

/** @param step the model call that decides the step */
export function measureStep(
  original: Recording,
  runs: readonly AskedRun[],
  {
    call,
    rules,
    ...options
  }: Pick<TurnOptions, 'request'> & {
    readonly call: RecordedModelCall;
    readonly rules: CompareRules;
  },
): StepMeasurement {
  const comparison = compareTurn([original], runs, rules, options);
  const last = Math.max(...call.steps);
  const labels = runs.flatMap(({ run }) => {
    const at = partingOf(run, comparison);
    return at === undefined || at > last ? [] : [labelAt(at, run, comparison)];
  });
  const asRecorded = runs.length - labels.length;
  return {
    of: runs.length,
    asRecorded,
    interval: runs.length === 0 ? null : wilson(asRecorded, runs.length),
    instead: [...Map.groupBy(labels, (label) => label)]
      .map(([label, alike]) => ({ label, runs: alike.length }))
      .sort((a, b) => b.runs - a.runs),
  };
}

/** The step at which a run leaves the recording; undefined if it does not. */
function partingOf(run: number, { clusters }: TurnComparison): number | undefined {
  const cluster = clusters.find(({ runs }) => runs.includes(run));
  return cluster === undefined || cluster.recorded ? undefined : (cluster.firstDifference?.step ?? 1);
}

function labelAt(step: number, run: number, { forks }: TurnComparison): string {
  const branch = forks.find((fork) => fork.step === step)?.branches.find(({ runs }) => runs.includes(run));
  return branch?.label ?? 'does otherwise';
}
