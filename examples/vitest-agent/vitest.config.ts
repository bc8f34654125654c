import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Settings given here win over agent-replay.config.ts.
  plugins: [agentReplay({ compare: { strictness: 'behaviour' }, outputDir: '.agent-replay' })],
  test: { testTimeout: 60_000 },
});
