import { type ToolSet, tool } from 'ai';
import { z } from 'zod';
import type { Shop } from './shop.ts';

const order_id = z.string().describe('Order number, such as FO-1234');

/** The tools of one turn. They act on the shop that they are given: the real one, or a sandbox. */
export function createTools(shop: Shop) {
  return {
    find_orders: tool({
      description: 'Find the orders of a customer by email address.',
      inputSchema: z.object({ email: z.string() }),
      execute: ({ email }) => ({ orders: shop.ordersOf(email) }),
    }),
    lookup_order: tool({
      description: 'Look up one order: item, price, status, day of delivery.',
      inputSchema: z.object({ order_id }),
      execute: ({ order_id }) => shop.order(order_id),
    }),
    get_customer: tool({
      description: 'Look up a customer by id.',
      inputSchema: z.object({ customer_id: z.string() }),
      execute: ({ customer_id }) => shop.customer(customer_id),
    }),
    check_refund_policy: tool({
      description: 'Check whether an order may be refunded.',
      inputSchema: z.object({ order_id }),
      execute: ({ order_id }) => shop.refundPolicy(order_id),
    }),
    refund_order: tool({
      description: 'Refund an order in full. Cannot be undone.',
      inputSchema: z.object({
        order_id,
        reason: z.enum(['damaged', 'wrong_item', 'late', 'changed_mind', 'other']),
      }),
      execute: ({ order_id }) => shop.refund(order_id),
    }),
    search_help_articles: tool({
      description: 'Search the help articles about shipping, returns, refunds and warranty.',
      inputSchema: z.object({ query: z.string() }),
      execute: ({ query }) => ({ articles: shop.articles(query) }),
    }),
    create_ticket: tool({
      description: 'Hand a case over to a human colleague.',
      inputSchema: z.object({
        subject: z.string(),
        priority: z.enum(['normal', 'high']),
        order_id: order_id.optional(),
      }),
      execute: ({ subject }) => shop.openTicket(subject),
    }),
  } satisfies ToolSet;
}
