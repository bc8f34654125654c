import { type Message, type Part, textOf } from '../message.ts';
import { callsOf, conversationOf, type SentMessages } from './shared.ts';

/** What LangChain and LangGraph make messages of. */
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
  return conversationOf(messages).map(langChainMessage);
}

function langChainMessage(message: Message): LangChainMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: textOf(message) };
    case 'user':
      return { role: 'user', content: message.content };
    case 'assistant': {
      const calls = callsOf(message).map(({ id, name, args }) => ({ type: 'tool_call', id, name, args }) as const);
      return {
        role: 'assistant',
        content: textOf(message, ''),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      };
    }
    case 'tool': {
      const { tool_call_id, name } = message;
      return {
        role: 'tool',
        content: textOf(message),
        tool_call_id,
        ...(name === undefined ? {} : { name }),
        ...(message.is_error ? { status: 'error' } : {}),
      };
    }
  }
}
