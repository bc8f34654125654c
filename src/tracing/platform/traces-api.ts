import { type Identifiers, wireNames } from '../../contract/index.ts';
import { asNumber, isJsonObject, type JsonObject } from '../../json/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import { rowReader, textIn, timeIn } from '../mapping/rows.ts';
import { EVER, type ReadApi, type Reading, type Sighting } from './api.ts';
import type { Connection } from './connection.ts';
import { equals, gone, numberedPages, startsWith, tracesIn } from './pages.ts';

const PATH = '/api/public/traces';
const OBSERVATIONS_PATH = '/api/public/observations';
/** The largest that the server allows. */
const PAGE = 100;
/** Beyond this a server ignores the filter. Replays are the newest, so the search may stop. */
const MAX_LISTED = 2_000;

/** `GET /traces` and `/traces/{id}`: servers of version 3, and version 4 if it still writes both. */
export function tracesApi(connection: Connection, options: { identifiers?: Identifiers }): ReadApi {
  const rows = rowReader(options);
  const { replayRunId } = wireNames(options.identifiers).keys;
  const numbered = (path: string, query: Record<string, string | undefined>, signal: AbortSignal) =>
    numberedPages(
      async (page) => {
        const answer = await connection.get(path, { ...query, limit: PAGE, page }, { signal });
        if (answer.status === 404) throw gone(connection.host, path);
        return { body: answer.body, asked: `GET ${path}` };
      },
      PAGE,
      connection.host,
    );
  const list = (query: Record<string, string | undefined>, signal: AbortSignal) =>
    numbered(PATH, { ...query, orderBy: 'timestamp.desc' }, signal);
  return {
    name: 'traces',
    marksRoots: false,
    async probe(signal) {
      const parameters = { limit: 1, fields: 'core', fromTimestamp: new Date().toISOString() };
      const { status } = await connection.get(PATH, parameters, { signal });
      return status === 200;
    },
    async sightings({ runIdPrefix, since }, signal) {
      const found: Sighting[] = [];
      let count = 0;
      const query = { filter: startsWith(replayRunId, runIdPrefix), fromTimestamp: since, fields: LISTED };
      for await (const page of list(query, signal)) {
        for (const trace of page) {
          const traceId = textIn(trace, 'id');
          const runId = rows.replayRunId(trace);
          if (traceId === undefined || runId === undefined) continue;
          const observationIds = new Set(idsIn(trace));
          found.push({
            traceId,
            replayRunId: runId,
            fingerprint: fingerprintOf(trace, observationIds),
            observationIds,
            row: trace,
          });
        }
        count += page.length;
        if (count >= MAX_LISTED) break;
      }
      return found;
    },
    async read(traceId, _since, signal) {
      const { status, body } = await connection.get(`${PATH}/${encodeURIComponent(traceId)}`, {}, { signal });
      if (status === 404 || !isJsonObject(body)) return undefined;
      return { records: rows.trace(body), hasDuplicates: false };
    },
    async readMany(sightings, { since, maxReads }, signal) {
      const traces = sightings.map(({ row }) => row).filter((row) => row !== undefined);
      const traceIds = new Set(sightings.map(({ traceId }) => traceId));
      // By id, because new rows push others to the next page, where they come again.
      const observations = new Map<string, Map<string, JsonObject>>();
      let reads = 0;
      for await (const page of numbered(OBSERVATIONS_PATH, timesOf(traces) ?? { fromStartTime: since }, signal)) {
        if (++reads > maxReads) return undefined;
        for (const row of page) {
          const traceId = textIn(row, 'traceId') ?? '';
          if (!traceIds.has(traceId)) continue;
          const known = observations.get(traceId) ?? new Map<string, JsonObject>();
          observations.set(traceId, known.set(textIn(row, 'id') ?? '', row));
        }
      }
      const found = new Map<string, Reading>();
      for (const trace of traces) {
        const id = textIn(trace, 'id') ?? '';
        const rowsOf = observations.get(id) ?? new Map<string, JsonObject>();
        // Observations that began outside their trace's time are only found one by one.
        const ids = idsIn(trace);
        if (ids.length === 0 || !ids.every((observation) => rowsOf.has(observation))) continue;
        found.set(id, { records: rows.trace({ ...trace, observations: [...rowsOf.values()] }), hasDuplicates: false });
      }
      return found;
    },
    tracesOf: (sessionId, signal) =>
      tracesIn(sessionId, 'id', (query) =>
        list({ ...query, fromTimestamp: EVER, fields: 'filter' in query ? HEAD : 'core' }, signal),
      ),
    async *heads({ agentId, name, since, until }, signal) {
      const filter = agentId === undefined ? undefined : equals('agent_id', agentId);
      // Here observations are ids only.
      const query = { name, filter, fromTimestamp: since, toTimestamp: until, fields: HEAD };
      for await (const page of list(query, signal)) {
        for (const trace of page) {
          const isThere = textIn(trace, 'id') !== undefined && timeIn(trace, 'timestamp') !== undefined;
          if (isThere) yield assembleTrace(rows.trace(trace));
        }
      }
    },
  };
}

/** Metadata belongs to the group io. */
const HEAD = 'core,io';
const LISTED = 'core,io,observations,metrics';

/** The time in which observations of these traces began, as they say; undefined if one does not say. */
function timesOf(traces: readonly JsonObject[]): { fromStartTime: string; toStartTime: string } | undefined {
  const starts = traces.map((trace) => Date.parse(timeIn(trace, 'timestamp') ?? ''));
  const ends = traces.map(({ latency }, n) => (starts[n] as number) + asNumber(latency) * 1_000);
  const [from, to] = [Math.min(...starts), Math.max(...ends)];
  if (!Number.isFinite(from) || !Number.isFinite(to) || to < from) return undefined;
  const at = (ms: number) => new Date(ms).toISOString();
  return { fromStartTime: at(from - ROUNDED_MS), toStartTime: at(to + ROUNDED_MS) };
}

/** Times are rounded, and the end is exclusive. */
const ROUNDED_MS = 10;

function idsIn({ observations }: JsonObject): string[] {
  return Array.isArray(observations) ? observations.map(String).sort() : [];
}

function fingerprintOf(trace: JsonObject, ids: ReadonlySet<string>): string {
  const { updatedAt, latency, totalCost, input, output } = trace;
  return JSON.stringify([updatedAt, latency, totalCost, input, output, [...ids]]);
}
