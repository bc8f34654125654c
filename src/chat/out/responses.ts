import { type Message, type Part, textOf } from '../message.ts';
import { contentAs, conversationOf, notTaken, type SentMessages } from './shared.ts';

/** What OpenAI's Responses API takes as `input`. */
export type ResponsesItem =
  | { role: 'system' | 'assistant'; content: string }
  | { role: 'user'; content: string | ResponsesPart[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string };
export type ResponsesPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; file_data?: string; file_id?: string; filename?: string };

/** For `responses.create({ input })` of OpenAI. Without ids of items, because the API would look them up. */
export function toResponsesInput(messages: SentMessages): ResponsesItem[] {
  return conversationOf(messages).flatMap(itemsOf);
}

function itemsOf(message: Message): ResponsesItem[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textOf(message) }];
    case 'user':
      return [{ role: 'user', content: contentAs(message.content, responsesPart) }];
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(
        (call): ResponsesItem => ({ type: 'function_call', call_id: call.id, ...call.function }),
      );
      const text = textOf(message, '');
      return text === '' ? calls : [{ role: 'assistant', content: text }, ...calls];
    }
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.tool_call_id, output: textOf(message) }];
  }
}

function responsesPart(part: Part): ResponsesPart {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url':
      return { type: 'input_image', image_url: part.image_url.url, detail: 'auto' };
    case 'file':
      return { type: 'input_file', ...part.file };
    case 'input_audio':
      throw notTaken("OpenAI's Responses API", 'sound');
  }
}
