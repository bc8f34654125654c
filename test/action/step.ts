import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Project } from '../cli/project.ts';
import { type FakeGitHub, TOKEN } from './github.ts';
import { Job, type JobOptions, RUN, type StepResult } from './runner/job.ts';

/** One event of each name out of `@octokit/webhooks-examples` 7.6.1 (MIT), which are those of GitHub's own documentation. */
const EVENTS = path.join(import.meta.dirname, 'events');
const ACTION = path.join(import.meta.dirname, '..', '..');

export interface StepOptions extends Partial<Pick<JobOptions, 'inputs' | 'event' | 'env'>> {
  readonly github?: FakeGitHub;
}

/** A job that uses the bundled action in a project, with the token of its workflow. */
export function jobIn(project: Pick<Project, 'path'>, { inputs, event, env, github }: StepOptions = {}): Promise<Job> {
  return Job.create({
    workspace: project.path,
    action: ACTION,
    inputs: { 'github-token': TOKEN, ...inputs },
    ...(event && { event }),
    env: { ...github?.env, ...env },
  });
}

/** Runs the main step of such a job. */
export async function runAction(project: Pick<Project, 'path'>, options?: StepOptions): Promise<StepResult> {
  await using job = await jobIn(project, options);
  const step = await job.main();
  return await step.finished;
}

interface PullRequestPayload {
  pull_request: { number: number; head: { sha: string; repo: { full_name: string } | null } };
}

/** The real payload of a pull request, with some of it replaced. */
export function pullRequest(change: (payload: PullRequestPayload) => void = () => {}) {
  const payload = exampleOf('pull_request') as PullRequestPayload;
  change(payload);
  return { name: 'pull_request', payload };
}

/** The run of another workflow, on a pull request with this head. */
export function workflowRun(headSha: string, headRepository: string, change: Readonly<Record<string, unknown>> = {}) {
  const payload = exampleOf('workflow_run') as { workflow_run: object };
  const { number, id } = RUN;
  const own = { id, run_number: number, event: 'pull_request', head_sha: headSha, pull_requests: [], ...change };
  Object.assign(payload.workflow_run, own, { head_repository: { full_name: headRepository } });
  return { name: 'workflow_run', payload };
}

interface CommentPayload {
  action: string;
  issue: { number: number; pull_request?: object };
  comment: { body: string; user: { login: string; type: string } };
}

/** A comment that a person wrote on the pull request of the example events. */
export function issueComment(body: string, change: (payload: CommentPayload) => void = () => {}) {
  const payload = exampleOf('issue_comment') as CommentPayload;
  Object.assign(payload, { action: 'created' });
  Object.assign(payload.issue, { number: 2, pull_request: {} });
  Object.assign(payload.comment, { body, user: { login: 'Codertocat', type: 'User' } });
  change(payload);
  return { name: 'issue_comment', payload };
}

/** The event of a schedule. GitHub publishes no example of it. */
export function schedule() {
  return { name: 'schedule', payload: { schedule: '0 3 * * *' } };
}

/** The event of a person who dispatches the workflow on any branch. */
export function dispatch(inputs: object | null = null) {
  return { name: 'workflow_dispatch', payload: { inputs, repository: { default_branch: 'main' } } };
}

export function push() {
  const payload = exampleOf('push') as { repository: object };
  Object.assign(payload.repository, { default_branch: 'main' });
  return { name: 'push', payload };
}

function exampleOf(event: string): unknown {
  return JSON.parse(readFileSync(path.join(EVENTS, `${event}.json`), 'utf8'));
}
