import type { Identifiers } from '../../contract/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json/index.ts';
import type { Attributes } from '../mapping/attributes.ts';
import { spanMapper } from '../mapping/mapping.ts';
import type { Span } from '../mapping/otlp.ts';
import { textIn, timeIn } from '../mapping/rows.ts';
import type { ReadApi } from './api.ts';
import type { Connection } from './connection.ts';
import { gone, pages } from './pages.ts';
import type { PhoenixPlace } from './place.ts';
import { type Asked, recordsApi } from './records-api.ts';

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
  async function* list(asked: Asked, signal: AbortSignal) {
    for (const query of queriesOf(asked)) {
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
  }
  return recordsApi('spans', list, { identifiers });
}

/** Its filters compare whole values, so that more is listed than was asked for. */
function queriesOf(asked: Asked): Readonly<Record<string, string | undefined>>[] {
  switch (asked.ask) {
    case 'check':
      return [{ start_time: new Date().toISOString() }];
    case 'list':
      return [{ start_time: asked.since, end_time: asked.until, parent_id: 'null' }];
    case 'session':
      return ['session.id', 'metadata.session_id'].map((key) => ({
        parent_id: 'null',
        attribute: `${key}:${JSON.stringify(asked.id)}`,
      }));
    case 'replays':
      return [{ start_time: asked.since }];
    case 'trace':
      return [{ trace_id: asked.id, start_time: asked.since }];
  }
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

function attributesOf(value: Json | undefined): Attributes {
  return new Map(isJsonObject(value) ? Object.entries(value) : []);
}
