import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { pinOf } from '../cli/project.ts';
import { vitestProject } from './vitest-project.ts';

const CONFIG = `
import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';
export default defineConfig({ plugins: [agentReplay()], test: { fsModuleCache: true } });
`;
const END = /press h to show help/;

test('fault 94: nothing of a plan comes out of a cache of modules, from the second start on', async () => {
  const twin = JSON.stringify(pinOf('one', ['a']));
  await using project = await vitestProject({
    sessions: { one: 'a' },
    files: { 'vitest.config.ts': CONFIG, 'replays/twin.session.json': twin, 'agent.txt': 'one' },
    agent: { watch: ['agent.txt'] },
    config: { offline: false },
  });
  const first = await project.vitest();
  expect([first.code, first.output]).toEqual([1, expect.stringContaining('PIN_DUPLICATE')]);

  await rm(path.join(project.path, 'replays/twin.session.json'));
  const second = await project.vitest();
  expect([second.output, second.code]).toEqual([expect.not.stringContaining('PIN_DUPLICATE'), 0]);

  await using vitest = project.watch();
  expect(await vitest.until(END)).toMatch(/Tests +1 passed/);
  await writeFile(path.join(project.path, 'agent.txt'), 'another');
  const again = await vitest.until(END);
  expect(again).toContain('asked: a');
  expect(again).toMatch(/Tests +1 passed/);
});
