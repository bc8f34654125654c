import { info } from '@actions/core';
import {
  asAgentReplayError,
  endingIn,
  gateOf,
  linesForTerminal,
  type Report,
  renderMarkdown,
  renderTerminal,
  reportOfFailure,
  toProblem,
  writeReport,
} from '../src/rims.ts';
import {
  annotate,
  type Beside,
  fromWorkspace,
  locateIn,
  notice,
  type PlannedPin,
  publishAddresses,
  publishOutputs,
  writeSummary,
} from './announce.ts';
import { asSectionText, headingOf, lastOf, type Run, type Section } from './board.ts';
import { type Change, changeOf } from './change.ts';
import { commentOn, MAX_CHARS, type Told } from './comment.ts';
import { isOnRecord, type PullRequest, type Step } from './event.ts';
import { judgedByNights, type Nights, noteDown } from './history.ts';
import { keepIssue } from './issue.ts';
import { maskedSecrets } from './masks.ts';
import { sealReport } from './origin.ts';
import { pageOf, REPORT } from './pages.ts';
import { keepTold } from './remember.ts';
import { agentsIn, digest, filesAt, reporterIn, type Subject, subjectOf } from './subject.ts';
import { inAction } from './words.ts';

/**
 * Prints a report, and writes its files.
 * @returns the report, with one more problem if its files could not be written: a run that left no report is no pass
 */
