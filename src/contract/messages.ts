import { asText, isJsonObject, type Json, type JsonObject } from './json.ts';

/** A tool call that a model asked for. */
export interface ToolCall {
  readonly id: string | undefined;
  readonly name: string;
}

/** Where calls and results lie inside messages. Nothing else is entered: arguments and results can be of any size. */
const CONTAINERS = [
  'messages',
  'message',
  'choices',
  'output',
  'content',
  'parts',
  'tool_calls',
  'toolCalls',
  'kwargs',
];

/** The tool calls in a generation's output: OpenAI chat and responses, OTel parts, AI SDK, Anthropic, LangChain. */
export function toolCallsIn(output: Json | undefined): ToolCall[] {
  const calls = new Map<string, ToolCall>();
  visit(output, (object, container) => {
    const call = asToolCall(object, container);
    if (call !== undefined) calls.set(call.id ?? `${calls.size} ${call.name}`, call);
  });
  return [...calls.values()];
}

/** Ids of the calls whose results a generation was given. */
export function answeredCallsIn(input: Json | undefined): Set<string> {
  const ids = new Set<string>();
  visit(input, (object) => {
    const isResult = object.role === 'tool' || RESULT_TYPES.has(asText(object.type));
    const id = isResult ? textIn(object, RESULT_IDS) : undefined;
    if (id !== undefined) ids.add(id);
  });
  return ids;
}

const CALL_TYPES = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call']);
const CALL_LISTS = new Set(['tool_calls', 'toolCalls']);
const CALL_IDS = ['call_id', 'toolCallId', 'id'];
const CALL_NAMES = ['name', 'toolName'];
const RESULT_TYPES = new Set(['tool_call_response', 'tool-result', 'tool_result', 'function_call_output', 'tool']);
const RESULT_IDS = ['tool_call_id', 'toolCallId', 'tool_use_id', 'call_id', 'id'];

function asToolCall(object: JsonObject, container: string): ToolCall | undefined {
  const isCall =
    CALL_TYPES.has(asText(object.type)) || CALL_LISTS.has(container) || typeof object.toolName === 'string';
  if (!isCall || RESULT_TYPES.has(asText(object.type))) return undefined;
  const inner = isJsonObject(object.function) ? object.function : object;
  const name = textIn(inner, CALL_NAMES);
  return name === undefined ? undefined : { id: textIn(object, CALL_IDS), name };
}

function textIn(object: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Iterative, as the values are as deep as their sender liked; the list grows while it is walked, level by level. */
function visit(value: Json | undefined, see: (object: JsonObject, container: string) => void): void {
  const queue: [Json | undefined, string][] = [[value, '']];
  for (const [current, container] of queue) {
    if (Array.isArray(current)) {
      for (const item of current) queue.push([item, container]);
    } else if (isJsonObject(current)) {
      see(current, container);
      for (const key of CONTAINERS) {
        if (typeof current[key] === 'object' && Object.hasOwn(current, key)) queue.push([current[key], key]);
      }
    }
  }
}

/** The messages of a model call's input: `{messages}` or the bare array; none for anything else. */
export function messagesOf(input: Json | undefined): JsonObject[] {
  const messages = isJsonObject(input) ? input.messages : input;
  return Array.isArray(messages) ? messages.filter((each): each is JsonObject => isJsonObject(each)) : [];
}
