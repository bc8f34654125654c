import {
  asAgentReplayError,
  counted,
  divergenceWords,
  firstOf,
  forMarkdownCell,
  forMarkdownProse,
  isAsRecorded,
  isPinPath,
  isTestedBy,
  PIN_LOCK,
  parseConfig,
  pinLockWithout,
  readSetting,
  type SessionResult,
  sessionName,
} from '../src/rims.ts';
import { type FinishedRun, fetchRun } from './accept-artifact.ts';
import type { Command } from './accept-command.ts';
import { CommitFiles, commitOnHead } from './accept-pins.ts';
import { checkOf } from './board.ts';
import type { WrittenComment } from './event.ts';
import { reasonOf, statusOf } from './github.ts';
import type { HeadReport, Place } from './head-reports.ts';
import type { Pull } from './pull.ts';
import { Refusal } from './refusal.ts';

type AcceptedTurn = ReturnType<FinishedRun['acceptInto']>['accepted'][number];

/** Further sessions are only counted: the commit shows them all. */
const MAX_TOLD = 30;

interface Asked {
  readonly pull: Pull;
  readonly reports: readonly HeadReport[];
  readonly comment: WrittenComment;
}

interface Told {
  readonly result: SessionResult;
  readonly run: FinishedRun;
  readonly check: string;
}

interface Changed extends Told {
  /** From the root of the repository. */
  readonly file: string;
  readonly text: string;
  readonly accepted: readonly AcceptedTurn[];
}

/** A session that is not accepted, and why. */
interface Left {
  readonly name: string;
  readonly why: string;
}

/**
 * Commits the replayed behaviour of sessions as their original, and starts the check of that commit.
 * @param command names the sessions that are meant; if it names none, all that fail
 * @returns in Markdown, which sessions were accepted and which were not
 * @throws Refusal, or the error that GitHub answers
 */
export async function acceptReports(command: Command, asked: Asked, place: Place): Promise<string> {
  const { pull, reports } = asked;
  const line = (each: Changed) => changedLine(each, reports.length > 1 ? `${forMarkdownProse(each.check)}: ` : '');
  if (pull.head.repo?.full_name !== place.repository) {
    throw new Refusal('the pull request comes from a fork, whose code made the report and whose branch is not ours.');
  }
  const told = await toldIn(reports, command, place);
  const { chosen, left } = chosenOf(told, command.sessions);
  const changed: Changed[] = [];
  const files = new CommitFiles(place.github, pull.head.sha);
  for (const each of chosen) {
    try {
      changed.push(await changedPin(each, files, place));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      left.push({ name: sessionName(each.result), why: error.message });
    }
  }
  if (changed.length === 0) return ['Nothing was written.', ...leftLines(left)].join('\n\n');
  const commit = await commitOnHead(place.pusher, pull, {
    ...messageOf(changed, asked),
    files: new Map([
      ...changed.map(({ file, text }) => [file, text] as const),
      ...(await lockOf(changed, files, place)),
    ]),
  });
  const link = `[${commit.sha.slice(0, 7)}](${commit.url})`;
  return [
    `**${countOf(changed)}**, in commit ${link}.`,
    firstOf(changed, MAX_TOLD, line, 'more, see the commit.').join('\n'),
    ...leftLines(left),
    await startCheck(asked, place),
  ].join('\n\n');
}

async function toldIn(reports: readonly HeadReport[], how: Command, { github, repository }: Place): Promise<Told[]> {
  const told: Told[] = [];
  for (const { run, section } of reports) {
    const isOwn = run.head_repository?.full_name === repository;
    if (!isOwn || !['pull_request', 'workflow_dispatch'].includes(run.event)) {
      throw new Refusal('the report is not of a check of this repository.');
    }
    const { seal } = section;
    if (seal === undefined)
      throw new Refusal('the comment with the report does not name its files. Run the check again.');
    const finished = await fetchRun(github, { runId: run.id, seal, how });
    if (finished.report.results.status === 'interrupted') throw new Refusal('the run was interrupted before its end.');
    const check = checkOf(section);
    told.push(...finished.report.results.sessions.map((result) => ({ result, run: finished, check })));
  }
  return told;
}

/**
 * Finds the named sessions, or those that failed. A session in two reports (legs of a matrix) has two behaviours, and
 * neither can be its original.
 */
function chosenOf(told: readonly Told[], named: readonly string[]): { chosen: Told[]; left: Left[] } {
  const failing = told.filter(({ result }) => result.level === 'error').map(({ result }) => sessionName(result));
  if (named.length + failing.length === 0)
    throw new Refusal('no session failed. To accept other sessions, name them after the command.');
  const chosen = new Set<Told>();
  const left: Left[] = [];
  for (const name of named.length > 0 ? named : new Set(failing)) {
    const meant = told.filter(({ result }) => [sessionName(result), result.pin, result.id].includes(name));
    const checks = [...new Set(meant.map(({ check }) => check))].join(', ');
    const [first, ...others] = meant;
    if (first === undefined) left.push({ name, why: 'no report of this commit has a session with this name.' });
    else if (others.length > 0)
      left.push({ name, why: `${meant.length} reports or pins have this session (${checks}), and they may differ.` });
    else chosen.add(first);
  }
  return { chosen: [...chosen], left };
}

