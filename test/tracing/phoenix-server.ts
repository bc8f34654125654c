import { z } from 'zod';
import type { Json, JsonObject } from '../../src/json/index.ts';
import type { Answered, Handler } from './platform-server.ts';

/** The answer of `GET /v1/projects/{project}/spans`, after the published OpenAPI document of Arize Phoenix (getSpans). */
const spansResponse = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      context: z.strictObject({ trace_id: z.string(), span_id: z.string() }),
      span_kind: z.string(),
      parent_id: z.string().nullable(),
      start_time: z.iso.datetime({ offset: true }),
      end_time: z.iso.datetime({ offset: true }),
      status_code: z.enum(['OK', 'ERROR', 'UNSET']),
      status_message: z.string(),
      attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      events: z.array(
        z.strictObject({
          name: z.string(),
          timestamp: z.iso.datetime({ offset: true }),
          attributes: z.record(z.string(), z.unknown()),
        }),
      ),
    }),
  ),
  next_cursor: z.string().nullable(),
});
export type PhoenixSpan = z.infer<typeof spansResponse>['data'][number];

export const API_KEY = 'px-very-secret-key';
export const PROJECT = 'support';

/**
 * Answers as Phoenix does: newest first, pages by cursor, attributes in full, and errors as text. Checks every answer
 * against the published schema.
 */
export function phoenix(stored: () => readonly PhoenixSpan[]): Handler {
  return (url, { headers }): Answered | undefined => {
    if (headers.authorization !== `Bearer ${API_KEY}`) return text(401, 'Invalid token');
    const path = /^\/v1\/projects\/([^/]+)\/spans$/.exec(url.pathname);
    if (path === null) return undefined;
    if (decodeURIComponent(path[1] as string) !== PROJECT) return text(404, `Project with name ${path[1]} not found`);
    const query = url.searchParams;
    const limit = Number(query.get('limit') ?? 100);
    if (!(limit >= 1 && limit <= 1_000)) return { status: 422, body: { detail: [] } };
    const found = stored()
      .map((span, index) => ({ span, rowId: index + 1 }))
      .reverse()
      .filter(({ span }) => isMeant(span, query))
      .filter(({ rowId }) => rowId <= Number(query.get('cursor') ?? Number.POSITIVE_INFINITY));
    const next = found[limit];
    const body = {
      data: found.slice(0, limit).map(({ span }) => span),
      next_cursor: next === undefined ? null : String(next.rowId),
    };
    return { status: 200, body: spansResponse.parse(body) as unknown as Json };
  };
}

function isMeant(span: PhoenixSpan, query: URLSearchParams): boolean {
  const traceIds = query.getAll('trace_id');
  const [from, parent] = [query.get('start_time'), query.get('parent_id')];
  return (
    (traceIds.length === 0 || traceIds.includes(span.context.trace_id)) &&
    (from === null || Date.parse(span.start_time) >= Date.parse(from)) &&
    (parent === null || (parent === 'null' ? span.parent_id === null : span.parent_id === parent)) &&
    query.getAll('attribute').every((condition) => {
      const at = condition.indexOf(':');
      return span.attributes[condition.slice(0, at)] === JSON.parse(condition.slice(at + 1));
    })
  );
}

function text(status: number, body: string): Answered {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}

interface Turn {
  readonly trace: string;
  readonly session?: string;
  readonly at?: string;
  readonly metadata?: Record<string, string>;
}

/** The spans of one turn as an agent with OpenInference instrumentation makes them: agent, model, tool, model. */
export function turnSpans({
  trace,
  session = 's1',
  at = '2026-11-21T00:40:00',
  metadata = {},
}: Turn): readonly [PhoenixSpan, ...PhoenixSpan[]] {
  const shared = {
    'session.id': session,
    ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value])),
  };
  const span = (id: string, kind: string, name: string, ms: number, attributes: JsonObject): PhoenixSpan => ({
    id: Buffer.from(`Span:${trace}:${id}`).toString('base64'),
    name,
    context: { trace_id: trace, span_id: `${trace}-${id}` },
    span_kind: kind,
    parent_id: id === 'root' ? null : `${trace}-root`,
    start_time: `${at}.${ms}+00:00`,
    end_time: `${at}.${ms + 50}+00:00`,
    status_code: 'OK',
    status_message: '',
    attributes: { ...shared, ...attributes } as PhoenixSpan['attributes'],
    events: [],
  });
  const call = { id: 'call_1', type: 'function', function: { name: 'find_order', arguments: '{"id":"A-17"}' } };
  const asked = [{ role: 'user', content: 'Where is my order A-17?' }];
  return [
    span('root', 'AGENT', 'support', 100, {
      'input.value': 'Where is my order A-17?',
      'output.value': 'It was shipped yesterday.',
    }),
    span('plan', 'LLM', 'ChatCompletion', 200, {
      'input.mime_type': 'application/json',
      'input.value': JSON.stringify({ model: 'gpt-5-mini', messages: asked }),
      'output.mime_type': 'application/json',
      'output.value': JSON.stringify({ choices: [{ message: { role: 'assistant', tool_calls: [call] } }] }),
      'llm.model_name': 'gpt-5-mini',
      'llm.invocation_parameters': '{"temperature":0}',
      'llm.token_count.prompt': 40,
      'llm.token_count.completion': 12,
      'llm.token_count.total': 52,
    }),
    span('tool', 'TOOL', 'FunctionTool.run', 300, {
      'tool.name': 'find_order',
      'tool.id': 'call_1',
      'input.value': '{"id":"A-17"}',
      'output.value': '{"status":"shipped"}',
    }),
    span('answer', 'LLM', 'ChatCompletion', 400, {
      // Set by hand: messages only, no raw request.
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Where is my order A-17?',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'It was shipped yesterday.',
      'llm.model_name': 'gpt-5-mini',
    }),
  ];
}
