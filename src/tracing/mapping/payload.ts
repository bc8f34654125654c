import { saidWithCalls } from '../../chat/index.ts';
import { asText, isJsonObject, type Json, type JsonObject, present, spelledOut, unquoted } from '../../json/index.ts';
import type { Observation } from '../../trace/index.ts';
import { type Attributes, holds } from './attributes.ts';
import { definitionsBeyond } from './conventions.ts';
import type { Payload } from './input-output.ts';
import type { Span, SpanEvent } from './otlp.ts';

/**
 * Finds a span's input and output in the places where instrumentations put them. The order is the platform's. Only the
 * first source that has either is used, even if a later one would say more.
 */
export function inputAndOutput(span: Span): Payload {
  const { attributes, scope } = span;
  const given = pair(attributes, { input: ['langfuse.observation.input'], output: ['langfuse.observation.output'] });
  if (given !== undefined) return given;
  const library = OF_LIBRARIES.find((place) => place.scope === scope.name);
  const found: Payload =
    library?.read(attributes, library) ?? byEvents(span.events) ?? byAttributes(attributes, scope.name) ?? {};
  const tools = toolDefinitions(attributes);
  if (tools !== undefined) found.input = withTools(found.input, tools);
  return found;
}

/** Tool definitions are put beside their messages, as in a chat request. */
export function withTools(input: Json | undefined, tools: Json[]): Json | undefined {
  if (Array.isArray(input)) return { messages: input, tools };
  return isJsonObject(input) && Array.isArray(input.messages) && input.tools === undefined
    ? { ...input, tools }
    : input;
}

/**
 * Langfuse's wrapper of the Responses API keeps other parts of a model call's request as metadata: `{instructions: 'Be
 * kind.', tools: [...]}`. Its server moves only the tools into the input.
 */
export function addRequest(modelCall: Observation, { instructions, tools }: JsonObject): void {
  const moved = typeof instructions === 'string' ? toolsMovedInto(modelCall.input) : undefined;
  const { input, definitions } = moved ?? { input: modelCall.input, definitions: spelledOut(tools) };
  if (typeof input !== 'string' && !Array.isArray(input)) return;
  const beside: JsonObject = {
    ...(typeof instructions === 'string' ? { instructions } : {}),
    ...(Array.isArray(definitions) && definitions.every(isJsonObject) ? { tools: definitions } : {}),
  };
  if (Object.keys(beside).length > 0) modelCall.input = { ...beside, input };
}

/** `{messages: [...], tools: [...]}`, or `{prompt: 'Where is it?', tools: [...]}` if the input was a text. */
function toolsMovedInto(input: Json | undefined): { input?: Json; definitions?: Json } | undefined {
  if (!isJsonObject(input) || !['messages,tools', 'prompt,tools'].includes(Object.keys(input).sort().join())) return;
  const { messages, prompt, tools } = input;
  return { input: messages ?? prompt, definitions: tools };
}

/** Where a convention puts input and output. */
interface Place {
  /** Only spans of this instrumentation have it. */
  readonly scope?: string;
  /** Names of attributes; `*` stands for a part of a name, `**` for all that follows. */
  readonly input: readonly string[];
  readonly output: readonly string[];
  /** Reads it if it is more than one attribute for each side. */
  readonly read?: (attributes: Attributes, place: Place) => Payload | undefined;
}

/** Libraries with attribute names of their own. */
const OF_LIBRARIES: readonly (Place & { read(attributes: Attributes, place: Place): Payload })[] = [
  { scope: 'genkit-tracer', input: ['genkit:input'], output: ['genkit:output'], read: genkit },
  {
    scope: 'ai',
    input: ['ai.prompt.messages', 'ai.prompt', 'ai.toolCall.args'],
    output: [
      'ai.result.text',
      'ai.toolCall.result',
      'ai.response.object',
      'ai.result.object',
      'ai.response.toolCalls',
      'ai.result.toolCalls',
    ],
    read: aiSdk,
  },
  {
    scope: '@flue/opentelemetry',
    input: ['flue.turn.input', 'flue.tool.arguments', 'flue.task.prompt', 'flue.workflow.payload'],
    output: [
      'flue.turn.output',
      'flue.tool.result',
      'flue.task.result',
      'flue.operation.result',
      'flue.workflow.result',
    ],
    read: (attributes, { input, output }) => payload(firstOf(attributes, input), firstOf(attributes, output)),
  },
];

