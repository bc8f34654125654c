import { existsSync } from 'node:fs';
import path from 'node:path';
import { AgentReplayError, gateOf } from '../src/rims.ts';
import { notice, publishAddresses, publishOutputs, writeSummary } from './announce.ts';
import { headingOf } from './board.ts';
import { markComments } from './comment.ts';
import type { PullRequest, Step, WorkflowRun } from './event.ts';
import { type Access, GitHub, reasonOf, statusOf } from './github.ts';
import { InputError } from './inputs.ts';
import { type Origin, openSealed } from './origin.ts';
import { pageOf } from './pages.ts';
import { findPulls, type Pull, readPull } from './pull.ts';
import { agentsIn, digest, subjectOf } from './subject.ts';
import { sectionOf, showTold, toldOn } from './tell.ts';

/**
 * In a second workflow, with the rights of the base repository. A stranger may have made the report, so this executes
 * nothing of it, loads no configuration, and comments only on the pull request whose head GitHub says was run.
 * @throws AgentReplayError `INPUT_INVALID` when the report belongs to another run
 */
export async function publish(step: Step): Promise<void> {
  const { inputs, event, signal } = step;
  const { repository, workflowRun } = event;
  if (event.name !== 'workflow_run' || workflowRun === undefined || repository === '') {
    throw new InputError(
      'mode',
      `cannot be "publish" on ${event.name || 'this event'}`,
      'Use it in a workflow that runs on workflow_run.',
    );
  }
  if (workflowRun.event !== 'pull_request')
    return noneFor(`the other workflow ran on ${workflowRun.event}, not on a pull request.`);
  if (!existsSync(path.join(inputs.reports, 'report.json'))) {
    const end = workflowRun.conclusion ?? 'unknown';
    noneFor(`the other workflow left no report (it ended as ${end}).`);
    return markOld(workflowRun, step);
  }
  const { report, origin, seal } = await openSealed(inputs.reports);
  const pullRequest = checkOrigin(origin, workflowRun, repository);
  const { token } = inputs;
  if (token === undefined) return noneFor('the input "github-token" is empty.');
  const access = { repository, token, signal };
  const pull = await pullRequestOf(pullRequest, workflowRun, access);
  if (pull === undefined) return;
  const { id, run_number: number, run_attempt: attempt, head_sha } = workflowRun;
  const reportUrl = inputs.reportUrl ?? pageOf(repository, `actions/runs/${id}#artifacts`);
  // The report is not believed to say which comment is its own: it reaches only those of its workflow.
  const scope = ['publish', workflowRun.workflow_id];
  const subject = subjectOf(agentsIn(report), inputs, scope);
  const { status, title } = gateOf(report);
  await writeSummary(report, { reportUrl, head: headingOf(status, title, subject.title) });
  publishOutputs(report, inputs.reports);
  const { group } = inputs;
  const run = { status, number, attempt, id, sha: head_sha.slice(0, 7) };
  const section = sectionOf(report, { isPart: group !== undefined });
  const told = toldOn(pull, subject, { ...section, seal, run, reportUrl, workflow: digest(scope) }, step);
  const shown = { ...told, group: group && `${group}, ${workflowRun.name}` };
  publishAddresses({ comment: await showTold(shown, token, signal) });
}

const noneFor = (why: string) => notice(`Nothing is published: ${why}`);

/** Says in the comments of the pull request that they are of an older commit: of the present one no report has come. */
async function markOld(
  { id, run_number: number, head_sha, head_branch, head_repository }: WorkflowRun,
  { inputs: { token }, event: { repository }, signal }: Step,
): Promise<void> {
  const [owner] = head_repository?.full_name.split('/') ?? [];
  if (token === undefined || owner === undefined || head_branch == null) return;
  const access = { repository, token, signal };
  try {
    const pulls = await findPulls(new GitHub(access), `${owner}:${head_branch}`);
    for (const pull of pulls.filter(({ head }) => head.sha === head_sha)) {
      const at = { id, number, sha: head_sha.slice(0, 7) };
      const { trouble } = await markComments({ repository, pull: pull.number }, at, access);
      if (trouble !== undefined) notice(trouble);
    }
  } catch (error) {
    notice(`The comment was not marked as old: ${reasonOf(error, 'pull-requests: write')}`);
  }
}

/** Checks that the report's origin is what GitHub says of the run. @returns the number of the pull request */
function checkOrigin(origin: Origin, workflowRun: WorkflowRun, repository: string): number {
  const numbers = workflowRun.pull_requests.map(({ number }) => number);
  const mistakes = [
    ...(origin.repository === repository ? [] : ['it is of another repository']),
    ...(origin.runId === workflowRun.id ? [] : ['it is of another run']),
    ...(origin.runAttempt === workflowRun.run_attempt ? [] : ['it is of another attempt of the run']),
    ...(origin.headSha === workflowRun.head_sha ? [] : ['it is of another commit']),
    // GitHub names no pull request here for forks; a later request asks about it.
    ...(numbers.length === 0 || numbers.includes(origin.pullRequest ?? 0) ? [] : ['it is of another pull request']),
  ];
  if (origin.pullRequest === null || mistakes.length > 0) throw notOfThisRun(mistakes);
  return origin.pullRequest;
}

function notOfThisRun(evidence: readonly string[]): AgentReplayError {
  return new AgentReplayError('INPUT_INVALID', 'The report is not from the run that started this workflow.', {
    evidence,
    hint: 'Download the artifact of that run (run-id: github.event.workflow_run.id). If you did, the report is forged.',
  });
}

/**
 * Finds the pull request on which a report may be shown. Its head must be the commit that was run, in the repository of
 * the run. So a forged number can only name another pull request of the same commit.
 */
async function pullRequestOf(
  number: number,
  { head_sha: headSha, head_repository: headRepository }: WorkflowRun,
  access: Access,
): Promise<Omit<PullRequest, 'isFork'> | undefined> {
  let pull: Pull;
  try {
    pull = await readPull(new GitHub(access), number);
  } catch (error) {
    if (statusOf(error) === 404) throw notOfThisRun(['its pull request does not exist']);
    return noneFor(`${reasonOf(error, 'pull-requests: write')}`);
  }
  const isOfThem = pull.head.repo?.full_name === headRepository?.full_name;
  if (!isOfThem || pull.base.repo.full_name !== access.repository)
    throw notOfThisRun(['it is of another pull request']);
  if (pull.head.sha !== headSha) return noneFor('the pull request has newer commits.');
  if (pull.state !== 'open') return noneFor('the pull request is closed.');
  return { repository: access.repository, number, headSha };
}
