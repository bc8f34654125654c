import { type Identifiers, wireNames } from '../../contract/index.ts';
import { isJsonObject, type JsonObject } from '../../json/index.ts';
import { assembleTrace } from '../mapping/assemble.ts';
import { rowReader, textIn, timeIn } from '../mapping/rows.ts';
import type { TraceRecord } from '../mapping/trace-record.ts';
import { EVER, type ReadApi, type Reading, type Sighting } from './api.ts';
import type { Answer, Connection } from './connection.ts';
import { equals, gone, pages, startsWith, tracesIn } from './pages.ts';

const PATH = '/api/public/v2/observations';
/** The server's maximum, and enough to see how large rows are. */
const MAX_PAGE = 1_000;
const FIRST_PAGE = 100;
/** The vendor's cloud ends an answer at 5 MB, and the next rows may be twice as large. */
const PAGE_BYTES = 2.5 * 2 ** 20;
/** Fewer rows may be small by chance. */
const TELLING_ROWS = 20;
const LIGHT = 'core,basic,time,metadata';
const WHOLE = 'core,basic,time,io,metadata,model,usage,trace_context';

/** `GET /v2/observations` of servers from version 4 on. It has no traces, only rows that name one. */
export function observationsApi(connection: Connection, options: { identifiers?: Identifiers }): ReadApi {
  const rows = rowReader(options);
  const { replayRunId } = wireNames(options.identifiers).keys;
  /** Rows per page for each kind of read: as many as have fitted so far. */
  const limits = new Map<string | undefined, number>([[LIGHT, MAX_PAGE]]);
  const list = (query: Record<string, string | undefined>, signal: AbortSignal) => {
    const { fields } = query;
    return pages(
      '',
      async (cursor) => {
        const limit = limits.get(fields) ?? FIRST_PAGE;
        const parameters = { ...query, limit, cursor: cursor === '' ? undefined : cursor };
        const answer = await connection.get(PATH, parameters, { signal });
        if (answer.status === 404) throw gone(connection.host, PATH);
        const fitting = fittingRows(answer);
        if (fitting !== undefined) limits.set(fields, fitting);
        return { body: answer.body, asked: `GET ${PATH}` };
      },
      ({ meta }) => (isJsonObject(meta) ? textIn(meta, 'cursor') : undefined),
      connection.host,
    );
  };
  return {
    name: 'observations',
    marksRoots: true,
    async probe(signal) {
      const parameters = { limit: 1, fields: 'core', fromStartTime: new Date().toISOString() };
      const { status } = await connection.get(PATH, parameters, { signal });
      return status === 200;
    },
    async sightings({ runIdPrefix, since }, signal) {
      const found = new Map<string, { sighting: Omit<Sighting, 'fingerprint'>; ids: Set<string>; lines: string[] }>();
      const filter = startsWith(replayRunId, runIdPrefix);
      // Any value of expandMetadata keeps all metadata from being cut.
      const query = { filter, fromStartTime: since, fields: LIGHT, expandMetadata: replayRunId };
      for await (const page of list(query, signal)) {
        for (const row of page) {
          const id = textIn(row, 'id');
          const traceId = textIn(row, 'traceId');
          const runId = rows.replayRunId(row);
          if (id === undefined || traceId === undefined || runId === undefined) continue;
          const key = JSON.stringify([runId, traceId]);
          let entry = found.get(key);
          if (entry === undefined) {
            const ids = new Set<string>();
            entry = { sighting: { traceId, replayRunId: runId, observationIds: ids }, ids, lines: [] };
            found.set(key, entry);
          }
          entry.ids.add(id);
          entry.lines.push(JSON.stringify([id, row.updatedAt, row.endTime, row.level]));
        }
      }
      return [...found.values()].map(({ sighting, lines }) => ({ ...sighting, fingerprint: lines.sort().join('\n') }));
    },
    async read(traceId, since, signal) {
      const found = new Found();
      const query = { traceId, fromStartTime: since, fields: WHOLE };
      for await (const page of list(query, signal)) for (const row of page) found.add(row, rows.observation(row));
      return found.reading();
    },
    async readMany(sightings, { since, maxReads }, signal) {
      const traceIds = new Set(sightings.map(({ traceId }) => traceId));
      const found = new Map<string, Found>();
      let reads = 0;
      for await (const page of list({ fromStartTime: since, fields: WHOLE }, signal)) {
        if (++reads > maxReads) return undefined;
        for (const row of page) {
          const traceId = textIn(row, 'traceId') ?? '';
          if (!traceIds.has(traceId)) continue;
          const one = found.get(traceId) ?? new Found();
          found.set(traceId, one);
          one.add(row, rows.observation(row));
        }
      }
      return readingsIn(found);
    },
    tracesOf: (sessionId, signal) =>
      tracesIn(sessionId, 'traceId', (query) =>
        list({ ...query, fromStartTime: EVER, fields: LIGHT, expandMetadata: 'session_id' }, signal),
      ),
    async *heads({ agentId, name, ...range }, signal) {
      const filter = agentId === undefined ? undefined : equals('agent_id', agentId);
      const times = { fromStartTime: range.since, toStartTime: range.until };
      const query = { isRootObservation: 'true', ...times, name, filter, fields: WHOLE };
      for await (const page of list(query, signal)) {
        for (const row of page) {
          const record = rows.observation(row);
          if (record !== undefined) yield assembleTrace([record]);
        }
      }
    },
  };
}

/** How many rows of this size fit on a page; undefined if there are too few to tell. */
function fittingRows({ body, bytes }: Answer): number | undefined {
  const count = isJsonObject(body) && Array.isArray(body.data) ? body.data.length : 0;
  if (count < TELLING_ROWS) return undefined;
  return Math.max(FIRST_PAGE, Math.min(MAX_PAGE, Math.floor((count * PAGE_BYTES) / bytes)));
}

/** Rows of one trace. If several have one id, the newest counts. */
class Found {
  readonly #newest = new Map<string, { record: TraceRecord; updatedAt: string }>();
  #count = 0;

  add(row: JsonObject, record: TraceRecord | undefined): void {
    if (record === undefined) return;
    this.#count++;
    const id = textIn(row, 'id') as string;
    const updatedAt = timeIn(row, 'updatedAt') ?? '';
    if (updatedAt >= (this.#newest.get(id)?.updatedAt ?? '')) this.#newest.set(id, { record, updatedAt });
  }

  reading(): Reading | undefined {
    if (this.#count === 0) return undefined;
    const records = [...this.#newest.values()].map(({ record }) => record);
    return { records, hasDuplicates: this.#count > this.#newest.size };
  }
}

function readingsIn(found: ReadonlyMap<string, Found>): Map<string, Reading> {
  return new Map(
    [...found].flatMap(([traceId, one]): [string, Reading][] => {
      const reading = one.reading();
      return reading === undefined ? [] : [[traceId, reading]];
    }),
  );
}
