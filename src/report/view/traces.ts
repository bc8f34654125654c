import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { bySeverity } from '../outputs/words.ts';
import type { Report } from '../schema.ts';
import { type KeptRun, traceView } from './trace-view.ts';
import { letterOf } from './view.ts';
import type { TraceView } from './view-shapes.ts';

/** What a run did of one turn: of the recording (`cluster` null), or of a behaviour. */
export interface KeptTrace extends KeptRun {
  readonly session: string;
  readonly turn: number;
  readonly cluster: number | null;
}

/** Reads what the runs of a session did. */
export type ReadKept = (session: string) => Promise<readonly KeptTrace[]>;

/** All traces in one file, compressed: what takes longer to open than to replay again is left out. */
const MAX_BYTES = 12 * 1024 ** 2;

const compressed = promisify(gzip);

/**
 * Traces that an HTML report carries, by {@link traceKey}, as base64 of gzip: those of the worst sessions first, as far
 * as they have room.
 */
export async function carriedTraces(report: Report, read: ReadKept): Promise<Record<string, string>> {
  const carried: Record<string, string> = {};
  let left = MAX_BYTES;
  for (const { id, turns } of bySeverity(report.results.sessions)) {
    if (left <= 0) break;
    for (const trace of await read(id)) {
      const of = letterIn(turns.find(({ turn }) => turn === trace.turn)?.comparison.clusters ?? [], trace.cluster);
      if (of === undefined || left <= 0) continue;
      const packed = (await compressed(JSON.stringify(traceView(trace)))).toString('base64');
      left -= packed.length;
      if (left > 0) carried[traceKey(id, trace.turn, of)] = packed;
    }
  }
  return carried;
}

/** @param of letter of a behaviour; empty for the recording */
export function traceKey(session: string, turn: number, of: string): string {
  return `${turn} ${of} ${session}`;
}

/** One trace of a report. @param of letter of a behaviour; empty for the recording */
export function keptTrace(
  report: Report,
  kept: readonly KeptTrace[],
  { session, turn, of, link }: { session: string; turn: number; of: string; link?: (traceId: string) => string },
): TraceView | undefined {
  const result = report.results.sessions.find(({ id }) => id === session)?.turns.find((each) => each.turn === turn);
  const clusters = result?.comparison.clusters ?? [];
  const found = kept.find(
    (each) => each.session === session && each.turn === turn && letterIn(clusters, each.cluster) === of,
  );
  if (found === undefined) return undefined;
  const { traceId } = found.recording;
  return traceView(found, traceId === undefined ? '' : (link?.(traceId) ?? ''));
}

function letterIn(clusters: readonly { readonly id: number }[], cluster: number | null): string | undefined {
  if (cluster === null) return '';
  const place = clusters.findIndex(({ id }) => id === cluster);
  return place === -1 ? undefined : letterOf(place);
}
