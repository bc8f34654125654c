import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startOfProcess } from '../../src/agent/index.ts';
import { parseReport } from '../../src/report/index.ts';
import { command, start } from '../cli/command.ts';
import { projectWith } from '../cli/project.ts';
import { folderWith } from '../config/folder.ts';
import { outcomes } from '../outcomes.ts';

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

test('fault 84: of two runs at once in one checkout the second waits, and says so; all is for their user alone', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'b' } });
  await using other = await projectWith({});
  const url = `http://127.0.0.1:${other.port}/replay`;
  const elsewhere = ['--url', url, '--set', `agent.env.PORT=${other.port}`];
  const runs = await Promise.all([
    command(['run'], { cwd: project.path }),
    command(['run', ...elsewhere], { cwd: project.path }),
  ]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  const stderr = runs.map((run) => run.stderr).join('');
  expect(stderr).toMatch(/note: waiting for another run \(process \d+\), which uses the output folder/);
  const { results } = parseReport(await project.read('.agent-replay/report.json'));
  expect(results.status).toBe('passed');
  expect(results.sessions.map(({ verdict }) => verdict)).toEqual([outcomes.asRecorded, outcomes.asRecorded]);

  const folder = path.join(project.path, '.agent-replay');
  const entries = await readdir(folder, { recursive: true });
  expect(entries).toEqual(expect.arrayContaining(['report.json', 'journal.ndjson', 'traces']));
  expect(entries).not.toContain('.run.lock');
  const open = [folder, ...entries.map((entry) => path.join(folder, entry))].filter(
    (file) => statSync(file).mode & 0o077,
  );
  expect(open).toEqual([]);
});

test('fault 84: a run that is interrupted while it waits says that nothing was replayed', async () => {
  const lock = { host: hostname(), process: process.pid, startTicks: startOfProcess(process.pid) };
  await using project = await projectWith({
    sessions: { one: 'a' },
    files: { '.agent-replay/.run.lock': JSON.stringify(lock) },
  });
  const running = start(['run'], { cwd: project.path });
  await running.printed(/waiting for another run/);
  running.child.kill('SIGINT');
  const { code, stderr } = await running.finished;
  expect(code).toBe(130);
  expect(stderr).toContain(
    'The run was interrupted by SIGINT. (INTERRUPTED)\n  -> Nothing was replayed: another run still used the output folder.',
  );
  expect(await readdir(path.join(project.path, '.agent-replay'))).toEqual(['.run.lock']);
});

test('fault 85: what a run that was killed began to write is swept by the next one, and its lock holds nobody', async () => {
  const left = '.agent-replay/.agent-replay-12345678-1234-1234-1234-123456789abc.tmp';
  const lock = { host: hostname(), process: 2 ** 22 + 1 };
  await using project = await projectWith({
    sessions: { one: 'a' },
    files: { [left]: '{"half', '.agent-replay/.run.lock': JSON.stringify(lock), '.agent-replay/mine.tmp': '' },
  });
  expect(await command(['run'], { cwd: project.path })).toMatchObject({ code: 0 });
  const names = await readdir(path.join(project.path, '.agent-replay'));
  expect(names.filter((name) => name.endsWith('.tmp') || name.endsWith('.lock'))).toEqual(['mine.tmp']);
});

test.for([
  ['.agent-replay', '.agent-replay'],
  ['.agent-replay', 'reports'],
  ['.agent-replay/traces', '.agent-replay'],
  ['reports', 'reports/of/replays'],
] as const)(
  'fault 86: %s that is a link is refused for --output-dir %s, and nothing behind it is deleted',
  async ([name, dir]) => {
    await using elsewhere = await folderWith({ 'report.json': 'theirs', 'one.1.1.json': 'theirs' });
    await using project = await projectWith({ sessions: { one: 'a' } });
    const place = path.join(project.path, name);
    await mkdir(path.dirname(place), { recursive: true });
    await symlink(elsewhere.path, place);
    const { code, stderr } = await command(['run', '--output-dir', dir], { cwd: project.path });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is a link: .* \(OUTPUT_NOT_WRITABLE\)/)]);
    expect((await readdir(elsewhere.path)).sort()).toEqual(['one.1.1.json', 'report.json']);
  },
);

test('fault 53: the file that names another output folder is replaced if it is a link, and what it leads to stays', async () => {
  await using elsewhere = await folderWith({ theirs: 'theirs' });
  await using project = await projectWith({ sessions: { one: 'a' } });
  const pointer = path.join(project.path, '.agent-replay', 'last-output');
  await mkdir(path.dirname(pointer));
  await symlink(path.join(elsewhere.path, 'theirs'), pointer);
  expect(await command(['run', '--output-dir', 'reports'], { cwd: project.path })).toMatchObject({ code: 0 });
  expect(await readFile(path.join(elsewhere.path, 'theirs'), 'utf8')).toBe('theirs');
  expect(await readFile(pointer, 'utf8')).toBe('reports');
});
