import { readFile } from 'node:fs/promises';
import { warning } from '@actions/core';
import { z } from 'zod';
import { InputError, type Inputs } from './inputs.ts';

export type WorkflowEvent = Readonly<Awaited<ReturnType<typeof readEvent>>>;

export interface Step {
  readonly inputs: Inputs;
  readonly event: WorkflowEvent;
  /** Whose head is checked out. */
  readonly pull: PullRequest | undefined;
  /** Of the head of the pull request, or of the run. */
  readonly sha: string;
  readonly signal: AbortSignal;
}

export interface PullRequest {
  /** The repository in which it was opened, `owner/name`. */
  readonly repository: string;
  readonly number: number;
  readonly headSha: string;
  /** Also of a repository that was deleted. */
  readonly isFork: boolean;
}

const sha = z.string().regex(/^[0-9a-f]{7,64}$/);
const pullRequest = z.object({
  number: z.int().positive(),
  head: z.object({ sha, repo: z.object({ full_name: z.string() }).nullable() }),
});

const workflowRun = z.object({
  id: z.int().positive(),
  workflow_id: z.int().positive(),
  /** Name of the workflow. */
  name: z.string(),
  run_number: z.int().positive(),
  run_attempt: z.int().positive(),
  /** The event that started that workflow. */
  event: z.string(),
  /** `success`, `failure`, `cancelled`, `action_required`, ... */
  conclusion: z.string().nullish(),
  head_sha: sha,
  head_branch: z.string().nullish(),
  head_repository: z.object({ full_name: z.string() }).nullable(),
  /** Empty for forks. */
  pull_requests: z.array(z.object({ number: z.int() })),
});
/** The run of another workflow, whose end started this one. */
export type WorkflowRun = z.infer<typeof workflowRun>;

const writtenComment = z
  .object({
    action: z.literal('created'),
    issue: z.object({ number: z.int().positive(), pull_request: z.looseObject({}) }),
    comment: z.object({
      id: z.int(),
      body: z.string(),
      html_url: z.string(),
      user: z.object({ login: z.string().regex(/^[\w-]{1,100}$/), type: z.literal('User') }),
    }),
  })
  .transform(({ issue, comment: { id, body, html_url: url, user } }) => ({
    id,
    body,
    url,
    pull: issue.number,
    by: user.login,
  }));
/** A comment that a person has just written on a pull request. */
export type WrittenComment = Readonly<z.infer<typeof writtenComment>>;

/** A part that is not as expected counts as missing. */
const payload = z
  .object({
    pull_request: orMissing(pullRequest),
    workflow_run: orMissing(workflowRun),
    merge_group: orMissing(z.object({ base_sha: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/) })),
    inputs: orMissing(z.object({ 'pull-request': z.string().regex(/^[1-9]\d{0,9}$/) })),
    repository: orMissing(z.object({ default_branch: z.string() })),
  })
  .catch({});

function orMissing<Part extends z.ZodType>(part: Part) {
  return part.optional().catch(undefined);
}

/** With the secrets and the write token of the base repository, whoever wrote the code. */
export const PRIVILEGED_EVENTS: ReadonlySet<string> = new Set(['pull_request_target', 'workflow_run', 'issue_comment']);

/** A missing or malformed event counts as one without a pull request. */
export async function readEvent(env: NodeJS.ProcessEnv) {
  const { GITHUB_EVENT_NAME: name = '', GITHUB_REPOSITORY: repository = '', GITHUB_EVENT_PATH = '' } = env;
  const [, branch] = /^refs\/heads\/(.+)$/.exec(env.GITHUB_REF ?? '') ?? [];
  const given = await readFile(GITHUB_EVENT_PATH, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  const { pull_request, workflow_run, merge_group: group, inputs, repository: own } = payload.parse(given);
  return {
    name,
    /** Empty if the environment does not say. */
    repository: /^[^/]+\/[^/]+$/.test(repository) ? repository : '',
    pullRequest: pull_request,
    workflowRun: workflow_run,
    comment: writtenComment.safeParse(given).data,
    /** By its input `pull-request`; not verified. */
    dispatchedFor: name === 'workflow_dispatch' && inputs ? Number(inputs['pull-request']) : undefined,
    mergeGroup: group && { base: group.base_sha },
    /** Undefined for tags and pull requests. */
    branch,
    defaultBranch: own?.default_branch,
  };
}

/** On other events, also in a merge queue, another commit is checked out. */
export function commentablePullRequest({ name, repository, pullRequest }: WorkflowEvent): PullRequest | undefined {
  if (name !== 'pull_request' || pullRequest === undefined || repository === '') return undefined;
  const { number, head } = pullRequest;
  return { repository, number, headSha: head.sha, isFork: head.repo?.full_name !== repository };
}

/**
 * Whether this run may write the repository's history and issues. A run of a feature branch must not, because it would
 * close issues of the main branch.
 */
export function isOnRecord({ name, branch, defaultBranch }: WorkflowEvent): boolean {
  if (branch === undefined) return false;
  // GitHub runs schedules only on the default branch, and their events name no branch.
  return name === 'schedule' || branch === defaultBranch;
}

/** @throws InputError on `pull_request_target`, where a stranger's code could take the secrets of the base repository */
export function guardForeignCode({ event: { name } }: Step): void {
  if (!PRIVILEGED_EVENTS.has(name)) return;
  if (name === 'pull_request_target') {
    throw new InputError(
      'mode',
      'cannot be "run" on pull_request_target, where a stranger\'s code could read the secrets of the repository',
      'Replay on pull_request, and show the result of forks with "mode: publish" in a workflow_run workflow.',
    );
  }
  warning(
    `On ${name} a workflow has the secrets of the repository: never check out the code of a pull request here, because the agent is started from it. Use the event pull_request.`,
    { title: 'agent-replay: unsafe event' },
  );
}
