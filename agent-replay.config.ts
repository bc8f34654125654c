import { defineConfig } from 'agent-replay';

/** The demo: the example agent, started with its scripted model, replays its own recorded sessions. */
export default defineConfig({
  agent: {
    id: 'support',
    command: 'node examples/support-agent/demo.ts',
    url: 'http://127.0.0.1:{port}/replay',
    timeout: 20_000,
  },
  sessions: 'examples/support-agent/replays/*.session.json',
  runs: 5,
  workers: 4,
  // The shop that the tools act on is in the agent's own memory.
  tools: Object.fromEntries(
    [
      'search_help_articles',
      'get_customer',
      'find_orders',
      'lookup_order',
      'check_refund_policy',
      'refund_order',
      'create_ticket',
    ].map((name) => [name, { replay: 'live' as const }]),
  ),
  compare: {
    tools: {
      search_help_articles: { readOnly: true },
      refund_order: { mutating: true },
      create_ticket: { mutating: true },
    },
  },
});
