import type { Part } from '../message.ts';
import { converted, type SentMessages } from './shared.ts';

export type LangChainMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | Part[] }
  | {
      role: 'assistant';
      content: string;
      tool_calls?: { type: 'tool_call'; id: string; name: string; args: { [key: string]: unknown } }[];
    }
  | { role: 'tool'; content: string; tool_call_id: string; name?: string; status?: 'error' };

/** For `invoke({ messages })` of LangChain and LangGraph, which convert these to their own messages. */
export function toLangChainMessages(messages: SentMessages): LangChainMessage[] {
  return converted<LangChainMessage>(messages, {
    system: (content) => ({ role: 'system', content }),
    user: (content) => ({ role: 'user', content }),
    assistant: (content, calls) => ({
      role: 'assistant',
      content,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, args }) => ({ type: 'tool_call', id, name, args })),
      }),
    }),
    result: ({ id: tool_call_id, name, text: content, isError }) => ({
      role: 'tool',
      content,
      tool_call_id,
      ...(name !== undefined && { name }),
      ...(isError && { status: 'error' }),
    }),
  });
}
