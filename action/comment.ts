import { createHash } from 'node:crypto';
import { type Report, renderMarkdown } from '../src/index.ts';
import { notice } from './announce.ts';
import type { PullRequest } from './event.ts';
import { type Comment, type OwnComments, openOwnComments, statusOf } from './github.ts';

/** GitHub takes 65,536. */
const MAX_CHARS = 60_000;
/** For everything: the verdict is there already, and nobody should wait for its comment. */
const BUDGET_MS = 45_000;
/** Between two of them the comments are listed again. */
const MAX_LOOKS = 4;

export interface CommentContext {
  readonly token: string;
  /** Which agent and sessions the report is about, where one job has several. */
  readonly subject: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * Shows a report in the one comment that this job has on a pull request. Trouble with it is told in a notice, and
 * changes no verdict.
 * @returns the address of the comment, if there is one
 */
export async function commentOn(
  pull: PullRequest,
  report: Report,
  { token, subject, env, signal }: CommentContext,
): Promise<string | undefined> {
  const stamp = stampOf(pull, subject, env);
  const foot = `\n<sub>${pull.headSha.slice(0, 7)}, [run ${stamp.run}](${runUrl(env)})</sub>\n`;
  const head = `${markerOf(stamp)}\n`;
  const body = head + renderMarkdown(report, { maxChars: MAX_CHARS - head.length - foot.length }) + foot;
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  try {
    const { GITHUB_API_URL: apiUrl = 'https://api.github.com', GITHUB_GRAPHQL_URL: graphqlUrl = `${apiUrl}/graphql` } =
      env;
    const comments = await openOwnComments(pull, { token, apiUrl, graphqlUrl, signal: within });
    return await settle(comments, body, stamp);
  } catch (error) {
    return signal.aborted ? undefined : notice(`No comment was written: ${reasonOf(error)} See the job summary.`);
  }
}

/** Which job a comment belongs to, and of which of its runs it tells. */
interface Stamp {
  readonly key: string;
  readonly run: number;
  readonly attempt: number;
  readonly sha: string;
}

/**
 * Leaves one comment: the oldest one, with this body. Other jobs do the same at the same time, and a failed call may
 * have had an effect, so that after each change it is looked at again what is there.
 */
async function settle(comments: OwnComments, body: string, stamp: Stamp): Promise<string | undefined> {
  let failure: unknown;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const present = (await comments.list()).filter((comment) => stampIn(comment)?.key === stamp.key);
    const [oldest, ...extras] = present;
    const newer = present.find((comment) => isNewer(stampIn(comment)!, stamp));
    try {
      if (newer !== undefined) {
        // Who wrote it clears away what is older; what came after it, that run may never see.
        const late = present.filter((comment) => comment.id > newer.id && !isNewer(stampIn(comment)!, stamp));
        for (const { id } of late) await comments.remove(id);
        return newer.html_url;
      }
      if (oldest === undefined) {
        await comments.create(body);
        continue;
      }
      if (oldest.body !== body) await comments.update(oldest.id, body);
      for (const { id } of extras) await comments.remove(id);
      return oldest.html_url;
    } catch (error) {
      if (!isWorthAnotherLook(error)) throw error;
      failure = error;
    }
  }
  throw failure ?? new Error('The comments change faster than they can be read.');
}

/** Gone in the meantime, or nobody knows whether it was done. */
function isWorthAnotherLook(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 404 || status >= 500;
}

function isNewer(a: Stamp, b: Stamp): boolean {
  return a.run === b.run ? a.attempt > b.attempt : a.run > b.run;
}

/** Two jobs have two comments. */
function stampOf({ headSha }: PullRequest, subject: string, env: NodeJS.ProcessEnv): Stamp {
  const job = [env.GITHUB_WORKFLOW, env.GITHUB_JOB, subject];
  return {
    key: createHash('sha256').update(JSON.stringify(job)).digest('hex').slice(0, 12),
    run: Number(env.GITHUB_RUN_NUMBER) || 0,
    attempt: Number(env.GITHUB_RUN_ATTEMPT) || 1,
    sha: headSha,
  };
}

function markerOf({ key, run, attempt, sha }: Stamp): string {
  return `<!-- agent-replay key=${key} run=${run}.${attempt} sha=${sha} -->`;
}

/** Only at the very start: what a report quotes comes later. */
function stampIn({ body }: Comment): Stamp | undefined {
  const found = /^<!-- agent-replay key=([0-9a-f]{12}) run=(\d{1,15})\.(\d{1,15}) sha=([0-9a-f]+) -->/.exec(body);
  if (found === null) return undefined;
  const [, key = '', run, attempt, sha = ''] = found;
  return { key, run: Number(run), attempt: Number(attempt), sha };
}

function runUrl({ GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY, GITHUB_RUN_ID }: NodeJS.ProcessEnv) {
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
}

/** In words of ours: an error of the network can quote a token. */
function reasonOf(error: unknown): string {
  const status = statusOf(error);
  switch (status) {
    case undefined:
      return 'GitHub could not be reached in time, or gave an answer that is not understood.';
    case 401:
      return 'GitHub does not know the token (401). Check the input "github-token".';
    case 403:
      return 'the token may not do it, or the conversation is locked, or the limit is reached (403). The job needs "permissions: pull-requests: write".';
    case 404:
      return 'the token cannot see the pull request (404). The job needs "permissions: pull-requests: write".';
    case 410:
      return 'comments are switched off here (410).';
    case 422:
      return 'GitHub did not take it (422): the conversation may be locked.';
    case 429:
      return 'the request limit of the token is reached (429).';
    default:
      return `GitHub answered with status ${status}.`;
  }
}
