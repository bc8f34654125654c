import { isJsonObject, type Json, own } from '../json/index.ts';
import { conversationIn, MAX_WRAPPING } from './conversation.ts';
import { partItems } from './items.ts';
import { textOf } from './message.ts';
import type { ReadMessage } from './read.ts';
import { written } from './write.ts';

/** Keys under which applications put the user's message, most specific first. */
const USER_KEYS = [
  'input',
  'message',
  'question',
  'prompt',
  'query',
  'text',
  'content',
  'userMessage',
  'user_message',
  'userInput',
  'user_input',
  'messages',
  'args',
  'body',
] as const;

/** The user's text in an application's input; of a conversation the last user message; undefined if there is none. */
export function userTextIn(value: Json | undefined, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth > MAX_WRAPPING) return undefined;
  if (Array.isArray(value)) {
    const conversation = conversationIn(value);
    if (conversation !== undefined) return lastUserText(conversation.messages);
    const texts = value.flatMap((part) => partItems(part, { untyped: false }) ?? []);
    const said = texts.flatMap((item) => (item.kind === 'text' ? [item.text] : []));
    if (said.length > 0) return said.join('\n');
    return value.length === 1 ? userTextIn(value[0], depth + 1) : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  for (const key of USER_KEYS) {
    const text = userTextIn(own(value, key), depth + 1);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Text of the last user message with text, its parts joined as SDKs do. */
export function lastUserText(messages: readonly ReadMessage[]): string | undefined {
  return written(messages)
    .filter(({ role }) => role === 'user')
    .map((message) => textOf(message, ''))
    .findLast((text) => text.trim() !== '');
}
