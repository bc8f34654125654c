import { createHash } from 'node:crypto';
import { isJsonObject, type Json } from '../../json/index.ts';
import type { Trace } from '../../trace/index.ts';
import { textIn } from '../mapping/rows.ts';
import type { Connection } from './connection.ts';

/** How a trace refers to a file that was cut out of it. Servers up to version 2 name files randomly, later ones by content. */
const NAMED_BY_CHANCE = /(@@@langfuseMedia:type=[^|@]*\|id=)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\|)/g;
/** SDKs, receiver and newer servers use this many characters of a hash as the name. */
const ID_CHARS = 22;

/** Names files in traces by their content, so that a file has the same name wherever it was recorded. */
export class MediaIds {
  readonly #connection: Connection;
  /** By the name that the server gave. */
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** A file that cannot be read keeps its name. */
  async byContent(trace: Trace, signal: AbortSignal): Promise<Trace> {
    const text = JSON.stringify(trace);
    const ids = new Set([...text.matchAll(NAMED_BY_CHANCE)].map(([, , id]) => id as string));
    if (ids.size === 0) return trace;
    const names = new Map<string, string>();
    for (const id of ids) names.set(id, (await this.#nameOf(id, signal)) ?? id);
    const named = text.replace(NAMED_BY_CHANCE, (_, head, id, tail) => `${head}${names.get(id)}${tail}`);
    return JSON.parse(named) as Trace;
  }

  #nameOf(id: string, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#known.get(id) ?? this.#read(id, signal);
    this.#known.set(id, known);
    return known;
  }

  async #read(id: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { status, body } = await this.#connection.get(`/api/public/media/${id}`, {}, { signal });
      const url = status === 200 ? urlIn(body) : undefined;
      const content = url === undefined ? undefined : await this.#connection.download(url, { signal });
      return content && createHash('sha256').update(content).digest('base64url').slice(0, ID_CHARS);
    } catch {
      // Only the name depends on it, so the next trace with it tries again.
      this.#known.delete(id);
      return undefined;
    }
  }
}

function urlIn(body: Json | undefined): string | undefined {
  const url = body !== undefined && isJsonObject(body) ? textIn(body, 'url') : undefined;
  return url !== undefined && URL.canParse(url) ? url : undefined;
}
