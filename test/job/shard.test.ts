import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { planRun } from '../../src/job/index.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';

test('how an agent traces is known from the pins of all shards: no verdict depends on how a run is divided', async () => {
  const ids = ['a', 'b', 'c', 'd'];
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({ agent: { url: 'http://127.0.0.1:1/replay' } }),
    ...Object.fromEntries(ids.map((id) => [`replays/${id}.session.json`, JSON.stringify(pinOf(id, ['hello']))])),
  });
  const config = await loadConfig({ cwd: folder.path });
  for (const index of [1, 2]) {
    const { agents } = await planRun({ ...config, shard: { index, count: 2 } });
    expect(agents.map(({ sessions, pins = [] }) => [sessions.length, pins.map(({ session }) => session.id)])).toEqual([
      [2, ids],
    ]);
  }
});
