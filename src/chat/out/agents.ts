import { present } from '../../json/index.ts';
import type { Part } from '../message.ts';
import { contentAs, converted, type SentMessages, unlessEmpty } from './shared.ts';

/** What the OpenAI Agents SDK takes as the input of `run`. */
export type AgentsItem =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | AgentsPart[] }
  | { role: 'assistant'; status: 'completed'; content: { type: 'output_text'; text: string }[] }
  | { type: 'function_call'; callId: string; name: string; arguments: string; status: 'completed' }
  | { type: 'function_call_result'; callId: string; name: string; status: 'completed'; output: string };
type AgentsPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image: string }
  | { type: 'input_file'; file: string | { id: string }; filename?: string }
  | { type: 'audio'; audio: string; format: string };

/** For `run(agent, input)` of the OpenAI Agents SDK. */
export function toAgentsInput(messages: SentMessages): AgentsItem[] {
  return converted<AgentsItem>(messages, {
    system: (content) => ({ role: 'system', content }),
    user: (content) => ({ role: 'user', content: contentAs(content, agentsPart) }),
    assistant: (text, calls) => [
      ...unlessEmpty<AgentsItem>(text, {
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text }],
      }),
      ...calls.map(
        ({ id: callId, name, json }): AgentsItem => ({
          type: 'function_call',
          callId,
          name,
          arguments: json,
          status: 'completed',
        }),
      ),
    ],
    result: ({ id: callId, name = '', text: output }) => ({
      type: 'function_call_result',
      callId,
      name,
      status: 'completed',
      output,
    }),
  });
}

function agentsPart(part: Part): AgentsPart {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url':
      return { type: 'input_image', image: part.image_url.url };
    case 'input_audio':
      return { type: 'audio', audio: part.input_audio.data, format: part.input_audio.format };
    case 'file': {
      const { file_data: data, file_id: id = '', filename } = part.file;
      return present({ type: 'input_file' as const, file: data ?? { id }, filename });
    }
  }
}
