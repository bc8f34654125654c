import type { AssistantModelMessage, JSONValue, ModelMessage, ToolResultPart } from 'ai';
import { z } from 'zod';

const jsonValue = z.json() as z.ZodType<JSONValue>;

/** A part of a message as traces hold it (OpenTelemetry GenAI). */
const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), content: z.string() }),
  z.object({ type: z.literal('tool_call'), id: z.string(), name: z.string(), arguments: jsonValue }),
  z.object({ type: z.literal('tool_call_response'), id: z.string(), response: jsonValue }),
]);
type Part = z.infer<typeof part>;

const role = z.enum(['system', 'developer', 'user', 'assistant', 'tool']);

/** The chat-completions shape, brought into parts. */
const chatMessage = z
  .object({
    role,
    content: z.string().nullish(),
    tool_calls: z
      .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
      .default([]),
    tool_call_id: z.string().optional(),
  })
  .transform(({ role, content, tool_calls, tool_call_id }) => {
    const parts: Part[] = [];
    if (tool_call_id !== undefined) {
      parts.push({ type: 'tool_call_response', id: tool_call_id, response: parsed(content ?? '') });
    } else if (content) {
      parts.push({ type: 'text', content });
    }
    for (const { id, function: call } of tool_calls) {
      parts.push({ type: 'tool_call', id, name: call.name, arguments: parsed(call.arguments) });
    }
    return { role, parts };
  });

/** A message of a recorded conversation: as a trace of this agent holds it, or as OpenAI's chat protocol does. */
export const recordedMessage = z.union([z.object({ role, parts: z.array(part) }), chatMessage]);
export type RecordedMessage = z.infer<typeof recordedMessage>;

/** Recorded messages as the AI SDK takes them, without system messages. */
export function toModelMessages(messages: readonly RecordedMessage[]): ModelMessage[] {
  const calls = messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool_call');
  const toolNames = new Map(calls.map(({ id, name }) => [id, name]));
  return messages.flatMap((message) => toModelMessage(message, toolNames));
}

function toModelMessage({ role, parts }: RecordedMessage, toolNames: ReadonlyMap<string, string>): ModelMessage[] {
  switch (role) {
    case 'system':
    case 'developer':
      return [];
    case 'user':
      return [{ role, content: parts.map((part) => (part.type === 'text' ? part.content : '')).join('') }];
    case 'assistant':
      return [{ role, content: parts.flatMap(assistantPart) }];
    case 'tool':
      return [{ role, content: parts.flatMap((part) => toolResult(part, toolNames)) }];
  }
}

type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number];

function assistantPart(part: Part): AssistantPart[] {
  if (part.type === 'text') return [{ type: 'text', text: part.content }];
  if (part.type !== 'tool_call') return [];
  return [{ type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.arguments }];
}

function toolResult(part: Part, toolNames: ReadonlyMap<string, string>): ToolResultPart[] {
  if (part.type !== 'tool_call_response') return [];
  const { id, response } = part;
  const output =
    typeof response === 'string'
      ? { type: 'text' as const, value: response }
      : { type: 'json' as const, value: response };
  return [{ type: 'tool-result', toolCallId: id, toolName: toolNames.get(id) ?? 'unknown', output }];
}

/** JSON where it is JSON, otherwise the text itself. */
function parsed(text: string): JSONValue {
  try {
    return JSON.parse(text) as JSONValue;
  } catch {
    return text;
  }
}
