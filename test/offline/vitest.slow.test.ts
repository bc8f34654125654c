import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { copyOf } from './project.ts';

const CONFIG = `
import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';
export default defineConfig({ plugins: [agentReplay({ offline: true, sessions: 'replays/small-refund.session.json' })] });
`;
const VITEST = path.join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');

async function vitestIn(folder: string) {
  const { PATH, HOME } = process.env;
  const vitest = spawn(process.execPath, [VITEST, 'run', '--reporter=verbose'], { cwd: folder, env: { PATH, HOME } });
  const [out, err, [code]] = await Promise.all([text(vitest.stdout), text(vitest.stderr), once(vitest, 'exit')]);
  return { code, output: stripVTControlCharacters(out + err) };
}

test('in Vitest an edit of the code of a tool is red without a token, and an edited prompt is skipped with the reason', async () => {
  await using folder = await copyOf('support-agent', {
    config: { tools: { lookup_order: { replay: 'live' } } },
  });
  await writeFile(path.join(folder.path, 'vitest.config.ts'), CONFIG);
  expect((await vitestIn(folder.path)).output).toMatch(/Tests +1 passed \(1\)/);

  await folder.edit(['shop.ts', 'order.id === id', 'order.id === id.slice(1)']);
  const red = await vitestIn(folder.path);
  expect(red).toMatchObject({ code: 1, output: expect.stringContaining('Diverged: changed: turn 1') });
  await folder.edit(['shop.ts', 'order.id === id.slice(1)', 'order.id === id']);

  await folder.edit(['prompts/system.md', 'You are', 'You really are']);
  const skipped = await vitestIn(folder.path);
  expect(skipped.output).toMatch(
    /↓.*turn 1.*\[The recording cannot answer for the model: its system prompt differs\.\]/,
  );
  expect(skipped.output).toMatch(/Tests +1 skipped \(1\)/);
});
