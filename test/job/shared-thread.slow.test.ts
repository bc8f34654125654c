import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { startReplayer } from '../../src/job/index.ts';
import { projectWith } from '../cli/project.ts';
import { outcomes } from '../outcomes.ts';

test('a session that is given up while it is compared costs no other session its result', async () => {
  await using project = await projectWith({
    sessions: { a: 'huge', b: 'quick' },
    config: { workers: 8, maxResponse: 64 * 2 ** 20, timeouts: { call: 600_000, trace: 600_000 } },
    agent: { env: { WORDS: '590000' } },
  });
  let asked = 0;
  const { promise: compared, resolve } = Promise.withResolvers<void>();
  await using replayer = await startReplayer(await loadConfig({ cwd: project.path }), {
    // More calls than workers: the first ones are answered, and being compared.
    onOutput: (line) => line.includes('asked: huge') && ++asked === 12 && resolve(),
  });
  const given = new AbortController();
  const huge = replayer.replay({ session: 'a', runs: 20 }, { signal: given.signal });
  await compared;
  const other = replayer.replay({ session: 'b' });
  given.abort();
  const [first, second] = await Promise.all([huge, other]);
  const verdicts = [first, second].map(({ report }) => report.results.sessions.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts).toEqual([[['a', outcomes.couldNotTell]], [['b', outcomes.asRecorded]]]);
  expect(first.report.results.problems).toMatchObject([{ code: 'INTERRUPTED' }]);
});
