import { randomUUID } from 'node:crypto';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import { shopAgent } from './agents/shop-agent';

interface Thread {
  readonly thread: string;
  readonly resource: string;
}

/** Takes one turn. Chats and replays both come through here. A replay brings its conversation along, and has no thread. */
export async function takeTurn(
  messages: MessageListInput,
  metadata: Record<string, string>,
  memory?: Thread,
): Promise<string> {
  const { text } = await shopAgent.generate(messages, { tracingOptions: { metadata }, ...(memory && { memory }) });
  return text;
}

/** One turn of a conversation that Mastra's memory keeps. */
export function chat(session: string, question: string): Promise<string> {
  const agent = process.env.SVC_AGENT_ID ?? 'shop';
  const metadata = { agent_id: agent, session_id: session, sessionId: session, run_id: randomUUID() };
  return takeTurn([{ role: 'user', content: question }], metadata, { thread: session, resource: 'shop' });
}
