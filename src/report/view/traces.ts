import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Report } from '../schema.ts';
import { bySeverity } from '../words/words.ts';
import { type KeptRun, traceView } from './trace-view.ts';
import { letterOf } from './view.ts';

/** What a run did in one turn: the recording (`cluster` null), or a behaviour. */
export interface KeptTrace extends KeptRun {
  readonly session: string;
  readonly turn: number;
  readonly cluster: number | null;
}

/** Reads what the runs of a session did. */
export type ReadKept = (session: string) => Promise<readonly KeptTrace[]>;

/** All traces in one file, compressed. A larger file would take longer to open than a new replay. */
const MAX_BYTES = 12 * 1024 ** 2;

const compressed = promisify(gzip);

/**
 * The traces that an HTML report carries, by {@link traceKey}, as base64 of gzip; those of the worst sessions first, as far
 * as they fit. Then the whole of what a view cuts, by {@link rawKey}.
 */
export async function carriedTraces(report: Report, read: ReadKept): Promise<Record<string, string>> {
  const carried: Record<string, string> = {};
  let left = MAX_BYTES;
  const carry = async (key: string, text: string) => {
    if (left <= 0) return;
    const packed = (await compressed(text)).toString('base64');
    left -= packed.length;
    if (left > 0) carried[key] = packed;
  };
  const sessions = bySeverity(report.results.sessions);
  const withCuts = new Map<(typeof sessions)[number], Set<string>>();
  const lettered = async ({ id, turns }: (typeof sessions)[number]) =>
    (await read(id)).flatMap((trace) => {
      const of = letterIn(turns.find(({ turn }) => turn === trace.turn)?.comparison.clusters ?? [], trace.cluster);
      return of === undefined ? [] : { trace, key: traceKey(id, trace.turn, of) };
    });
  for (const session of sessions) {
    if (left <= 0) break;
    const cut = new Set<string>();
    for (const { trace, key } of await lettered(session)) {
      const view = traceView(trace);
      if (view.cut + view.more > 0) cut.add(key);
      await carry(key, JSON.stringify(view));
    }
    if (cut.size > 0) withCuts.set(session, cut);
  }
  for (const [session, cut] of withCuts) {
    if (left <= 0) break;
    for (const { trace, key } of await lettered(session))
      if (cut.has(key)) await carry(rawKey(key), JSON.stringify(trace.recording, null, 2));
  }
  return carried;
}

/** @param of letter of a behaviour; empty for the recording */
export function traceKey(session: string, turn: number, of: string): string {
  return `${turn} ${of} ${session}`;
}

/** The key of the same trace uncut. */
function rawKey(key: string): string {
  return `raw ${key}`;
}

/** Finds one trace of a report. @param of letter of a behaviour; empty for the recording */
export function keptTrace(
  report: Report,
  kept: readonly KeptTrace[],
  { session, turn, of }: { session: string; turn: number; of: string },
): KeptTrace | undefined {
  const result = report.results.sessions.find(({ id }) => id === session)?.turns.find((each) => each.turn === turn);
  const clusters = result?.comparison.clusters ?? [];
  return kept.find((each) => each.session === session && each.turn === turn && letterIn(clusters, each.cluster) === of);
}

function letterIn(clusters: readonly { readonly id: number }[], cluster: number | null): string | undefined {
  if (cluster === null) return '';
  const place = clusters.findIndex(({ id }) => id === cluster);
  return place === -1 ? undefined : letterOf(place);
}