const GEN_AI: Place = { input: ['gen_ai.input.messages'], output: ['gen_ai.output.messages'], read: withInstructions };
const GEN_AI_TOOL: Place = { input: ['gen_ai.tool.call.arguments'], output: ['gen_ai.tool.call.result'] };

/** All other places, in the platform's order. */
const PLACES: readonly Place[] = [
  {
    input: ['gcp.vertex.agent.llm_request', 'gcp.vertex.agent.tool_call_args'],
    output: ['gcp.vertex.agent.llm_response', 'gcp.vertex.agent.tool_response'],
    read: vertexAgent,
  },
  { input: ['prompt'], output: ['all_messages_events'] },
  {
    input: ['lk.input_text', 'lk.user_transcript', 'lk.chat_ctx'],
    output: ['lk.function_tool.output', 'lk.response.text'],
    read: liveKit,
  },
  { input: ['events'], output: ['events'], read: logfire },
  { input: ['mlflow.spanInputs'], output: ['mlflow.spanOutputs'], read: withStreamedCalls },
  { input: ['traceloop.entity.input'], output: ['traceloop.entity.output'], read: withStreamedCalls },
  { input: ['input.value'], output: ['output.value'], read: withStreamedCalls },
  { input: ['input'], output: ['output'], read: withStreamedCalls },
  { scope: 'pydantic-ai', input: ['pydantic_ai.all_messages'], output: ['final_result'], read: withInstructions },
  { input: ['tool_arguments'], output: ['tool_response'] },
  {
    input: ['gen_ai.prompt', 'gen_ai.prompt.**'],
    output: ['gen_ai.completion', 'gen_ai.completion.**'],
    read: flattened,
  },
  {
    input: ['llm.input_messages', 'llm.input_messages.**'],
    output: ['llm.output_messages', 'llm.output_messages.**'],
    read: flattened,
  },
  GEN_AI,
  GEN_AI_TOOL,
];

/** All attributes with input or output, for whoever asks what was not read. */
export const READ: readonly Place[] = [...OF_LIBRARIES, ...PLACES];

/** A model's span contains the whole request and response; a flow's or tool's span its input and output. */
function genkit(attributes: Attributes): Payload {
  const [input, output] = [spelledOut(attributes.get('genkit:input')), spelledOut(attributes.get('genkit:output'))];
  const messages = isJsonObject(input) ? (input.messages ?? input) : unquoted(input);
  const message = isJsonObject(output) ? (output.message ?? output) : unquoted(output);
  const tools = isJsonObject(input) && Array.isArray(input.tools) ? input.tools : [];
  return payload(tools.some(isJsonObject) ? withTools(messages, tools) : messages, message);
}

export function eventPayload(events: readonly SpanEvent[]): Payload {
  return byEvents(events) ?? {};
}

function byEvents(events: readonly SpanEvent[]): Payload | undefined {
  if (events.length === 0) return undefined;
  return detailEvents(events) ?? messageEvents(events) ?? contentEvents(events);
}

/** Names of span events and log records in the newer GenAI convention. */
const DETAILS = 'gen_ai.client.inference.operation.details';

