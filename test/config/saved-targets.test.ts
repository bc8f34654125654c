import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig, readSavedTargets, saveTarget } from '../../src/config/index.ts';
import { folderWith } from './folder.ts';

test('a saved target URL is used where the configuration gives none', async () => {
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({
      agents: { a: { command: 'node a.js' }, b: { url: 'http://b/replay' } },
    }),
  });
  await saveTarget(folder.path, 'a', 'http://127.0.0.1:1/replay');
  await saveTarget(folder.path, 'b', 'http://127.0.0.1:2/replay');
  const { agents } = await loadConfig({ cwd: folder.path });
  expect(agents?.a).toMatchObject({ command: 'node a.js', url: 'http://127.0.0.1:1/replay' });
  expect(agents?.b?.url).toBe('http://b/replay');
});

test('without a configuration the saved target URLs are one', async () => {
  await using folder = await folderWith({});
  await expect(loadConfig({ cwd: folder.path })).rejects.toMatchObject({ code: 'CONFIG_NOT_FOUND' });
  await saveTarget(folder.path, 'support', 'http://127.0.0.1:1');
  expect((await loadConfig({ cwd: folder.path })).agent).toMatchObject({ id: 'support', url: 'http://127.0.0.1:1' });
  await saveTarget(folder.path, '__proto__', 'http://127.0.0.1:2');
  const { agents } = await loadConfig({ cwd: folder.path });
  expect(Object.keys(agents ?? {})).toEqual(['support', '__proto__']);
});

test('the same agent has one target URL, the last one', async () => {
  await using folder = await folderWith({});
  await saveTarget(folder.path, '', 'http://127.0.0.1:1');
  await saveTarget(folder.path, '', 'http://127.0.0.1:2');
  expect(await readSavedTargets(folder.path)).toEqual(new Map([['', 'http://127.0.0.1:2']]));
});

test('a file of saved URLs that cannot be read is said, and never written over', async () => {
  await using folder = await folderWith({ '.agent-replay/agents.json': '{"version": 2}' });
  await expect(loadConfig({ cwd: folder.path })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(saveTarget(folder.path, 'a', 'http://127.0.0.1:1')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await readFile(path.join(folder.path, '.agent-replay/agents.json'), 'utf8')).toBe('{"version": 2}');
});
