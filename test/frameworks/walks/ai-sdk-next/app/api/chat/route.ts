import { convertToModelMessages, type UIMessage } from 'ai';
import { chat } from '@/agent';

/** What `useChat` of the page sends: the whole conversation, and its id. */
export async function POST(request: Request) {
  const { id, messages }: { id: string; messages: UIMessage[] } = await request.json();
  return chat(id, await convertToModelMessages(messages)).toUIMessageStreamResponse();
}
