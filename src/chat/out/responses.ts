import type { Part } from '../message.ts';
import { contentAs, converted, notTaken, type SentMessages, unlessEmpty } from './shared.ts';

/** What OpenAI's Responses API takes as `input`. */
export type ResponsesItem =
  | { role: 'system' | 'assistant'; content: string }
  | { role: 'user'; content: string | ResponsesPart[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string };
type ResponsesPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; file_data?: string; file_id?: string; filename?: string };

/** For `responses.create({ input })` of OpenAI. Without ids of items, because the API would look them up. */
export function toResponsesInput(messages: SentMessages): ResponsesItem[] {
  return converted<ResponsesItem>(messages, {
    system: (content) => ({ role: 'system', content }),
    user: (content) => ({ role: 'user', content: contentAs(content, responsesPart) }),
    assistant: (content, calls) => [
      ...unlessEmpty<ResponsesItem>(content, { role: 'assistant', content }),
      ...calls.map(
        ({ id, name, json }): ResponsesItem => ({ type: 'function_call', call_id: id, name, arguments: json }),
      ),
    ],
    result: ({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }),
  });
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
