import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { outcomes } from '../outcomes.ts';
import { PATIENCE_MS, withinTime } from '../patience.ts';
import { command } from './command.ts';
import { fixture, pinOf, projectWith } from './project.ts';

test('fault 89: when the time of a whole run is over it ends: what had finished counts, the rest could not be verified, for all agents', async () => {
  const never = { url: 'http://127.0.0.1:9/replay', command: `echo started >&2; exec ${fixture('agent.ts')}` };
  const pin = (id: string, agentId: string, input: string) => JSON.stringify({ ...pinOf(id, [input]), agentId });
  await using project = await projectWith({
    files: {
      'replays/a.session.json': pin('a', 'first', 'a'),
      'replays/hanging.session.json': pin('hanging', 'first', 'hang'),
      'replays/later.session.json': pin('later', 'second', 'b'),
    },
  });
  const agents = {
    first: {
      command: fixture('agent.ts'),
      url: `http://127.0.0.1:${project.port}/replay`,
      env: { PORT: String(project.port) },
    },
    second: never,
  };
  const config = { runs: 2, agents, timeouts: { call: PATIENCE_MS } };
  await using limited = await projectWith({ files: { 'limited.json': JSON.stringify(config) } });
  const cwd = project.path;
  const args = ['--config', `${limited.path}/limited.json`, '--set', `root=${cwd}`];
  const { code, stderr, results } = await withinTime(
    1_500,
    async (ms) => {
      const finished = await command(['run', ...args, '--set', `timeouts.total=${ms}`], { cwd });
      return { ...finished, results: (await project.report()).results };
    },
    ({ results }) => results.sessions[0]?.verdict === outcomes.asRecorded,
  );
  expect(code).toBe(2);
  expect(stderr).not.toContain('started');
  expect(results.status).toBe('error');
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([
    outcomes.asRecorded,
    outcomes.couldNotTell,
    outcomes.couldNotTell,
  ]);
  for (const { turns } of results.sessions.slice(1)) {
    expect(turns[0]?.problems).toMatchObject([{ code: 'TOTAL_TIMEOUT', runs: [1, 2] }]);
  }
  // The agent ended because we ended it.
  expect(JSON.stringify(results)).not.toContain('AGENT_CRASHED');
  // The journal tells the same.
  await command(['merge', '.agent-replay', '--output-dir', 'merged', '--reporter', 'json'], { cwd });
  expect(parseReport(await project.read('merged/report.json')).results).toEqual(results);
});
