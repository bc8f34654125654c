import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isAsRecorded, type NumberedStep, type RecordedTurn } from '../../compare/index.ts';
import { present, textOrJson } from '../../json/index.ts';
import { sealed } from '../../redaction/index.ts';
import type { Recording } from '../../trace/index.ts';
import { type LaidTurn, laidTurn, MAX_SAME_CHARS } from '../laid.ts';
import type { Report } from '../schema.ts';
import { bySeverity } from '../words/words.ts';

/** A step that a report shows cut, or the observation that it was made from. */
interface KeptStep {
  readonly number: number;
  readonly observationId?: string;
  /** The whole text, if a report cuts it. */
  readonly text?: string;
}

/** What a run did, as kept beside a report. */
export interface KeptRun {
  readonly recording: Recording;
  readonly steps?: readonly KeptStep[];
}

/** What a run did in one turn: the recording (`cluster` null), or a behaviour. */
export interface KeptTrace extends KeptRun {
  readonly session: string;
  readonly turn: number;
  readonly cluster: number | null;
}

type Comparison = ReturnType<RecordedTurn['start']>;

/** The recording of a turn (`cluster` null), or the runs of one behaviour. */
interface KeptBehaviour extends Pick<KeptTrace, 'cluster' | 'recording' | 'steps'> {
  /** Empty for the recording. */
  readonly runs: readonly number[];
}

/** Kept of a turn, so that it can be read when its traces are gone. */
interface KeptTurn {
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

function keptSteps(steps: readonly NumberedStep[]): KeptStep[] {
  return steps.flatMap(({ number, value, observationId }) => {
    const text = textOrJson(value) ?? '';
    const isCut = text.length > MAX_SAME_CHARS;
    if (observationId === undefined && !isCut) return [];
    return { number, ...present({ observationId }), ...(isCut && { text }) };
  });
}

/** Reads what the runs of a session did. */
export type ReadKept = (session: string) => Promise<readonly KeptTrace[]>;

/** All traces in one file, compressed. A larger file would take longer to open than a new replay. */
const MAX_BYTES = 12 * 1024 ** 2;

/** Of sessions that are as recorded, which nobody reads one after another. */
const MAX_PASSED = 1_000;

const compressed = promisify(gzip);

/** As base64 of gzip, sealed before: nothing is found in it later. */
export async function packed(text: string): Promise<string> {
  return (await compressed(sealed('report.html', text))).toString('base64');
}

/** By turn, behaviour and session, each {@link packed}; those of the worst sessions first, as far as they fit. */
export async function carriedTraces(report: Report, read: ReadKept): Promise<Record<string, string>> {
  const carried: Record<string, string> = {};
  let left = MAX_BYTES;
  let passed = 0;
  for (const { id, verdict } of bySeverity(report.results.sessions)) {
    if (left <= 0 || (isAsRecorded(verdict) && passed++ >= MAX_PASSED)) break;
    for (const { turn, cluster, recording, steps } of await read(id)) {
      const text = await packed(JSON.stringify({ recording, steps }));
      left -= text.length;
      if (left > 0) carried[`${turn} ${cluster ?? ''} ${id}`] = text;
    }
  }
  return carried;
}
