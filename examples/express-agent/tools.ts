import { readFileSync } from 'node:fs';

/** A tool as the chat-completions protocol describes it, and what it does. */
interface Tool {
  readonly description: string;
  readonly parameters: object;
  run(args: Readonly<Record<string, unknown>>): unknown;
}

interface Order {
  readonly id: string;
}
interface Article {
  readonly title: string;
  readonly keywords: readonly string[];
}

const orders: readonly Order[] = load('orders.json');
const articles: readonly Article[] = load('articles.json');

function load<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8')) as T;
}

/** What this agent can do. Both tools only read, so that replays need no sandbox. */
export const tools: Readonly<Record<string, Tool>> = {
  lookup_order: {
    description: 'Look up one order: item, price, status, day of delivery.',
    parameters: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
    run({ order_id }) {
      const order = orders.find(({ id }) => id === order_id);
      if (order === undefined) throw new Error(`There is no order ${order_id}.`);
      return order;
    },
  },
  search_help_articles: {
    description: 'Search the help articles about shipping and returns.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    run({ query }) {
      const words = new Set(String(query).toLowerCase().split(/\W+/));
      return { articles: articles.filter(({ keywords }) => keywords.some((keyword) => words.has(keyword))) };
    },
  },
};
