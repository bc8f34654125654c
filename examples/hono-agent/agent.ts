import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { replayTools } from 'agent-replay/endpoint';
import { isStepCount, type ModelMessage, streamText, type ToolSet, tool } from 'ai';
import { z } from 'zod';
import type { Helpdesk } from './helpdesk.ts';

const {
  MODEL_BASE_URL = 'http://127.0.0.1:4311/v1',
  MODEL_API_KEY,
  MODEL = 'desk-1',
  SVC_AGENT_ID = 'night-desk',
} = process.env;

const INSTRUCTIONS = `You are the night desk of Fernhill Outdoor, a shop for camping and hiking gear.
Answer from the help articles; hand complaints over to a human colleague with a ticket.`;

/** More steps than any question of ours needs: a model that goes round in circles stops here. */
const MAX_STEPS = 6;

const ARTICLES = [
  { title: 'Returns and exchanges', words: ['return', 'exchange'], text: 'Unused items can be returned in 30 days.' },
  { title: 'Shipping', words: ['shipping', 'postage'], text: 'Shipping costs 4.90 EUR; abroad it is 9.90 EUR.' },
];

const provider = createOpenAICompatible({ name: 'model', baseURL: MODEL_BASE_URL, apiKey: MODEL_API_KEY });

export interface Turn {
  readonly sessionId: string;
  /** The last message is the user's. */
  readonly messages: readonly ModelMessage[];
  /** A chat hands over those with the real helpdesk, a replay those with its sandbox. */
  readonly tools: ToolSet;
  /** Is told each piece of the answer as the model says it. */
  readonly say?: (piece: string) => Promise<unknown>;
}

/** Takes one turn and returns the whole answer. Chats and replays both come through here. */
export function takeTurn({ sessionId, messages, tools, say }: Turn): Promise<string> {
  const metadata = { agent_id: SVC_AGENT_ID, session_id: sessionId };
  return propagateAttributes({ traceName: 'night-desk-turn', sessionId, metadata }, () =>
    startActiveObservation(
      'night-desk-turn',
      async (root) => {
        root.update({ input: messages.at(-1)?.content });
        let output = '';
        const { textStream } = streamText({
          model: provider(MODEL),
          instructions: INSTRUCTIONS,
          messages: [...messages],
          tools,
          stopWhen: isStepCount(MAX_STEPS),
          temperature: 0,
        });
        for await (const piece of textStream) {
          output += piece;
          await say?.(piece);
        }
        root.update({ output });
        return output;
      },
      { asType: 'agent' },
    ),
  );
}

/** What the agent can do. In a replay with recorded tools the recording answers; anywhere else these are the very tools. */
export function createTools(helpdesk: Helpdesk): ToolSet {
  return replayTools({
    search_help_articles: tool({
      description: 'Search the help articles about shipping and returns.',
      inputSchema: z.object({ query: z.string() }),
      execute: ({ query }) => ({
        articles: ARTICLES.filter(({ words }) => words.some((word) => query.includes(word))),
      }),
    }),
    create_ticket: tool({
      description: 'Hand a case over to a human colleague.',
      inputSchema: z.object({ subject: z.string(), priority: z.enum(['normal', 'high']) }),
      execute: ({ subject, priority }) => helpdesk.open(subject, priority),
    }),
  });
}
