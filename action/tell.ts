import { createHash } from 'node:crypto';
import path from 'node:path';
import { info } from '@actions/core';
import { gateOf, linesForTerminal, type Report, renderTerminal, writeReport } from '../src/index.ts';
import { notice, publishAddresses, publishOutputs, readBaseline, reportError, writeSummary } from './announce.ts';
import { commentOn } from './comment.ts';
import { commentablePullRequest, type PullRequest, type WorkflowEvent } from './event.ts';
import { noteDown } from './history.ts';
import type { Inputs } from './inputs.ts';
import { keepIssues } from './issue.ts';
import { sealReport } from './origin.ts';
import type { Run } from './stamp.ts';

/** In the working directory: what a workflow uploads. */
export const OUTPUT_FOLDER = '.agent-replay';
const FORMATS = ['json', 'junit', 'html', 'markdown'] as const;

/** Prints a report, and writes its files. @returns whether all of them could be written */
export async function put(report: Report, folder: string): Promise<boolean> {
  for (const line of linesForTerminal(renderTerminal(report).trimEnd())) info(line);
  try {
    await writeReport(report, { dir: folder, formats: FORMATS });
    return true;
  } catch (error) {
    reportError(error);
    return false;
  }
}

/**
 * Shows a report everywhere on GitHub where it belongs: summary and outputs always; on a pull request in its comment;
 * elsewhere, where it is asked for, in the history and in issues. What is half done, or a shard, is shown nowhere but
 * in the summary, so that it never stands where something whole stood. Changes no verdict.
 */
export async function tell(report: Report, inputs: Inputs, event: WorkflowEvent, signal: AbortSignal): Promise<void> {
  const folder = path.join(inputs.workingDirectory, OUTPUT_FOLDER);
  const baseline = await readBaseline(inputs);
  await writeSummary(report, baseline);
  publishOutputs(report, folder);
  const isPart = signal.aborted || report.evidence.shard !== undefined;
  publishAddresses(isPart ? {} : await tellOnGitHub(report, baseline, { inputs, event, folder, signal }));
}

interface Place {
  readonly inputs: Inputs;
  readonly event: WorkflowEvent;
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function tellOnGitHub(report: Report, baseline: Report | undefined, place: Place) {
  const { inputs, event, signal } = place;
  const { env } = process;
  const pull = commentablePullRequest(event);
  if (pull !== undefined) return { comment: await tellPullRequest(pull, report, baseline, place) };
  // Of another pull request event: what was checked out is nobody's main line.
  if (event.pullRequest !== undefined || event.name === 'merge_group') return {};
  const { token, history, issue } = inputs;
  const { repository } = event;
  if (history !== undefined) await noteDown(report, history, { repository, token, env, signal });
  if (!issue) return {};
  if (token === undefined) return { issue: notice('No issue is kept: the input "github-token" is empty.') };
  const subject = subjectOf(inputs);
  const runUrl = runUrlOf(repository, env);
  return { issue: await keepIssues(report, { repository, token, subject, runUrl, env, signal }) };
}

async function tellPullRequest(
  pull: PullRequest,
  report: Report,
  baseline: Report | undefined,
  { inputs, folder, signal }: Place,
): Promise<string | undefined> {
  const { env } = process;
  const { token } = inputs;
  const key = keyOf(inputs, env);
  const run: Run = {
    status: gateOf(report).status,
    number: Number(env.GITHUB_RUN_NUMBER) || 0,
    attempt: Number(env.GITHUB_RUN_ATTEMPT) || 1,
    id: Number(env.GITHUB_RUN_ID) || 0,
    sha: pull.headSha.slice(0, 7),
  };
  const { repository, number: pullRequest, headSha } = pull;
  // Whether another job needs it is not known here.
  await sealReport(folder, { repository, pullRequest, headSha, runId: run.id, key }).catch(() =>
    notice('origin.json could not be written beside the report: a workflow with "mode: publish" would refuse it.'),
  );
  if (token === undefined) return notice('No comment was written: the input "github-token" is empty.');
  if (pull.isFork) {
    return notice('No comment was written: the token of a pull request from a fork cannot write. See the job summary.');
  }
  const { url, trouble } = await commentOn(pull, report, { token, key, run, baseline, env, signal });
  return trouble === undefined ? url : notice(trouble);
}

/** Stays the same from run to run of one step, and tells two steps of one workflow apart. */
function keyOf(inputs: Inputs, { GITHUB_WORKFLOW, GITHUB_JOB }: NodeJS.ProcessEnv): string {
  const step = [GITHUB_WORKFLOW, GITHUB_JOB, subjectOf(inputs), inputs.commentKey];
  return createHash('sha256').update(JSON.stringify(step)).digest('hex').slice(0, 12);
}

/** What a step is about, where one workflow has several. */
function subjectOf({ config, workingDirectory, set }: Inputs): string {
  const about = set.filter((setting) => /^(agent\.id|sessions)\s*=/.test(setting));
  return JSON.stringify([config, path.relative(process.cwd(), workingDirectory), ...about]);
}

function runUrlOf(repository: string, { GITHUB_SERVER_URL, GITHUB_RUN_ID }: NodeJS.ProcessEnv): string {
  return `${GITHUB_SERVER_URL ?? 'https://github.com'}/${repository}/actions/runs/${GITHUB_RUN_ID}`;
}
