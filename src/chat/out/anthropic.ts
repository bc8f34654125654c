import type { Part } from '../message.ts';
import { converted, dataIn, notTaken, partsOf, type SentMessages, type Text, textAndCalls } from './shared.ts';

export type AnthropicMessage =
  | { role: 'user'; content: string | (AnthropicPart | AnthropicResult)[] }
  | {
      role: 'assistant';
      content: string | (Text | { type: 'tool_use'; id: string; name: string; input: { [key: string]: unknown } })[];
    };
type AnthropicPart =
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
type AnthropicResult = { type: 'tool_result'; tool_use_id: string; content: string; is_error?: boolean };

/** For `messages.create({ system, messages })` of Anthropic. `system` is absent without a system prompt. */
export function toAnthropicMessages(messages: SentMessages): { system?: string; messages: AnthropicMessage[] } {
  const system: string[] = [];
  /** In the message after calls, results come first, then the user's text. */
  const asked = (
    parts: (AnthropicPart | AnthropicResult)[],
    last: AnthropicMessage | undefined,
  ): AnthropicMessage | [] => {
    const goesOn = last?.role === 'user' && Array.isArray(last.content) && last.content[0]?.type === 'tool_result';
    if (!goesOn) return { role: 'user', content: parts };
    (last.content as typeof parts).push(...parts);
    return [];
  };
  const all = converted<AnthropicMessage>(messages, {
    system: (text) => {
      system.push(text);
      return [];
    },
    user: (content, last) => {
      const goesOn = last?.role === 'user' && Array.isArray(last.content);
      if (typeof content === 'string' && !goesOn) return { role: 'user', content };
      return asked(partsOf(content).map(anthropicPart), last);
    },
    assistant: (text, calls) => ({
      role: 'assistant',
      content: textAndCalls(text, calls, ({ id, name, args }) => ({
        type: 'tool_use' as const,
        id,
        name,
        input: args,
      })),
    }),
    result: ({ id, text, isError }, last) =>
      asked([{ type: 'tool_result', tool_use_id: id, content: text, ...(isError && { is_error: true }) }], last),
  });
  return { ...(system.length > 0 && { system: system.join('\n') }), messages: all };
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
