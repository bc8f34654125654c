import { randomUUID } from 'node:crypto';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { replayTools } from 'agent-replay/endpoint';
import { generateText, isStepCount, type ModelMessage } from 'ai';
import { settings, systemPrompt } from './settings.ts';
import type { Shop } from './shop.ts';
import { createTools } from './tools.ts';
import { traceTurn } from './tracing.ts';

/** More steps than any question of ours needs: a model that goes round in circles stops here. */
const MAX_STEPS = 8;

const provider = createOpenAICompatible({
  name: 'model',
  baseURL: settings.MODEL_BASE_URL,
  apiKey: settings.MODEL_API_KEY,
});

export interface Turn {
  readonly sessionId: string;
  /** The conversation so far; the last message is the user's. */
  readonly messages: readonly ModelMessage[];
  readonly shop: Shop;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly runId: string;
  readonly output: string;
  /** What this turn adds to the conversation. */
  readonly messages: readonly ModelMessage[];
}

/** Takes one turn. Chats and replays both come through here. */
export function takeTurn({ sessionId, messages, shop, metadata }: Turn): Promise<Answer> {
  const runId = randomUUID();
  return traceTurn({ sessionId, runId, metadata, input: messages.at(-1)?.content }, async () => {
    const { text, responseMessages } = await generateText({
      model: provider(settings.MODEL),
      instructions: systemPrompt,
      messages: [...messages],
      tools: replayTools(createTools(shop), { runId: metadata?.svc_replay_run_id }),
      stopWhen: isStepCount(MAX_STEPS),
      temperature: settings.TEMPERATURE,
    });
    return { runId, output: text, messages: responseMessages };
  });
}
