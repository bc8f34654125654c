/** Checks the converters' results with the frameworks' own types and validators. Reads conversations as JSON lines. */
import { readFileSync } from 'node:fs';
import type Anthropic from '@anthropic-ai/sdk';
import type { Content } from '@google/genai';
import { type BaseMessageLike, coerceMessageLikeToMessage } from '@langchain/core/messages';
import { type AgentInputItem, protocol } from '@openai/agents-core';
import {
  type Message,
  toAgentsInput,
  toAnthropicMessages,
  toGeminiContents,
  toGenkitMessages,
  toLangChainMessages,
} from 'agent-replay/endpoint';
import { type MessageData, MessageSchema } from 'genkit/model';

for (const line of readFileSync(0, 'utf8').trim().split('\n')) {
  const messages = JSON.parse(line) as Message[];
  const items: AgentInputItem[] = toAgentsInput(messages);
  for (const item of items) protocol.ModelItem.parse(item);
  const likes: BaseMessageLike[] = toLangChainMessages(messages);
  const made = likes.map((like) => coerceMessageLikeToMessage(like));
  const roles = { system: 'system', user: 'human', assistant: 'ai', tool: 'tool' };
  const expected = messages.map(({ role }) => roles[role as keyof typeof roles]);
  if (made.map((message) => message.getType()).join() !== expected.join())
    throw new Error(`LangChain made other messages of ${line}`);
  const { messages: params }: { messages: Anthropic.MessageParam[] } = toAnthropicMessages(messages);
  if (params.length === 0) throw new Error('nothing for Anthropic');
  const { contents }: { contents: Content[] } = toGeminiContents(messages);
  if (contents.length === 0) throw new Error('nothing for Gemini');
  const told: MessageData[] = toGenkitMessages(messages);
  for (const message of told) MessageSchema.parse(message);
}
console.log('taken by all');
