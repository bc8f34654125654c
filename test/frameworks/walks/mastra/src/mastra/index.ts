import { Mastra } from '@mastra/core/mastra';
import { registerApiRoute } from '@mastra/core/server';
import { chat } from './agent';
import { shopAgent } from './agents/shop-agent';
import { replay } from './replay';
import { tracedObservability } from './replay-tracing';

export const mastra = new Mastra({
  agents: { shopAgent },
  observability: tracedObservability(),
  server: {
    apiRoutes: [
      registerApiRoute('/replay', { method: 'ALL', handler: (context) => replay(context.req.raw) }),
      registerApiRoute('/chat', {
        method: 'POST',
        handler: async (context) => {
          const { session, message } = await context.req.json();
          return context.json({ output: await chat(session, message) });
        },
      }),
    ],
  },
});
