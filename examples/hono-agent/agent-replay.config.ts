import { defineConfig } from 'agent-replay';

export default defineConfig({
  agent: { id: 'night-desk', command: 'node demo.ts', url: 'http://127.0.0.1:4330/replay' },
  runs: 3,
  compare: { tools: { create_ticket: { mutating: true } } },
});
