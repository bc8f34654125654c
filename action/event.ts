import { readFile } from 'node:fs/promises';
import { warning } from '@actions/core';
import { z } from 'zod';
import { InputError, type Inputs } from './inputs.ts';

/** What started the workflow. */
export interface WorkflowEvent {
  readonly name: string;
  /** `owner/name`; empty when nobody says it. */
  readonly repository: string;
  readonly pullRequest: z.infer<typeof pullRequest> | undefined;
  readonly workflowRun: WorkflowRun | undefined;
  /** That was written just now on a pull request. */
  readonly comment: WrittenComment | undefined;
  /** Whose head commit a workflow was dispatched for, as its input `pull-request` says; nobody has looked whether it is. */
  readonly dispatchedFor: number | undefined;
  /** The same once somebody has looked. */
  readonly dispatchedPull?: PullRequest | undefined;
  /** What a merge queue builds. */
  readonly mergeGroup: { readonly base: string } | undefined;
  /** That the run is of; undefined for tags and pull requests. */
  readonly branch: string | undefined;
  /** Of the repository, where the event tells it. */
  readonly defaultBranch: string | undefined;
}

export interface PullRequest {
  /** Where it was opened, `owner/name`. */
  readonly repository: string;
  readonly number: number;
  readonly headSha: string;
  /** The branch that it is to be merged into. */
  readonly base: string;
  /** Its head is in another repository, or in one that was deleted. */
  readonly isFork: boolean;
}

const sha = z.string().regex(/^[0-9a-f]{7,64}$/);
const pullRequest = z.object({
  number: z.int().positive(),
  head: z.object({ sha, repo: z.object({ full_name: z.string() }).nullable() }),
  base: z.object({ ref: z.string() }),
});

const mergeGroup = z.object({ base_sha: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/) });

const repositoryIn = z.object({ repository: z.object({ default_branch: z.string() }) });

const workflowRun = z.object({
  id: z.int().positive(),
  workflow_id: z.int().positive(),
  /** Of the workflow. */
  name: z.string(),
  run_number: z.int().positive(),
  run_attempt: z.int().positive(),
  /** What had started that workflow. */
  event: z.string(),
  head_sha: sha,
  head_repository: z.object({ full_name: z.string() }).nullable(),
  /** Empty for forks. */
  pull_requests: z.array(z.object({ number: z.int() })),
});
/** The run of another workflow after which this one was started. */
export type WorkflowRun = z.infer<typeof workflowRun>;

const writtenComment = z.object({
  action: z.literal('created'),
  issue: z.object({ number: z.int().positive(), pull_request: z.looseObject({}) }),
  comment: z.object({
    body: z.string(),
    html_url: z.string(),
    user: z.object({ login: z.string().regex(/^[\w-]{1,100}$/), type: z.literal('User') }),
  }),
});

/** What a person wrote on a pull request. */
export interface WrittenComment {
  readonly pull: number;
  readonly by: string;
  readonly url: string;
  readonly body: string;
}

const dispatched = z.object({ inputs: z.object({ 'pull-request': z.string().regex(/^[1-9]\d{0,9}$/) }) });

/** Events with the secrets and the write token of the base repository, whoever wrote the code. */
const PRIVILEGED_EVENTS = new Set(['pull_request_target', 'workflow_run', 'issue_comment']);

/** Reads the event of the workflow. One that is missing or malformed is as one without a pull request. */
export async function readEvent(env: NodeJS.ProcessEnv): Promise<WorkflowEvent> {
  const { GITHUB_EVENT_NAME: name = '', GITHUB_REPOSITORY: repository = '', GITHUB_EVENT_PATH = '' } = env;
  const [, branch] = /^refs\/heads\/(.+)$/.exec(env.GITHUB_REF ?? '') ?? [];
  const payload = await readFile(GITHUB_EVENT_PATH, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  return {
    name,
    repository: /^[^/]+\/[^/]+$/.test(repository) ? repository : '',
    pullRequest: z.object({ pull_request: pullRequest }).safeParse(payload).data?.pull_request,
    workflowRun: z.object({ workflow_run: workflowRun }).safeParse(payload).data?.workflow_run,
    comment: commentIn(payload),
    dispatchedFor: numberIn(name === 'workflow_dispatch' ? payload : undefined),
    mergeGroup: mergeGroupIn(payload),
    branch,
    defaultBranch: repositoryIn.safeParse(payload).data?.repository.default_branch,
  };
}

function commentIn(payload: unknown): WrittenComment | undefined {
  const { issue, comment } = writtenComment.safeParse(payload).data ?? {};
  if (issue === undefined || comment === undefined) return undefined;
  return { pull: issue.number, by: comment.user.login, url: comment.html_url, body: comment.body };
}

function numberIn(payload: unknown): number | undefined {
  const number = dispatched.safeParse(payload).data?.inputs['pull-request'];
  return number === undefined ? undefined : Number(number);
}

function mergeGroupIn(payload: unknown): WorkflowEvent['mergeGroup'] {
  const group = z.object({ merge_group: mergeGroup }).safeParse(payload).data?.merge_group;
  return group && { base: group.base_sha };
}

/**
 * The pull request whose code this is: of `pull_request`, or the one that the run was dispatched for. On other events, those
 * of the merge queue included, another commit than its head is checked out.
 */
export function commentablePullRequest(event: WorkflowEvent): PullRequest | undefined {
  const { name, repository, pullRequest, dispatchedPull } = event;
  if (dispatchedPull !== undefined) return dispatchedPull;
  if (name !== 'pull_request' || pullRequest === undefined || repository === '') return undefined;
  const { number, head, base } = pullRequest;
  return { repository, number, headSha: head.sha, base: base.ref, isFork: head.repo?.full_name !== repository };
}

/**
 * Whether this run may write what is kept of the repository as a whole: its history, its issues. A run of
 * another branch would close the issue of the main line.
 * @param recordBranches those that may; when empty the default branch alone
 */
export function isOnRecord({ name, branch, defaultBranch }: WorkflowEvent, recordBranches: readonly string[]): boolean {
  if (branch === undefined) return false;
  if (recordBranches.length > 0) return recordBranches.includes(branch);
  // GitHub starts what is scheduled on the default branch alone, and its event names none.
  return name === 'schedule' || branch === defaultBranch;
}

/**
 * The action runs code of the checked-out repository: with the secrets of the base, a stranger could take them.
 * @throws InputError on `pull_request_target`, unless it is allowed by name
 */
export function guardForeignCode({ name }: WorkflowEvent, { allowPullRequestTarget }: Inputs): void {
  if (!PRIVILEGED_EVENTS.has(name)) return;
  if (name === 'pull_request_target' && !allowPullRequestTarget) {
    throw new InputError(
      'allow-pull-request-target',
      "is not true, and this workflow runs on pull_request_target, where a stranger's code could read the secrets of the repository",
      'Replay on pull_request, and show the result of forks with "mode: publish" in a workflow_run workflow.',
    );
  }
  warning(
    `On ${name} a workflow has the secrets of the repository: never check out the code of a pull request here, because the agent is started from it. Use the event pull_request.`,
    { title: 'agent-replay: unsafe event' },
  );
}
