import { saidWithCalls } from '../../chat/index.ts';
import { asText, isJsonObject, type Json, type JsonObject, spelledOut } from '../../json/index.ts';
import type { ObservationType } from '../../trace/index.ts';
import { type Attributes, firstText, holds } from './attributes.ts';
import type { Payload } from './input-output.ts';
import { unquoted } from './unquoted.ts';

/** What one of the conventions says about a span. Absent keys are unknown. */
export interface ConventionFields {
  readonly type?: ObservationType;
  readonly name?: string;
  readonly callId?: string;
  readonly input?: Json;
  readonly output?: Json;
  /** Unwraps the values of a function from the convention's form. */
  readonly bare?: Bare;
}

/** A function's arguments and result, taken from a convention's form. */
interface Bare {
  readonly input: (value: Json | undefined) => Json | undefined;
  readonly output: (value: Json | undefined) => Json | undefined;
}

/**
 * Reads conventions that the platform's own server does not know, both from exported spans and from the attributes that the
 * platform keeps beside its observations, so that a recording from the platform and a replay agree.
 */
export function readByConvention(attributes: Attributes): ConventionFields {
  for (const { mark, read } of CONVENTIONS) {
    if (attributes.has(mark)) return read(attributes, firstText(attributes, [mark]) ?? '');
  }
  return NO_FIELDS;
}

const NO_FIELDS: ConventionFields = {};

interface Convention {
  /** The attribute that identifies its spans. */
  readonly mark: string;
  readonly read: (attributes: Attributes, mark: string) => ConventionFields;
}

const CONVENTIONS: readonly Convention[] = [
  // Traceloop's decorators: https://github.com/traceloop/openllmetry-js, packages/ai-semantic-conventions
  {
    mark: 'traceloop.span.kind',
    read: (attributes, kind) => ({
      ...typed(kind, TRACELOOP),
      bare: OF_DECORATORS,
      ...(kind === 'tool' || kind === 'agent' ? nameUnder(attributes, ['traceloop.entity.name']) : {}),
    }),
  },
  // MLflow writes each attribute as JSON: mlflow.entities.SpanType
  {
    mark: 'mlflow.spanType',
    read: (_, type) => ({ ...typed(asText(unquoted(type)).toUpperCase(), MLFLOW), bare: OF_DECORATORS }),
  },
  // LangSmith's exporter for OpenTelemetry; the span is named after the run.
  {
    mark: 'langsmith.span.kind',
    read: (_, kind) => ({ ...typed(kind, LANGSMITH), bare: kind === 'tool' ? OF_TOOLS_OF_LANGSMITH : OF_LANGSMITH }),
  },
  // Braintrust's span processor reads these, and its SDK for OpenTelemetry writes them.
  {
    mark: 'braintrust.span_attributes',
    read: (attributes, text) => {
      const span = spelledOut(text);
      const type = isJsonObject(span) && typeof span.type === 'string' ? span.type : '';
      return {
        ...typed(type, BRAINTRUST),
        ...put('input', attributes, ['braintrust.input_json', 'braintrust.input']),
        ...put('output', attributes, ['braintrust.output_json', 'braintrust.output']),
        ...(type === 'tool' && { bare: OF_TOOLS_OF_BRAINTRUST }),
      };
    },
  },
  // Mastra's exporter for OpenTelemetry: a step contains the model call's input and output; the call does not.
  {
    mark: 'mastra.span.type',
    read: (attributes, type) => ({
      ...typed(type, MASTRA),
      ...put('input', attributes, [`mastra.${type}.input`, 'gen_ai.tool.call.arguments']),
      ...put('output', attributes, [`mastra.${type}.output`, 'gen_ai.tool.call.result']),
    }),
  },
  // Sentry's agent monitoring.
  {
    mark: 'sentry.op',
    read: (attributes, operation) => {
      const text = attributes.get('gen_ai.response.text');
      const calls = spelledOut(attributes.get('gen_ai.response.tool_calls'));
      return {
        ...typed(operation, SENTRY),
        ...put('input', attributes, ['gen_ai.request.messages', 'gen_ai.tool.input']),
        ...(calls === undefined
          ? put('output', attributes, ['gen_ai.response.text', 'gen_ai.response.object', 'gen_ai.tool.output'])
          : { output: saidWithCalls(text ?? null, calls) }),
      };
    },
  },
  // LiveKit's agents.
  {
    mark: 'lk.function_tool.name',
    read: (attributes) => ({
      type: 'tool',
      ...nameUnder(attributes, ['lk.function_tool.name']),
      ...called(attributes, ['lk.function_tool.id']),
      ...put('input', attributes, ['lk.function_tool.arguments']),
      ...put('output', attributes, ['lk.function_tool.output']),
    }),
  },
  {
    mark: 'lk.response.function_calls',
    read: (attributes) => ({
      output: saidWithCalls(
        attributes.get('lk.response.text') ?? null,
        spelledOut(attributes.get('lk.response.function_calls') ?? null),
      ),
    }),
  },
  // OpenTelemetry's operations besides model calls and tools, and its convention for clients of MCP.
  {
    mark: 'mcp.method.name',
    read: (_, method) => (method === 'tools/call' ? { type: 'tool' } : {}),
  },
  {
    mark: 'gen_ai.operation.name',
    // Model calls and tools, which are most spans, do not need it.
    read: (attributes, operation) =>
      Object.hasOwn(OPERATIONS, operation)
        ? {
            ...typed(operation, OPERATIONS),
            ...put('input', attributes, ['gen_ai.retrieval.query.text', 'gen_ai.memory.query.text']),
            ...put('output', attributes, ['gen_ai.retrieval.documents', 'gen_ai.memory.records']),
          }
        : NO_FIELDS,
  },
];

