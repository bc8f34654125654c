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
  compare: {
    tools: {
      search_help_articles: { readOnly: true },
      refund_order: { mutating: true },
      create_ticket: { mutating: true },
    },
  },
});