function detailEvents(events: readonly SpanEvent[]): Payload | undefined {
  for (const { name, attributes } of events) {
    const found = name === DETAILS ? genAi(attributes) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function payload(input: Json | undefined, output: Json | undefined): Payload {
  return present({ input: spelledOut(input), output: spelledOut(output) });
}

/** Undefined unless one of them has a value. */
function either(from: Json | undefined, to: Json | undefined): Payload | undefined {
  return isSet(from) || isSet(to) ? payload(from, to) : undefined;
}

function pair(attributes: Attributes, { input: [input = ''], output: [output = ''] }: Place): Payload | undefined {
  return either(attributes.get(input), attributes.get(output));
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The Vercel AI SDK up to version 6. */
function aiSdk(attributes: Attributes, place: Place): Payload {
  const input = firstOf(attributes, place.input);
  const text = attributes.get('ai.response.text');
  const calls = attributes.get('ai.response.toolCalls');
  if (text !== undefined && calls !== undefined) {
    return { ...payload(input, undefined), output: saidWithCalls(text, spelledOut(calls)) };
  }
  const output = isSet(text) ? text : firstOf(attributes, place.output);
  const told = input === undefined || output === undefined ? genAi(attributes) : undefined;
  return payload(input ?? told?.input, output ?? told?.output);
}

function firstOf(attributes: Attributes, keys: readonly string[]): Json | undefined {
  const key = keys.find((candidate) => attributes.has(candidate));
  return key === undefined ? undefined : attributes.get(key);
}

const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;

/** The older GenAI convention: one event per message. */
function messageEvents(events: readonly SpanEvent[]): Payload | undefined {
  const inputs = events.filter(({ name }) => MESSAGE_EVENT.test(name));
  const choices = events.filter(({ name }) => name === 'gen_ai.choice').map(({ attributes }) => objectOf(attributes));
  if (inputs.length === 0 && choices.length === 0) return undefined;
  const result: Payload = {};
  if (inputs.length > 0) {
    result.input = inputs.map(({ name, attributes }) => ({
      role: MESSAGE_EVENT.exec(name)?.[1] ?? '',
      ...objectOf(attributes),
    }));
  }
  if (choices.length > 0) result.output = choices.length === 1 ? (choices[0] as Json) : choices;
  return result;
}

function contentEvents(events: readonly SpanEvent[]): Payload | undefined {
  const prompt = events.find(({ name }) => name === 'gen_ai.content.prompt');
  const completion = events.find(({ name }) => name === 'gen_ai.content.completion');
  if (prompt === undefined && completion === undefined) return undefined;
  const side = (event: SpanEvent | undefined, pick: (found: Payload) => Json | undefined): Json | undefined =>
    event === undefined ? undefined : (pick(byAttributes(event.attributes, '') ?? {}) ?? objectOf(event.attributes));
  return payload(
    side(prompt, ({ input }) => input),
    side(completion, ({ output }) => output),
  );
}

function objectOf(attributes: Attributes): JsonObject {
  return Object.fromEntries([...attributes].map(([key, value]) => [key, spelledOut(value)]));
}

function byAttributes(attributes: Attributes, scope: string): Payload | undefined {
  for (const place of PLACES) {
    if (place.scope !== undefined && place.scope !== scope) continue;
    const found = (place.read ?? pair)(attributes, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function flattened(attributes: Attributes, { input: [input = ''], output: [output = ''] }: Place): Payload | undefined {
  if (!holds(attributes, 'flattened')) return undefined;
  const [from, to] = [unflattened(attributes, input), unflattened(attributes, output)];
  return from === undefined && to === undefined ? undefined : payload(from, to);
}

const STREAMED_CALL = /^llm\.output_messages\.\d+\.message\.tool_calls\./;

/**
 * For a streamed answer, OpenInference reports only the text, which is empty if the model only calls tools. The calls are
 * in its messages.
 */
function withStreamedCalls(attributes: Attributes, place: Place): Payload | undefined {
  const found = pair(attributes, place);
  if (typeof found?.output !== 'string' || ![...attributes.keys()].some((key) => STREAMED_CALL.test(key))) return found;
  return payload(found.input, unflattened(attributes, 'llm.output_messages'));
}

function liveKit(attributes: Attributes, { input, output }: Place): Payload | undefined {
  return either(firstOf(attributes, input), output.map((key) => attributes.get(key)).find(isSet));
}

/** One list contains the messages and the answer. */
function logfire(attributes: Attributes): Payload | undefined {
  const events = spelledOut(attributes.get('events'));
  if (!Array.isArray(events)) return undefined;
  const isChoice = (event: Json) => isJsonObject(event) && event['event.name'] === 'gen_ai.choice';
  const [choice, asked] = [events.find(isChoice), events.filter((event) => !isChoice(event))];
  if (choice === undefined && asked.length === 0) return undefined;
  return payload(asked.length === 0 ? undefined : asked, choice);
}

/** Google's agent kit writes `{}` for the pair that does not apply. */
function vertexAgent(attributes: Attributes, { input, output }: Place): Payload | undefined {
  const side = ([call = '', tool = '']: readonly string[]): Json | undefined => {
    const value = attributes.get(call);
    return isSet(value) && value !== '{}' ? value : attributes.get(tool);
  };
  return either(side(input), side(output));
}

/** The GenAI convention's messages, and a tool's arguments. */
function genAi(attributes: Attributes): Payload | undefined {
  return withInstructions(attributes, GEN_AI) ?? pair(attributes, GEN_AI_TOOL);
}

/** Instructions come before the messages, unless these already begin with a system message. */
function withInstructions(attributes: Attributes, place: Place): Payload | undefined {
  const found = pair(attributes, place);
  const system = spelledOut(attributes.get('gen_ai.system_instructions'));
  if (found === undefined || !isSet(system) || !Array.isArray(found.input)) return found;
  if (found.input.some((message) => isJsonObject(message) && message.role === 'system')) return found;
  return { ...found, input: [{ role: 'system', content: plainText(system as Json) }, ...found.input] };
}

function plainText(system: Json): string {
  if (!Array.isArray(system)) return asText(system);
  return system.map((part) => (isJsonObject(part) && part.content ? asText(part.content) : asText(part))).join('\n');
}

function toolDefinitions(attributes: Attributes): Json[] | undefined {
  const value =
    spelledOut(attributes.get('gen_ai.tool.definitions') ?? attributes.get('ai.prompt.tools')) ??
    pydanticTools(attributes);
  if (!Array.isArray(value) || value.length === 0) return definitionsBeyond(attributes);
  return value.map((tool) => spelledOut(tool));
}

function pydanticTools(attributes: Attributes): Json | undefined {
  const parameters = spelledOut(attributes.get('model_request_parameters'));
  return isJsonObject(parameters) ? parameters.function_tools : undefined;
}

/** Deepest path and highest index that `a.0.b` style keys may build. */
const MAX_PATH = 20;
const MAX_INDEX = 10_000;

/** Rebuilds `name.0.role`, `name.0.content`, ... to an array or object. Undefined when no key has the prefix. */
function unflattened(attributes: Attributes, name: string): Json | undefined {
  const whole = attributes.get(name);
  if (isSet(whole)) return whole;
  const prefix = `${name}.`;
  const root: Branch = new Map();
  for (const [key, value] of attributes) {
    if (!key.startsWith(prefix)) continue;
    const path = key.slice(prefix.length).split('.');
    if (path.length > MAX_PATH) continue;
    let branch = root;
    for (const part of path.slice(0, -1)) {
      const next = branch.get(part);
      const inner: Branch = next instanceof Map ? next : new Map();
      branch.set(part, inner);
      branch = inner;
    }
    branch.set(path.at(-1) ?? '', value);
  }
  return root.size === 0 ? undefined : grown(root);
}

type Branch = Map<string, Json | Branch>;

function grown(branch: Branch): Json {
  const entries = [...branch].map(([key, value]): [string, Json] => [key, value instanceof Map ? grown(value) : value]);
  const isList = entries.every(([key]) => /^\d+$/.test(key) && Number(key) < MAX_INDEX);
  if (!isList) return Object.fromEntries(entries);
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}
