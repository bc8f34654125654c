import { expect, test } from 'vitest';
import { command } from './command.ts';
import { projectWith } from './project.ts';

const FAILED = ['run', '--last-failed'];

test('--last-failed replays what did not pass in the last run, and says when nothing did', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'varies', three: 'c' }, config: { runs: 2 } });
  const cwd = project.path;
  expect((await command(['run'], { cwd })).code).toBe(1);
  const again = await command(
    [...FAILED, '--set', 'tracing=none', '--set', 'compare.strictness=outcome', '--dry-run'],
    { cwd },
  );
  expect(again.stdout).toMatch(/^replays\/two\.session\.json: two, .*\n1 session, .*; nothing was sent\n/);
  await command(['run', 'replays/one.session.json'], { cwd });
  const none = await command(FAILED, { cwd });
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('No session failed in the last run: nothing is replayed. (NO_SESSIONS)');
});

test.for([
  ['no report', FAILED, 'There is no report of a last run. (INPUT_INVALID)'],
  ['files are named, too', [...FAILED, 'replays/one.session.json'], 'so no files can be named. (USAGE)'],
] as const)('--last-failed is refused: %s', async ([, args, message]) => {
  await using project = await projectWith({ sessions: { one: 'a' } });
  const { code, stderr } = await command(args, { cwd: project.path });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a run in another folder, with the reporter of coding agents alone, is the last one for --last-failed and accept', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'varies' }, config: { runs: 2 } });
  const cwd = project.path;
  const { stdout } = await command(['run', '--reporter', 'agent', '--output-dir', 'elsewhere'], { cwd });
  expect(stdout).toContain('two');
  expect(stdout).not.toContain('accept');
  const again = await command([...FAILED, '--dry-run'], { cwd });
  expect(again.stdout).toMatch(/^replays\/two\.session\.json/);
  const accepted = await command(['accept', '--dry-run', '--run', '1'], { cwd });
  expect(accepted.stdout).toContain('would write replays/two.session.json');
});
