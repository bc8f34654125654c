import path from 'node:path';
import { info } from '@actions/core';
import {
  asAgentReplayError,
  gateOf,
  linesForTerminal,
  type Report,
  renderTerminal,
  reportOfFailure,
  toProblem,
  writeReport,
} from '../src/rims.ts';
import { addToSummary, notice, publishAddresses, publishOutputs, writeSummary } from './announce.ts';
import { readBaseline } from './baseline.ts';
import { commentOn, keysOfFailure } from './comment.ts';
import { commentablePullRequest, isOnRecord, type PullRequest, type WorkflowEvent } from './event.ts';
import { type HistoryOptions, lookBack, noteDown } from './history.ts';
import { digest, filesAt, headOf, type Identity, legOf, nameOf } from './identity.ts';
import type { Inputs } from './inputs.ts';
import { keepIssues } from './issue.ts';
import { keepMade } from './made-comments.ts';
import { maskedSecrets } from './masks.ts';
import { sealReport } from './origin.ts';
import type { Run } from './stamp.ts';

/**
 * Prints a report, and writes its files.
 * @returns the report, with one more problem if its files could not be written: a run that left no report is no pass
 */
export async function put(report: Report, folder: string): Promise<Report> {
  for (const line of linesForTerminal(renderTerminal(report).trimEnd())) info(line);
  try {
    await writeReport(report, { dir: folder });
    return report;
  } catch (error) {
    return withProblem(report, error);
  }
}

/** Adds another problem to a report, and changes its result accordingly. */
export function withProblem(report: Report, thrown: unknown): Report {
  const problem = toProblem(asAgentReplayError(thrown));
  for (const line of linesForTerminal(`${problem.message} (${problem.code})`)) info(line);
  const results = { ...report.results, problems: [...report.results.problems, problem] };
  const { status, title, message } = gateOf({ ...report, results });
  return { ...report, results: { ...results, status, title, message } };
}

/**
 * Shows a report everywhere on GitHub where it belongs: always in summary and outputs; on a pull request in its
 * comment; elsewhere, if asked for, in the history and in issues. A shard and an unfinished run are shown only in the
 * summary, so that they replace nothing complete. Changes no verdict.
 */
export async function tell(report: Report, inputs: Inputs, event: WorkflowEvent, signal: AbortSignal): Promise<void> {
  publishOutputs(report, inputs.outputDir);
  if (signal.aborted) {
    await addToSummary(`agent-replay: ${gateOf(report).title}.`);
    return publishAddresses({});
  }
  const place = { inputs, event, signal };
  const isShard = report.evidence.shard !== undefined || inputs.settings.has('shard');
  const baseline = isShard ? undefined : await baselineFor(place);
  const identity = identityOf(report, place);
  await writeSummary(report, { ...identity, baseline });
  publishAddresses(isShard ? {} : await tellOnGitHub(report, { baseline, identity }, place));
  if (!isShard && inputs.history !== undefined && !mayRecord(place)) {
    await lookBack(report, inputs.history, historyOptions(place));
  }
}

/** Whether this run is of a main branch, of which history and issues are kept. */
function mayRecord({ inputs, event }: Place): boolean {
  const isOfPull = commentablePullRequest(event) !== undefined || event.pullRequest !== undefined;
  return !isOfPull && event.name !== 'merge_group' && isOnRecord(event, inputs.recordBranches);
}

function historyOptions({ inputs: { outputDir, token }, event: { repository }, signal }: Place): HistoryOptions {
  return { outputDir, repository, token, env: process.env, signal };
}

/**
 * Shows a failure that left no report where the report would be, so that an earlier report is not taken for the new
 * one.
 */
export async function tellFailure(
  thrown: unknown,
  inputs: Inputs,
  event: WorkflowEvent,
  signal: AbortSignal,
): Promise<void> {
  const { workingDirectory: root, outputDir } = inputs;
  const failure = await reportOfFailure(thrown, { root, command: 'GitHub Action', secrets: maskedSecrets() });
  const report = await put(failure, outputDir);
  await tell(report, { ...inputs, issue: false, history: undefined }, event, signal);
}

interface Place {
  readonly inputs: Inputs;
  readonly event: WorkflowEvent;
  readonly signal: AbortSignal;
}

async function baselineFor({ inputs, event, signal }: Place): Promise<Report | undefined> {
  if (inputs.baseline === undefined) return undefined;
  const { env } = process;
  const { report, trouble } = await readBaseline(inputs.baseline, {
    repository: event.repository,
    branch: commentablePullRequest(event)?.base ?? event.pullRequest?.base.ref ?? event.branch,
    commit: env.GITHUB_SHA ?? '',
    token: inputs.token,
    env,
    signal,
  });
  return trouble === undefined ? report : notice(trouble);
}

interface Told {
  readonly baseline: Report | undefined;
  readonly identity: Identity;
}

function identityOf(report: Report, { inputs, event }: Place): Identity {
  const { env } = process;
  const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_SHA = '' } = env;
  const { repository } = event;
  const sha = commentablePullRequest(event)?.headSha ?? GITHUB_SHA;
  return {
    head: headOf(nameOf(inputs, env), report),
    reportUrl: inputs.reportUrl ?? `${runUrlOf(repository, env)}#artifacts`,
    linkTo: filesAt({ server, repository, sha }, inputs, env),
  };
}

