import { defineConfig } from 'agent-replay';

/** The night desk of ../hono-agent, on a port of its own. */
export default defineConfig({
  agent: {
    id: 'night-desk',
    command: 'node demo.ts',
    cwd: '../hono-agent',
    url: 'http://127.0.0.1:4340/replay',
    env: { PORT: '4340' },
    watch: ['../hono-agent/*.ts'],
  },
  runs: 3,
});
