import { type Identifiers, sessionOf } from '../../contract/index.ts';
import type { Trace } from '../../trace/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import { byTrace } from '../mapping/trace-file.ts';
import type { Arrival, TraceRecord } from '../mapping/trace-record.ts';
import type { ReadApi, Sighting, TimeRange, TraceQuery } from './api.ts';

/** Questions to a place that returns whole traces. It may return more; the requested ones are picked here. */
export type Asked =
  /** Throws if it cannot be read. */
  | { readonly ask: 'check' }
  /** Traces of a time, to choose from. Roots are enough. */
  | ({ readonly ask: 'list' } & TraceQuery)
  /** All traces of a session. Roots are enough. */
  | { readonly ask: 'session'; readonly id: string }
  /** Traces of replays whose run id has this prefix. */
  | { readonly ask: 'replays'; readonly runIdPrefix: string; readonly since: string }
  /** One trace, whole. */
  | { readonly ask: 'trace'; readonly id: string; readonly since: string };

/** Records by id, by trace. */
export type HeldTraces = ReadonlyMap<string, ReadonlyMap<string, Arrival>>;

/** Later than any time with a four-digit year. */
const END = '9999';

/** A place that returns whole traces, from which the requested ones are picked: files, and the answers of a command. */
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

/** How to ask a place that lists whole records, in its own terms. */
interface Questions<Query> {
  replays(since: string): Query;
  trace(id: string, since: string): Query;
  /** Roots of traces that may be of this session. */
  session(id: string): readonly Query[];
  roots(range: TimeRange): Query;
}

/** A place that lists whole records. Its filters compare whole values, so that what it lists is checked here. */
export function listedTraces<Query>(
  list: (query: Query, signal: AbortSignal) => AsyncIterable<readonly Arrival[]>,
  questions: Questions<Query>,
  { identifiers }: { identifiers?: Identifiers | undefined },
): Omit<ReadApi, 'name' | 'probe'> {
  const all = async (query: Query, signal: AbortSignal): Promise<Arrival[]> => {
    const arrivals: Arrival[] = [];
    for await (const page of list(query, signal)) arrivals.push(...page);
    return arrivals;
  };
  return {
    readsPerMinute: Number.POSITIVE_INFINITY,
    // Neither agent nor server marks a topmost span whose parent is not exported.
    marksRoots: false,
    async sightings({ runIdPrefix, since }, signal) {
      const traces = byTrace(await all(questions.replays(since), signal));
      return [...traces].flatMap(([traceId, arrivals]) => sightingsIn(traceId, arrivals, runIdPrefix));
    },
    async read(traceId, since, signal) {
      const arrivals = await all(questions.trace(traceId, since), signal);
      const distinct = byTrace(arrivals).get(traceId);
      return distinct && { records: recordsOf(distinct), hasDuplicates: arrivals.length > distinct.size };
    },
    async tracesOf(sessionId, signal) {
      const ids = new Set<string>();
      for (const query of questions.session(sessionId)) {
        for (const root of await all(query, signal)) {
          const head = assembleTrace([root.record()]);
          if (sessionOf(head, { identifiers }) === sessionId) ids.add(head.id);
        }
      }
      return [...ids];
    },
    async *heads({ name, ...range }, signal) {
      const { until = END } = range;
      for await (const page of list(questions.roots(range), signal)) {
        for (const root of page) {
          const head = assembleTrace([root.record()]);
          if ((name === undefined || head.name === name) && head.timestamp < until) yield { ...head, observations: [] };
        }
      }
    },
  };
}

/** The replays with this prefix in one trace. */
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

function headOf(arrivals: ReadonlyMap<string, Arrival>): Trace {
  return { ...assembleTrace(recordsOf(arrivals)), observations: [] };
}
