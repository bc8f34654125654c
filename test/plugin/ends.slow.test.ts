import { expect, test } from 'vitest';
import { vitestProject } from './vitest-project.ts';

const VITEST = `
import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';
export default defineConfig({ plugins: [agentReplay({ config: 'own.config.mjs' })] });
`;

test.for([
  ['ends the process', 'process.exit(0);'],
  ['waits for what never comes', 'await new Promise(() => {});'],
] as const)('fault 107: a configuration that %s is no pass in Vitest', async ([, code]) => {
  await using project = await vitestProject({
    sessions: { one: 'a' },
    files: { 'vitest.config.ts': VITEST, 'own.config.mjs': `${code}\nexport default {};\n` },
  });
  const ran = await project.vitest();
  expect([ran.code, ran.output]).toEqual([2, expect.stringContaining('code of the configuration called process.exit')]);
});
