import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { startReplayer } from '../../src/job/index.ts';
import { outcomes } from '../outcomes.ts';
import { command } from './command.ts';
import { type Project, projectWith } from './project.ts';

/** Its agent sends one span of each turn late; see its fixture. */
function projectOf(env: Record<string, string>): Promise<Project> {
  return projectWith({ sessions: { one: 'a', two: 'b' }, config: { runs: 3 }, agent: { env } });
}

test('a tool span that comes 300 ms after the answer is the replay’s: as recorded', async () => {
  await using project = await projectOf({ LATE: '300' });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect([code, stdout]).toEqual([0, expect.stringContaining('passed: 2 of 2 sessions as recorded')]);
});

test('a tool that nobody recorded, traced 300 ms after the answer, does not pass unseen', async () => {
  await using project = await projectOf({ LATE: '300', ALSO: 'delete_everything' });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect([code, stdout]).toEqual([1, expect.stringContaining('delete_everything')]);
});

test('what comes only when the agent is stopped is judged, counted, and told with the line to add', async () => {
  await using project = await projectOf({ LATE: 'stop' });
  const { code, stdout } = await command(['run'], { cwd: project.path });
  expect([code, stdout]).toEqual([0, expect.stringContaining('passed: 2 of 2 sessions as recorded')]);
  expect(stdout).toContain(
    '6 spans arrived after their trace had been read, 6 of them only when the agent was stopped',
  );
  expect(stdout).toContain('await processor.forceFlush()');
  const { evidence } = await project.report();
  expect(evidence.runs.map(({ late }) => late)).toEqual(Array.from({ length: 6 }, () => ({ spans: 1, last: 1 })));
  expect(await project.read('.agent-replay/report.md')).toContain('only when the agent was stopped');
  await writeFile(path.join(project.path, 'requirements.txt'), 'flask\n');
  const inPython = await command(['run'], { cwd: project.path });
  expect(inPython.stdout).toContain('provider.force_flush()');
  expect(inPython.stdout).not.toContain('forceFlush');
});

test('files and journal hold what was found in the end: the same report can be made of them', async () => {
  await using project = await projectOf({ LATE: 'stop', PREFIX: 'new ' });
  const { code } = await command(['run', '--reporter', 'json'], { cwd: project.path });
  expect(code).toBe(1);
  const { results } = await project.report();
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.changed, outcomes.changed]);
  const folder = path.join(project.path, '.agent-replay/traces');
  const behaviours = (await readdir(folder)).filter((name) => !name.endsWith('.recorded.json')).sort();
  expect(behaviours).toEqual(['one.1.1.json', 'two.1.1.json']);
  expect(await project.read('.agent-replay/traces/one.1.1.json')).toContain('lookup');
  await command(['merge', '.agent-replay', '--output-dir', 'merged', '--reporter', 'json'], { cwd: project.path });
  expect(JSON.parse(await project.read('merged/report.json')).results).toEqual(results);
});

test('an agent that is kept is not stopped: what comes late of a session is waited for before it is judged', async () => {
  await using project = await projectOf({ LATE: '300' });
  const config = await loadConfig({ cwd: project.path });
  await using replayer = await startReplayer(config);
  const { report } = await replayer.replay({ session: 'one' });
  expect(report.results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded]);
});
