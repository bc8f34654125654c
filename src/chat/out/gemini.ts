import { spelledOut } from '../../json/index.ts';
import type { Part } from '../message.ts';
import { converted, dataIn, fileOf, partsOf, type SentMessages, type SentResult, unlessEmpty } from './shared.ts';

export type GeminiContent = { role: 'user' | 'model'; parts: GeminiPart[] };
type GeminiPart =
  | { text: string }
  | { inlineData: { mimeType: string; data: string } }
  | { fileData: { mimeType: string; fileUri: string } }
  | { functionCall: { id: string; name: string; args: { [key: string]: unknown } } }
  | GeminiResponse;
type GeminiResponse = {
  functionResponse: { id: string; name: string; response: { [key: string]: unknown } };
};

/** For `generateContent({ contents, config: { systemInstruction } })` of Gemini. */
export function toGeminiContents(messages: SentMessages): { systemInstruction?: string; contents: GeminiContent[] } {
  const system: string[] = [];
  const contents = converted<GeminiContent>(messages, {
    system: (text) => {
      system.push(text);
      return [];
    },
    user: (content) => ({ role: 'user', parts: partsOf(content).map(geminiPart) }),
    assistant: (text, calls) => ({
      role: 'model',
      parts: [
        ...unlessEmpty<GeminiPart>(text, { text }),
        ...calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
      ],
    }),
    result: (result, last) => {
      const part = geminiResponse(result);
      // One message answers all parallel calls.
      if (!last?.parts.every((each) => 'functionResponse' in each)) return { role: 'user', parts: [part] };
      last.parts.push(part);
      return [];
    },
  });
  return { ...(system.length > 0 && { systemInstruction: system.join('\n') }), contents };
}

function geminiPart(part: Part): GeminiPart {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'input_audio':
      return { inlineData: { mimeType: `audio/${part.input_audio.format}`, data: part.input_audio.data } };
    case 'image_url': {
      const { url } = part.image_url;
      const found = dataIn(url);
      if (found === undefined) return { fileData: { mimeType: 'image/*', fileUri: url } };
      return { inlineData: { mimeType: found.mediaType, data: found.data } };
    }
    case 'file': {
      const { mediaType, data } = fileOf(part, 'Gemini');
      const isAddress = dataIn(part.file.file_data ?? '') === undefined;
      return isAddress
        ? { fileData: { mimeType: mediaType, fileUri: data } }
        : { inlineData: { mimeType: mediaType, data } };
    }
  }
}

/** A response is an object: a function's result under `output`, its error under `error`. */
function geminiResponse({ id, name = '', text, isError }: SentResult): GeminiResponse {
  return { functionResponse: { id, name, response: isError ? { error: text } : { output: spelledOut(text) } } };
}
