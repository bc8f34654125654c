import path from 'node:path';
import { z } from 'zod';
import { asAgentReplayError, endingIn, type Report, RunHistory } from '../src/rims.ts';
import { addToSummary, notice } from './announce.ts';
import type { Step } from './event.ts';
import { GitHub, reasonOf, statusOf } from './github.ts';
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

/** Somebody else may move the branch at the same time. */
const MAX_TRIES = 4;

const object = z.object({ sha: z.string() });
const reference = z.object({ object });
const file = z.object({ encoding: z.literal('base64'), content: z.string() });

/**
 * Commits files on top of a branch. If there is no such branch, makes it, with no history of code.
 * @param change gets a reader of the branch's files, and returns the text of each file to write
 * @returns the commit
 */
async function commitTo(
  github: GitHub,
  branch: string,
  message: string,
  change: (read: (path: string) => Promise<string | undefined>) => Promise<Readonly<Record<string, string>>>,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const head = await headOf(github, branch);
    const files = await change((path) =>
      head === undefined ? Promise.resolve(undefined) : readFile(github, path, head),
    );
    const commit = await commitOn(github, head, message, files);
    try {
      await pointTo(github, branch, commit, head === undefined);
      return commit;
    } catch (error) {
      // With 409 or 422 GitHub says that somebody has moved the branch.
      if (tries >= MAX_TRIES || ![409, 422].includes(statusOf(error) ?? 0)) throw error;
    }
  }
}

/** Undefined if there is no such branch or file. */
async function readOn(github: GitHub, branch: string, path: string): Promise<string | undefined> {
  const head = await headOf(github, branch);
  return head === undefined ? undefined : readFile(github, path, head);
}

async function headOf(github: GitHub, branch: string): Promise<string | undefined> {
  const found = await orMissing(github.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ref: `heads/${branch}` }));
  return found === undefined ? undefined : reference.parse(found).object.sha;
}

async function readFile(github: GitHub, path: string, commit: string): Promise<string | undefined> {
  const route = 'GET /repos/{owner}/{repo}/contents/{path}';
  const found = await orMissing(github.request(route, { path, ref: commit }));
  return found === undefined ? undefined : Buffer.from(file.parse(found).content, 'base64').toString();
}

async function commitOn(
  github: GitHub,
  head: string | undefined,
  message: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const tree = await github.request('POST /repos/{owner}/{repo}/git/trees', {
    ...(head !== undefined && { base_tree: head }),
    tree: Object.entries(files).map(([path, content]) => ({ path, mode: '100644', type: 'blob', content })),
  });
  const commit = await github.request('POST /repos/{owner}/{repo}/git/commits', {
    message,
    tree: object.parse(tree).sha,
    parents: head === undefined ? [] : [head],
  });
  return object.parse(commit).sha;
}

async function pointTo(github: GitHub, branch: string, sha: string, isNew: boolean): Promise<void> {
  if (isNew) await github.request('POST /repos/{owner}/{repo}/git/refs', { ref: `refs/heads/${branch}`, sha });
  else await github.request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ref: `heads/${branch}`, sha });
}

async function orMissing(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
