import type { Identifiers } from '../../contract/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json/index.ts';
import type { Attributes } from '../mapping/attributes.ts';
import { spanMapper } from '../mapping/mapping.ts';
import type { Span } from '../mapping/otlp.ts';
import { textIn, timeIn } from '../mapping/rows.ts';
import type { ReadApi, TimeRange } from './api.ts';
import type { Connection } from './connection.ts';
import { listedTraces } from './held-traces.ts';
import { gone, pages } from './pages.ts';
import type { PhoenixPlace } from './place.ts';

/** Spans come whole, so pages are small; the server allows up to 1,000. */
const PAGE = 100;

/**
 * Arize Phoenix: `GET /v1/projects/{project}/spans`. Its spans are OpenTelemetry's with OpenInference's attributes, and are
 * mapped like those sent to the receiver.
 */
export function phoenixApi(
  connection: Connection,
  { project, identifiers }: { project: string; identifiers?: Identifiers | undefined },
): ReadApi {
  const path = `/v1/projects/${encodeURIComponent(project)}/spans`;
  const mapped = spanMapper({ identifiers });
  async function* list(query: Readonly<Record<string, string | undefined>>, signal: AbortSignal) {
    const rows = pages(
      '',
      async (cursor) => {
        const parameters = { ...query, limit: PAGE, cursor: cursor === '' ? undefined : cursor };
        const answer = await connection.get(path, parameters, { signal });
        if (answer.status === 404) throw gone(connection.host, path);
        return { body: answer.body, asked: `GET ${path}` };
      },
      (body) => textIn(body, 'next_cursor'),
      connection.host,
    );
    for await (const page of rows) yield page.flatMap((row) => spanOf(row) ?? []).map(mapped);
  }
  const questions = {
    replays: (since: string) => ({ start_time: since }),
    trace: (id: string, since: string) => ({ trace_id: id, start_time: since }),
    session: (id: string) =>
      ['session.id', 'metadata.session_id'].map((key) => ({
        parent_id: 'null',
        attribute: `${key}:${JSON.stringify(id)}`,
      })),
    roots: ({ since, until }: TimeRange) => ({ start_time: since, end_time: until, parent_id: 'null' }),
  };
  return {
    name: 'spans',
    async probe(signal) {
      for await (const _ of list({ start_time: new Date().toISOString() }, signal)) return true;
      return true;
    },
    ...listedTraces(list, questions, { identifiers }),
  };
}

/** The variables from which an agent's exporter takes the project: Phoenix's and OpenTelemetry's. */
export function phoenixEnvironment({ host, project, apiKey }: PhoenixPlace): Record<string, string> {
  const endpoint = `${host}/v1/traces`;
  return {
    PHOENIX_HOST: host,
    PHOENIX_COLLECTOR_ENDPOINT: endpoint,
    PHOENIX_PROJECT_NAME: project,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    ...(apiKey === undefined
      ? {}
      : {
          PHOENIX_API_KEY: apiKey,
          OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Authorization=${encodeURIComponent(`Bearer ${apiKey}`)}`,
        }),
  };
}

/** A span from the API's answer; undefined without ids. Its kind is beside its attributes. */
function spanOf(row: JsonObject): Span | undefined {
  const context = isJsonObject(row.context) ? row.context : {};
  const traceId = textIn(context, 'trace_id');
  const spanId = textIn(context, 'span_id');
  const start = timeIn(row, 'start_time');
  if (traceId === undefined || spanId === undefined || start === undefined) return undefined;
  const attributes = attributesOf(row.attributes);
  const kind = textIn(row, 'span_kind');
  if (kind !== undefined && kind !== 'UNKNOWN') attributes.set('openinference.span.kind', kind);
  return {
    traceId,
    spanId,
    parentSpanId: textIn(row, 'parent_id') ?? null,
    name: textIn(row, 'name') ?? '',
    startMs: Date.parse(start),
    endMs: Date.parse(timeIn(row, 'end_time') ?? start),
    attributes,
    events: (Array.isArray(row.events) ? row.events.filter(isJsonObject) : []).map((event) => ({
      name: textIn(event, 'name') ?? '',
      attributes: attributesOf(event.attributes),
    })),
    failed: row.status_code === 'ERROR',
    statusMessage: textIn(row, 'status_message'),
    scope: { name: '', version: '' },
    resource: new Map(),
  };
}

const TAG = /^tag\.tags\.\d+$/;

/** Lists come flattened: `tag.tags.0`. Those of messages are rebuilt when mapped. */
function attributesOf(value: Json | undefined): Attributes {
  const attributes: Attributes = new Map(isJsonObject(value) ? Object.entries(value) : []);
  const tags = [...attributes].filter(([key]) => TAG.test(key)).map(([, tag]) => tag);
  if (tags.length > 0) attributes.set('tag.tags', tags);
  return attributes;
}
