import { expect, test } from 'vitest';
import { command } from './command.ts';
import { projectWith } from './project.ts';

test('--self-test says what was caught and flagged, without an agent: exit 0', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] }, agent: { command: 'no-such' } });
  const { code, stdout, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^✔ argument changed +caught 3 of 3$/m);
  expect(stdout).toMatch(/^✔ new ids +flagged 0 of 3$/m);
  const [, caught, planted] = /^caught (\d+) of (\d+)$/m.exec(stdout) ?? [];
  expect(Number(planted)).toBeGreaterThan(20);
  expect(caught).toBe(planted);
  expect(stdout).toMatch(/^flagged 0 of \d+$/m);
});

test('--self-test takes the selection of a run, and its rules', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] } });
  const args = ['run', '--self-test', 'replays/two.session.json', '--turn', '2', '--strictness', 'outcome'];
  const { code, stdout } = await command(args, { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^✔ argument changed +caught 1 of 1$/m);
  expect(stdout).toContain('at strictness outcome');
});

test('--self-test with a pin that cannot be read, or with none, could not tell: exit 2', async () => {
  await using broken = await projectWith({ sessions: { one: 'a' }, files: { 'replays/x.session.json': '{' } });
  expect(await command(['run', '--self-test'], { cwd: broken.path })).toMatchObject({ code: 2 });
  await using empty = await projectWith({});
  expect(await command(['run', '--self-test'], { cwd: empty.path })).toMatchObject({ code: 2 });
});
