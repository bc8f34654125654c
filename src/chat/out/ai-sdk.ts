import { present, spelledOut } from '../../json/index.ts';
import type { Part } from '../message.ts';
import { contentAs, converted, fileOf, type SentMessages, type SentResult, type Text, textAndCalls } from './shared.ts';

/** What the AI SDK (5 to 7) takes as `messages`. */
export type AiSdkMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | AiSdkPart[] }
  | {
      role: 'assistant';
      content: string | (Text | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown })[];
    }
  | { role: 'tool'; content: AiSdkResult[] };

type AiSdkPart =
  | Text
  | { type: 'image'; image: string }
  | { type: 'file'; data: string; mediaType: string; filename?: string };
type AiSdkResult = {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text'; value: string } | { type: 'error-text'; value: string } | { type: 'json'; value: AiSdkJson };
};
type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson | undefined };

/** For `generateText({ messages })` and its like of the AI SDK. */
export function toModelMessages(messages: SentMessages): AiSdkMessage[] {
  return converted<AiSdkMessage>(messages, {
    system: (content) => ({ role: 'system', content }),
    user: (content) => ({ role: 'user', content: contentAs(content, aiSdkPart) }),
    assistant: (text, calls) => ({
      role: 'assistant',
      content: textAndCalls(text, calls, ({ id, name, args }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: args,
      })),
    }),
    result: (result, last) => {
      if (last?.role !== 'tool') return { role: 'tool', content: [aiSdkResult(result)] };
      last.content.push(aiSdkResult(result));
      return [];
    },
  });
}

function aiSdkPart(part: Part): AiSdkPart {
  switch (part.type) {
    case 'text':
      return part;
    case 'image_url':
      return { type: 'image', image: part.image_url.url };
    case 'input_audio':
      return { type: 'file', data: part.input_audio.data, mediaType: `audio/${part.input_audio.format}` };
    case 'file': {
      const { filename } = part.file;
      const { mediaType, data } = fileOf(part, 'the AI SDK');
      return present({ type: 'file' as const, data, mediaType, filename });
    }
  }
}

function aiSdkResult({ id, name = '', text, isError }: SentResult): AiSdkResult {
  const value = spelledOut(text);
  const output: AiSdkResult['output'] = isError
    ? { type: 'error-text', value: text }
    : typeof value === 'string'
      ? { type: 'text', value }
      : { type: 'json', value: value as AiSdkJson };
  return { type: 'tool-result', toolCallId: id, toolName: name, output };
}
