import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command, start } from '../cli/command.ts';
import { pinOf, projectWith } from '../cli/project.ts';

const PIN = 'replays/one.session.json';

test('fault 141: a pin that is edited during a run is judged as it was read, and left as it was edited', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, config: { runs: 3, workers: 1 } });
  const file = path.join(project.path, PIN);
  const edited = JSON.stringify(pinOf('one', ['b']));
  const running = start(['run'], { cwd: project.path });
  await running.printed(/asked: a/);
  await writeFile(file, edited);
  const { code, stderr } = await running.finished;
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('asked: b')]);
  expect(await readFile(file, 'utf8')).toBe(edited);
});

test('fault 141: what a pin asked before it was edited is not accepted for what it asks now', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, agent: { env: { PREFIX: 'new ' } } });
  const file = path.join(project.path, PIN);
  expect((await command(['run'], { cwd: project.path })).code).toBe(1);
  const edited = JSON.stringify(pinOf('one', ['b']));
  await writeFile(file, edited);
  const { code, stdout, stderr } = await command(['accept'], { cwd: project.path });
  expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('it asks something else than the run asked')]);
  expect(await readFile(file, 'utf8')).toBe(edited);
});

test('fault 142: two runs that end at once keep a line each in one history', async () => {
  const projects = [await projectWith({ sessions: { one: 'a' } }), await projectWith({ sessions: { one: 'a' } })];
  const [first] = projects;
  const file = path.join(first!.path, 'history.ndjson');
  const runs = await Promise.all(projects.map((each) => command(['run', '--history', file], { cwd: each.path })));
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).status)).toEqual(['passed', 'passed']);
  const { stdout } = await command(['history', file], { cwd: first!.path });
  expect(stdout).toContain('2 runs');
  for (const each of projects) await each[Symbol.asyncDispose]();
});
