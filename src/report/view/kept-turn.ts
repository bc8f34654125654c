import type { RecordedTurn } from '../../compare/index.ts';
import type { Recording } from '../../trace/index.ts';
import { type LaidTurn, laidTurn } from '../laid.ts';
import { type KeptTrace, keptSteps } from './traces.ts';

type Comparison = ReturnType<RecordedTurn['start']>;

/** The recording of a turn (`cluster` null), or the runs of one behaviour. */
interface KeptBehaviour extends Pick<KeptTrace, 'cluster' | 'recording' | 'steps'> {
  /** Empty for the recording. */
  readonly runs: readonly number[];
}

/** Kept of a turn, so that it can be read when its traces are gone. */
export interface KeptTurn {
  /** Part of the report. */
  readonly laid: LaidTurn;
  /** Beside the report, one file each. */
  readonly behaviours: readonly KeptBehaviour[];
}

/** @param original kept even if no replay came */
export function keptTurn(comparison: Comparison, original: Recording): KeptTurn {
  const { clusters } = comparison.result();
  const recorded = comparison.steps();
  const replayed = clusters.flatMap(({ id: cluster, runs }) => {
    const recording = runs.length > 0 ? comparison.behaviour(cluster)?.recording : undefined;
    return recording === undefined ? [] : { cluster, runs, recording, steps: keptSteps(comparison.steps(cluster)) };
  });
  return {
    laid: laidTurn({ clusters, recorded, rowsOf: (cluster) => comparison.rows(cluster) }),
    behaviours: [{ cluster: null, runs: [], recording: original, steps: keptSteps(recorded) }, ...replayed],
  };
}
