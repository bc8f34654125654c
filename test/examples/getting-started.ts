import path from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../agent/processes.ts';
import { folderWith } from '../config/folder.ts';
import { type Hosted, openPullRequest } from './hosted.ts';
import { type Done, ended, Terminal, type WalkOptions, walk } from './page.ts';

const AUTHOR = { NAME: 'Reader', EMAIL: 'reader@example.com' };

export interface Walked {
  /** Of the blocks of commands, in order. */
  readonly done: readonly Done[];
  /** Of the branches that were pushed, in order. */
  readonly pulls: readonly Hosted[];
}

/**
 * Walks docs/getting-started.md from an empty folder. Each branch that it pushes is a pull request.
 * @param env beside PATH, HOME and the author of commits
 */
export async function walkGettingStarted(
  env: Readonly<Record<string, string>>,
  { install, installLocked }: Pick<WalkOptions, 'install'> & { readonly installLocked: WalkOptions['install'] },
): Promise<Walked> {
  await using folder = await folderWith({});
  const repository = path.join(folder.path, 'origin.git');
  await ended('git', ['init', '--quiet', '--bare', repository], folder.path);
  const { PATH, HOME } = process.env;
  const author = Object.entries(AUTHOR).flatMap(([key, value]) =>
    ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${key}`, value]),
  );
  const terminal = new Terminal(folder.path, { PATH, HOME, ...Object.fromEntries(author), ...env });
  const port = String(await freePort());
  const pulls: Hosted[] = [];
  const done = await walk('getting-started.md', terminal, {
    install,
    change: (text) => text.replaceAll('3000', port),
    after: async ({ commands, code, printed }) => {
      expect(code, printed).not.toBeNull();
      if (commands.includes('git init')) await ended('git', ['remote', 'add', 'origin', repository], terminal.cwd);
      const [, branch] = /^git push origin (\S+)$/m.exec(commands) ?? [];
      if (branch !== undefined) pulls.push(await openPullRequest(repository, branch, installLocked));
    },
  });
  return { done, pulls };
}

/** What the page promises, on the laptop and on the pull requests. */
export function expectPromised({ done, pulls }: Walked): void {
  expect(done.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 1, 0]);
  expect(done[2]?.printed).toContain('1 with a warning');
  expect(pulls.map(({ step }) => [step.exitCode, step.outputs.status, step.leftovers])).toEqual([
    [0, 'passed', []],
    [1, 'failed', []],
  ]);
  const [green, red] = pulls.map(({ comment }) => comment);
  expect(green).toContain('2 of 2');
  expect(red).toContain('create_ticket');
  expect(red).toContain('Refund up to 100 EUR yourself.');
}
