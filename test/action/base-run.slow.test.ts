import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { command } from '../cli/command.ts';
import { fixture, projectWith } from '../cli/project.ts';
import { sceneOf } from '../cli/scene.ts';
import { folderWith } from '../config/folder.ts';
import { removed } from '../programs.ts';
import { FakeGitHub } from './github.ts';
import { pullRequest, runAction, schedule } from './step.ts';

/** Where checkouts go: other tests of this machine have theirs elsewhere. */
const TMPDIR = await mkdtemp(path.join(tmpdir(), 'agent-replay-test-'));
afterAll(() => removed(TMPDIR));

async function git(cwd: string, ...args: string[]): Promise<string> {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  return (await promisify(execFile)('git', [...who, ...args], { cwd })).stdout.trim();
}

async function commit(cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
  const file = path.join(cwd, 'agent-replay.config.json');
  const config = JSON.parse(await readFile(file, 'utf8'));
  const { PORT: _, ...kept } = config.agent.env;
  await writeFile(file, JSON.stringify({ ...config, agent: { ...config.agent, env: { ...kept, ...env } } }, null, 1));
  await git(cwd, 'add', '--all');
  await git(cwd, 'commit', '--quiet', '--message', 'one more');
}

/** A repository with an agent that is never twice the same, recorded ten times on `main`. */
const recorded = sceneOf(async () => {
  const project = await projectWith({
    sessions: { one: 'fares to Rome', two: 'fares to Oslo' },
    config: { runs: 5 },
    agent: { command: fixture('live-agent.ts'), url: 'http://127.0.0.1:{port}/replay' },
    files: { '.gitignore': '.agent-replay\n' },
  });
  await git(project.path, 'init', '--quiet', '--initial-branch', 'main');
  await commit(project.path, { SEED: 'recorded' });
  const pinned = await command(['pin', 'replays/*.session.json', '--runs', '10', '--yes'], { cwd: project.path });
  expect(pinned.code).toBe(0);
  await commit(project.path, { SEED: 'base' });
  return project;
});

/** It, and a pull request that changes its agent's environment so. `main` has gone on since the pull request left it. */
async function repository(change: Readonly<Record<string, string>>) {
  const project = await recorded();
  const cwd = project.path;
  const left = await git(cwd, 'rev-parse', 'HEAD');
  await git(cwd, 'switch', '--quiet', '--create', 'change');
  await commit(cwd, { SEED: 'head', ...change });
  await git(cwd, 'switch', '--quiet', 'main');
  await writeFile(path.join(cwd, 'unrelated'), 'main has gone on');
  await git(cwd, 'add', '--all');
  await git(cwd, 'commit', '--quiet', '--message', 'main goes on');
  // What GitHub offers of a pull request: the merge of both.
  await git(cwd, 'switch', '--quiet', '--detach', 'main');
  await git(cwd, 'merge', '--quiet', '--no-ff', '--message', 'merge', 'change');
  await git(cwd, 'update-ref', 'refs/pull/2/merge', 'HEAD');
  const main = await git(cwd, 'rev-parse', 'main');
  return { ...project, left, main };
}

/** As actions/checkout leaves it: one commit, no branch, and a remote that has the rest. */
async function checkedOut(origin: string, ref = 'refs/pull/2/merge') {
  const folder = await folderWith({});
  const cwd = folder.path;
  await git(cwd, 'init', '--quiet');
  await git(cwd, 'remote', 'add', 'origin', `file://${origin}`);
  await git(cwd, 'fetch', '--quiet', '--no-tags', '--depth=1', 'origin', `+${ref}:refs/remotes/pull/2/merge`);
  await git(cwd, 'checkout', '--quiet', '--force', 'refs/remotes/pull/2/merge');
  expect(await git(cwd, 'rev-list', '--count', 'HEAD')).toBe('1');
  return folder;
}

async function checkouts(): Promise<string[]> {
  return (await readdir(TMPDIR)).filter((name) => name.startsWith('agent-replay-base-'));
}

test('in a shallow clone of a pull request the input base tells what this change did from what it met', async () => {
  await using github = await FakeGitHub.start();
  await using origin = await repository({ WITHOUT: 'check_policy' });
  await using checkout = await checkedOut(origin.path);
  const step = await runAction(checkout, { event: pullRequest(), github, inputs: { base: 'main' }, env: { TMPDIR } });
  expect(step, step.log).toMatchObject({ exitCode: 1, leftovers: [], outputs: { status: 'failed' } });
  const [comment] = github.comments;
  expect(comment?.body).toContain('this change did it');
  expect(comment?.body).toContain('no replay calls check_policy');
  expect(step.summary.text).toContain('this change did it');
  const { results } = JSON.parse(await readFile(path.join(checkout.path, '.agent-replay/report.json'), 'utf8'));
  // The merge holds main, so that the last commit in common with it is main itself.
  expect(results.base).toMatchObject({ ref: 'main...', commit: origin.main, blame: 'change' });
  expect(await checkouts()).toEqual([]);
  expect(await git(checkout.path, 'status', '--porcelain')).toBe('');
  expect(await git(checkout.path, 'worktree', 'list')).not.toContain('\n');
});

test('what both do and no recording does is the world, in the comment of a green step', async () => {
  await using github = await FakeGitHub.start();
  await using origin = await repository({});
  await using checkout = await checkedOut(origin.path);
  const env = { TMPDIR, WITHOUT: 'check_policy' };
  const step = await runAction(checkout, { event: pullRequest(), github, inputs: { base: 'main' }, env });
  expect(step, step.log).toMatchObject({ exitCode: 0, leftovers: [], outputs: { status: 'passed' } });
  expect(github.comments[0]?.body).toContain('the world did it');
  expect(step.annotations.map(({ level }) => level)).toContain('warning');
  expect(await checkouts()).toEqual([]);
});

test('a base that the runner cannot fetch is exit 2 with the line to add; a schedule has no base', async () => {
  await using github = await FakeGitHub.start();
  await using origin = await repository({});
  await using checkout = await checkedOut(origin.path);
  await git(checkout.path, 'remote', 'set-url', 'origin', 'file:///nowhere');
  const step = await runAction(checkout, { event: pullRequest(), github, inputs: { base: 'main' }, env: { TMPDIR } });
  expect(step).toMatchObject({ exitCode: 2, leftovers: [], outputs: { status: 'error' } });
  expect(github.comments[0]?.body).toContain('fetch-depth: 0');
  const nightly = await runAction(checkout, { event: schedule(), github, inputs: { base: 'main' }, env: { TMPDIR } });
  expect(nightly, nightly.log).toMatchObject({ exitCode: 0, leftovers: [] });
  expect(nightly.summary.text).not.toContain('Base:');
  expect(await checkouts()).toEqual([]);
});
