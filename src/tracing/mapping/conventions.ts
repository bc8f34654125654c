import { saidWithCalls } from '../../chat/index.ts';
import { asText, isJsonObject, type Json, type JsonObject, present, spelledOut, unquoted } from '../../json/index.ts';
import type { ObservationType } from '../../trace/index.ts';
import { type Attributes, firstText, holds } from './attributes.ts';
import type { Payload } from './input-output.ts';

/** What one of the conventions says about a span. Absent keys are unknown. */
export interface ConventionFields extends Payload {
  readonly type?: ObservationType;
  readonly name?: string;
  readonly callId?: string;
  readonly unwrap?: Unwrap;
}

/** Takes the arguments and the result of a function out of a convention's form. */
interface Unwrap {
  readonly input?: Value;
  /** For tools, instead of `input`. */
  readonly toolInput?: Value;
  readonly output?: Value;
}
type Value = (value: Json | undefined) => Json | undefined;

type Types = ReadonlyMap<string, ObservationType>;

/** Types by their names, several of them divided by blanks. */
export function typesNamed(names: Readonly<Partial<Record<ObservationType, string>>>): Types {
  const entries = Object.entries(names) as [ObservationType, string][];
  return new Map(entries.flatMap(([type, all]) => all.split(' ').map((name) => [name, type])));
}

/** How spans of a convention are known, and where they say what. */
interface Convention {
  /** The attribute that identifies its spans, and contains their kind. */
  readonly mark: string;
  readonly kindIn?: (mark: string) => string;
  /** Types by kind. */
  readonly types: Types;
  /** The type of all its spans. */
  readonly type?: ObservationType;
  /** Whether it says nothing else about spans of other kinds. */
  readonly isOnlyOfItsTypes?: boolean;
  /** The attribute with the name of a tool or an agent. */
  readonly name?: string;
  readonly callId?: string;
  /** Attributes with input and output; the first one with a value counts. `*` stands for the kind. */
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  /** The calls of a model beside its text, which is in the first attribute of `output`. */
  readonly calls?: string;
  readonly unwrap?: Unwrap;
}

/** Traceloop and MLflow wrap functions: values are JSON, the input with all arguments. */
const OF_DECORATORS: Unwrap = { input: (value) => withoutArguments(unquoted(value)), output: unquoted };
const NO_TYPES = typesNamed({});

export const CONVENTIONS: readonly Convention[] = [
  // Traceloop's decorators: https://github.com/traceloop/openllmetry-js, packages/ai-semantic-conventions
  {
    mark: 'traceloop.span.kind',
    types: typesNamed({ tool: 'tool', agent: 'agent', chain: 'workflow task' }),
    name: 'traceloop.entity.name',
    unwrap: OF_DECORATORS,
  },
  // MLflow writes each attribute as JSON: mlflow.entities.SpanType
  {
    mark: 'mlflow.spanType',
    kindIn: (mark) => asText(unquoted(mark)).toUpperCase(),
    types: typesNamed({
      generation: 'LLM CHAT_MODEL',
      tool: 'TOOL MEMORY',
      agent: 'AGENT',
      retriever: 'RETRIEVER',
      embedding: 'EMBEDDING',
      chain: 'CHAIN',
      guardrail: 'GUARDRAIL',
      evaluator: 'EVALUATOR',
    }),
    unwrap: OF_DECORATORS,
  },
  // LangSmith's exporter for OpenTelemetry; the span is named after the run. Its `prompt` fills in a template, and is not a
  // model call. Values that are not objects are wrapped in one: `{input: 'Refund it.'}`, `{outputs: 'Refunded.'}`; an
  // argument of a tool may have that name, too.
  {
    mark: 'langsmith.span.kind',
    types: typesNamed({
      generation: 'llm',
      tool: 'tool',
      retriever: 'retriever',
      embedding: 'embedding',
      chain: 'chain prompt parser',
    }),
    unwrap: {
      input: (value) => onlyMember(value, 'input'),
      toolInput: (value) => value,
      output: (value) => onlyMember(value, 'outputs'),
    },
  },
  // Braintrust's SDK for OpenTelemetry. Its function wrapper logs the list of arguments: `[{id: 'A-17'}]`.
  {
    mark: 'braintrust.span_attributes',
    kindIn: (mark) => {
      const span = spelledOut(mark);
      return isJsonObject(span) && typeof span.type === 'string' ? span.type : '';
    },
    types: typesNamed({ generation: 'llm', tool: 'tool', span: 'function', chain: 'task eval' }),
    input: ['braintrust.input_json', 'braintrust.input'],
    output: ['braintrust.output_json', 'braintrust.output'],
    unwrap: { toolInput: (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value) },
  },
  // Mastra's exporter for OpenTelemetry: a step contains the model call's input and output; the call does not.
  {
    mark: 'mastra.span.type',
    types: typesNamed({
      generation: 'model_step',
      span: 'model_generation model_inference model_chunk',
      tool: 'tool_call mcp_tool_call',
      agent: 'agent_run',
      chain: 'workflow_run workflow_step',
      embedding: 'rag_embedding',
    }),
    input: ['mastra.*.input', 'gen_ai.tool.call.arguments'],
    output: ['mastra.*.output', 'gen_ai.tool.call.result'],
  },
  // Sentry's agent monitoring.
  {
    mark: 'sentry.op',
    types: typesNamed({
      generation: 'gen_ai.chat gen_ai.request gen_ai.generate_text gen_ai.generate_content',
      tool: 'gen_ai.execute_tool',
      agent: 'gen_ai.invoke_agent',
      embedding: 'gen_ai.embeddings',
    }),
    input: ['gen_ai.request.messages', 'gen_ai.tool.input'],
    output: ['gen_ai.response.text', 'gen_ai.response.object', 'gen_ai.tool.output'],
    calls: 'gen_ai.response.tool_calls',
  },
  // LiveKit's agents.
  {
    mark: 'lk.function_tool.name',
    types: NO_TYPES,
    type: 'tool',
    name: 'lk.function_tool.name',
    callId: 'lk.function_tool.id',
    input: ['lk.function_tool.arguments'],
    output: ['lk.function_tool.output'],
  },
  {
    mark: 'lk.response.function_calls',
    types: NO_TYPES,
    output: ['lk.response.text'],
    calls: 'lk.response.function_calls',
  },
  // OpenTelemetry's convention for clients of MCP, and its operations besides model calls and tools, which are most spans
  // and do not need it.
  { mark: 'mcp.method.name', types: typesNamed({ tool: 'tools/call' }) },
  {
    mark: 'gen_ai.operation.name',
    types: typesNamed({
      retriever: 'retrieval search_memory',
      tool: 'create_memory update_memory upsert_memory delete_memory',
      chain: 'invoke_workflow',
    }),
    isOnlyOfItsTypes: true,
    input: ['gen_ai.retrieval.query.text', 'gen_ai.memory.query.text'],
    output: ['gen_ai.retrieval.documents', 'gen_ai.memory.records'],
  },
];

