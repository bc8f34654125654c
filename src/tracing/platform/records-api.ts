import { type Identifiers, sessionOf } from '../../contract/index.ts';
import { byCodeUnit } from '../../json/index.ts';
import type { Trace } from '../../trace/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import { byTrace } from '../mapping/trace-file.ts';
import type { Arrival, TraceRecord } from '../mapping/trace-record.ts';
import type { ReadApi, Sighting, TraceQuery } from './api.ts';

/** A question to a place that lists records. It may list more; what was asked for is picked here. */
export type Asked =
  /** Throws if it cannot be read. */
  | { readonly ask: 'check' }
  /** Traces of a time, newest first. Roots are enough. */
  | ({ readonly ask: 'list' } & TraceQuery)
  /** Roots are enough. */
  | { readonly ask: 'session'; readonly id: string }
  | { readonly ask: 'replays'; readonly runIdPrefix: string; readonly since: string }
  /** One trace, whole. */
  | { readonly ask: 'trace'; readonly id: string; readonly since: string };

const END = '9999';

/** A place that lists whole records: files, or the answers of a command. */
export function recordsApi(
  name: ReadApi['name'],
  list: (asked: Asked, signal: AbortSignal) => AsyncIterable<readonly Arrival[]>,
  { identifiers }: { identifiers?: Identifiers },
): ReadApi {
  const all = async (asked: Asked, signal: AbortSignal) => (await Array.fromAsync(list(asked, signal))).flat();
  return {
    name,
    // Neither agents nor servers mark a topmost span whose parent is not exported.
    marksRoots: false,
    async probe(signal) {
      for await (const _ of list({ ask: 'check' }, signal)) break;
      return true;
    },
    async sightings(query, signal) {
      const traces = byTrace(await all({ ask: 'replays', ...query }, signal));
      return [...traces].flatMap(([traceId, arrivals]) => sightingsIn(traceId, arrivals, query.runIdPrefix));
    },
    async read(id, since, signal) {
      const arrivals = (await all({ ask: 'trace', id, since }, signal)).filter(({ traceId }) => traceId === id);
      const distinct = byTrace(arrivals).get(id);
      return distinct && { records: recordsOf(distinct), hasDuplicates: arrivals.length > distinct.size };
    },
    async tracesOf(id, signal) {
      const heads = headsIn(await all({ ask: 'session', id }, signal));
      return heads.filter((head) => sessionOf(head, { identifiers }) === id).map((head) => head.id);
    },
    async *heads(query, signal) {
      const { since, until = END, name } = query;
      for await (const page of list({ ask: 'list', ...query }, signal)) {
        for (const head of headsIn(page).sort((a, b) => byCodeUnit(b.timestamp, a.timestamp))) {
          const isMeant = name === undefined || head.name === name;
          if (head.timestamp >= since && head.timestamp < until && isMeant) yield head;
        }
      }
    },
  };
}

function sightingsIn(traceId: string, arrivals: ReadonlyMap<string, Arrival>, runIdPrefix: string): Sighting[] {
  const runIds = new Set([...arrivals.values()].flatMap(({ replayRunId }) => replayRunId ?? []));
  const meant = [...runIds].filter((runId) => runId.startsWith(runIdPrefix));
  if (meant.length === 0) return [];
  // An unfinished span comes again once it has ended.
  const lines = [...arrivals].map(([id, arrival]) =>
    JSON.stringify([id, arrival.record().observation?.endTime ?? null]),
  );
  const seen = { traceId, fingerprint: lines.sort().join('\n'), observationIds: new Set(arrivals.keys()) };
  return meant.map((replayRunId) => ({ ...seen, replayRunId }));
}

function recordsOf(arrivals: ReadonlyMap<string, Arrival>): TraceRecord[] {
  return [...arrivals.values()].map((arrival) => arrival.record());
}

function headsIn(arrivals: readonly Arrival[]): Trace[] {
  return [...byTrace(arrivals).values()].map((own) => ({ ...assembleTrace(recordsOf(own)), observations: [] }));
}
