import { asText, isJsonObject, type Json, type JsonObject, own, present, spelledOut } from '../json/index.ts';
import { mediaPart } from './media-part.ts';
import type { Part, ToolCall, ToolResult } from './message.ts';
import { CALL_ID_NAMES, objectAt, textAt, valueAt } from './names.ts';

/** One part of a message, from any SDK. */
export type Item =
  | { readonly kind: 'text'; readonly text: string }
  /** A structured answer. */
  | { readonly kind: 'value'; readonly value: Json }
  /** Only evidence: never a text, an answer or an input. */
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'media'; readonly part: Part }
  | { readonly kind: 'call'; readonly call: ToolCall }
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'unknown'; readonly value: Json };

export function itemsIn(content: Json | undefined): Item[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return partItems(content) ?? [{ kind: 'value', value: content }];
  return content.flatMap((part): Item[] =>
    typeof part === 'string' ? [{ kind: 'text', text: part }] : (partItems(part) ?? [{ kind: 'unknown', value: part }]),
  );
}

/** Joins neighbouring pieces of text and drops blank ones: streamed text arrives in as many parts as the network made of it. */
export function joinTexts(items: readonly Item[]): Item[] {
  const all: Item[] = [];
  for (const item of items) {
    const last = all.at(-1);
    if (item.kind === 'text' && last?.kind === 'text')
      all[all.length - 1] = { kind: 'text', text: last.text + item.text };
    else all.push(item);
  }
  return all.filter((item) => item.kind !== 'text' || item.text.trim() !== '');
}

/** One part; undefined if it has no known shape. `untyped`: also accepts `{text}`, which only counts among parts. */
export function partItems(part: Json, { untyped = true } = {}): Item[] | undefined {
  if (!isJsonObject(part)) return undefined;
  const reasoning = reasoningIn(part);
  if (reasoning !== undefined) return [{ kind: 'reasoning', text: reasoning }];
  const text = partText(part, untyped);
  if (text !== undefined) return [{ kind: 'text', text }];
  const result = resultIn(part);
  if (result !== undefined) return [{ kind: 'result', result }];
  const call = callIn(part);
  if (call !== undefined) return callItems(call);
  const media = mediaPart(part);
  if (media !== undefined) return [{ kind: 'media', part: media }];
  const type = kindOf(part);
  // OpenInference wraps each part once more.
  if (isJsonObject(part.message_content)) return partItems(part.message_content, { untyped });
  return SAYS_NOTHING.has(type) || type.startsWith('data-') ? [] : undefined;
}

/** A call, and its result if the provider carried it out. */
export function callItems(call: ToolCall): Item[] {
  const { result } = call;
  return [{ kind: 'call', call }, ...(result === undefined ? [] : [{ kind: 'result', result } as const])];
}

export function callsIn(items: readonly Item[]): ToolCall[] {
  return items.flatMap((item) => (item.kind === 'call' ? [item.call] : []));
}

export function resultsIn(items: readonly Item[]): ToolResult[] {
  return items.flatMap((item) => (item.kind === 'result' ? [item.result] : []));
}

function kindOf(part: JsonObject): string {
  return textAt(part, ['type', 'part_kind']) ?? '';
}

const TEXTS = new Set(['text', 'input_text', 'output_text', 'text-delta', 'text_delta', 'refusal']);
const PYDANTIC_TEXTS = new Set(['user-prompt', 'system-prompt', 'text', 'instructions']);
const TEXT_KEYS = ['text', 'content', 'delta', 'refusal'];
/** Marks between parts, and what stands beside a text to name its origin. */
const SAYS_NOTHING = new Set([
  'step-start',
  'source',
  'source-url',
  'source-document',
  'item_reference',
  'tool-approval-request',
  'tool-approval-response',
  'compaction',
]);

function partText(part: JsonObject, untyped: boolean): string | undefined {
  if (typeof part.type === 'string') return TEXTS.has(part.type) ? textOrEmpty(part) : undefined;
  if (typeof part.part_kind === 'string') {
    return PYDANTIC_TEXTS.has(part.part_kind) && typeof part.content === 'string' ? part.content : undefined;
  }
  return untyped && typeof part.text === 'string' && !('role' in part) ? part.text : undefined;
}

function textOrEmpty(part: JsonObject): string | undefined {
  return TEXT_KEYS.map((key) => own(part, key)).find((value) => typeof value === 'string') as string | undefined;
}

const REASONING = new Set(['thinking', 'redacted_thinking', 'reasoning', 'reasoning-delta', 'redacted-reasoning']);

