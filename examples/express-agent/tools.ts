import { readFileSync } from 'node:fs';
import { replayTools } from 'agent-replay/endpoint';

interface Order {
  readonly id: string;
}
interface Article {
  readonly title: string;
  readonly keywords: readonly string[];
}

/** `ORDERS=none`: as in a database that was set up for a test. */
const orders: readonly Order[] = process.env.ORDERS === 'none' ? [] : load('orders.json');
const articles: readonly Article[] = load('articles.json');

function load<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8')) as T;
}

/**
 * What this agent can do. In a replay with `--tools recorded` the recording answers instead; anywhere else these are the
 * very functions. Both only read, so that replays need no sandbox.
 */
export const tools: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => Promise<unknown>>> =
  replayTools({
    async lookup_order({ order_id }: Readonly<Record<string, unknown>>) {
      const order = orders.find(({ id }) => id === order_id);
      if (order === undefined) throw new Error(`There is no order ${order_id}.`);
      return order;
    },
    async search_help_articles({ query }: Readonly<Record<string, unknown>>) {
      const words = new Set(String(query).toLowerCase().split(/\W+/));
      return { articles: articles.filter(({ keywords }) => keywords.some((keyword) => words.has(keyword))) };
    },
  });

/** The same for the model, as the chat-completions protocol describes tools. */
export const offered = [
  {
    name: 'lookup_order',
    description: 'Look up one order: item, price, status, day of delivery.',
    parameters: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
  },
  {
    name: 'search_help_articles',
    description: 'Search the help articles about shipping and returns.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
].map((definition) => ({ type: 'function', function: definition }));
