import type { AgentReplayError } from '../../errors.ts';
import { asNumber, asText, isJsonObject, type Json, type JsonObject } from '../../json/index.ts';
import { tooMuchData, unexpectedAnswer } from './connection.ts';

/** What a read brought, and what was asked for it: `GET /api/traces`. */
interface Page {
  readonly body: Json | undefined;
  readonly asked: string;
}

/** A search with more pages would never end. */
const MAX_PAGES = 200;

/** Reads pages until `next` returns none. Every row is an object, in the list `data`. */
export async function* pages<Position>(
  first: Position,
  read: (position: Position) => Promise<Page>,
  next: (body: JsonObject, position: Position) => Position | undefined,
  host: string,
): AsyncGenerator<JsonObject[]> {
  const seen = new Set<Position>();
  for (let position: Position | undefined = first; position !== undefined; ) {
    const { body, asked } = await read(position);
    const list = isJsonObject(body) ? body.data : undefined;
    if (!isJsonObject(body) || !Array.isArray(list)) throw unexpectedAnswer(host, `${asked}: no list of data`);
    yield list.filter(isJsonObject);
    seen.add(position);
    position = next(body, position);
    if (position !== undefined && seen.has(position)) {
      throw unexpectedAnswer(host, `${asked}: the same page follows again`);
    }
    if (seen.size >= MAX_PAGES) throw tooMuchData(asked, `more than ${MAX_PAGES} pages`);
  }
}

/** Reads numbered pages from 1. New rows push others to the next page, so rows may come twice. */
export function numberedPages(
  read: (page: number) => Promise<Page>,
  pageSize: number,
  host: string,
): AsyncGenerator<JsonObject[]> {
  return pages<number>(
    1,
    read,
    ({ meta, data }, page) => {
      const total = isJsonObject(meta) ? asNumber(meta.totalPages) : Number.NaN;
      const count = (data as unknown[]).length;
      const isLast = Number.isNaN(total) ? count < pageSize : page >= total;
      return isLast || count === 0 ? undefined : page + 1;
    },
    host,
  );
}

/** The filter of both APIs on a metadata value. */
export function startsWith(key: string, value: string): string {
  return JSON.stringify([{ type: 'stringObject', column: 'metadata', key, operator: 'starts with', value }]);
}

/** The same for a whole value. */
export function equals(key: string, value: string): string {
  return JSON.stringify([{ type: 'stringObject', column: 'metadata', key, operator: '=', value }]);
}

/**
 * Ids of the traces of a session, the platform's own or one that their metadata names.
 * @param key the key of a row that holds the trace's id
 */
export async function tracesIn(
  sessionId: string,
  key: 'id' | 'traceId',
  list: (query: { sessionId?: string; filter?: string }) => AsyncIterable<JsonObject[]>,
): Promise<string[]> {
  const ids = new Set<string>();
  for (const query of [{ sessionId }, { filter: equals('session_id', sessionId) }]) {
    for await (const page of list(query)) {
      for (const { metadata, ...row } of page) {
        const named = isJsonObject(metadata) ? asText(metadata.session_id) : undefined;
        if (row.sessionId === sessionId || named === sessionId) ids.add(asText(row[key]));
      }
    }
  }
  return [...ids];
}

/** An endpoint that existed when the run began. */
export function gone(host: string, path: string): AgentReplayError {
  return unexpectedAnswer(host, `GET ${path}: 404`);
}
