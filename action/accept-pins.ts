import { z } from 'zod';
import { sleep } from '../src/rims.ts';
import { type GitHub, QueryRefused, statusOf } from './github.ts';
import { headOf } from './history.ts';
import type { Pull } from './pull.ts';
import { Refusal } from './refusal.ts';

const REGULAR_FILE = /^100(?:644|755)$/;
/** GitHub returns no larger file either. */
const MAX_BYTES = 64 * 1024 ** 2;

const tree = z.object({
  tree: z.array(z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string() })),
});
const blob = z.object({ encoding: z.literal('base64'), content: z.string(), size: z.int().nullable() });
type Entry = z.infer<typeof tree>['tree'][number];

/** The files of a commit, as git stores them: no link is followed. */
export class CommitFiles {
  readonly #github: GitHub;
  readonly #commit: string;
  readonly #trees = new Map<string, Promise<readonly Entry[]>>();

  constructor(github: GitHub, commit: string) {
    this.#github = github;
    this.#commit = commit;
  }

  /**
   * @param file from the root of the repository, with forward slashes
   * @throws Refusal unless it is a regular file, and none of its folders is a link
   */
  async read(file: string): Promise<string> {
    const folders = file.split('/');
    const name = folders.pop();
    let at = this.#commit;
    for (const folder of folders) at = entryOf(await this.#tree(at), folder, 'tree', file).sha;
    const entry = entryOf(await this.#tree(at), name ?? '', 'blob', file);
    if (!REGULAR_FILE.test(entry.mode)) throw new Refusal(`${file} is a link.`);
    const route = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
    const { content, size } = blob.parse(await this.#github.request(route, { file_sha: entry.sha }));
    if ((size ?? 0) > MAX_BYTES) throw new Refusal(`${file} is too large.`);
    return Buffer.from(content, 'base64').toString();
  }

  #tree(sha: string): Promise<readonly Entry[]> {
    const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
    const read =
      this.#trees.get(sha) ?? this.#github.request(route, { tree_sha: sha }).then((data) => tree.parse(data).tree);
    this.#trees.set(sha, read);
    return read;
  }
}

function entryOf(entries: readonly Entry[], name: string, type: 'tree' | 'blob', file: string): Entry {
  const entry = entries.find(({ path }) => path === name);
  if (entry?.type === type) return entry;
  throw new Refusal(
    entry === undefined
      ? `${file} does not exist: accept only changes pins that exist.`
      : `${file} is not a regular file, or is behind a link.`,
  );
}

interface NewCommit {
  readonly headline: string;
  readonly body: string;
  /** By path from the root of the repository. */
  readonly files: ReadonlyMap<string, string>;
}

const created = z.object({
  createCommitOnBranch: z.object({ commit: z.object({ oid: z.string(), url: z.string() }) }),
});
const CREATE =
  'mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid url } } }';
const commit = z.object({ message: z.string(), parents: z.array(z.object({ sha: z.string() })), html_url: z.string() });

/**
 * Commits to the branch of a pull request, if its head has not moved since it was read: GitHub compares the head and
 * moves the branch in one step. To update a reference without force is not enough: that would undo a reset that
 * somebody has just made.
 * @throws Refusal when the head has moved
 */
export async function commitOnHead(
  github: GitHub,
  { head }: Pull,
  { headline, body, files }: NewCommit,
): Promise<{ sha: string; url: string }> {
  const input = {
    branch: { repositoryNameWithOwner: head.repo?.full_name ?? '', branchName: head.ref },
    expectedHeadOid: head.sha,
    message: { headline, body },
    fileChanges: {
      additions: [...files].map(([path, text]) => ({ path, contents: Buffer.from(text).toString('base64') })),
    },
  };
  try {
    const { oid, url } = (await github.query(CREATE, { input }, created)).createCommitOnBranch.commit;
    return { sha: oid, url };
  } catch (error) {
    if (error instanceof QueryRefused) throw new Refusal(refusedCommit(error, head));
    const isLost = (statusOf(error) ?? 500) >= 500;
    const made = isLost ? await committedAllTheSame(github, head, `${headline}\n\n${body}`) : undefined;
    if (made === undefined) throw error;
    return made;
  }
}

function refusedCommit({ type }: QueryRefused, { sha }: Pull['head']): string {
  switch (type) {
    case 'STALE_DATA':
      return `the branch has moved on from ${sha.slice(0, 7)}. Wait for the run of its new head.`;
    case 'FORBIDDEN':
      return 'the token may not write to this branch. The job needs "permissions: contents: write", and the branch must let it.';
    default:
      return 'GitHub did not take the commit. The branch may be protected.';
  }
}

const LOOKS = 3;
const PAUSE_MS = 500;

/** Whether GitHub made the commit although its answer was lost. */
async function committedAllTheSame(github: GitHub, head: Pull['head'], message: string) {
  for (let look = 0; look < LOOKS; look++) {
    const sha = await headOf(github, head.ref);
    if (sha === undefined) break;
    const route = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
    const found = commit.parse(await github.request(route, { commit_sha: sha }));
    if (found.message === message && found.parents[0]?.sha === head.sha) return { sha, url: found.html_url };
    await sleep(PAUSE_MS);
  }
  return undefined;
}
