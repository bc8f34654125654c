import { Mastra } from '@mastra/core/mastra';
import { registerApiRoute } from '@mastra/core/server';
import { LangfuseExporter } from '@mastra/langfuse';
import { LibSQLStore } from '@mastra/libsql';
import { Observability } from '@mastra/observability';
import { chat } from './agent';
import { shopAgent } from './agents/shop-agent';
import { replay } from './replay';

export const mastra = new Mastra({
  agents: { shopAgent },
  storage: new LibSQLStore({ id: 'shop', url: ':memory:' }),
  observability: new Observability({
    configs: { default: { serviceName: 'agent', exporters: [new LangfuseExporter()] } },
  }),
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
