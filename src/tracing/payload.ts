import { saidWithCalls } from '../chat/index.ts';
import { isJsonObject, type Json, type JsonObject, spelledOut } from '../contract/index.ts';
import type { Attributes } from './attributes.ts';
import type { Span, SpanEvent } from './otlp.ts';

/** Input and output of an observation. A key that is absent was not recorded. */
export interface Payload {
  input?: Json;
  output?: Json;
}

/**
 * Finds a span's input and output where the many instrumentations put them. The order is the platform's, and the
 * first source that has either is the only one used, even where a later one would have said more.
 */
export function inputAndOutput(span: Span): Payload {
  const { attributes } = span;
  const given = pair(attributes, 'langfuse.observation.input', 'langfuse.observation.output');
  const found =
    given ??
    (span.scope.name === 'ai'
      ? aiSdk(attributes)
      : (messageEvents(span.events) ?? contentEvents(span.events) ?? byAttributes(attributes) ?? {}));
  if (given !== undefined) return given;
  const tools = toolDefinitions(attributes);
  if (tools !== undefined && Array.isArray(found.input)) found.input = { messages: found.input, tools };
  return found;
}

function payload(input: Json | undefined, output: Json | undefined): Payload {
  const result: Payload = {};
  if (input !== undefined) result.input = spelledOut(input);
  if (output !== undefined) result.output = spelledOut(output);
  return result;
}

/** Undefined unless one of the two is set to something. */
function pair(attributes: Attributes, input: string, output: string): Payload | undefined {
  const [from, to] = [attributes.get(input), attributes.get(output)];
  return isSet(from) || isSet(to) ? payload(from, to) : undefined;
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The Vercel AI SDK up to version 6. */
function aiSdk(attributes: Attributes): Payload {
  const input = firstOf(attributes, ['ai.prompt.messages', 'ai.prompt', 'ai.toolCall.args']);
  const text = attributes.get('ai.response.text');
  const calls = attributes.get('ai.response.toolCalls');
  if (text !== undefined && calls !== undefined) {
    return { ...payload(input, undefined), output: saidWithCalls(text, spelledOut(calls)) };
  }
  const output = isSet(text)
    ? text
    : firstOf(attributes, [
        'ai.result.text',
        'ai.toolCall.result',
        'ai.response.object',
        'ai.result.object',
        'ai.response.toolCalls',
        'ai.result.toolCalls',
      ]);
  return payload(input, output);
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
    event === undefined ? undefined : (pick(byAttributes(event.attributes) ?? {}) ?? objectOf(event.attributes));
  return payload(
    side(prompt, ({ input }) => input),
    side(completion, ({ output }) => output),
  );
}

function objectOf(attributes: Attributes): JsonObject {
  return Object.fromEntries([...attributes].map(([key, value]) => [key, spelledOut(value)]));
}

/** Attribute pairs of the instrumentations, in the platform's order: those before and those after flattened messages. */
const PAIRS = [
  ['prompt', 'all_messages_events'],
  ['mlflow.spanInputs', 'mlflow.spanOutputs'],
  ['traceloop.entity.input', 'traceloop.entity.output'],
  ['input.value', 'output.value'],
  ['input', 'output'],
  ['pydantic_ai.all_messages', 'final_result'],
  ['tool_arguments', 'tool_response'],
] as const;
const FLATTENED = [
  ['gen_ai.prompt.', 'gen_ai.completion.'],
  ['llm.input_messages.', 'llm.output_messages.'],
] as const;

function byAttributes(attributes: Attributes): Payload | undefined {
  const vertex = vertexAgent(attributes);
  if (vertex !== undefined) return vertex;
  for (const [input, output] of PAIRS) {
    const found = pair(attributes, input, output);
    if (found !== undefined) return found;
  }
  for (const [input, output] of FLATTENED) {
    const [from, to] = [unflattened(attributes, input), unflattened(attributes, output)];
    if (from !== undefined || to !== undefined) return payload(from, to);
  }
  return genAiMessages(attributes) ?? pair(attributes, 'gen_ai.tool.call.arguments', 'gen_ai.tool.call.result');
}

/** Google's agent kit writes `{}` for the pair that does not apply. */
function vertexAgent(attributes: Attributes): Payload | undefined {
  const side = (call: string, tool: string): Json | undefined => {
    const value = attributes.get(`gcp.vertex.agent.${call}`);
    return isSet(value) && value !== '{}' ? value : attributes.get(`gcp.vertex.agent.${tool}`);
  };
  const [input, output] = [side('llm_request', 'tool_call_args'), side('llm_response', 'tool_response')];
  return isSet(input) || isSet(output) ? payload(input, output) : undefined;
}

function genAiMessages(attributes: Attributes): Payload | undefined {
  const found = pair(attributes, 'gen_ai.input.messages', 'gen_ai.output.messages');
  const system = spelledOut(attributes.get('gen_ai.system_instructions'));
  if (found === undefined || system === undefined || !Array.isArray(found.input)) return found;
  return { ...found, input: [{ role: 'system', content: plainText(system) }, ...found.input] };
}

/** Instructions that are text parts only become that text. */
function plainText(parts: Json): Json {
  if (!Array.isArray(parts)) return parts;
  const texts = parts.map((part) => (isJsonObject(part) && part.type === 'text' ? part.content : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : parts;
}

/** Tool definitions stand beside the messages that they were given with, as in a chat request. */
function toolDefinitions(attributes: Attributes): Json[] | undefined {
  const value = spelledOut(attributes.get('gen_ai.tool.definitions') ?? attributes.get('ai.prompt.tools'));
  return Array.isArray(value) && value.length > 0 ? value.map((tool) => spelledOut(tool)) : undefined;
}

/** Deepest path and highest index that `a.0.b` style keys may build. */
const MAX_PATH = 20;
const MAX_INDEX = 10_000;

/** Rebuilds `prefix.0.role`, `prefix.0.content`, ... to an array or object. Undefined when no key has the prefix. */
function unflattened(attributes: Attributes, prefix: string): Json | undefined {
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
    branch.set(path.at(-1) ?? '', spelledOut(value));
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
