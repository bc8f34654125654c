import { readFile } from 'node:fs/promises';
import { warning } from '@actions/core';
import { z } from 'zod';

/** What started the workflow. */
export interface WorkflowEvent {
  readonly name: string;
  readonly repository: string;
  readonly pullRequest: z.infer<typeof pullRequest> | undefined;
}

export interface PullRequest {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
  readonly headSha: string;
  /** Its head is in another repository, or in one that was deleted. */
  readonly isFork: boolean;
}

const pullRequest = z.object({
  number: z.int().positive(),
  head: z.object({
    sha: z.string().regex(/^[0-9a-f]{7,64}$/),
    repo: z.object({ full_name: z.string() }).nullable(),
  }),
});

/** Events with the secrets and the write token of the base repository, whoever wrote the code. */
const PRIVILEGED_EVENTS = new Set(['pull_request_target', 'workflow_run', 'issue_comment']);

/** Reads the event of the workflow. One that is missing or malformed is as one without a pull request. */
export async function readEvent(env: NodeJS.ProcessEnv): Promise<WorkflowEvent> {
  const { GITHUB_EVENT_NAME: name = '', GITHUB_REPOSITORY: repository = '', GITHUB_EVENT_PATH = '' } = env;
  const payload = await readFile(GITHUB_EVENT_PATH, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  const { data } = z.object({ pull_request: pullRequest }).safeParse(payload);
  return { name, repository, pullRequest: data?.pull_request };
}

/**
 * The pull request whose code this is. Only of `pull_request`: on other events, those of the merge queue included,
 * another commit than its head is checked out.
 */
export function commentablePullRequest({ name, repository, pullRequest }: WorkflowEvent): PullRequest | undefined {
  const [owner, repo, ...rest] = repository.split('/');
  if (name !== 'pull_request' || pullRequest === undefined || !owner || !repo || rest.length > 0) return undefined;
  const { number, head } = pullRequest;
  return { owner, repo, number, headSha: head.sha, isFork: head.repo?.full_name !== repository };
}

/** The action runs code of the checked-out repository: with the secrets of the base, a stranger could take them. */
export function warnOfForeignCode({ name }: WorkflowEvent): void {
  if (!PRIVILEGED_EVENTS.has(name)) return;
  warning(
    `On ${name} a workflow has the secrets of the repository: never check out the code of a pull request here, because the agent is started from it. Use the event pull_request.`,
    { title: 'agent-replay: unsafe event' },
  );
}
