import { execFile } from 'node:child_process';
import { appendFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { appendHistory, readHistory } from '../../src/job/index.ts';
import { historyEntryOf } from '../../src/report/history/history-entry.ts';
import { folderWith } from '../config/folder.ts';
import { report, sessionThat } from '../report/fixtures/reports.ts';
import { command } from './command.ts';
import { projectWith } from './project.ts';

const ENTRY = historyEntryOf(report([sessionThat('asRecorded', 'refund')]));

test('each run appends a line with its commit, and history shows how its sessions came along', async () => {
  await using project = await projectWith({ sessions: { one: 'a', two: 'b' } });
  const cwd = project.path;
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd });
  await git('init', '--quiet', '--initial-branch', 'trunk');
  await git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--allow-empty', '-m', 'first');
  const { stdout: commit } = await git('rev-parse', 'HEAD');
  const args = ['run', '--quiet', '--history', 'past/history.ndjson'];
  expect((await command(args, { cwd })).code).toBe(0);
  const changed = ['--set', `agent.env.PORT=${project.port}`, '--set', 'agent.env.PREFIX=new '];
  expect((await command([...args, ...changed], { cwd })).code).toBe(1);
  const { entries } = await readHistory(path.join(cwd, 'past/history.ndjson'));
  expect(entries.map(({ status }) => status)).toEqual(['passed', 'failed']);
  expect(entries[0]).toMatchObject({ commit: commit.trim(), branch: 'trunk', runs: 2 });
  const shown = await command(['history', 'past/history.ndjson'], { cwd });
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(new RegExp(`✘ one +changed +0/2 +100 % +[-\\d]+ [:\\d]+ ${commit.slice(0, 9)} +█▁\n`));
  const json = await command(['history', 'past/history.ndjson', '--json', '--session', 'two'], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject([{ session: 'two', points: [{ share: 1 }, { share: 0 }] }]);
  const unknown = await command(['history', 'past/history.ndjson', '--session', 'three'], { cwd });
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('there is: replays/one.session.json') });
});

test('a history that cannot be written is said, and a pass without it is none', async () => {
  await using project = await projectWith({ sessions: { one: 'a' }, files: { taken: '' } });
  const { code, stderr } = await command(['run', '--history', 'taken/history.ndjson'], { cwd: project.path });
  expect(code).toBe(2);
  expect(stderr).toContain('OUTPUT_NOT_WRITABLE');
});

test('runs that end at the same time lose no line of each other', async () => {
  await using folder = await folderWith({});
  const file = path.join(folder.path, 'history.ndjson');
  const entry = { ...ENTRY, sessions: Array.from({ length: 500 }, () => ENTRY.sessions).flat() };
  await Promise.all(Array.from({ length: 40 }, () => appendHistory(file, entry)));
  expect(await readHistory(file)).toEqual({ entries: Array(40).fill(entry), unreadable: 0 });
});

test('a last line that a crash has cut, anywhere, costs nothing but itself', async () => {
  await using folder = await folderWith({});
  const file = path.join(folder.path, 'history.ndjson');
  await appendHistory(file, ENTRY);
  const { size } = await stat(file);
  for (const kept of [size + 1, size + 20, 2 * size - 1]) {
    await appendHistory(file, ENTRY);
    await truncate(file, kept);
    await appendHistory(file, ENTRY);
    const { entries, unreadable } = await readHistory(file);
    // Without its line feed a line is whole all the same.
    expect([entries.length, unreadable]).toEqual(kept === 2 * size - 1 ? [3, 0] : [2, 1]);
    await truncate(file, size);
  }
});

test('of a very long history the latest part is read, and appending reads none of it', async () => {
  await using folder = await folderWith({});
  const file = path.join(folder.path, 'history.ndjson');
  const line = `${JSON.stringify(ENTRY)}\n`;
  await writeFile(file, line.repeat(Math.ceil((20 * 1024 ** 2) / line.length)));
  await appendFile(file, line.slice(0, 9));
  const before = (await stat(file)).size;
  await appendHistory(file, { ...ENTRY, status: 'failed' });
  expect((await stat(file)).size).toBe(before + line.length + 1);
  const { entries, unreadable } = await readHistory(file);
  expect(entries.some(({ status }) => status === 'failed')).toBe(true);
  expect(unreadable).toBe(1);
  expect(entries.length).toBeLessThan((before + 1) / line.length);
});
