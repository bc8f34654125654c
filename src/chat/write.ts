import { isJsonObject, type Json, type JsonObject, present, textOrJson } from '../json/index.ts';
import type { Item } from './items.ts';
import { isChatPart } from './media-part.ts';
import type { AssistantMessage, Message, MessageCall, Part, ToolCall, ToolMessage, ToolResult } from './message.ts';
import type { ReadMessage } from './read.ts';

/** Messages in our one shape. One that already has it is the same object; unknown ones are left out. */
export function written(read: readonly ReadMessage[]): Message[] {
  const messages: Message[] = [];
  for (const message of read) {
    const own = isOfOneShape(message) ? [message.raw as unknown as Message] : writtenOne(message);
    const last = messages.at(-1);
    const [first] = own;
    if (message.isContinued && last?.role === 'assistant' && first?.role === 'assistant') {
      messages[messages.length - 1] = joinedMessages(last, first);
      messages.push(...own.slice(1));
    } else messages.push(...own);
  }
  return messages;
}

function writtenOne(message: ReadMessage): Message[] {
  const messages: Message[] = [];
  let pending: Exclude<Item, { kind: 'result' }>[] = [];
  const flush = (): void => {
    if (pending.length > 0) messages.push(...ofRole(message, pending));
    pending = [];
  };
  for (const item of message.items) {
    if (item.kind === 'result') {
      flush();
      messages.push(...resultMessage(item.result));
    } else if (item.kind !== 'reasoning' && item.kind !== 'unknown') pending.push(item);
  }
  flush();
  return messages;
}

function ofRole({ role, name }: ReadMessage, items: readonly Item[]): Message[] {
  const said = contentOf(items);
  if (role === 'system' || role === 'user') return said === null ? [] : [present({ role, content: said, name })];
  if (role !== 'assistant') return [];
  const calls = items.flatMap((item) => (item.kind === 'call' ? messageCall(item.call) : []));
  if (said === null && calls.length === 0) return [];
  return [present({ role, content: said, tool_calls: calls.length === 0 ? undefined : calls, name })];
}

function contentOf(items: readonly Item[]): string | Part[] | null {
  const parts = items.flatMap((item): Part[] => {
    if (item.kind === 'text') return item.text.trim() === '' ? [] : [{ type: 'text', text: item.text }];
    if (item.kind === 'value') return [{ type: 'text', text: textOrJson(item.value) }];
    return item.kind === 'media' ? [item.part] : [];
  });
  const [first] = parts;
  if (first === undefined) return null;
  return parts.length === 1 && first.type === 'text' ? first.text : parts;
}

/** Whether our one shape can express the whole message. */
function isUnderstood({ role, items }: ReadMessage): boolean {
  return (
    role !== 'other' &&
    items.every((item) => item.kind !== 'unknown' && !(item.kind === 'result' && item.result.id === undefined))
  );
}

/** Messages to send: in our one shape, with unknown ones as recorded, and how many are unknown. */
export function sendable(read: readonly ReadMessage[]): {
  readonly sent: readonly JsonObject[];
  readonly foreign: number;
} {
  const sent: JsonObject[] = [];
  for (let from = 0; from < read.length; ) {
    const at = read.findIndex((message, index) => index >= from && !isUnderstood(message));
    const end = at === -1 ? read.length : at;
    sent.push(...(written(read.slice(from, end)) as unknown as JsonObject[]));
    const foreign = read[at]?.raw;
    if (foreign !== undefined && foreign !== sent.at(-1)) sent.push(foreign);
    from = end + 1;
  }
  return { sent, foreign: foreignIn(read).length };
}

/** The messages of a shape that is not known, as they are sent. */
export function foreignIn(read: readonly ReadMessage[]): JsonObject[] {
  return read.filter((message) => !isUnderstood(message)).map(({ raw }) => raw);
}

function messageCall({ id, name, args }: ToolCall): MessageCall[] {
  if (id === undefined) return [];
  const text = args === undefined ? '{}' : textOrJson(args);
  return [{ id, type: 'function', function: { name, arguments: text } }];
}

function resultMessage({ id, name, value, isError }: ToolResult): ToolMessage[] {
  if (id === undefined) return [];
  const content = isPartList(value) ? value : textOrJson(value);
  return [present({ role: 'tool' as const, tool_call_id: id, name, content, is_error: isError || undefined })];
}

function joinedMessages(first: AssistantMessage, more: AssistantMessage): AssistantMessage {
  const calls = [...(first.tool_calls ?? []), ...(more.tool_calls ?? [])];
  const content = first.content ?? more.content;
  return { ...first, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

const KEYS: Readonly<Record<Message['role'], readonly string[]>> = {
  system: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'tool_calls', 'refusal', 'name'],
  tool: ['role', 'content', 'tool_call_id', 'name', 'is_error'],
};

function isOfOneShape({ raw, role }: ReadMessage): boolean {
  if (role === 'other' || raw.role !== role || !Object.keys(raw).every((key) => KEYS[role].includes(key))) return false;
  const { content, tool_calls: calls } = raw;
  if (role === 'tool' && typeof raw.tool_call_id !== 'string') return false;
  if (calls !== undefined && !(Array.isArray(calls) && calls.length > 0 && calls.every(isMessageCall))) return false;
  if (raw.refusal !== undefined && typeof raw.refusal !== 'string') return false;
  return typeof content === 'string' || (content === null && role === 'assistant') || isPartList(content);
}

function isPartList(content: Json | undefined): content is Json[] & Part[] {
  return Array.isArray(content) && content.length > 0 && content.every(isChatPart);
}

function isMessageCall(call: Json): boolean {
  return (
    isJsonObject(call) &&
    call.type === 'function' &&
    typeof call.id === 'string' &&
    isJsonObject(call.function) &&
    typeof call.function.name === 'string' &&
    typeof call.function.arguments === 'string'
  );
}

/** A model's text beside separately listed calls, joined as the platform's own server does. */
export function saidWithCalls(content: Json, calls: Json): JsonObject {
  return { role: 'assistant', content, tool_calls: calls };
}

/** An answer as a message of the shape that a conversation has: `content` as text, or parts. */
export function answerLike(output: Json, conversation: readonly JsonObject[]): JsonObject {
  if (isJsonObject(output) && typeof output.role === 'string') return output;
  const text = textOrJson(output);
  const like = conversation.findLast(({ parts }) => Array.isArray(parts));
  const part = ((like?.parts ?? []) as Json[]).find((each) => isJsonObject(each) && each.type === 'text');
  if (!isJsonObject(part)) return { role: 'assistant', content: text };
  return { role: 'assistant', parts: [{ type: 'text', [Object.hasOwn(part, 'text') ? 'text' : 'content']: text }] };
}