/**
 * Reads conventions that the platform's own server does not know, both from exported spans and from the attributes that the
 * platform keeps beside its observations, so that a recording from the platform and a replay agree.
 */
export function readByConvention(attributes: Attributes): ConventionFields {
  const row = CONVENTIONS.find(({ mark }) => attributes.has(mark));
  if (row === undefined) return {};
  const mark = firstText(attributes, [row.mark]) ?? '';
  const kind = row.kindIn?.(mark) ?? mark;
  const type = row.type ?? row.types.get(kind);
  if (type === undefined && row.isOnlyOfItsTypes) return {};
  const under = (keys: readonly string[] = []): Json | undefined => {
    const values = keys.map((key) => attributes.get(key.replace('*', () => kind)));
    return spelledOut(values.find((value) => value !== undefined && value !== null));
  };
  const calls = row.calls && spelledOut(attributes.get(row.calls));
  const { unwrap } = row;
  return present({
    type,
    name: row.name && (type === 'tool' || type === 'agent') ? firstText(attributes, [row.name]) : undefined,
    callId: row.callId && firstText(attributes, [row.callId]),
    input: under(row.input),
    output:
      calls === undefined ? under(row.output) : saidWithCalls(attributes.get(row.output?.[0] ?? '') ?? null, calls),
    unwrap: unwrap && type === 'tool' ? { ...unwrap, input: unwrap.toolInput ?? unwrap.input } : unwrap,
  });
}

/** Input and output according to a convention, on top of what was read without it. */
export function withConvention(found: Payload, told: ConventionFields): Payload {
  const [input, output] = [told.input ?? found.input, told.output ?? found.output];
  const { unwrap } = told;
  return present({
    input: unwrap?.input ? unwrap.input(input) : input,
    output: unwrap?.output ? unwrap.output(output) : output,
  });
}

function onlyMember(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) && Object.keys(value).join() === key ? spelledOut(value[key]) : value;
}

/**
 * Traceloop's wrappers record all arguments of a function, `{args: [{order: 7}], kwargs: {}}`, and the result as JSON.
 * @returns the only argument, or the named ones; anything else unchanged
 */
function withoutArguments(value: Json | undefined): Json | undefined {
  if (!isJsonObject(value) || Object.keys(value).sort().join() !== 'args,kwargs') return value;
  const { args, kwargs } = value as { args: Json; kwargs: Json };
  if (!Array.isArray(args) || !isJsonObject(kwargs)) return value;
  if (args.length === 0) return kwargs;
  return args.length === 1 && Object.keys(kwargs).length === 0 ? spelledOut(args[0]) : value;
}

const DEFINITION =
  /^(?:llm\.tools\.(\d{1,4})\.tool\.json_schema|llm\.request\.functions\.(\d{1,4})\.(name|description|parameters))$/;

/**
 * Tool definitions in attributes of their own, as a list. OpenInference has one attribute per definition, OpenLLMetry one
 * per field of it.
 */
export function definitionsBeyond(attributes: Attributes): Json[] | undefined {
  const tools = new Map<number, JsonObject>();
  for (const [key, value] of holds(attributes, 'definitions') ? attributes : []) {
    const [, whole, part, field] = DEFINITION.exec(key) ?? [];
    const index = whole ?? part;
    if (index === undefined) continue;
    const known = tools.get(Number(index)) ?? {};
    const definition = field === undefined ? spelledOut(value) : { ...known, [field]: spelledOut(value) };
    tools.set(Number(index), isJsonObject(definition) ? definition : known);
  }
  if (tools.size > 0) return [...tools].sort(([a], [b]) => a - b).map(([, definition]) => definition);
  const available = spelledOut(attributes.get('gen_ai.request.available_tools'));
  return Array.isArray(available) && available.length > 0 ? available : undefined;
}
