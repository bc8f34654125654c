import { spelledOut } from '../../json/index.ts';
import type { Part } from '../message.ts';
import { converted, dataIn, fileOf, partsOf, type SentMessages, unlessEmpty } from './shared.ts';

export type GenkitMessage = { role: 'system' | 'user' | 'model' | 'tool'; content: GenkitPart[] };
type GenkitPart =
  | { text: string }
  | { media: { url: string; contentType?: string } }
  | { toolRequest: { ref: string; name: string; input: { [key: string]: unknown } } }
  | { toolResponse: { ref: string; name: string; output: unknown } };

/** For `ai.generate({ messages })` of Genkit. */
export function toGenkitMessages(messages: SentMessages): GenkitMessage[] {
  return converted<GenkitMessage>(messages, {
    system: (text) => ({ role: 'system', content: [{ text }] }),
    user: (content) => ({ role: 'user', content: partsOf(content).map(genkitPart) }),
    assistant: (text, calls) => ({
      role: 'model',
      content: [
        ...unlessEmpty<GenkitPart>(text, { text }),
        ...calls.map(({ id, name, args }) => ({ toolRequest: { ref: id, name, input: args } })),
      ],
    }),
    result: ({ id: ref, name = '', text }) => ({
      role: 'tool',
      content: [{ toolResponse: { ref, name, output: spelledOut(text) } }],
    }),
  });
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
