import path from 'node:path';
import { asAgentReplayError, endingIn, type Report, RunHistory } from '../src/rims.ts';
import { addToSummary, notice } from './announce.ts';
import { commitTo, readOn } from './branch.ts';
import type { Step } from './event.ts';
import { GitHub, reasonOf } from './github.ts';
import type { Subject } from './subject.ts';

const FILE = 'history.ndjson';
const BADGE = 'drift.json';
const BUDGET_MS = 45_000;
/** GitHub returns files up to 1 MiB. Older runs remain in the commits of the branch. */
const MAX_BRANCH_CHARS = 500_000;

export interface Nights extends Step {
  readonly subject: Subject;
  /** The branch that holds it. */
  readonly history: string;
}

/** As it is if the history cannot be read. */
export async function judgedByNights(report: Report, nights: Nights): Promise<Report> {
  const before = await readBefore(nights).catch(() => new RunHistory());
  return before.judged(report);
}

/** A failure to do so changes no verdict. */
export async function noteDown(report: Report, nights: Nights): Promise<void> {
  try {
    const history = await noteOnBranch(report, nights);
    if (history === undefined) return;
    await addToSummary(`\n${history.markdown()}\n`);
  } catch (error) {
    notice(`The history could not be written: ${asAgentReplayError(error).message}`);
  }
}

async function readBefore(nights: Nights): Promise<RunHistory> {
  const { github, file } = remoteOf(nights);
  return github === undefined ? new RunHistory() : RunHistory.parse((await readOn(github, nights.history, file)) ?? '');
}

/** In a folder that is named after the subject. */
function folderOf({ subject: { key, title } }: Nights): string {
  if (title === '' || /^\w[\w.-]*$/.test(title)) return title;
  return `${title.replace(/[^\w.-]+/g, '-').replace(/^\W+/, '')}-${key}`;
}

function remoteOf(nights: Nights) {
  const { inputs, event, signal } = nights;
  const access = { repository: event.repository, env: process.env, signal: endingIn(BUDGET_MS, signal) };
  return {
    github: inputs.token === undefined ? undefined : new GitHub({ ...access, token: inputs.token }),
    file: path.posix.join(folderOf(nights), FILE),
  };
}

async function noteOnBranch(report: Report, nights: Nights): Promise<RunHistory | undefined> {
  const { github, file } = remoteOf(nights);
  if (github === undefined) return notice('The history was not written: the input "github-token" is empty.');
  let history = new RunHistory();
  try {
    await commitTo(github, nights.history, `agent-replay: ${report.results.status}`, async (read) => {
      const before = latestLines((await read(file)) ?? '');
      const text = `${before}${JSON.stringify(RunHistory.parse(before).entryOf(report))}\n`;
      history = RunHistory.parse(text);
      return { [file]: text, [path.posix.join(path.posix.dirname(file), BADGE)]: history.badge() };
    });
    return history;
  } catch (error) {
    return notice(`The history was not written: ${reasonOf(error, 'contents: write')}`);
  }
}

/** The last lines that fit, each of them whole. */
function latestLines(text: string): string {
  const kept =
    text.length <= MAX_BRANCH_CHARS ? text : text.slice(text.indexOf('\n', -MAX_BRANCH_CHARS + text.length) + 1);
  return kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`;
}