/** `pins.lock` must tell nothing that is not so any more. */
async function lockOf(changed: readonly Changed[], files: CommitFiles, { folder }: Place): Promise<[string, string][]> {
  const file = folder + PIN_LOCK;
  const before = await files.read(file).catch((error) => {
    // Most projects have none.
    if (error instanceof Refusal) return '';
    throw error;
  });
  const text = await pinLockWithout(before, new Set(changed.map(({ result }) => result.pin)));
  return text === before ? [] : [[file, text]];
}

async function changedPin(told: Told, files: CommitFiles, { inputs, folder }: Place): Promise<Changed> {
  const { result, run } = told;
  if (!isTestedBy(result.gate) && isAsRecorded(result.verdict)) throw new Refusal('its replays are as recorded.');
  const file = folder + pinOf(result, inputs);
  const before = await files.read(file);
  try {
    const { text, accepted } = run.acceptInto(before, result);
    if (text === before || accepted.length === 0) throw new Refusal('its pin already holds what was replayed.');
    return { ...told, file, text, accepted };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { message, evidence } = asAgentReplayError(error);
    throw new Refusal([withoutPlace(message), ...evidence].join(' '));
  }
}

/** In a list of sessions only the turn is news. */
function withoutPlace(message: string): string {
  const [place = '', turn] = /^.*?(?:, (turn \d+))? is left as it is: /.exec(message) ?? [];
  return `${turn === undefined ? '' : `${turn}: `}${message.slice(place.length)}`;
}

/** The path of the pin that the report names. `accept` writes to no other file. */
function pinOf({ pin }: SessionResult, { set, workingDirectory: folder }: Place['inputs']): string {
  const { sessions } = parseConfig({}, { folder, options: new Map(set.map(readSetting)) });
  if (isPinPath(pin, [sessions].flat(), folder)) return pin;
  throw new Refusal(
    `${pin} does not match the setting "sessions". If your pins are not in replays/, set "sessions" in this workflow, too.`,
  );
}

/**
 * The commit message: our own words, and names without special characters. A foreign text here could close issues,
 * mention people or skip checks.
 */
function messageOf(changed: readonly Changed[], { comment, reports }: Asked): { headline: string; body: string } {
  const [first] = changed;
  const what = changed.length === 1 ? plainName(first!) : `${changed.length} sessions`;
  const lines = changed.map((each) => `- ${plainName(each)}`);
  const runs = [...new Set(reports.map(({ run }) => run.id))].join(', ');
  return {
    headline: `test: accept the replayed behaviour of ${what}`,
    body: `${lines.join('\n')}\n\nAccepted by ${comment.by} on pull request ${comment.pull}, from run ${runs}.`,
  };
}

function plainName({ result }: Told): string {
  return sessionName(result)
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 100);
}

function countOf(changed: readonly Changed[]): string {
  const areOriginals = changed.some(({ accepted }) => accepted.some((turn) => turn.as === 'original'));
  const what = areOriginals ? 'a new original' : 'new recordings';
  return `${counted(changed.length, 'session')} ${changed.length === 1 ? 'has' : 'have'} ${what}`;
}

function changedLine({ result, accepted }: Changed, check: string): string {
  return `- ${check}${forMarkdownCell(sessionName(result))}: ${accepted.map((turn) => forMarkdownProse(saidOf(result, turn))).join('; ')}`;
}

function saidOf(result: SessionResult, turn: AcceptedTurn): string {
  if (turn.as === 'recordings') {
    const { replaced } = turn;
    const beside =
      replaced === undefined
        ? 'beside its original'
        : `in place of ${replaced.count} recordings of ${replaced.made.slice(0, 10)}`;
    return `turn ${turn.turn}: ${turn.added} replays kept as recordings, ${beside}`;
  }
  const comparison = result.turns.find((each) => each.turn === turn.turn)?.comparison;
  const told = comparison === undefined ? '' : divergenceWords(comparison);
  return told === '' ? `turn ${turn.turn}` : `turn ${turn.turn}, ${told}`;
}

function leftLines(left: readonly Left[]): string[] {
  if (left.length === 0) return [];
  const line = ({ name, why }: Left) => `- ${forMarkdownCell(name.slice(0, 200))}: ${forMarkdownProse(why)}`;
  return ['Left as they are:', firstOf(left, MAX_TOLD, line).join('\n')];
}

/** A push with the token of a workflow starts no workflow. */
async function startCheck({ pull, reports }: Asked, { github, pusher }: Place): Promise<string> {
  if (pusher !== github) return 'The commit starts the checks of the pull request.';
  const workflows = new Set(reports.map(({ run }) => run.workflow_id));
  const lines = await Promise.all([...workflows].map((id) => dispatched(id, pull, github)));
  return [...new Set(lines)].join('\n\n');
}

async function dispatched(workflow: number, { number, head }: Pull, github: Place['github']): Promise<string> {
  try {
    await github.request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      workflow_id: workflow,
      ref: head.ref,
      inputs: { 'pull-request': String(number) },
    });
    return 'The check of this commit has started. It updates the report above when it ends. Other workflows do not start on a commit made with the token of a job: if a required check is missing, push another commit.';
  } catch (error) {
    const why =
      statusOf(error) === 422 || statusOf(error) === 404
        ? 'its workflow has no "workflow_dispatch" with the input "pull-request", on this branch and on the default branch.'
        : reasonOf(error, 'actions: write');
    return `**The check of this commit has not started**, because a commit made with a workflow's token starts no check: ${forMarkdownProse(why)} Push another commit, or start it by hand.`;
  }
}