function reasoningIn(part: JsonObject): string | undefined {
  if (REASONING.has(kindOf(part))) return reasoningText(part);
  if (part.thought === true && typeof part.text === 'string') return part.text;
  const wrapped = objectAt(part, ['reasoningContent', 'reasoning_content']);
  if (wrapped !== undefined) return reasoningText(objectAt(wrapped, ['reasoningText', 'reasoning_text']) ?? wrapped);
  // Genkit's part.
  const isAlone = Object.keys(part).every((key) => key === 'reasoning' || key === 'metadata');
  return typeof part.reasoning === 'string' && isAlone ? part.reasoning : undefined;
}

function reasoningText(part: JsonObject): string {
  const text = textAt(part, ['thinking', 'text', 'content', 'reasoning']);
  if (text !== undefined) return text;
  // The Responses API calls it summary, the Agents SDK content.
  const pieces = [part.summary, part.content].flat().filter((each) => each !== undefined && each !== null);
  return pieces.map((each) => (isJsonObject(each) ? (textAt(each, ['text']) ?? '') : asText(each))).join('\n');
}

const CALLS = new Set([
  'tool_call',
  'tool-call',
  'toolCall',
  'tool_use',
  'server_tool_use',
  'mcp_tool_use',
  'function_call',
  'custom_tool_call',
  'mcp_call',
  'hosted_tool_call',
  'invalid_tool_call',
  'builtin-tool-call',
]);
/** Calls that the provider carried out, with their results beside them. */
const CARRIED_OUT = new Set(['mcp_call', 'hosted_tool_call']);
const CALL_WRAPPERS = ['functionCall', 'function_call', 'toolUse', 'tool_use', 'toolRequest', 'tool_call'];
const IDS = [...CALL_ID_NAMES, 'ref', 'id'];
const NAMES = ['name', 'toolName', 'tool_name'];
const CALL_ARGS = ['arguments', 'args', 'input'];

/** @param inList it is in a list of calls, whose items need no type */
export function callIn(part: JsonObject, inList = false): ToolCall | undefined {
  const kind = kindOf(part);
  const wrapper = (kind === '' && !('role' in part)) || inList ? objectAt(part, CALL_WRAPPERS) : undefined;
  if (wrapper !== undefined) return callIn({ ...present({ id: textAt(part, IDS) }), ...wrapper }, true);
  const shown = uiCall(part, kind) ?? providersOwn(part, kind);
  if (shown !== undefined) return shown;
  const isNamed = typeof part.toolName === 'string' || typeof part.tool_name === 'string';
  if (!inList && !CALLS.has(kind) && !isNamed) return undefined;
  const inner = isJsonObject(part.function) ? part.function : part;
  const name = textAt(inner, NAMES) ?? textAt(part, ['tool_call.function.name']);
  if (name === undefined) return undefined;
  const id = textAt(part, IDS);
  const args = spelledOut(unwrappedArgs(valueAt(inner, CALL_ARGS)));
  const output = CARRIED_OUT.has(kind) ? valueAt(part, ['output', 'error']) : undefined;
  if (output === undefined || output === null) return { id, name, args };
  return { id, name, args, result: { id, name, value: output, isError: (part.error ?? '') !== '' } };
}

/** Pydantic AI up to 0.0.50 names the form of the arguments. */
function unwrappedArgs(args: Json | undefined): Json | undefined {
  if (!isJsonObject(args) || Object.keys(args).length !== 1) return args;
  return args.args_json ?? args.args_dict ?? args;
}

/** The AI SDK's UI messages: `tool-NAME` with the call, and later its result. */
function uiCall(part: JsonObject, kind: string): ToolCall | undefined {
  const invocation = kind === 'tool-invocation' ? objectAt(part, ['toolInvocation']) : undefined;
  if (invocation !== undefined) return uiCall({ ...invocation, type: 'dynamic-tool' }, 'dynamic-tool');
  const id = textAt(part, ['toolCallId']);
  const isShown = kind === 'dynamic-tool' || (kind.startsWith('tool-') && typeof part.state === 'string');
  if (id === undefined || !isShown) return undefined;
  const name = kind === 'dynamic-tool' ? textAt(part, ['toolName']) : kind.slice('tool-'.length);
  if (name === undefined) return undefined;
  const call = { id, name, args: spelledOut(valueAt(part, ['input', 'args', 'rawInput'])) };
  const failure = textAt(part, ['errorText']);
  const value = failure ?? valueAt(part, ['output', 'result']);
  return value === undefined ? call : { ...call, result: { id, name, value, isError: failure !== undefined } };
}

