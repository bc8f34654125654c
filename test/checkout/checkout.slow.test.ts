import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checkOut } from '../../src/checkout/index.ts';
import { folderWith } from '../config/folder.ts';
import { messageFrom } from '../whole-message.ts';

async function git(cwd: string, ...args: string[]): Promise<string> {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  return (await promisify(execFile)('git', [...who, ...args], { cwd })).stdout.trim();
}

/** `main` is at 5; `feature` left it at 3; `merged` is both, as a pull request is checked out. */
async function remote() {
  const folder = await folderWith({});
  const cwd = folder.path;
  await git(cwd, 'init', '--quiet', '--initial-branch', 'main');
  const commit = async (name: string) => {
    await writeFile(path.join(cwd, 'version'), name);
    await git(cwd, 'add', '--all');
    await git(cwd, 'commit', '--quiet', '--message', name);
    return git(cwd, 'rev-parse', 'HEAD');
  };
  const commits: string[] = [];
  for (const name of ['1', '2', '3', '4', '5']) commits.push(await commit(name));
  await git(cwd, 'switch', '--quiet', '--create', 'feature', 'HEAD~2');
  await writeFile(path.join(cwd, 'feature'), '');
  await git(cwd, 'add', '--all');
  await git(cwd, 'commit', '--quiet', '--message', 'feature');
  await git(cwd, 'switch', '--quiet', '--create', 'merged', 'main');
  await git(cwd, 'merge', '--quiet', '--no-ff', '--message', 'merged', 'feature');
  return { ...folder, commits };
}

async function clone(from: string, branch: string) {
  const folder = await folderWith({});
  await git(folder.path, 'clone', '--quiet', '--depth=1', '--branch', branch, `file://${from}`, 'clone');
  return { ...folder, path: path.join(folder.path, 'clone') };
}

test.each([
  ['main', 'merged', 4, 'the tip of a branch'],
  ['origin/main', 'merged', 4, 'a branch as the clone calls it'],
  ['main...', 'merged', 4, 'the last commit in common of a merge'],
  ['main...', 'feature', 2, 'the last commit in common of a branch'],
])('%s on %s of a clone of depth 1 is fetched: %#, %s', async (ref, branch, index) => {
  await using origin = await remote();
  await using shallow = await clone(origin.path, branch);
  await using checkout = await checkOut(ref, { folder: shallow.path });
  expect(checkout.commit).toBe(origin.commits[index]);
  const place = await checkout.place(shallow.path);
  expect(await readFile(path.join(place, 'version'), 'utf8')).toBe(String(index + 1));
  expect((await readdir(place)).includes('.git')).toBe(false);
  expect(await git(shallow.path, 'status', '--porcelain')).toBe('');
});

test('a whole clone is not cut when something is fetched for it', async () => {
  await using origin = await remote();
  await using folder = await folderWith({});
  await git(folder.path, 'clone', '--quiet', '--branch', 'main', '--single-branch', `file://${origin.path}`, 'clone');
  const cwd = path.join(folder.path, 'clone');
  await using checkout = await checkOut('feature', { folder: cwd });
  expect(checkout.commit).toBe(await git(origin.path, 'rev-parse', 'feature'));
  expect(await git(cwd, 'rev-parse', '--is-shallow-repository')).toBe('false');
});

test('what cannot be fetched is refused with the line to add', async () => {
  await using origin = await remote();
  await using shallow = await clone(origin.path, 'feature');
  await git(shallow.path, 'remote', 'set-url', 'origin', 'file:///nowhere');
  expect(await messageFrom(() => checkOut('main', { folder: shallow.path }))).toMatchInlineSnapshot(`
    "The base main is not in this clone, and could not be fetched. (BASE_NOT_FOUND)
      git: fatal: '/nowhere' does not appear to be a git repository
      git: fatal: Could not read from remote repository.
      git: Please make sure you have the correct access rights
      git: and the repository exists.
      -> Add "fetch-depth: 0" to the step that checks the repository out, or run "git fetch origin main" before. Check the name, too."
  `);
});

test('what cannot be installed says which command failed, and what it said', async () => {
  await using origin = await remote();
  await using checkout = await checkOut('main', { folder: origin.path });
  const cwd = await checkout.place(origin.path);
  expect(await messageFrom(() => checkout.install('echo no lock file here && exit 3', { cwd }))).toMatchInlineSnapshot(`
    "agent.install failed at the base: exit code 3. (BASE_NOT_INSTALLED)
      command: echo no lock file here && exit 3
      no lock file here
      -> Try it in a fresh checkout of that commit, where it runs. If it needs files that git does not track, list them in agent.baseFiles."
  `);
});

test.each(['--upload-pack=touch x', 'origin/--upload-pack=touch x', 'origin/origin/-x'])(
  'fault 139: a name of which a part is an option of git is none: %s',
  async (name) => {
    await using origin = await remote();
    await using shallow = await clone(origin.path, 'feature');
    await expect(checkOut(name, { folder: shallow.path })).rejects.toMatchObject({
      code: 'BASE_NOT_FOUND',
      evidence: [`git: ${name} is an option`],
    });
    expect(await readdir(shallow.path)).not.toContain('x');
  },
);

test('fault 139: a name that means several commits is refused, here and where it is fetched from', async () => {
  await using origin = await remote();
  const [first, second] = origin.commits as [string, string];
  const refused = (name: string, folder: string) =>
    expect(checkOut(name, { folder }), name).rejects.toMatchObject({
      message: `The base ${name} means several commits.`,
    });
  await git(origin.path, 'tag', 'main', first);
  const short = second.slice(0, 8);
  await git(origin.path, 'branch', short, first);
  await git(origin.path, 'update-ref', 'refs/heads/HEAD', first);
  for (const name of ['main', 'main~1', short, 'HEAD']) await refused(name, origin.path);
  await using shallow = await clone(origin.path, 'feature');
  await refused('main', shallow.path);
  await using checkout = await checkOut('refs/heads/main', { folder: origin.path });
  expect(checkout.commit).toBe(origin.commits[4]);
});

test('fault 139: a tag and a branch of one commit are one name', async () => {
  await using origin = await remote();
  await git(origin.path, 'tag', 'main', 'refs/heads/main');
  await using checkout = await checkOut('main', { folder: origin.path });
  expect(checkout.commit).toBe(origin.commits[4]);
});
