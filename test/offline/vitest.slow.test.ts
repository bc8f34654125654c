import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { watchIn } from '../plugin/vitest-project.ts';
import { copyOf } from './project.ts';

const CONFIG = `
import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';
export default defineConfig({ plugins: [agentReplay({ offline: true, sessions: 'replays/small-refund.session.json' })] });
`;
const END = /press h to show help/;

test('in watch mode a saved edit of the code of a tool is red without a token, and an edited prompt is skipped with the reason', async () => {
  await using folder = await copyOf('support-agent', {
    config: { tools: { lookup_order: { replay: 'live' } } },
  });
  await writeFile(path.join(folder.path, 'vitest.config.ts'), CONFIG);
  await using vitest = watchIn(folder.path);
  expect(await vitest.until(END)).toMatch(/Tests +1 passed \(1\)/);

  await folder.edit(['shop.ts', 'order.id === id', 'order.id === id.slice(1)']);
  expect(await vitest.until(END)).toContain('Diverged: changed: turn 1');

  await folder.edit(['shop.ts', 'order.id === id.slice(1)', 'order.id === id']);
  expect(await vitest.until(END)).toMatch(/Tests +1 passed \(1\)/);

  await folder.edit(['prompts/system.md', 'You are', 'You really are']);
  const skipped = await vitest.until(END);
  expect(skipped).toMatch(/↓.*turn 1.*\[The recording cannot answer for the model: its system prompt differs\.\]/);
  expect(skipped).toMatch(/Tests +1 skipped \(1\)/);
});
