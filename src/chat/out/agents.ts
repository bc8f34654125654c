import { type Message, type Part, textOf } from '../message.ts';
import { contentAs, conversationOf, type SentMessages } from './shared.ts';

/** What the OpenAI Agents SDK takes as the input of `run`. */
export type AgentsItem =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | AgentsPart[] }
  | { role: 'assistant'; status: 'completed'; content: { type: 'output_text'; text: string }[] }
  | { type: 'function_call'; callId: string; name: string; arguments: string; status: 'completed' }
  | { type: 'function_call_result'; callId: string; name: string; status: 'completed'; output: string };
export type AgentsPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image: string }
  | { type: 'input_file'; file: string | { id: string }; filename?: string }
  | { type: 'audio'; audio: string; format: string };

/** For `run(agent, input)` of the OpenAI Agents SDK. */
export function toAgentsInput(messages: SentMessages): AgentsItem[] {
  return conversationOf(messages).flatMap(itemsOf);
}

function itemsOf(message: Message): AgentsItem[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textOf(message) }];
    case 'user':
      return [{ role: 'user', content: contentAs(message.content, agentsPart) }];
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(
        ({ id, function: { name, arguments: args } }): AgentsItem => ({
          type: 'function_call',
          callId: id,
          name,
          arguments: args,
          status: 'completed',
        }),
      );
      const text = textOf(message, '');
      if (text === '') return calls;
      return [{ role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }, ...calls];
    }
    case 'tool': {
      const { tool_call_id: callId, name = '' } = message;
      return [{ type: 'function_call_result', callId, name, status: 'completed', output: textOf(message) }];
    }
  }
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
      return { type: 'input_file', file: data ?? { id }, ...(filename === undefined ? {} : { filename }) };
    }
  }
}
