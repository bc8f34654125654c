import { type Identifiers, sessionOf } from '../../contract/index.ts';
import type { Trace } from '../../trace/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import type { Arrival, TraceRecord } from '../mapping/record.ts';
import type { ReadApi, Sighting, TraceQuery } from './api.ts';

/** What is asked of a place that hands out whole traces. It may answer with more than that: the asked ones are chosen here. */
export type Asked =
  /** Whether it can be read at all. */
  | { readonly ask: 'check' }
  /** Traces of a time, to choose from. Of each the root is enough. */
  | ({ readonly ask: 'list' } & TraceQuery)
  /** All traces of a session. Of each the root is enough. */
  | { readonly ask: 'session'; readonly id: string }
  /** Traces of replays whose run id begins so. */
  | { readonly ask: 'replays'; readonly runIdPrefix: string; readonly since: string }
  /** One trace, whole. */
  | { readonly ask: 'trace'; readonly id: string; readonly since: string };

/** By trace, and in it by the id of what came. */
export type HeldTraces = ReadonlyMap<string, ReadonlyMap<string, Arrival>>;

/** After all times that are written in four digits. */
const END = '9999';

/** A place whose traces are brought whole, and chosen from here: files, and what a command answers. */
export function heldTraces(
  bring: (asked: Asked, signal: AbortSignal) => Promise<HeldTraces>,
  { name, identifiers }: { name: ReadApi['name']; identifiers?: Identifiers | undefined },
): ReadApi {
  return {
    name,
    readsPerMinute: Number.POSITIVE_INFINITY,
    marksRoots: false,
    async probe(signal) {
      await bring({ ask: 'check' }, signal);
      return true;
    },
    async sightings(query, signal) {
      const traces = await bring({ ask: 'replays', ...query }, signal);
      return [...traces].flatMap(([traceId, arrivals]) => sightingsIn(traceId, arrivals, query.runIdPrefix));
    },
    async read(id, since, signal) {
      const arrivals = (await bring({ ask: 'trace', id, since }, signal)).get(id);
      return arrivals && { records: recordsOf(arrivals), hasDuplicates: false };
    },
    async tracesOf(id, signal) {
      const heads = [...(await bring({ ask: 'session', id }, signal)).values()].map(headOf);
      return heads.filter((head) => sessionOf(head, { identifiers }) === id).map((head) => head.id);
    },
    async *heads(query, signal) {
      const { since, until = END, name } = query;
      const traces = await bring({ ask: 'list', ...query }, signal);
      const heads = [...traces.values()].map(headOf).sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
      for (const head of heads) {
        const isMeant = name === undefined || head.name === name;
        if (head.timestamp >= since && head.timestamp < until && isMeant) yield head;
      }
    },
  };
}

/** Replays whose run id begins so, in one trace. */
export function sightingsIn(traceId: string, arrivals: ReadonlyMap<string, Arrival>, runIdPrefix: string): Sighting[] {
  const runIds = new Set([...arrivals.values()].flatMap(({ replayRunId }) => replayRunId ?? []));
  const meant = [...runIds].filter((runId) => runId.startsWith(runIdPrefix));
  if (meant.length === 0) return [];
  // What goes on yet is shown again once it has ended.
  const lines = [...arrivals].map(([id, arrival]) =>
    JSON.stringify([id, arrival.record().observation?.endTime ?? null]),
  );
  const seen = { traceId, fingerprint: lines.sort().join('\n'), observationIds: new Set(arrivals.keys()) };
  return meant.map((replayRunId) => ({ ...seen, replayRunId }));
}

function recordsOf(arrivals: ReadonlyMap<string, Arrival>): TraceRecord[] {
  return [...arrivals.values()].map((arrival) => arrival.record());
}

function headOf(arrivals: ReadonlyMap<string, Arrival>): Trace {
  return { ...assembleTrace(recordsOf(arrivals)), observations: [] };
}
