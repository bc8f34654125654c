import { defineConfig } from 'agent-replay';

/** The night desk of ../hono-agent. It listens on `PORT`, which is handed to it for `{port}`. */
export default defineConfig({
  agent: {
    id: 'night-desk',
    command: 'node demo.ts',
    cwd: '../hono-agent',
    url: 'http://127.0.0.1:{port}/replay',
    watch: ['../hono-agent/*.ts'],
  },
  runs: 3,
  // Where Vitest watches, the recordings answer for the model: the agent takes its address from here.
  fork: { baseUrls: ['MODEL_BASE_URL'] },
  // Tickets are opened in no replay: the recording answers for this tool, and the others run.
  tools: { create_ticket: { mutating: true, replay: 'never' } },
});
