import { spelledOut } from '../../json/index.ts';
import { type Part, type ToolMessage, textOf } from '../message.ts';
import { callsOf, contentAs, conversationOf, fileOf, type SentMessages, type Text, textParts } from './shared.ts';

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
export type AiSdkResult = {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text'; value: string } | { type: 'error-text'; value: string } | { type: 'json'; value: AiSdkJson };
};
export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson | undefined };

/** For `generateText({ messages })` and its like of the AI SDK. */
export function toModelMessages(messages: SentMessages): AiSdkMessage[] {
  const all: AiSdkMessage[] = [];
  for (const message of conversationOf(messages)) {
    switch (message.role) {
      case 'system':
        all.push({ role: 'system', content: textOf(message) });
        break;
      case 'user':
        all.push({ role: 'user', content: contentAs(message.content, aiSdkPart) });
        break;
      case 'assistant': {
        const calls = callsOf(message).map(
          ({ id, name, args }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: args }) as const,
        );
        const text = textOf(message, '');
        all.push({ role: 'assistant', content: calls.length === 0 ? text : [...textParts(text), ...calls] });
        break;
      }
      case 'tool': {
        const last = all.at(-1);
        const result = aiSdkResult(message);
        if (last?.role === 'tool') last.content.push(result);
        else all.push({ role: 'tool', content: [result] });
      }
    }
  }
  return all;
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
      return { type: 'file', data, mediaType, ...(filename === undefined ? {} : { filename }) };
    }
  }
}

function aiSdkResult(message: ToolMessage): AiSdkResult {
  const text = textOf(message);
  const value = spelledOut(text);
  const output: AiSdkResult['output'] = message.is_error
    ? { type: 'error-text', value: text }
    : typeof value === 'string'
      ? { type: 'text', value }
      : { type: 'json', value: value as AiSdkJson };
  return { type: 'tool-result', toolCallId: message.tool_call_id, toolName: message.name ?? '', output };
}
