import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { vitestProject } from './vitest-project.ts';

const AGENT = fileURLToPath(new URL('fixtures/agent-untraced-in-tests.ts', import.meta.url));
const PROJECT = { sessions: { one: 'a' }, agent: { command: `"${process.execPath}" "${AGENT}"` } };

test('an agent that traces nothing in tests is replayed as its users have it', async () => {
  await using project = await vitestProject(PROJECT);
  const { code, output } = await project.vitest();
  expect(output).toContain('environment: {}');
  expect(output).toMatch(/Tests +1 passed/);
  expect(code).toBe(0);
});

test('the agent keeps what the shell has set, also under the names that Vitest sets', async () => {
  await using project = await vitestProject(PROJECT);
  const shell = { NODE_ENV: 'production', TEST: 'mine', MODE: 'test' };
  const { code, output } = await project.vitest([], { env: shell });
  expect(output).toContain(`environment: ${JSON.stringify(shell)}`);
  expect(code).toBe(0);
});

test('an agent that says that no trace will come is not waited for', async () => {
  // Longer than this test may take.
  await using project = await vitestProject({ ...PROJECT, config: { timeouts: { trace: 3_600_000 } } });
  const { code, output } = await project.vitest([], { env: { NODE_ENV: 'test' } });
  expect(output).toContain('environment: {"NODE_ENV":"test"}');
  expect(output).toContain('TURN_NOT_TRACED');
  expect(output).toContain('CouldNotTell');
  expect(code).toBe(1);
});
