import { callIdIn } from '../../../chat/index.ts';
import { isJsonObject, type Json, type JsonObject, spelledOut, textOrJson } from '../../../json/index.ts';
import type { Attributes } from '../attributes.ts';
import { OtlpError } from '../otlp.ts';
import { withTools } from '../payload.ts';
import { textIn } from '../rows.ts';
import { attributesFrom, type ExportedSpan, type ExportFormat, timeOf } from './format.ts';

/**
 * Spans of Braintrust's logs: rows of `GET /v1/project_logs/{id}/fetch`, of its SQL, and of its export files. They are
 * converted to what its span processor for OpenTelemetry writes.
 */
export const braintrustSpans: ExportFormat = {
  name: 'Braintrust spans',
  holds: (document) => 'span_id' in document && 'root_span_id' in document && 'span_attributes' in document,
  read: (document) => [spanOf(document)],
};

function spanOf(row: JsonObject): ExportedSpan {
  const spanId = textIn(row, 'span_id') ?? '';
  const said = objectIn(row.span_attributes);
  const metrics = objectIn(row.metrics);
  const startMs = secondsIn(metrics.start) ?? timeOf(row.created);
  if (startMs === undefined) throw new OtlpError(`span ${spanId} has neither metrics.start nor created`);
  const endMs = secondsIn(metrics.end);
  const error = row.error === null || row.error === undefined ? undefined : row.error;
  const parents = spelledOut(row.span_parents);
  const parent = Array.isArray(parents) ? parents[0] : undefined;
  const span = {
    traceId: textIn(row, 'root_span_id') ?? spanId,
    spanId,
    parentSpanId: typeof parent === 'string' ? parent : null,
    name: textIn(said, 'name') ?? '',
    startMs,
    endMs: endMs ?? startMs,
    attributes: attributesOf(row, { said, metrics, isRoot: typeof parent !== 'string' }),
    events: [],
    failed: error !== undefined,
    statusMessage: textOrJson(error),
    scope: { name: 'braintrust', version: '' },
    resource: new Map(),
  };
  return { span, isEnded: endMs !== undefined };
}

function secondsIn(value: Json | undefined): number | undefined {
  const seconds = typeof value === 'string' ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 ? Math.floor(seconds * 1_000) : undefined;
}

function attributesOf(
  row: JsonObject,
  { said, metrics, isRoot }: { said: JsonObject; metrics: JsonObject; isRoot: boolean },
): Attributes {
  const metadata = objectIn(row.metadata);
  const { model, tools, ...rest } = metadata;
  const isModelCall = said.type === 'llm';
  return attributesFrom([
    ['braintrust.span_attributes', JSON.stringify(said)],
    [
      'braintrust.input_json',
      isModelCall && Array.isArray(tools) ? withTools(spelledOut(row.input), tools) : row.input,
    ],
    ['braintrust.output_json', row.output],
    ['gen_ai.request.model', isModelCall ? model : undefined],
    ...(isModelCall ? PARAMETERS : []).map((name) => [`gen_ai.request.${name}`, rest[name]] as const),
    ['gen_ai.usage.input_tokens', metrics.prompt_tokens],
    ['gen_ai.usage.output_tokens', metrics.completion_tokens],
    ['gen_ai.usage.total_tokens', metrics.tokens],
    ['gen_ai.tool.call.id', said.type === 'tool' ? callIdIn(metadata) : undefined],
    // The root has the statements about the turn.
    [isRoot ? 'metadata' : 'langfuse.observation.metadata', JSON.stringify(metadata)],
  ]);
}

const PARAMETERS = ['max_tokens', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'seed'];

/** In a table this is JSON as text. */
function objectIn(value: Json | undefined): JsonObject {
  const object = spelledOut(value);
  return isJsonObject(object) ? object : {};
}
