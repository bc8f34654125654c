import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

export const lookup = createTool({
  id: 'lookup',
  description: 'Looks an order up',
  inputSchema: z.object({ order: z.string() }),
  execute: async ({ order }) => ({ order, amount: Number(process.env.SHOP_AMOUNT ?? 120) }),
});

export const refund = createTool({
  id: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ order: z.string(), amount: z.number() }),
  execute: async () => ({ state: 'refunded' }),
});

export const createTicket = createTool({
  id: 'create_ticket',
  description: 'Asks a colleague',
  inputSchema: z.object({ order: z.string() }),
  execute: async () => ({ state: 'a ticket is open' }),
});
