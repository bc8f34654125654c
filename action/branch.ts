import { z } from 'zod';
import { CommitFiles } from './accept-pins.ts';
import { type GitHub, statusOf } from './github.ts';
import { Refusal } from './refusal.ts';

/** Somebody else may move the branch at the same time. */
const MAX_TRIES = 4;

const object = z.object({ sha: z.string() });
const reference = z.object({ object });

/**
 * Commits files on top of a branch. If there is no such branch, makes it, with no history of code.
 * @param change gets a reader of the branch's files, and returns the text of each file to write
 * @returns the commit
 */
export async function commitTo(
  github: GitHub,
  branch: string,
  message: string,
  change: (read: (path: string) => Promise<string | undefined>) => Promise<Readonly<Record<string, string>>>,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const head = await headOf(github, branch);
    const files = await change((path) =>
      head === undefined ? Promise.resolve(undefined) : readFile(github, path, head),
    );
    const commit = await commitOn(github, head, message, files);
    try {
      await pointTo(github, branch, commit, head === undefined);
      return commit;
    } catch (error) {
      // With 409 or 422 GitHub says that somebody has moved the branch.
      if (tries >= MAX_TRIES || ![409, 422].includes(statusOf(error) ?? 0)) throw error;
    }
  }
}

/** Undefined if there is no such branch or file. */
export async function readOn(github: GitHub, branch: string, path: string): Promise<string | undefined> {
  const head = await headOf(github, branch);
  return head === undefined ? undefined : readFile(github, path, head);
}

async function headOf(github: GitHub, branch: string): Promise<string | undefined> {
  const found = await orMissing(github.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ref: `heads/${branch}` }));
  return found === undefined ? undefined : reference.parse(found).object.sha;
}

async function readFile(github: GitHub, path: string, commit: string): Promise<string | undefined> {
  return new CommitFiles(github, commit).read(path).catch((error) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });
}

async function commitOn(
  github: GitHub,
  head: string | undefined,
  message: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const tree = await github.request('POST /repos/{owner}/{repo}/git/trees', {
    ...(head !== undefined && { base_tree: head }),
    tree: Object.entries(files).map(([path, content]) => ({ path, mode: '100644', type: 'blob', content })),
  });
  const commit = await github.request('POST /repos/{owner}/{repo}/git/commits', {
    message,
    tree: object.parse(tree).sha,
    parents: head === undefined ? [] : [head],
  });
  return object.parse(commit).sha;
}

async function pointTo(github: GitHub, branch: string, sha: string, isNew: boolean): Promise<void> {
  if (isNew) await github.request('POST /repos/{owner}/{repo}/git/refs', { ref: `refs/heads/${branch}`, sha });
  else await github.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ref: `heads/${branch}`, sha });
}

async function orMissing(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
