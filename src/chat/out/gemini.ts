import { spelledOut } from '../../json/index.ts';
import { type Part, type ToolMessage, textOf } from '../message.ts';
import { callsOf, conversationOf, dataIn, fileOf, partsOf, type SentMessages } from './shared.ts';

/** What the Gemini API takes as `contents`. */
export type GeminiContent = { role: 'user' | 'model'; parts: GeminiPart[] };
export type GeminiPart =
  | { text: string }
  | { inlineData: { mimeType: string; data: string } }
  | { fileData: { mimeType: string; fileUri: string } }
  | { functionCall: { id: string; name: string; args: { [key: string]: unknown } } }
  | GeminiResponse;
export type GeminiResponse = {
  functionResponse: { id: string; name: string; response: { [key: string]: unknown } };
};

/** For `generateContent({ contents, config: { systemInstruction } })` of Gemini. */
export function toGeminiContents(messages: SentMessages): { systemInstruction?: string; contents: GeminiContent[] } {
  const contents: GeminiContent[] = [];
  const system: string[] = [];
  for (const message of conversationOf(messages)) {
    switch (message.role) {
      case 'system':
        system.push(textOf(message));
        break;
      case 'user':
        contents.push({ role: 'user', parts: partsOf(message.content).map(geminiPart) });
        break;
      case 'assistant': {
        const text = textOf(message, '');
        const calls = callsOf(message).map((functionCall) => ({ functionCall }));
        contents.push({ role: 'model', parts: [...(text === '' ? [] : [{ text }]), ...calls] });
        break;
      }
      case 'tool': {
        const part = geminiResponse(message);
        const last = contents.at(-1)?.parts;
        // One message answers all parallel calls.
        if (last?.every((each) => 'functionResponse' in each)) last.push(part);
        else contents.push({ role: 'user', parts: [part] });
      }
    }
  }
  return { ...(system.length === 0 ? {} : { systemInstruction: system.join('\n') }), contents };
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
function geminiResponse(message: ToolMessage): GeminiResponse {
  const text = textOf(message);
  const response = message.is_error ? { error: text } : { output: spelledOut(text) };
  return { functionResponse: { id: message.tool_call_id, name: message.name ?? '', response } };
}