const TRACELOOP = { tool: 'tool', agent: 'agent', workflow: 'chain', task: 'chain' } as const;
const MLFLOW = {
  LLM: 'generation',
  CHAT_MODEL: 'generation',
  TOOL: 'tool',
  AGENT: 'agent',
  RETRIEVER: 'retriever',
  EMBEDDING: 'embedding',
  CHAIN: 'chain',
  GUARDRAIL: 'guardrail',
  EVALUATOR: 'evaluator',
  MEMORY: 'tool',
} as const;
/** Its `prompt` fills in a template, and is not a model call. */
const LANGSMITH = {
  llm: 'generation',
  tool: 'tool',
  retriever: 'retriever',
  embedding: 'embedding',
  chain: 'chain',
  prompt: 'chain',
  parser: 'chain',
} as const;
const BRAINTRUST = { llm: 'generation', tool: 'tool', function: 'span', task: 'chain', eval: 'chain' } as const;
const MASTRA = {
  model_step: 'generation',
  model_generation: 'span',
  model_inference: 'span',
  model_chunk: 'span',
  tool_call: 'tool',
  mcp_tool_call: 'tool',
  agent_run: 'agent',
  workflow_run: 'chain',
  workflow_step: 'chain',
  rag_embedding: 'embedding',
} as const;
const SENTRY = {
  'gen_ai.chat': 'generation',
  'gen_ai.request': 'generation',
  'gen_ai.generate_text': 'generation',
  'gen_ai.generate_content': 'generation',
  'gen_ai.execute_tool': 'tool',
  'gen_ai.invoke_agent': 'agent',
  'gen_ai.embeddings': 'embedding',
} as const;
const OPERATIONS = {
  retrieval: 'retriever',
  search_memory: 'retriever',
  create_memory: 'tool',
  update_memory: 'tool',
  upsert_memory: 'tool',
  delete_memory: 'tool',
  invoke_workflow: 'chain',
} as const;

function typed(name: string, types: { readonly [name: string]: ObservationType }): Pick<ConventionFields, 'type'> {
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  return type === undefined ? {} : { type };
}

function nameUnder(attributes: Attributes, keys: readonly string[]): Pick<ConventionFields, 'name'> {
  const name = firstText(attributes, keys);
  return name === undefined ? {} : { name };
}

function called(attributes: Attributes, keys: readonly string[]): Pick<ConventionFields, 'callId'> {
  const callId = firstText(attributes, keys);
  return callId === undefined ? {} : { callId };
}

function put<Side extends 'input' | 'output'>(
  side: Side,
  attributes: Attributes,
  keys: readonly string[],
): { readonly [key in Side]?: Json } {
  const value = keys.map((key) => attributes.get(key)).find((each) => each !== undefined && each !== null);
  return (value === undefined ? {} : { [side]: spelledOut(value) }) as { [key in Side]?: Json };
}

/** Input and output according to a convention, on top of what was read without it. */
export function withConvention(found: Payload, told: ConventionFields): Payload {
  if (told.input === undefined && told.output === undefined && told.bare === undefined) return found;
  const { input, output } = told.bare ?? AS_IT_IS;
  const sides: [string, Json | undefined][] = [
    ['input', input(told.input ?? found.input)],
    ['output', output(told.output ?? found.output)],
  ];
  return Object.fromEntries(sides.filter(([, value]) => value !== undefined));
}

const AS_IT_IS: Bare = { input: (value) => value, output: (value) => value };
/** Values are JSON, the input with all arguments. */
const OF_DECORATORS: Bare = { input: (value) => withoutArguments(unquoted(value)), output: unquoted };
/** Values that are not objects are wrapped in one: `{input: 'Refund it.'}`, `{outputs: 'Refunded.'}`. */
const OF_LANGSMITH: Bare = {
  input: (value) => onlyMember(value, 'input'),
  output: (value) => onlyMember(value, 'outputs'),
};
/** An argument may have that name too. */
const OF_TOOLS_OF_LANGSMITH: Bare = { ...OF_LANGSMITH, input: AS_IT_IS.input };

/** Its function wrapper logs the list of arguments: `[{id: 'A-17'}]`. */
const OF_TOOLS_OF_BRAINTRUST: Bare = {
  ...AS_IT_IS,
  input: (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value),
};

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
  const hasNamed = Object.keys(kwargs).length > 0;
  if (args.length === 0) return kwargs;
  return args.length === 1 && !hasNamed ? spelledOut(args[0]) : value;
}

/**
 * Tool definitions in attributes of their own, as a list. OpenInference has one attribute per definition, OpenLLMetry one
 * per field of it.
 */
export function definitionsBeyond(attributes: Attributes): Json[] | undefined {
  const tools = new Map<number, JsonObject>();
  for (const [key, value] of holds(attributes, 'definitions') ? attributes : []) {
    if (!key.startsWith('llm.tools.') && !key.startsWith('llm.request.functions.')) continue;
    const [, whole, part, field] = DEFINITION.exec(key) ?? [];
    const index = whole ?? part;
    if (index === undefined) continue;
    const known = tools.get(Number(index)) ?? {};
    const definition = field === undefined ? spelledOut(value) : { ...known, [field]: spelledOut(value) };
    tools.set(Number(index), isJsonObject(definition) ? definition : known);
  }
  if (tools.size === 0) {
    const available = spelledOut(attributes.get('gen_ai.request.available_tools'));
    return Array.isArray(available) && available.length > 0 ? available : undefined;
  }
  return [...tools].sort(([a], [b]) => a - b).map(([, definition]) => definition);
}

const DEFINITION =
  /^(?:llm\.tools\.(\d{1,4})\.tool\.json_schema|llm\.request\.functions\.(\d{1,4})\.(name|description|parameters))$/;
