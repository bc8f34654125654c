import path from 'node:path';
import { info } from '@actions/core';
import {
  appendHistory,
  asAgentReplayError,
  endingIn,
  linesForTerminal,
  type Report,
  RunHistory,
  readHistory,
  writeReport,
} from '../src/rims.ts';
import { addToSummary, notice } from './announce.ts';
import { commitTo, readOn } from './branch.ts';
import { connect, reasonOf } from './github.ts';
import type { HistoryPlace } from './inputs.ts';
import type { Subject } from './subject.ts';

const FILE = 'history.ndjson';
const BUDGET_MS = 45_000;
/** GitHub returns files up to 1 MiB. Older runs remain in the commits of the branch. */
const MAX_BRANCH_CHARS = 500_000;

export interface HistoryOptions {
  /** Folder of the report, to which the trend is added. */
  readonly outputDir: string;
  readonly repository: string;
  readonly token: string | undefined;
  readonly subject: Subject;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** The report with what all nights of the history and this run show together; as it is if the history cannot be read. */
export async function judgedByNights(report: Report, place: HistoryPlace, options: HistoryOptions): Promise<Report> {
  const before = await readBefore(place, options).catch(() => new RunHistory());
  return before.judged(report);
}

/** Appends a run to the history, and adds the trend to summary and report. A failure to do so changes no verdict. */
export async function noteDown(report: Report, place: HistoryPlace, options: HistoryOptions): Promise<void> {
  try {
    const history =
      place.kind === 'file'
        ? await noteInFile(fileOf(place, options), report)
        : await noteOnBranch(place.branch, report, options);
    if (history === undefined) return;
    await addToSummary(`\n${history.markdown()}\n`);
    await addToReport(report, history, options);
  } catch (error) {
    notice(`The history could not be written: ${asAgentReplayError(error).message}`);
  }
}

/**
 * Adds the trend to the report of a run that is not recorded (on a pull request or another branch). If the history
 * cannot be read, only the log says so, because nobody asked for it.
 */
export async function lookBack(report: Report, place: HistoryPlace, options: HistoryOptions): Promise<void> {
  try {
    const before = await readBefore(place, options);
    if (before.entries.length > 0) await addToReport(report, before.with(report), options);
  } catch (error) {
    info(linesForTerminal(`The history could not be read: ${reasonOf(error, 'contents: read')}`).join());
  }
}

function readBefore(place: HistoryPlace, options: HistoryOptions): Promise<RunHistory> {
  return place.kind === 'file' ? readHistory(fileOf(place, options)) : onBranch(place, options);
}

/** Each subject has a history of its own: one with a title in a folder that is named after it. */
function folderOf({ subject: { key, title } }: HistoryOptions): string {
  if (title === '' || /^\w[\w.-]*$/.test(title)) return title;
  return `${title.replace(/[^\w.-]+/g, '-').replace(/^\W+/, '')}-${key}`;
}

function fileOf({ path: file }: { readonly path: string }, options: HistoryOptions): string {
  return path.join(path.dirname(file), folderOf(options), path.basename(file));
}

async function onBranch({ branch }: { readonly branch: string }, options: HistoryOptions): Promise<RunHistory> {
  const { github, file } = remoteOf(options);
  return github === undefined ? new RunHistory() : RunHistory.parse((await readOn(github, branch, file)) ?? '');
}

/** The access to the branch, if there is a token, and the file of the subject on it. */
function remoteOf(options: HistoryOptions) {
  const { repository, token, env, signal } = options;
  const file = path.posix.join(folderOf(options), FILE);
  return {
    github: token === undefined ? undefined : connect({ repository, token, env, signal: endingIn(BUDGET_MS, signal) }),
    file,
  };
}

/** Only the HTML report shows the history. */
function addToReport(report: Report, history: RunHistory, { outputDir }: HistoryOptions): Promise<void> {
  return writeReport(report, { dir: outputDir, formats: ['html'], history });
}

async function noteInFile(file: string, report: Report): Promise<RunHistory> {
  const before = await readHistory(file).catch(() => new RunHistory());
  await appendHistory(file, before.entryOf(report));
  return readHistory(file);
}

async function noteOnBranch(branch: string, report: Report, options: HistoryOptions): Promise<RunHistory | undefined> {
  const { github, file } = remoteOf(options);
  if (github === undefined) return notice('The history was not written: the input "github-token" is empty.');
  let history = new RunHistory();
  try {
    await commitTo(github, branch, `agent-replay: ${report.results.status}`, async (read) => {
      const before = latestLines((await read(file)) ?? '');
      const text = `${before}${JSON.stringify(RunHistory.parse(before).entryOf(report))}\n`;
      history = RunHistory.parse(text);
      return { [file]: text };
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
