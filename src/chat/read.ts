import { asText, isJsonObject, type Json, type JsonObject, own, spelledOut } from '../json/index.ts';
import { callIn, callItems, callsIn, type Item, itemsIn, partItems, resultIn } from './items.ts';
import type { ToolCall } from './message.ts';
import { objectAt, textAt } from './names.ts';

/** `other`: an unknown role, which may be a tool's name, as one handler writes it. */
type Role = 'system' | 'user' | 'assistant' | 'tool' | 'other';

/** One recorded message, parsed. */
export interface ReadMessage {
  readonly role: Role;
  readonly raw: JsonObject;
  readonly items: readonly Item[];
  readonly name: string | undefined;
  /** It continues the assistant's message before it, as items of the Responses API do. */
  readonly isContinued: boolean;
}

const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** LangChain's classes (`HumanMessage`, `AIMessageChunk`), and the short names under which it stores them. */
const CLASS =
  /^(?:(Human|AI|System|Tool|Function|Chat)Message(?:Chunk)?|(human|ai|system|tool|function|chat|generic))$/;

/** Parses a message; several if one record contains several roles; undefined if it is not a message. */
export function readMessage(value: Json): ReadMessage[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const given = unwrapped(value);
  // A platform keeps an event's attribute as text.
  const message = spelledOut(given.message);
  if (given.role === undefined && isJsonObject(message))
    return readMessage(message)?.map((read) => ({ ...read, raw: value }));
  if (typeof given.kind === 'string' && Array.isArray(given.parts)) return pydantic(given, value);
  const role = textAt(given, ['role']);
  if (role !== undefined) {
    const known = ROLES.get(role.toLowerCase());
    if (known === undefined && !BODIES.some((key) => key in given)) return undefined;
    const name = known === undefined ? role : textAt(given, ['name']);
    const items = known === 'tool' ? toolItems(given) : bodyItems(given);
    return [{ role: known ?? 'other', raw: value, items, name, isContinued: false }];
  }
  const item = partItems(given, { untyped: false });
  const [first] = item ?? [];
  if (item === undefined || first === undefined || !ITEMS.has(first.kind)) return undefined;
  const isResult = item.every(({ kind }) => kind === 'result');
  return [{ role: isResult ? 'tool' : 'assistant', raw: value, items: item, name: undefined, isContinued: !isResult }];
}

/** Entries without a role among messages: items of the Responses API. */
const ITEMS: ReadonlySet<Item['kind']> = new Set(['call', 'result', 'reasoning']);

/** Unwraps a LangChain message: a constructor with arguments, or a type beside the data. */
function unwrapped(value: JsonObject): JsonObject {
  if (own(value, 'lc') !== undefined && isJsonObject(value.kwargs)) {
    const id = Array.isArray(value.id) ? value.id.at(-1) : undefined;
    return ofClass(id, value.kwargs);
  }
  if (value.role !== undefined || typeof value.type !== 'string') return value;
  if (isJsonObject(value.data) && CLASS.test(value.type)) return ofClass(value.type, value.data);
  return 'content' in value ? ofClass(value.type, value) : value;
}

function ofClass(name: Json | undefined, message: JsonObject): JsonObject {
  const [, long, short = long] = CLASS.exec(asText(name)) ?? [];
  const role = short?.toLowerCase() ?? '';
  return ROLES.has(role) ? { ...message, role } : message;
}

const BODIES = ['content', 'parts', 'tool_calls', 'toolCalls', 'function_call', 'refusal'];

const CALL_LISTS = ['tool_calls', 'toolCalls', 'invalid_tool_calls'];
const REASONING_KEYS = ['reasoning_content', 'reasoning', 'thinking'];

/** All parts of a message in order; a call that appears twice counts once. */
export function bodyItems(message: JsonObject): Item[] {
  const reasoning = textAt(message, REASONING_KEYS);
  const items: Item[] = reasoning === undefined ? [] : [{ kind: 'reasoning', text: reasoning }];
  const parts = Array.isArray(message.parts) && message.parts.length > 0 ? message.parts : contentOf(message);
  items.push(...itemsIn(parts));
  const refusal = textAt(message, ['refusal']);
  if (refusal !== undefined) items.push({ kind: 'text', text: refusal });
  const told = new Set(callsIn(items).map(({ id }) => id));
  for (const call of listedCalls(message)) {
    if (call.id !== undefined && told.has(call.id)) continue;
    told.add(call.id);
    items.push(...callItems(call));
  }
  return items;
}

/** Gemini nests a message's parts one level deeper, OpenInference under its own key. */
function contentOf({ content = null, contents }: JsonObject): Json | undefined {
  if (content === null && Array.isArray(contents)) return contents;
  return isJsonObject(content) && Array.isArray(content.parts) ? content.parts : content;
}

function listedCalls(message: JsonObject): ToolCall[] {
  const lists = CALL_LISTS.flatMap((key) => {
    const list = spelledOut(own(message, key));
    return Array.isArray(list) ? list : [];
  });
  const invocations = Array.isArray(message.parts) ? [] : uiInvocations(message);
  const calls = [...lists, ...invocations].flatMap((each) => (isJsonObject(each) ? (callIn(each, true) ?? []) : []));
  if (calls.length > 0) return calls;
  const legacy = objectAt(message, ['function_call']);
  const call = legacy === undefined ? undefined : callIn(legacy, true);
  if (call !== undefined) return [call];
  const more = objectAt(message, ['additional_kwargs']);
  return more === undefined ? [] : listedCalls(more);
}

/** The AI SDK 4's UI messages. */
function uiInvocations({ toolInvocations }: JsonObject): Json[] {
  if (!Array.isArray(toolInvocations)) return [];
  return toolInvocations.map((each) => ({ type: 'tool-invocation', toolInvocation: each }));
}

/** A tool's message has results as parts, or is a result itself. */
function toolItems(message: JsonObject): Item[] {
  const parts = Array.isArray(message.parts) ? message.parts : message.content;
  const items = itemsIn(Array.isArray(parts) || isJsonObject(parts) ? parts : undefined);
  if (items.some(({ kind }) => kind === 'result')) return items;
  const result = resultIn(Array.isArray(message.parts) ? { ...message, content: message.parts } : message, true);
  return result === undefined ? items : [{ kind: 'result', result }];
}

/** Pydantic AI: one record contains everything that system, user and tools say before the model answers. */
function pydantic({ kind, parts }: JsonObject, raw: JsonObject): ReadMessage[] {
  const messages: ReadMessage[] = [];
  for (const part of Array.isArray(parts) ? parts : []) {
    const items =
      isJsonObject(part) && Array.isArray(part.content) && part.part_kind === 'user-prompt'
        ? itemsIn(part.content)
        : (partItems(part) ?? [{ kind: 'unknown' as const, value: part }]);
    const role = kind === 'response' ? 'assistant' : pydanticRole(part);
    const last = messages.at(-1);
    if (last?.role === role) messages[messages.length - 1] = { ...last, items: [...last.items, ...items] };
    else messages.push({ role, raw, items, name: undefined, isContinued: false });
  }
  return messages;
}

function pydanticRole(part: Json): Role {
  const kind = isJsonObject(part) ? asText(part.part_kind) : '';
  if (kind === 'system-prompt' || kind === 'instructions') return 'system';
  const isOfTool = kind === 'tool-return' || (kind === 'retry-prompt' && isJsonObject(part) && 'tool_name' in part);
  return isOfTool ? 'tool' : 'user';
}
