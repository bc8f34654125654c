import type { ChatRequest } from './protocol.ts';

/** What a tool said to a call. A result that is no JSON is an error message: that is how clients report a failed tool. */
export interface ToolResult {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly thisTurn: boolean;
}

/** A request as the policy reads it: what was asked, what was said before, what the tools have answered so far. */
export interface Conversation {
  readonly system: string;
  readonly tools: ReadonlySet<string>;
  /** The user's last message, and those before it, newest first. */
  readonly question: string;
  readonly earlierQuestions: readonly string[];
  readonly results: readonly ToolResult[];
}

/** Reads a chat-completions request. */
export function readConversation({ messages, tools, tool_choice }: ChatRequest): Conversation {
  const questions = messages.filter((message) => message.role === 'user').map((message) => text(message.content));
  const turnStart = messages.findLastIndex((message) => message.role === 'user');
  return {
    system: messages
      .filter((message) => message.role === 'system' || message.role === 'developer')
      .map((message) => text(message.content))
      .join('\n'),
    tools: new Set(tool_choice === 'none' ? [] : tools.map((tool) => tool.function.name)),
    question: questions.at(-1) ?? '',
    earlierQuestions: questions.slice(0, -1).reverse(),
    results: messages.flatMap((message, index) => {
      if (message.role !== 'tool') return [];
      const call = messages
        .slice(0, index)
        .flatMap((earlier) => earlier.tool_calls ?? [])
        .findLast(({ id }) => id === message.tool_call_id);
      if (call === undefined) return [];
      const args = parse(call.function.arguments);
      const value = parse(text(message.content));
      return {
        tool: call.function.name,
        args: isObject(args) ? args : {},
        value,
        error: value === undefined ? text(message.content) : undefined,
        thisTurn: index > turnStart,
      };
    }),
  };
}

function text(content: ChatRequest['messages'][number]['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

/** Undefined for what is no JSON. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
