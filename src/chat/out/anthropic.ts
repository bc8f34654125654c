import { type Part, textOf } from '../message.ts';
import {
  callsOf,
  conversationOf,
  dataIn,
  notTaken,
  partsOf,
  type SentMessages,
  type Text,
  textParts,
} from './shared.ts';

/** What Anthropic's Messages API takes. */
export type AnthropicMessage =
  | { role: 'user'; content: string | (AnthropicPart | AnthropicResult)[] }
  | {
      role: 'assistant';
      content: string | (Text | { type: 'tool_use'; id: string; name: string; input: { [key: string]: unknown } })[];
    };
export type AnthropicPart =
  | Text
  | { type: 'image'; source: { type: 'url'; url: string } | AnthropicImage }
  | {
      type: 'document';
      source: { type: 'url'; url: string } | { type: 'base64'; media_type: 'application/pdf'; data: string };
      title?: string;
    };
type AnthropicImage = {
  type: 'base64';
  media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  data: string;
};
export type AnthropicResult = { type: 'tool_result'; tool_use_id: string; content: string; is_error?: boolean };

/** For `messages.create({ system, messages })` of Anthropic. `system` is absent without a system prompt. */
export function toAnthropicMessages(messages: SentMessages): { system?: string; messages: AnthropicMessage[] } {
  const all: AnthropicMessage[] = [];
  const system: string[] = [];
  const say = (parts: (AnthropicPart | AnthropicResult)[]): void => {
    // In the message after calls, results come first, then the user's text.
    const last = all.at(-1);
    if (last?.role === 'user' && Array.isArray(last.content) && last.content[0]?.type === 'tool_result') {
      last.content.push(...parts);
    } else all.push({ role: 'user', content: parts });
  };
  for (const message of conversationOf(messages)) {
    if (message.role === 'system') system.push(textOf(message));
    else if (message.role === 'user') {
      const last = all.at(-1);
      const goesOn = last?.role === 'user' && Array.isArray(last.content);
      if (typeof message.content === 'string' && !goesOn) all.push({ role: 'user', content: message.content });
      else say(partsOf(message.content).map(anthropicPart));
    } else if (message.role === 'tool') {
      const { tool_call_id: tool_use_id, is_error } = message;
      say([{ type: 'tool_result', tool_use_id, content: textOf(message), ...(is_error ? { is_error } : {}) }]);
    } else {
      const calls = callsOf(message).map(
        ({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }) as const,
      );
      const text = textOf(message, '');
      all.push({ role: 'assistant', content: calls.length === 0 ? text : [...textParts(text), ...calls] });
    }
  }
  return { ...(system.length === 0 ? {} : { system: system.join('\n') }), messages: all };
}

function anthropicPart(part: Part): AnthropicPart {
  switch (part.type) {
    case 'text':
      return part;
    case 'image_url': {
      const { url } = part.image_url;
      const found = dataIn(url);
      if (found === undefined) return { type: 'image', source: { type: 'url', url } };
      const media_type = found.mediaType as AnthropicImage['media_type'];
      return { type: 'image', source: { type: 'base64', media_type, data: found.data } };
    }
    case 'file': {
      const { file_data: url = '', filename } = part.file;
      const found = dataIn(url);
      const isOther = found === undefined ? url === '' : found.mediaType !== 'application/pdf';
      if (isOther) throw notTaken('Anthropic', 'a file that is not a PDF');
      const title = filename === undefined ? {} : { title: filename };
      if (found === undefined) return { type: 'document', source: { type: 'url', url }, ...title };
      const source = { type: 'base64', media_type: 'application/pdf', data: found.data } as const;
      return { type: 'document', source, ...title };
    }
    case 'input_audio':
      throw notTaken('Anthropic', 'sound');
  }
}