async function tellOnGitHub(report: Report, told: Told, place: Place) {
  const { inputs, event } = place;
  const { env } = process;
  const pull = commentablePullRequest(event);
  const { repository, branch = null } = event;
  const ofPull = { pullRequest: pull?.number ?? null, headSha: pull?.headSha ?? env.GITHUB_SHA ?? '' };
  const runId = Number(env.GITHUB_RUN_ID) || 0;
  // Sealed always, because this job does not know whether another one needs it.
  const seal = await sealReport(inputs.outputDir, { repository, branch, ...ofPull, runId }).catch(() =>
    notice(
      'origin.json could not be written beside the report, so a workflow with "mode: publish" will refuse the report.',
    ),
  );
  if (pull !== undefined) return { comment: await tellPullRequest(pull, report, { ...told, seal }, place) };
  // On another event of a pull request, the checked-out commit is no main branch.
  if (event.pullRequest !== undefined) {
    info(
      `No comment is written on ${event.name}: only on pull_request is it certain that the run tested the code of the pull request.`,
    );
    return {};
  }
  return event.name === 'merge_group' ? {} : { issue: await record(report, place) };
}

/** Writes history and issues. @returns the address of the issue of the worst divergence */
async function record(report: Report, place: Place): Promise<string | undefined> {
  const { inputs, event, signal } = place;
  const { token, history, issue, recordBranches } = inputs;
  const { repository, branch } = event;
  if (history === undefined && !issue) return undefined;
  if (!isOnRecord(event, recordBranches) || branch === undefined) {
    const may = recordBranches.length > 0 ? recordBranches.join(', ') : (event.defaultBranch ?? 'the default branch');
    info(
      linesForTerminal(`No history or issue was written: this run is not on ${may} (input "record-branches").`).join(),
    );
    return undefined;
  }
  const { env } = process;
  if (history !== undefined) await noteDown(report, history, historyOptions(place));
  if (!issue) return undefined;
  if (token === undefined) return notice('No issue was written: the input "github-token" is empty.');
  const subject = subjectOf(inputs);
  const runUrl = runUrlOf(repository, env);
  const { url, trouble } = await keepIssues(report, { repository, token, subject, branch, runUrl, env, signal });
  if (trouble !== undefined) notice(trouble);
  return url;
}

async function tellPullRequest(
  pull: PullRequest,
  report: Report,
  told: Told & { readonly seal: string | undefined },
  { inputs, signal }: Place,
): Promise<string | undefined> {
  const { env } = process;
  const { token } = inputs;
  if (token === undefined) return notice('No comment was written: the input "github-token" is empty.');
  if (pull.isFork) {
    return notice('No comment was written: the token of a pull request from a fork cannot write. See the job summary.');
  }
  const key = keyOf(inputs, env);
  const run: Run = {
    status: gateOf(report).status,
    number: Number(env.GITHUB_RUN_NUMBER) || 0,
    attempt: Number(env.GITHUB_RUN_ATTEMPT) || 1,
    id: Number(env.GITHUB_RUN_ID) || 0,
    sha: pull.headSha.slice(0, 7),
  };
  const group = legOf(inputs, { name: nameOf(inputs, env), report, ...kindOf(env) });
  const options = { token, run, group, ...told, env, signal };
  // A report without sessions is a failure from before the step knew what it replays.
  const isEarly = report.results.sessions.length === 0;
  const keys = isEarly && group === undefined ? await keysOfFailure(pull, { key, ...options }) : [key];
  const shown = await Promise.all(keys.map((key) => commentOn(pull, report, { ...options, key, onMade: keepMade })));
  for (const { trouble } of shown) if (trouble !== undefined) notice(trouble);
  return shown[0]?.url;
}

/**
 * The key of a step: the same from run to run, and different for two steps of one workflow, which GitHub numbers or
 * names. Its first half names the step. Its second half says what the step replays, because a workflow that is called
 * twice has the same step twice.
 */
function keyOf(inputs: Inputs, env: NodeJS.ProcessEnv): string {
  return digest([kindOf(env), inputs.name, inputs.commentKey]) + digest(subjectOf(inputs));
}

/** The key that all legs of a matrix share, and the key that all legs of a group share. */
function kindOf({ GITHUB_WORKFLOW, GITHUB_JOB, GITHUB_ACTION }: NodeJS.ProcessEnv) {
  return { kind: [GITHUB_WORKFLOW, GITHUB_JOB, GITHUB_ACTION], groups: GITHUB_WORKFLOW };
}

/** What a step replays, in case one workflow has several such steps. */
function subjectOf({ config, workingDirectory, set }: Inputs): string {
  const about = set.filter((setting) => /^(agent\.id|sessions)\s*=/.test(setting));
  return JSON.stringify([config, path.relative(process.cwd(), workingDirectory), ...about]);
}

function runUrlOf(repository: string, { GITHUB_SERVER_URL, GITHUB_RUN_ID }: NodeJS.ProcessEnv): string {
  return `${GITHUB_SERVER_URL ?? 'https://github.com'}/${repository}/actions/runs/${GITHUB_RUN_ID}`;
}
