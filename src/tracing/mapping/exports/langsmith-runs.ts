import { callIdIn } from '../../../chat/index.ts';
import { asText, isJsonObject, type Json, type JsonObject } from '../../../json/index.ts';
import type { Attributes } from '../attributes.ts';
import { OtlpError, type Span } from '../otlp.ts';
import { textIn } from '../rows.ts';

export function isRun(document: JsonObject): boolean {
  return typeof document.run_type === 'string' && typeof document.id === 'string';
}

/** A span as its own SDK would export it, so that a recording from an export and a replay in the receiver agree. */
export interface ExportedSpan {
  readonly span: Span;
  /** False for a span that had not ended when it was exported. */
  readonly isEnded: boolean;
}

interface Above {
  readonly traceId: string;
  readonly id: string;
}

/**
 * Runs of LangSmith, from `listRuns()` and both versions of `runs/query`, also as trees (`child_runs`). A run is converted
 * to the span that LangSmith's own SDK would make (langsmith, experimental/otel/translator).
 * @throws OtlpError if it has no start
 */
export function spansOf(run: JsonObject, above?: Above): ExportedSpan[] {
  const id = textIn(run, 'id') ?? '';
  const traceId = textIn(run, 'trace_id') ?? above?.traceId ?? rootIn(run) ?? id;
  const children = Array.isArray(run.child_runs) ? run.child_runs.filter(isJsonObject) : [];
  return [spanOf(run, { id, traceId, above }), ...children.flatMap((child) => spansOf(child, { traceId, id }))];
}

/** `20260914T223155647Z<root>.20260914T223155649Z<child>`. */
function rootIn(run: JsonObject): string | undefined {
  return textIn(run, 'dotted_order')?.split('.', 1)[0]?.split('Z')[1];
}

function spanOf(
  run: JsonObject,
  { id, traceId, above }: { id: string; traceId: string; above: Above | undefined },
): ExportedSpan {
  const startMs = timeOf(run.start_time);
  if (startMs === undefined) throw new OtlpError(`run ${id} has no start_time`);
  const endMs = timeOf(run.end_time);
  const error = textIn(run, 'error');
  const span = {
    traceId,
    spanId: id,
    parentSpanId: parentOf(run) ?? above?.id ?? null,
    name: textIn(run, 'name') ?? '',
    startMs,
    endMs: endMs ?? startMs,
    attributes: attributesOf(run),
    events: [],
    failed: error !== undefined,
    statusMessage: error,
    scope: { name: 'langsmith', version: '' },
    resource: new Map(),
  };
  return { span, isEnded: endMs !== undefined };
}

function parentOf(run: JsonObject): string | undefined {
  const parents = Array.isArray(run.parent_run_ids) ? run.parent_run_ids : [];
  // From the root downwards.
  const nearest = parents.at(-1);
  return textIn(run, 'parent_run_id') ?? (typeof nearest === 'string' ? nearest : undefined);
}

const OPERATIONS: Readonly<Record<string, string>> = { llm: 'chat', tool: 'execute_tool', prompt: 'chat' };

function attributesOf(run: JsonObject): Attributes {
  const kind = asText(run.run_type).toLowerCase();
  const extra = objectAt(run, 'extra');
  const metadata = { ...objectAt(extra, 'metadata'), ...objectAt(run, 'metadata') };
  const parameters = { ...objectAt(extra, 'invocation_params'), ...objectAt(metadata, 'invocation_params') };
  const { tools } = parameters;
  const isTool = kind === 'tool';
  const said: (readonly [string, Json | undefined])[] = [
    ['langsmith.span.kind', kind],
    ['gen_ai.operation.name', OPERATIONS[kind] ?? kind],
    ['gen_ai.request.model', modelOf(run, metadata, parameters)],
    ['gen_ai.prompt', jsonText(run.inputs)],
    ['gen_ai.completion', jsonText(run.outputs)],
    ['gen_ai.usage.input_tokens', run.prompt_tokens],
    ['gen_ai.usage.output_tokens', run.completion_tokens],
    ['gen_ai.usage.total_tokens', run.total_tokens],
    ['gen_ai.tool.name', isTool ? run.name : undefined],
    ['gen_ai.tool.call.id', isTool ? (callIdIn(extra) ?? callIdIn(metadata)) : undefined],
    ['gen_ai.tool.definitions', Array.isArray(tools) && tools.length > 0 ? JSON.stringify(tools) : undefined],
    ...PARAMETERS.map((name) => [`gen_ai.request.${name}`, parameters[name]] as const),
    ...Object.entries(metadata).map(([key, value]) => [`langsmith.metadata.${key}`, value] as const),
  ];
  // An empty value makes no attribute.
  return new Map(
    said.flatMap(([key, value]) => (value === undefined || value === null || value === '' ? [] : [[key, value]])),
  );
}

const PARAMETERS = ['max_tokens', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty'];

function modelOf(run: JsonObject, metadata: JsonObject, parameters: JsonObject): Json | undefined {
  const { model, messages } = objectAt(run, 'inputs');
  const asked = Array.isArray(messages) ? model : undefined;
  return asked ?? metadata.ls_model_name ?? parameters.model ?? parameters.model_name;
}

function jsonText(value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

/** Milliseconds since 1970; a text without a zone is in UTC. */
function timeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value === '') return undefined;
  const hasZone = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(value);
  const milliseconds = Date.parse(hasZone ? value : `${value.replace(' ', 'T')}Z`);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds);
}
