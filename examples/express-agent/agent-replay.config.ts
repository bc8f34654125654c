import { defineConfig } from 'agent-replay';

export default defineConfig({
  agent: { id: 'desk', command: 'node demo.ts', url: 'http://127.0.0.1:4320/replay' },
  runs: 3,
});
