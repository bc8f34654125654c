import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startModelServer } from '../../examples/model-server/server.ts';
import { parseReport } from '../../src/report/index.ts';
import { runIn, watchIn } from '../plugin/vitest-project.ts';
import { copyOf } from './project.ts';

const CONFIG = `
import { agentReplay } from 'agent-replay/vitest';
import { defineConfig } from 'vitest/config';
export default defineConfig({ plugins: [agentReplay({ sessions: 'replays/small-refund.session.json' })] });
`;
const END = /press h to show help/;

test('in watch mode, by itself, a saved edit of the code of a tool is red without a token, and an edited prompt is skipped with the reason', async () => {
  await using folder = await copyOf('support-agent', {
    config: { tools: { lookup_order: { replay: 'live' } } },
  });
  await writeFile(path.join(folder.path, 'vitest.config.ts'), CONFIG);
  await using vitest = watchIn(folder.path);
  const first = await vitest.until(END);
  expect(first).toMatch(/Tests +1 passed \(1\)/);
  expect(first).toContain('note: while Vitest watches, the model answers as recorded');

  await folder.edit(['shop.ts', 'order.id === id', 'order.id === id.slice(1)']);
  expect(await vitest.until(END)).toContain('Diverged: changed: turn 1');

  await folder.edit(['shop.ts', 'order.id === id.slice(1)', 'order.id === id']);
  expect(await vitest.until(END)).toMatch(/Tests +1 passed \(1\)/);

  await folder.edit(['prompts/system.md', 'You are', 'You really are']);
  const skipped = await vitest.until(END);
  expect(skipped).toMatch(/↓.*turn 1.*\[The recording cannot answer for the model: its system prompt differs\.\]/);
  expect(skipped).toMatch(/Tests +1 skipped \(1\)/);
});

test('without watching, offline: true fails a run in which a session needs its model: doubt is never green', async () => {
  await using folder = await copyOf('support-agent');
  await writeFile(
    path.join(folder.path, 'vitest.config.ts'),
    CONFIG.replace('{ sessions', '{ offline: true, sessions'),
  );
  expect(await runIn(folder.path)).toMatchObject({ code: 0, output: expect.stringMatching(/Tests +1 passed/) });
  await folder.edit(['prompts/system.md', 'You are', 'You really are']);
  expect(await runIn(folder.path)).toMatchObject({ code: 1, output: expect.stringMatching(/Tests +1 skipped/) });
});

test('without watching, and in watch mode with offline: false or without traces, the model is asked', async () => {
  const model = await startModelServer();
  await using folder = await copyOf('support-agent', { env: { MODEL_BASE_URL: model.url } });
  const isOffline = async () => {
    const file = path.join(folder.path, '.agent-replay', 'report.json');
    return parseReport(await readFile(file, 'utf8'), file).evidence.offline;
  };
  await writeFile(path.join(folder.path, 'vitest.config.ts'), CONFIG);
  const ran = await runIn(folder.path);
  expect([ran.output, await isOffline()]).toEqual([expect.stringMatching(/Tests +1 passed/), undefined]);

  // Each answer names a refund of its own, which no trace tells from what the agent says.
  for (const [setting, told] of [
    ['offline: false', /Tests +1 passed/],
    ["tracing: 'none'", / 5 calls, .*rf_\w+ → rf_/s],
  ] as const) {
    await writeFile(path.join(folder.path, 'vitest.config.ts'), CONFIG.replace('{ sessions', `{ ${setting}, sessions`));
    await using vitest = watchIn(folder.path);
    const watched = await vitest.until(END);
    expect([watched, await isOffline()]).toEqual([expect.stringMatching(told), undefined]);
    expect(ran.output + watched).not.toContain('answers as recorded');
  }
  await model.close();
});
