import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { folderWith } from '../config/folder.ts';
import { FakeGitHub, TOKEN } from './github.ts';
import { pullRequest } from './step.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

test('a pull request of ours has one comment with the size of each room, before and after', async () => {
  await using github = await FakeGitHub.start();
  await using folder = await folderWith({ 'event.json': JSON.stringify(pullRequest().payload) });
  const env = {
    PATH: process.env.PATH,
    ...github.env,
    GITHUB_TOKEN: TOKEN,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: path.join(folder.path, 'event.json'),
    GITHUB_REPOSITORY: 'Codertocat/Hello-World',
    GITHUB_RUN_ID: '7',
    GITHUB_RUN_NUMBER: '7',
    GITHUB_RUN_ATTEMPT: '1',
  };
  // A commit of this tree without its actions: one room is new.
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: ROOT })).stdout.trim();
  const tree = (await git('ls-tree', 'HEAD'))
    .split('\n')
    .filter((line) => line.endsWith('\tsrc'))
    .join('');
  const made = promisify(execFile)('git', ['mktree'], { cwd: ROOT });
  made.child.stdin!.end(`${tree}\n`);
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  const base = await git(...who, 'commit-tree', '-m', 'base', (await made).stdout.trim());
  await promisify(execFile)(process.execPath, ['scripts/rooms.ts', base], { cwd: ROOT, env });
  const bodies = github.comments.map(({ body }) => body);
  expect(bodies).toEqual([expect.stringMatching(/### ✔ agent-replay: [\d,]+ \(\+[\d,]+\) characters of product code/)]);
  expect(bodies[0]).toMatch(/\| action +\| +([\d,]+) \(\+\1\) \| +0 \| +(\d+) \(\+\2\) \|/);
});
