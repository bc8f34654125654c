import path from 'node:path';
import { z } from 'zod';
import { endingIn, type Report, RunHistory } from '../src/rims.ts';
import { addToSummary, notice } from './announce.ts';
import type { Step } from './event.ts';
import { GitHub, orMissing, reasonOf, statusOf } from './github.ts';
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
    await addToSummary(`\n${history.markdown()}\n`);
  } catch (error) {
    const hint = statusOf(error) === 422 ? ' A rule of the repository may protect the branch.' : '';
    notice(`The history was not written: ${reasonOf(error, 'contents: write')}${hint}`);
  }
}

async function readBefore(nights: Nights): Promise<RunHistory> {
  const { github, file } = remoteOf(nights);
  const text = github && (await readFile(github, file, await headOf(github, nights.history)));
  return RunHistory.parse(text ?? '');
}

/** In a folder that is named after the subject. */
function folderOf({ subject: { key, title } }: Nights): string {
  if (title === '' || /^\w[\w.-]*$/.test(title)) return title;
  return `${title.replace(/[^\w.-]+/g, '-').replace(/^\W+/, '')}-${key}`;
}

function remoteOf(nights: Nights) {
  const { inputs, event, signal } = nights;
  const access = { repository: event.repository, signal: endingIn(BUDGET_MS, signal) };
  return {
    github: inputs.token === undefined ? undefined : new GitHub({ ...access, token: inputs.token }),
    file: path.posix.join(folderOf(nights), FILE),
  };
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
 */
async function commitTo(
  github: GitHub,
  branch: string,
  message: string,
  change: (read: (path: string) => Promise<string | undefined>) => Promise<Readonly<Record<string, string>>>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const head = await headOf(github, branch);
    const files = await change((path) => readFile(github, path, head));
    const commit = await commitOn(github, head, message, files);
    try {
      return await pointTo(github, branch, commit, head === undefined);
    } catch (error) {
      // With 409 or 422 GitHub says that somebody has moved the branch.
      if (tries >= MAX_TRIES || ![409, 422].includes(statusOf(error) ?? 0)) throw error;
    }
  }
}

/** Undefined if there is no such branch. */
export async function headOf(github: GitHub, branch: string): Promise<string | undefined> {
  const asked = github.request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ref: `heads/${branch}` });
  return orMissing(asked.then((found) => reference.parse(found).object.sha));
}

/** Undefined if there is no such commit or file. */
async function readFile(github: GitHub, path: string, commit: string | undefined): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const route = 'GET /repos/{owner}/{repo}/contents/{path}';
  const asked = github.request(route, { path, ref: commit });
  return orMissing(asked.then((found) => Buffer.from(file.parse(found).content, 'base64').toString()));
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
