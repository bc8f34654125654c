import { expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/index.ts';
import { command } from './command.ts';
import { projectWith } from './project.ts';

test('--self-test says of each change whether the gate is red, without an agent: exit 0', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] }, agent: { command: 'no-such' } });
  const { code, stdout, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}✔ argument changed +red 3 of 3$/m);
  expect(stdout).toMatch(/^ {2}✔ call failed +red 3 of 3$/m);
  expect(stdout).toMatch(/^ {2}✔ new ids +red 0 of 3$/m);
  expect(stdout).not.toContain('missed');
  const [, red] = /^Changes that matter: red (\d+) of \d+/m.exec(stdout) ?? [];
  expect(Number(red)).toBeGreaterThan(20);
  expect(stdout).toMatch(/^Harmless changes: red 0 of \d+$/m);
});

test('--self-test takes the selection of a run, and its rules', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: ['b', 'c'] } });
  const args = ['run', '--self-test', 'replays/two.session.json', '--turn', '2', '--set', 'compare.strictness=outcome'];
  const { code, stdout } = await command(args, { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}✔ argument changed +red 0 of 1, told but not red 1$/m);
  expect(stdout).toMatch(/^ {2}✔ call failed +red 1 of 1$/m);
});

test('--self-test says what is told but not red, as the policy lets it pass', async () => {
  await using project = await projectWith({
    sessions: { one: 'a' },
    config: { failOn: { cause: { environment: 'warn' } } },
  });
  const { code, stdout } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}✔ result changed +red 0 of 1, told but not red 1$/m);
  expect(stdout).toMatch(/^ {2}✔ argument changed +red 1 of 1$/m);
});

test.each([
  ['fails nothing', { failOn: { changed: 'off', flaky: 'off', unsettled: 'off' } }, 1, 'GATE_BLIND'],
  ['fails by results alone', { compare: { include: ['result', 'end'] } }, 2, 'NO_SESSIONS'],
  ['looks at nothing but the end', { compare: { include: ['end'] } }, 2, 'NO_SESSIONS'],
] as const)('--self-test of a gate that %s is not passed', async (_, config, exit, error) => {
  await using project = await projectWith({ sessions: { one: 'a' }, config: config as Partial<ConfigInput> });
  const { code, stderr } = await command(['run', '--self-test'], { cwd: project.path });
  expect(code).toBe(exit);
  expect(stderr).toContain(error);
});

test('--self-test with a pin that cannot be read, or with none, could not tell: exit 2', async () => {
  await using broken = await projectWith({ sessions: { one: 'a' }, files: { 'replays/x.session.json': '{' } });
  expect(await command(['run', '--self-test'], { cwd: broken.path })).toMatchObject({ code: 2 });
  await using empty = await projectWith({});
  expect(await command(['run', '--self-test'], { cwd: empty.path })).toMatchObject({ code: 2 });
});
