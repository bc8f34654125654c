import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { command } from './command.ts';
import { ENTER, hasTerminal, onTerminal } from './on-terminal.ts';
import { projectWith } from './project.ts';

const TOKENS = `"${process.execPath}" "${fileURLToPath(new URL('./fixtures/tokens.ts', import.meta.url))}"`;

/** A session whose tool gives every answer another token. */
function projectWithTokens(config: object = {}) {
  return projectWith({ sessions: { one: 'a' }, agent: { command: TOKENS }, config: { runs: 3, ...config } });
}

/** Records what the agent does now, so that only the token varies from then on. */
async function acceptFirst(project: Awaited<ReturnType<typeof projectWithTokens>>) {
  expect((await command(['run', '--runs', '1'], { cwd: project.path })).code).toBe(1);
  expect((await command(['accept'], { cwd: project.path })).code).toBe(0);
}

test('what looks generated is proposed, written with its evidence when asked, and ignored from then on', async () => {
  await using project = await projectWithTokens();
  await acceptFirst(project);
  const proposed = await command(['run'], { cwd: project.path });
  expect(proposed.code).toBe(1);
  expect(proposed.stdout.replace(/\s+/g, ' ')).toContain('tool:find_room/result/lease varies in 3 runs');
  expect(proposed.stdout).toContain('--write-ignore');
  await expect(project.read('agent-replay.ignore')).rejects.toThrow('ENOENT');

  const written = await command(['run', '--write-ignore'], { cwd: project.path });
  expect(written).toMatchObject({ code: 1, stderr: expect.stringContaining('tool:find_room/result/lease') });
  const file = await project.read('agent-replay.ignore');
  expect(file).toMatch(/^# 3 runs of one, turn 1, among them ".*\ntool:find_room\/result\/lease$/m);

  const next = await command(['run', '--quiet', '--write-ignore'], { cwd: project.path });
  expect(next).toMatchObject({ code: 0, stderr: expect.stringContaining('1 rule of agent-replay.ignore apply') });
  expect(await project.read('agent-replay.ignore')).toBe(file);
});

test('nothing is learned where something else differs too, nor of a critical tool', async () => {
  await using changed = await projectWithTokens();
  await acceptFirst(changed);
  const env = ['--set', `agent.env.PORT=${changed.port}`, '--set', 'agent.env.ROOM=other'];
  const run = await command(['run', '--write-ignore', ...env], { cwd: changed.path });
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('no value looked generated') });

  await using critical = await projectWithTokens({ compare: { tools: { find_room: { critical: true } } } });
  await acceptFirst(critical);
  const { stderr } = await command(['run', '--write-ignore'], { cwd: critical.path });
  expect(stderr).toContain('no value looked generated');
});

test('a line that is no rule is told with its place: exit 2', async () => {
  await using project = await projectWith({
    sessions: { one: 'a' },
    files: { 'agent-replay.ignore': '# fine\n/ticket\n' },
  });
  const { code, stderr } = await command(['run', '--dry-run'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stderr).toMatch(/agent-replay\.ignore:2/);
});

const RULE = 'tool:find_room/result/lease';

test.runIf(hasTerminal)('what five recordings show to be generated is added with one key', async () => {
  await using project = await projectWithTokens();
  await acceptFirst(project);
  const pin = ['pin', '--runs', '3', 'replays/one.session.json'];
  const said = await command([...pin, '--yes'], { cwd: project.path });
  expect(said.stdout).toContain(`+ ${RULE}\n         add these lines to it if they mean nothing`);
  await expect(project.read('agent-replay.ignore')).rejects.toThrow('ENOENT');

  const { shown, code } = await onTerminal(pin, project.path, [
    { asked: 'Go on?', typed: ENTER },
    { asked: 'Add them?', typed: ENTER },
  ]);
  expect([code, shown]).toEqual([0, expect.stringContaining(`+ ${RULE}`)]);
  expect(await project.read('agent-replay.ignore')).toContain(`\n${RULE}\n`);
});