/** Tools that the provider of the Responses API runs: the item contains the call and its result. */
const PROVIDERS_OWN = /^(web_search|file_search|code_interpreter|image_generation|computer|local_shell|shell)_call$/;

function providersOwn(part: JsonObject, kind: string): ToolCall | undefined {
  const [, name] = PROVIDERS_OWN.exec(kind) ?? [];
  if (name === undefined) return undefined;
  const id = textAt(part, IDS);
  const args = valueAt(part, ['action', 'queries', 'code', 'arguments']);
  const value = valueAt(part, ['results', 'outputs', 'output', 'result']);
  const call = { id, name, args };
  // The caller runs a shell or a computer, so its output comes as an item of its own.
  const isOver = part.status === 'completed' && !/shell|computer/.test(name);
  return value === undefined && !isOver
    ? call
    : { ...call, result: { id, name, value: value ?? null, isError: false } };
}

const RESULTS = new Set([
  'tool_call_response',
  'tool-result',
  'tool_result',
  'tool-error',
  'tool_response',
  'tool-return',
  'builtin-tool-return',
  'retry-prompt',
  'function_call_output',
  'function_call_result',
  'function_response',
  'custom_tool_call_output',
  'computer_call_output',
  'computer_call_result',
  'local_shell_call_output',
  'shell_call_output',
  'mcp_tool_result',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
]);
const RESULT_WRAPPERS = ['functionResponse', 'function_response', 'toolResult', 'toolResponse', 'tool_result'];
const RESULT_VALUES = ['response', 'result', 'output', 'error', 'content'];

/** @param isResult it is known to be one, for example from the role of its message */
export function resultIn(part: JsonObject, isResult = false): ToolResult | undefined {
  const kind = kindOf(part);
  const wrapper = kind === '' && !isResult ? objectAt(part, RESULT_WRAPPERS) : undefined;
  if (wrapper !== undefined) return ofGemini(wrapper) ?? resultIn(wrapper, true);
  if (!isResult && !RESULTS.has(kind)) return undefined;
  // Pydantic AI words its request to try again as a user's message if no tool is to blame.
  if (kind === 'retry-prompt' && textAt(part, NAMES) === undefined) return undefined;
  const value = valueAt(part, RESULT_VALUES);
  if (value === undefined) return undefined;
  const name = textAt(part, NAMES);
  return { id: textAt(part, IDS), name, ...resultValue(value, saysError(part, kind)) };
}

/** Gemini wants an object: a function's result is under `output` or `result`, its error under `error`. */
function ofGemini({ response, ...wrapper }: JsonObject): ToolResult | undefined {
  if (!isJsonObject(response) || Object.keys(response).length !== 1) return undefined;
  const value = valueAt(response, ['output', 'result', 'error']);
  if (value === undefined) return undefined;
  const isError = 'error' in response;
  return { id: textAt(wrapper, IDS), name: textAt(wrapper, NAMES), value, isError };
}

function saysError(part: JsonObject, kind: string): boolean {
  return (
    part.is_error === true ||
    part.isError === true ||
    part.status === 'error' ||
    kind === 'tool-error' ||
    kind === 'retry-prompt' ||
    (kind.endsWith('_result') && isJsonObject(part.content) && String(part.content.type).endsWith('_error'))
  );
}

/** Some wrap results once more: `{type: 'json', value}`, `{type: 'text', text}`, lists of parts. */
function resultValue(value: Json, isError: boolean): { value: Json; isError: boolean } {
  if (isJsonObject(value) && typeof value.type === 'string') {
    const type = value.type;
    if (own(value, 'value') !== undefined && OUTPUT_TYPES.has(type)) {
      return { value: collapsed(value.value as Json), isError: isError || type.startsWith('error') };
    }
    if (TEXTS.has(type) && typeof value.text === 'string') return { value: value.text, isError };
  }
  return { value: collapsed(value), isError };
}

const OUTPUT_TYPES = new Set(['json', 'text', 'error-text', 'error-json', 'content', 'execution-denied']);

/** Parts with only text become that text, and a single JSON part its value. */
function collapsed(value: Json): Json {
  if (!Array.isArray(value) || value.length === 0) return value;
  const [first] = value;
  // Bedrock's.
  if (value.length === 1 && isJsonObject(first) && Object.keys(first).length === 1 && first.json !== undefined) {
    return first.json;
  }
  const texts = value.map((part) => (isJsonObject(part) ? partText(part, Object.keys(part).length === 1) : undefined));
  return texts.every((text) => text !== undefined) ? texts.join('\n') : value;
}
