import { isJsonObject, type Json, type JsonObject, spelledOut, unquoted } from '../json/index.ts';
import { partItems, resultIn } from './items.ts';
import type { ToolResult } from './message.ts';
import { CALL_ID_NAMES, textAt } from './names.ts';
import { readMessage } from './read.ts';

/**
 * A tool's result as recorded in its observation: frameworks record the message they made of it, and MCP wraps it into
 * parts. Tracing also writes a text as JSON, in quotes, which the tool did not return. Anything else is the value itself.
 */
export function outcomeIn(output: Json | undefined): Json | undefined {
  const spelled = spelledOut(output);
  const value = messageOfTool(spelled)?.value ?? ofMcp(spelled) ?? spelled;
  return spelledOut(unquoted(value));
}

/** The id of a call, from metadata or from the result. */
export function callIdIn(value: Json | undefined): string | undefined {
  const own = isJsonObject(value) ? textAt(value, CALL_ID_NAMES) : undefined;
  return own ?? messageOfTool(value)?.id;
}

function messageOfTool(value: Json | undefined): ToolResult | undefined {
  if (Array.isArray(value)) return value.length === 1 ? messageOfTool(value[0]) : undefined;
  if (!isJsonObject(value)) return undefined;
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === 'output') return messageOfTool(value.output);
  const messages = readMessage(value);
  const [item] = messages?.[0]?.items ?? [];
  if (messages?.length !== 1 || messages[0]?.role !== 'tool' || messages[0].items.length !== 1) return undefined;
  return item?.kind === 'result' ? item.result : undefined;
}

const MCP_KEYS = new Set(['content', 'isError', 'structuredContent', '_meta']);

function ofMcp(value: Json | undefined): Json | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.content)) return undefined;
  if (!Object.keys(value).every((key) => MCP_KEYS.has(key))) return undefined;
  if (value.structuredContent !== undefined) return value.structuredContent;
  if (!value.content.every(isText)) return undefined;
  return resultIn({ content: value.content }, true)?.value;
}

function isText(part: Json): part is JsonObject {
  return partItems(part, { untyped: false })?.[0]?.kind === 'text';
}
