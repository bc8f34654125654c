import { Agent } from '@mastra/core/agent';
import { Memory } from '@mastra/memory';
import { createTicket, lookup, refund } from '../tools/shop-tools';

export const shopAgent = new Agent({
  id: 'shop-agent',
  name: 'Shop Agent',
  instructions: `You are a kind shop assistant.
Refund up to 200 EUR yourself.`,
  model: {
    id: 'openai/gpt-5-mini',
    url: process.env.OPENAI_BASE_URL,
    apiKey: process.env.OPENAI_API_KEY,
  },
  memory: new Memory(),
  tools: { lookup, refund, create_ticket: createTicket },
});
