import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Client } from 'langsmith';
import type { Run } from 'langsmith/resources';
import type { Run as StoredRun } from 'langsmith/schemas';
import type { Json, JsonObject } from '../../src/json/index.ts';
import { takeTurn } from './fixtures/langsmith-turn.ts';
import type { Answered, Handler } from './platform-server.ts';

export const API_KEY = 'lsv2_very_secret_key';
export const PROJECT = { name: 'support', id: '182bd5e5-6e1a-4fe4-a799-aa6d9a6ab26e' };

/** Of one turn. */
const RUNS = 4;

/** The runs that LangSmith's own SDK sends of a turn, as its API hands them out (`Run` of langsmith/schemas). */
export async function runsOf(metadata: Record<string, string>): Promise<StoredRun[]> {
  const sent = new Map<string, JsonObject>();
  const whole = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const body = (request.method === 'GET' ? {} : await json(request)) as JsonObject;
    const id = String(body.id ?? request.url?.split('/').at(-1));
    if (request.method === 'POST') sent.set(id, { ...body, ...sent.get(id) });
    if (request.method === 'PATCH') sent.set(id, { ...sent.get(id), ...body });
    response.setHeader('content-type', 'application/json').end('{}');
    // The client sends runs one by one and waits for none. The end of a run can arrive before its beginning.
    const isWhole = ({ end_time, run_type }: JsonObject) => end_time !== undefined && run_type !== undefined;
    if ([...sent.values()].filter(isWhole).length === RUNS) whole.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new Client({ apiUrl, apiKey: API_KEY, autoBatchTracing: false });
  process.env.LANGSMITH_TRACING = 'true';
  try {
    await takeTurn(metadata, client);
    await whole.promise;
  } finally {
    delete process.env.LANGSMITH_TRACING;
    server.closeAllConnections();
    server.close();
  }
  return [...sent.values()].map(
    (run) => ({ ...run, id: String(run.id), session_id: PROJECT.id, status: 'success' }) as unknown as StoredRun,
  );
}

/** As version 2 of the API shows a run (`Run` of langsmith/resources). */
function asVersionTwo({ run_type, session_id, parent_run_id, start_time, end_time, ...run }: StoredRun): Run {
  const { metadata, ...extra } = run.extra ?? {};
  const above = (run.dotted_order ?? '').split('.').map((part) => part.slice(part.indexOf('Z') + 1));
  const ids = parent_run_id === undefined ? [] : above.slice(0, -1);
  return {
    ...(run as object),
    run_type: run_type.toUpperCase() as NonNullable<Run['run_type']>,
    status: 'SUCCESS',
    start_time: isoTime(start_time),
    end_time: isoTime(end_time),
    extra,
    metadata: metadata as Record<string, unknown>,
    parent_run_ids: ids,
    ...(session_id === undefined ? {} : { project_id: session_id }),
  };
}

function isoTime(time: number | string | undefined): string {
  return new Date(time ?? 0).toISOString();
}

/**
 * Answers as LangSmith does: the project by its name, runs newest first, pages by cursor, and its filters as far as they are
 * asked.
 */
export function langsmith(stored: () => readonly StoredRun[]): Handler {
  return (url, { headers, method }, sent): Answered | undefined => {
    if (headers['x-api-key'] !== API_KEY) return { status: 401, body: { detail: 'Invalid token' } };
    if (url.pathname === '/api/v1/sessions') {
      const isNamed = url.searchParams.get('name') === PROJECT.name;
      return { status: 200, body: isNamed ? [{ id: PROJECT.id, tenant_id: 't', name: PROJECT.name }] : [] };
    }
    if (method !== 'POST') return undefined;
    const body = JSON.parse(sent.toString()) as JsonObject;
    if (url.pathname !== '/api/v2/runs/query') return { status: 404, body: { detail: 'Not Found' } };
    const { project_ids: session, trace_id: trace = null, min_start_time: start_time } = body;
    const { rows, next } = page(stored(), {
      ...body,
      session,
      trace,
      start_time,
      size: body.page_size ?? 100,
    } as JsonObject);
    return { status: 200, body: { items: rows.map(asVersionTwo) as unknown as Json, next_cursor: next } };
  };
}

function page(stored: readonly StoredRun[], query: JsonObject): { rows: StoredRun[]; next: string | null } {
  const found = stored
    .filter((run) => isMeant(run, query))
    .sort((a, b) => Date.parse(isoTime(b.start_time)) - Date.parse(isoTime(a.start_time)));
  const at = Number(query.cursor ?? 0);
  const size = Number(query.size);
  return { rows: found.slice(at, at + size), next: at + size < found.length ? String(at + size) : null };
}

function isMeant(run: StoredRun, { session, trace, is_root, start_time, filter }: JsonObject): boolean {
  const metadata = (run.extra?.metadata ?? {}) as JsonObject;
  const [, key] = /^eq\(metadata_key, "(.*)"\)$/.exec(String(filter)) ?? [];
  const [, thread] = /^eq\(thread_id, "(.*)"\)$/.exec(String(filter)) ?? [];
  return (
    (session as string[]).includes(String(run.session_id)) &&
    (!trace || run.trace_id === trace) &&
    (is_root !== true || run.parent_run_id === undefined) &&
    (!start_time || isoTime(run.start_time) >= new Date(String(start_time)).toISOString()) &&
    (key === undefined || key in metadata) &&
    (thread === undefined || metadata.session_id === thread)
  );
}
