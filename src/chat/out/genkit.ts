import { spelledOut } from '../../json/index.ts';
import { type Message, type Part, textOf } from '../message.ts';
import { callsOf, conversationOf, dataIn, fileOf, partsOf, type SentMessages } from './shared.ts';

/** What Genkit takes as `messages`. */
export type GenkitMessage = { role: 'system' | 'user' | 'model' | 'tool'; content: GenkitPart[] };
export type GenkitPart =
  | { text: string }
  | { media: { url: string; contentType?: string } }
  | { toolRequest: { ref: string; name: string; input: { [key: string]: unknown } } }
  | { toolResponse: { ref: string; name: string; output: unknown } };

/** For `ai.generate({ messages })` of Genkit. */
export function toGenkitMessages(messages: SentMessages): GenkitMessage[] {
  return conversationOf(messages).map(genkitMessage);
}

function genkitMessage(message: Message): GenkitMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: [{ text: textOf(message) }] };
    case 'user':
      return { role: 'user', content: partsOf(message.content).map(genkitPart) };
    case 'assistant': {
      const text = textOf(message, '');
      const calls = callsOf(message).map(({ id, name, args }) => ({ toolRequest: { ref: id, name, input: args } }));
      return { role: 'model', content: [...(text === '' ? [] : [{ text }]), ...calls] };
    }
    case 'tool': {
      const { tool_call_id: ref, name = '' } = message;
      return { role: 'tool', content: [{ toolResponse: { ref, name, output: spelledOut(textOf(message)) } }] };
    }
  }
}

function genkitPart(part: Part): GenkitPart {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'input_audio': {
      const { format, data } = part.input_audio;
      return { media: { url: `data:audio/${format};base64,${data}`, contentType: `audio/${format}` } };
    }
    case 'image_url': {
      const { url } = part.image_url;
      return { media: { url, contentType: dataIn(url)?.mediaType ?? 'image/*' } };
    }
    case 'file': {
      const { mediaType } = fileOf(part, 'Genkit');
      return { media: { url: part.file.file_data ?? '', contentType: mediaType } };
    }
  }
}
