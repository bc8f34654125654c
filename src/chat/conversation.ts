import { isJsonObject, type Json, type JsonObject, own } from '../json/index.ts';
import type { Item } from './items.ts';
import type { ToolCall, ToolResult } from './message.ts';
import { textAt } from './names.ts';
import { type ReadMessage, readMessage } from './read.ts';

/** The conversation in a value: its messages, and what providers put beside them. */
export interface Found {
  readonly messages: readonly ReadMessage[];
  /** System prompts and tool definitions beside the messages, as recorded. */
  readonly system: readonly Json[];
  readonly tools: readonly Json[];
}

/** Where the input of a model or an agent contains messages; deeper ones are searched for below these. */
const MESSAGES = [
  'messages',
  'contents',
  'items',
  'input',
  'prompt',
  'inputs',
  'request',
  'llm_request',
  'body',
  'kwargs',
  'args',
];
const SYSTEMS = ['system', 'instructions', 'systemInstruction', 'system_instruction', 'systemPrompt', 'system_prompt'];
const TOOLS = ['tools', 'functions', 'toolConfig', 'tool_config'];
const SETTINGS = ['config', 'options'];
/** Wrappers of messages (a function's arguments, a request's body) are rarely deeper. */
export const MAX_WRAPPING = 4;

/** The conversation in a recorded value, with calls and results paired; undefined if there is none. */
export function conversationIn(value: Json | undefined): Found | undefined {
  const found = find(value, 0);
  return found && { ...found, messages: paired(found.messages) };
}

function find(value: Json | undefined, depth: number): Found | undefined {
  if (depth > MAX_WRAPPING || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const messages = listed(value);
    if (messages !== undefined) return { messages, system: [], tools: [] };
    // LangChain gives each of a batch its own list.
    return value.length === 1 && typeof value[0] === 'object' ? find(value[0], depth + 1) : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  for (const key of MESSAGES) {
    const found = find(own(value, key), depth + 1);
    if (found !== undefined) return withExtras(found, value);
  }
  const asked = askedInText(value);
  if (asked !== undefined) return withExtras({ messages: [asked], system: [], tools: [] }, value);
  const single = readMessage(value);
  return single?.some(({ role }) => role !== 'other') ? { messages: single, system: [], tools: [] } : undefined;
}

/** A list contains messages if all items are objects and one of them has a known role. */
function listed(list: readonly Json[]): ReadMessage[] | undefined {
  if (list.length === 0 || !list.every(isJsonObject)) return undefined;
  const read = list.map((each) => readMessage(each));
  if (!read.some((messages) => messages?.some(({ role, isContinued }) => role !== 'other' && !isContinued))) {
    return undefined;
  }
  return read.flatMap((messages, index) => messages ?? [notUnderstood(list[index] as JsonObject)]);
}

function notUnderstood(raw: JsonObject): ReadMessage {
  return { role: 'other', raw, items: [{ kind: 'unknown', value: raw }], name: undefined, isContinued: false };
}

/** A request with a single text beside instructions, as the Responses API allows. */
function askedInText(value: JsonObject): ReadMessage | undefined {
  const text = textAt(value, ['input', 'prompt']);
  if (text === undefined || !SYSTEMS.some((key) => own(value, key) !== undefined)) return undefined;
  const raw = { role: 'user', content: text };
  return { role: 'user', raw, items: [{ kind: 'text', text }], name: undefined, isContinued: false };
}

function withExtras(found: Found, value: JsonObject): Found {
  const places = [value, ...SETTINGS.map((key) => own(value, key)).filter(isJsonObject)];
  const at = (keys: readonly string[]) =>
    places.flatMap((place) => keys.map((key) => own(place, key))).filter((each) => each !== undefined && each !== null);
  const [system, tools] = [at(SYSTEMS), at(TOOLS)] as [Json[], Json[]];
  return { messages: found.messages, system: [...system, ...found.system], tools: [...tools, ...found.tools] };
}

/** The messages of a request, parsed. Messages of unknown shape are included, marked as not understood. */
export function requestMessages(messages: readonly JsonObject[]): ReadMessage[] {
  return paired(messages.flatMap((each) => readMessage(each) ?? [notUnderstood(each)]));
}

/**
 * Gives each call and its result the same id if senders left it out (Gemini), and finds messages of unknown roles that come
 * from a tool. The ids count the calls of the conversation, so they are the same in a longer one.
 */
function paired(messages: readonly ReadMessage[]): ReadMessage[] {
  let calls = 0;
  const open: { id: string; name: string }[] = [];
  const named = (call: ToolCall): ToolCall => {
    calls++;
    const id = call.id ?? madeUpId(calls);
    open.push({ id, name: call.name });
    return call.id === undefined ? { ...call, id } : call;
  };
  const answered = (result: ToolResult): ToolResult => {
    const at = open.findIndex(({ id, name }) =>
      result.id === undefined ? result.name === undefined || name === result.name : id === result.id,
    );
    const [call] = at === -1 ? [] : open.splice(at, 1);
    if (call === undefined || (result.id !== undefined && result.name !== undefined)) return result;
    return { ...result, id: call.id, name: result.name ?? call.name };
  };
  return messages.map((message): ReadMessage => {
    const isOfTool = message.role === 'other' && open.some(({ name }) => name === message.name);
    const read = isOfTool ? ofTool(message) : message;
    if (!read.items.some(({ kind }) => kind === 'call' || kind === 'result')) return read;
    const items = read.items.map((item): Item => {
      if (item.kind === 'call') return { kind: 'call', call: named(item.call) };
      return item.kind === 'result' ? { kind: 'result', result: answered(item.result) } : item;
    });
    return { ...read, items };
  });
}

/** The id of the n-th call of its conversation, from 1. */
export function madeUpId(number: number): string {
  return `call_${number}`;
}

/** Langfuse's handler for LangChain writes the tool's name as the role of its message. */
function ofTool(message: ReadMessage): ReadMessage {
  const { raw, name } = message;
  const value = own(raw, 'content') ?? null;
  const result: ToolResult = { id: textAt(raw, ['tool_call_id']), name, value, isError: raw.status === 'error' };
  return { ...message, role: 'tool', items: [{ kind: 'result', result }] };
}
