import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseReport } from '../../src/report/index.ts';
import { command } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';

const BIN = fileURLToPath(new URL('../../bin/agent-replay.js', import.meta.url));
/** `nobody`: root may write anywhere. */
const UNPRIVILEGED = 65_534;

/** The command as a user to whom the folder is read-only. */
async function commandAsNobody(args: readonly string[], cwd: string) {
  const isRoot = process.getuid?.() === 0;
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot && { uid: UNPRIVILEGED, gid: UNPRIVILEGED }),
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
}

/** Whether the command can be reached at all by another user: a checkout may lie in a private folder. */
async function nobodyMayRun(): Promise<boolean> {
  return (await commandAsNobody(['--version'], '/')).code === 0;
}

test('fault 56: in a read-only checkout the table is printed, what could not be written is said, and the exit code is 2', async ({
  skip,
}) => {
  skip(!(await nobodyMayRun()), 'another user may not enter the folder of this checkout');
  await using project = await projectWith({ sessions: { one: 'a' } });
  const folders = [project.path, path.join(project.path, 'replays')];
  for (const folder of folders) await chmod(folder, 0o555);
  try {
    const { code, stdout, stderr } = await commandAsNobody(['run'], project.path);
    expect(stdout).toContain('1 of 1 session');
    expect(stderr).toContain('OUTPUT_NOT_WRITABLE');
    expect(code).toBe(2);
    expect(project.leftovers()).toEqual([]);
  } finally {
    for (const folder of folders) await chmod(folder, 0o755);
  }
});

test('fault 56: two runs at once in one checkout leave one whole report and one whole journal', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'b' } });
  await using other = await projectWith({});
  const url = `http://127.0.0.1:${other.port}/replay`;
  const elsewhere = ['--url', url, '--set', `agent.env.PORT=${other.port}`];
  const runs = await Promise.all([
    command(['run'], { cwd: project.path }),
    command(['run', ...elsewhere], { cwd: project.path }),
  ]);
  expect(runs.map(({ code, stderr }) => [code, stderr.includes('INTERNAL')])).toEqual([
    [0, false],
    [0, false],
  ]);
  const { results } = parseReport(await project.read('.agent-replay/report.json'));
  expect(results.status).toBe('passed');
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual(['reproduced', 'reproduced']);
});
