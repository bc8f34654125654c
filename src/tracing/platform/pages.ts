import { isJsonObject, type Json, type JsonObject } from '../../contract/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import { tooMuchData, unexpectedAnswer } from './connection.ts';

/** More than this many is a search that does not end. */
const MAX_PAGES = 200;

/** Walks pages until `next` says that there is none. Every row is an object. */
export async function* pages<Position>(
  first: Position,
  read: (position: Position) => Promise<{ body: Json | undefined; path: string }>,
  next: (body: JsonObject, position: Position) => Position | undefined,
  host: string,
): AsyncGenerator<JsonObject[]> {
  const seen = new Set<Position>();
  for (let position: Position | undefined = first; position !== undefined; ) {
    const { body, path } = await read(position);
    if (!isJsonObject(body) || !Array.isArray(body.data)) throw unexpectedAnswer(host, `GET ${path}: no list of data`);
    yield body.data.filter(isJsonObject);
    seen.add(position);
    position = next(body, position);
    if (position !== undefined && seen.has(position)) {
      throw unexpectedAnswer(host, `GET ${path}: the same page follows again`);
    }
    if (seen.size >= MAX_PAGES) throw tooMuchData(path, `more than ${MAX_PAGES} pages`);
  }
}

/** The filter of both APIs on a metadata value. Old servers ignore it. */
export function startsWith(key: string, value: string): string {
  return JSON.stringify([{ type: 'stringObject', column: 'metadata', key, operator: 'starts with', value }]);
}

/** An endpoint that was there when the run began. */
export function gone(host: string, path: string): AgentReplayError {
  return unexpectedAnswer(host, `GET ${path}: 404`);
}
