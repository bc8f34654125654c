import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { asAgentReplayError, type Report } from '../src/rims.ts';
import { GitHub, reasonOf } from './github.ts';
import { openSealed } from './origin.ts';

export interface BaselineOptions {
  /** `owner/name`. */
  readonly repository: string;
  /** Of a pull request, the one to merge into. */
  readonly branch: string | undefined;
  readonly commit: string;
  readonly token: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export interface Baseline {
  readonly report?: Report;
  /** Why there is none. */
  readonly trouble?: string;
}

/**
 * An earlier report must be of this repository and branch, and of an ancestor of this commit: else a stranger's or a
 * later one would count as the base branch. Nothing fails without it.
 */
export async function readBaseline(file: string, options: BaselineOptions): Promise<Baseline> {
  if (!existsSync(file)) {
    return {
      trouble: 'There is no "baseline-report" yet, so the comment does not show what changed since the base branch.',
    };
  }
  try {
    const { report, origin } = await openSealed(path.dirname(file), path.basename(file));
    const { repository, branch, token } = options;
    if (origin.repository !== repository) return unfit('it is of another repository');
    if (origin.pullRequest !== null) return unfit('it is of a pull request');
    if (origin.branch !== branch) return unfit('it is of another branch');
    if (origin.headSha === options.commit) return { report };
    if (token === undefined) return unfit('the input "github-token" is empty, so that its commit cannot be looked up');
    const isBefore = await isAncestor(origin.headSha, { ...options, token });
    return isBefore ? { report } : unfit('its commit is not an ancestor of this one');
  } catch (error) {
    return unfit(asAgentReplayError(error).message.replace(/\.$/, ''));
  }
}

function unfit(why: string): Baseline {
  return { trouble: `The "baseline-report" is not used: ${why}.` };
}

const compared = z.object({ status: z.string() });

async function isAncestor(sha: string, options: BaselineOptions & { token: string }): Promise<boolean> {
  const route = 'GET /repos/{owner}/{repo}/compare/{basehead}';
  try {
    const answer = await new GitHub(options).request(route, { basehead: `${sha}...${options.commit}`, per_page: 1 });
    return ['ahead', 'identical'].includes(compared.parse(answer).status);
  } catch (error) {
    throw new Error(`its commit could not be looked up: ${reasonOf(error, 'contents: read')}`);
  }
}
