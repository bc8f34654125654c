import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { mergeJournals, runJob } from '../../src/job/index.ts';
import { pinOf } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { startAgent } from './answering-agent.ts';

afterEach(() => vi.unstubAllEnvs());

test('a ledger that moves to a thread at the first big answer, or at the first one, reports as one that stays', async () => {
  await using agent = await startAgent();
  await using folder = await folderWith({
    'agent-replay.config.json': JSON.stringify({
      agent: { url: agent.url },
      tracing: 'none',
      runs: 3,
      workers: 1,
    }),
    'replays/1.session.json': JSON.stringify(pinOf('one', ['a'])),
    'replays/2.session.json': JSON.stringify(pinOf('two', ['other'])),
    'replays/3.session.json': JSON.stringify(pinOf('three', ['big', 'a'])),
    'replays/4.session.json': JSON.stringify(pinOf('four', ['other'])),
  });
  const config = await loadConfig({ cwd: folder.path });
  const resultsOf = async (big: string | undefined) => {
    vi.stubEnv('AGENT_REPLAY_BIG', big);
    const outputDir = path.join(folder.path, `out-${big}`);
    const { results } = await runJob(config, { outputDir });
    const { results: merged } = await mergeJournals([outputDir]);
    return [results, merged].map((each) => JSON.stringify(each));
  };
  const [stays, merged] = await resultsOf('1000000000');
  expect(merged).toBe(stays);
  expect(
    JSON.parse(stays as string).sessions.map(({ verdict }: { verdict: string }) => verdict),
  ).toMatchInlineSnapshot(`
    [
      "as-recorded",
      "changed",
      "changed",
      "changed",
    ]
  `);
  expect(await resultsOf(undefined)).toEqual([stays, stays]);
  expect(await resultsOf('0')).toEqual([stays, stays]);
});
