import { wilson } from './figures/figures.ts';
import type { RecordedModelCall } from './model-contexts.ts';
import type { TurnComparison } from './shapes/result.ts';

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

/**
 * @param call that decides the step
 * @param comparison of the replays in which the model was asked for it, with the original alone
 */
export function measuredAt(
  { steps }: Pick<RecordedModelCall, 'steps'>,
  { clusters, forks, conclusive: of }: TurnComparison,
): StepMeasurement {
  const last = Math.max(...steps);
  const labels = clusters.flatMap(({ runs, recorded, firstDifference }) => {
    const at = firstDifference?.step ?? 1;
    if (recorded || at > last) return [];
    const branches = forks.find(({ step }) => step === at)?.branches ?? [];
    return runs.map((run) => branches.find((branch) => branch.runs.includes(run))?.label ?? 'does otherwise');
  });
  const asRecorded = of - labels.length;
  return {
    of,
    asRecorded,
    interval: of === 0 ? null : wilson(asRecorded, of),
    instead: [...Map.groupBy(labels, (label) => label)]
      .map(([label, alike]) => ({ label, runs: alike.length }))
      .sort((a, b) => b.runs - a.runs),
  };
}
