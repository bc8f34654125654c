import { randomUUID } from 'node:crypto';
import { propagateAttributes } from '@langfuse/tracing';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import { shopAgent } from './agents/shop-agent';

/** Takes one turn. Chats and replays both come through here. */
export async function takeTurn(messages: MessageListInput): Promise<string> {
  const { text } = await shopAgent.generate(messages);
  return text;
}

const conversations = new Map<string, object[]>();

/** One turn of a conversation that is kept here. */
export async function chat(session: string, question: string): Promise<string> {
  const messages = [...(conversations.get(session) ?? []), { role: 'user', content: question }];
  const metadata = { agent_id: process.env.SVC_AGENT_ID ?? 'shop', session_id: session, run_id: randomUUID() };
  const { text, response } = await propagateAttributes({ sessionId: session, metadata }, () =>
    shopAgent.generate(messages as MessageListInput),
  );
  conversations.set(session, [...messages, ...(response?.messages ?? [])]);
  return text;
}
