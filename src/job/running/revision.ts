import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The project's commit and branch, as far as they are known. */
export interface Revision {
  readonly commit?: string;
  readonly branch?: string;
}

/** Reading two files of git takes milliseconds, but a sleeping disk or a broken git must not hold up a run. */
const MAX_GIT_MS = 2_000;

/**
 * Commit and branch as the CI system names them (GitHub, GitLab), or else as git does. On a pull request: the branch of the
 * request.
 */
export async function revisionOf(root: string, environment: NodeJS.ProcessEnv): Promise<Revision> {
  const commit = environment.GITHUB_SHA || environment.CI_COMMIT_SHA || (await git(root, 'rev-parse', 'HEAD'));
  if (commit === undefined) return {};
  const branch =
    environment.GITHUB_HEAD_REF ||
    environment.GITHUB_REF_NAME ||
    environment.CI_COMMIT_REF_NAME ||
    (await git(root, 'symbolic-ref', '--short', 'HEAD'));
  return branch === undefined ? { commit } : { commit, branch };
}

async function git(cwd: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', args, { cwd, timeout: MAX_GIT_MS, windowsHide: true });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