export async function put(report: Report, folder: string): Promise<Report> {
  for (const line of renderTerminal(report, { isGrouped: true }).trimEnd().split('\n')) info(line);
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

/** Judged by all nights together, where the history of this run is kept. */
export async function throughNights(report: Report, step: Step): Promise<Report> {
  const nights = nightsOf(step, subjectOf(agentsIn(report), step.inputs));
  if (nights === undefined || report.evidence.shard !== undefined || !mayRecord(step)) return report;
  return judgedByNights(report, nights);
}

/**
 * Shows a report in annotations and everywhere on GitHub. @returns the exit code
 * @param root of the project
 */
export async function showAll(report: Report, step: Step, root: string, pins?: readonly PlannedPin[]): Promise<number> {
  // Whoever cancels knows it, and the job that merges annotates what a shard found.
  const isWhole = !step.signal.aborted && report.evidence.shard === undefined;
  const change = isWhole ? await changeOf(step) : undefined;
  if (isWhole) await annotate(report, root, change, pins);
  await tell(report, step, root, change);
  return gateOf(report).exitCode;
}

/**
 * Shows a report everywhere on GitHub where it belongs: always in summary and outputs; on a pull request in its
 * comment; elsewhere, if asked for, in the history and in issues. A shard and an unfinished run are shown only in the
 * summary, so that they replace nothing complete. Changes no verdict.
 */
async function tell(report: Report, step: Step, root?: string, change?: Change): Promise<void> {
  const { inputs, event, pull, sha, signal } = step;
  const { status, title } = gateOf(report);
  publishOutputs(report, inputs.outputDir);
  const aside = status === 'error' ? withoutSecrets(step) : undefined;
  if (aside !== undefined) notice(`This says nothing about your change. ${aside}`);
  const isShard = report.evidence.shard !== undefined || inputs.settings.has('shard');
  const subject = subjectOf(agentsIn(report), inputs);
  // Whoever cancels does not wait for a search.
  const locate = root === undefined || signal.aborted ? undefined : locateIn(root, change);
  const shown = {
    aside,
    isOnPull: pull !== undefined,
    linkTo: filesAt({ repository: event.repository, sha }, inputs, process.env),
    pins: change?.pins,
    placesOf: locate && ((clue: { readonly line: string }) => locate(clue).map(({ file, line }) => `${file}:${line}`)),
    isUntouched:
      change && root !== undefined
        ? (place: string) => !change.touches(fromWorkspace(place.replace(/:\d+$/, ''), root))
        : undefined,
    reportUrl: reportUrlOf(step),
  };
  await writeSummary(report, { ...shown, head: headingOf(status, title, subject.title) });
  publishAddresses(isShard || signal.aborted ? {} : await tellOnGitHub(report, subject, shown, step));
}

const PENDING_MS = 15_000;

/** Before the first call, so that no failure later leaves a result of an older commit that looks current. */
export async function tellPending(agentIds: readonly string[], step: Step): Promise<void> {
  const { pull, inputs, signal } = step;
  const { token } = inputs;
  if (pull === undefined || pull.isFork || token === undefined) return;
  const told = toldOn(pull, subjectOf(agentIds, inputs), { run: runIn(step, 'pending'), title: '', text: '' }, step);
  // The result follows in any case.
  await showTold(told, token, endingIn(PENDING_MS, signal));
}

/** Whether a comment may say that this step replays. */
let isOpen = false;

/** Shows a section on the pull request, and keeps it for the post step. @returns the address of the comment */
export async function showTold(told: Told, token: string, signal: AbortSignal): Promise<string | undefined> {
  const isPending = lastOf(told.section).status === 'pending';
  isOpen ||= isPending;
  keepTold({ told, isOpen });
  const { url, trouble, places, isSent, isReplaced } = await commentOn(told, { token, signal });
  isOpen = isPending ? isSent === true : isOpen && places === undefined;
  keepTold({ told, places, isOpen });
  if (isReplaced)
    notice('A comment of this action had been edited by hand, so that no run could read it: it was replaced.');
  // Of a pending run the result follows, and with it the trouble.
  if (trouble !== undefined && !isPending)
    notice(
      isOpen ? `${trouble} It may still say that this run replays. The post step of the job tries again.` : trouble,
    );
  return url;
}

/** Why it could not tell: it got no secrets. */
function withoutSecrets({ pull }: Step): string | undefined {
  if (process.env.GITHUB_ACTOR === 'dependabot[bot]') {
    return 'Add the key under Settings › Secrets and variables › Dependabot, and run again: a run for Dependabot sees no other secrets.';
  }
  return pull?.isFork
    ? 'If a key is missing, review the change and run it from a branch of this repository: a fork gets no secrets.'
    : undefined;
}

/** Whether this run is of a main branch. */
function mayRecord({ event, pull }: Step): boolean {
  const isOfPull = pull !== undefined || event.pullRequest !== undefined;
  return !isOfPull && event.name !== 'merge_group' && isOnRecord(event);
}

function nightsOf(step: Step, subject: Subject): Nights | undefined {
  const { history } = step.inputs;
  return history === undefined ? undefined : { ...step, subject, history };
}

/** As a report, so that an earlier one is not taken for the new one. */
export async function tellFailure(thrown: unknown, step: Step): Promise<void> {
  const { workingDirectory: root, outputDir } = step.inputs;
  const failure = await reportOfFailure(thrown, { root, command: 'GitHub Action', secrets: maskedSecrets() });
  const report = await put(failure, outputDir);
  await tell(report, { ...step, inputs: { ...step.inputs, history: undefined } });
}

async function tellOnGitHub(report: Report, subject: Subject, beside: Beside, step: Step) {
  const { inputs, event, pull, sha: headSha } = step;
  const { repository } = event;
  const { id: runId, attempt: runAttempt } = runIn(step, 'pending');
  const origin = { repository, pullRequest: pull?.number ?? null, headSha, runId, runAttempt };
  // This job does not know whether another one needs it.
  const seal = await sealReport(inputs.outputDir, origin).catch(() =>
    notice(
      'origin.json could not be written beside the report, so a workflow with "mode: publish" will refuse the report.',
    ),
  );
  if (pull !== undefined) {
    const unwritten = (why: string) => ({ comment: notice(`No comment was written: ${why}`) });
    if (inputs.token === undefined) return unwritten('the input "github-token" is empty.');
    if (pull.isFork) return unwritten('the token of a pull request from a fork cannot write. See the job summary.');
    const found = { ...sectionOf(report, { ...beside, isPart: inputs.group !== undefined }), seal };
    const run = runIn(step, gateOf(report).status);
    return { comment: await showTold(toldOn(pull, subject, { ...found, run }, step), inputs.token, step.signal) };
  }
  // The checked-out commit is no main branch.
  if (event.pullRequest !== undefined) {
    info(
      `No comment is written on ${event.name}: only on pull_request is it certain that the run tested the code of the pull request.`,
    );
    return {};
  }
  return event.name === 'merge_group' ? {} : { issue: await record(report, subject, step) };
}

/** @returns the address of the issue, if it is open */
async function record(report: Report, subject: Subject, step: Step): Promise<string | undefined> {
  const { inputs, event, signal } = step;
  const { token, issue } = inputs;
  const { repository, branch } = event;
  const nights = nightsOf(step, subject);
  if (nights === undefined && !issue) return undefined;
  if (!isOnRecord(event) || branch === undefined) {
    info('No history or issue was written: this run is not on the default branch.');
    return undefined;
  }
  if (nights !== undefined) await noteDown(report, nights);
  if (!issue) return undefined;
  if (token === undefined) return notice('No issue was written: the input "github-token" is empty.');
  const { env } = process;
  const { id, attempt } = runIn(step, 'pending');
  const { workflow, ...own } = reporterIn(env);
  const run = { id, attempt, workflow, step: digest([own.job, own.step]) };
  const { url, trouble } = await keepIssue(report, { repository, token, subject, branch, run, env, signal });
  if (trouble !== undefined) notice(trouble);
  return url;
}

/** The most characters of one report in the comment of a group, so that three of them fit whole. */
const GROUPED_CHARS = 17_000;
/** Room for what surrounds a report: the mark above, and the last runs with their addresses below. */
const FRAME_CHARS = 3_500;

export function sectionOf(
  report: Report,
  { isPart, ...beside }: Beside & { readonly isPart: boolean },
): Pick<Section, 'title' | 'text'> & { readonly isEarly?: true } {
  const maxChars = isPart ? GROUPED_CHARS : MAX_CHARS - FRAME_CHARS;
  const text = renderMarkdown(report, {
    maxChars,
    ...beside,
    isPart,
    reportUrl: REPORT,
    isOnPull: true,
    isTitled: true,
    say: inAction,
  });
  // From before the step knew what it replays.
  const isEarly = report.results.sessions.length === 0;
  return { title: gateOf(report).title, text: asSectionText(text), ...(isEarly && { isEarly }) };
}

type Found = Pick<Section, 'title' | 'text'> & Partial<Section> & { readonly run: Run };

export function toldOn(
  { repository, number, headSha }: Pick<PullRequest, 'repository' | 'number' | 'headSha'>,
  { key, title: name }: Subject,
  { run, ...found }: Found,
  step: Step,
): Told {
  const { group, legs } = step.inputs;
  const of = { ...reporterIn(process.env), legs: group === undefined ? 1 : legs };
  const reportUrl = reportUrlOf(step);
  return {
    repository,
    pull: number,
    group,
    section: { subject: key, name, ...of, headSha, reportUrl, ...found, runs: [run] },
  };
}

function runIn({ sha }: Step, status: Run['status']): Run {
  const { env } = process;
  return {
    status,
    number: Number(env.GITHUB_RUN_NUMBER) || 0,
    attempt: Number(env.GITHUB_RUN_ATTEMPT) || 1,
    id: Number(env.GITHUB_RUN_ID) || 0,
    sha: sha.slice(0, 7),
  };
}

/** By default among the artifacts of the run. */
function reportUrlOf({ event, inputs: { reportUrl } }: Step): string {
  return reportUrl ?? pageOf(event.repository, `actions/runs/${process.env.GITHUB_RUN_ID}#artifacts`);
}
