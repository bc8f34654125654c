import { z } from 'zod';
import { type Report, renderMarkdown, STATUS_SIGNS } from '../src/index.ts';
import type { PullRequest } from './event.ts';
import { author, connect, type GitHub, isBy, isWorthAnotherLook, reasonOf, statusOf } from './github.ts';
import { isNewer, parseStamp, type Run, renderStamp, type Stamp, withRun } from './stamp.ts';

/** GitHub takes 65,536. */
const MAX_CHARS = 60_000;
/** What is above and below the report: the stamp, and the last runs with their addresses. */
const FRAME_CHARS = 2_500;
/** For everything: the verdict is there already, and nobody should wait for its comment. */
const BUDGET_MS = 45_000;
/** Between two of them the comments are listed again. */
const MAX_LOOKS = 4;

export interface CommentOptions {
  readonly token: string;
  /** Which job the comment belongs to: 12 hexadecimal digits. */
  readonly key: string;
  /** The run that the report is of. */
  readonly run: Run;
  readonly baseline: Report | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** What became of something that was to be shown on GitHub: its address, or one sentence on why there is none. */
export interface Shown {
  readonly url?: string;
  readonly trouble?: string;
}

/** Shows a report in the one comment that a job has on a pull request. Trouble with it is data: it changes no verdict. */
export async function commentOn(
  pull: PullRequest,
  report: Report,
  { token, key, run, baseline, env, signal }: CommentOptions,
): Promise<Shown> {
  const markdown = renderMarkdown(report, { maxChars: MAX_CHARS - FRAME_CHARS, baseline });
  const bodyAfter = (before: Stamp | undefined) => {
    const runs = withRun(before, run);
    return [renderStamp({ key, runs }), markdown, footOf(runs, pull.repository, env), ''].join('\n');
  };
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  try {
    const comments = new Comments(connect({ repository: pull.repository, token, env, signal: within }), pull.number);
    return { url: await settle(comments, { key, run, bodyAfter }) };
  } catch (error) {
    const reason = reasonOf(error, 'pull-requests: write');
    return signal.aborted ? {} : { trouble: `No comment was written: ${reason} See the job summary.` };
  }
}

interface Wanted {
  readonly key: string;
  readonly run: Run;
  /** The whole text, which remembers the runs that the comment told of before. */
  readonly bodyAfter: (before: Stamp | undefined) => string;
}

/**
 * Leaves one comment: the oldest one, with this body. Other jobs do the same at the same time, and a failed call may
 * have had an effect, so that after each change it is looked at again what is there.
 */
async function settle(comments: Comments, { key, run, bodyAfter }: Wanted): Promise<string> {
  let failure: unknown;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const present = (await comments.own()).flatMap((comment) => {
      const stamp = parseStamp(comment.body);
      return stamp?.key === key ? [{ ...comment, stamp }] : [];
    });
    const [oldest, ...extras] = present;
    const newer = present.find(({ stamp }) => isNewer(stamp, run));
    try {
      if (newer !== undefined) {
        // Who wrote it clears away what is older; what came after it, that run may never see.
        const late = present.filter(({ id, stamp }) => id > newer.id && !isNewer(stamp, run));
        for (const { id } of late) await comments.remove(id);
        return newer.html_url;
      }
      if (oldest === undefined) {
        await comments.create(bodyAfter(undefined));
        continue;
      }
      const body = bodyAfter(oldest.stamp);
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

const comment = z.object({
  id: z.int(),
  body: z
    .string()
    .nullish()
    .transform((body) => body ?? ''),
  html_url: z.string(),
  user: author,
});

/** Comments of one pull request, as far as they are ours. */
class Comments {
  readonly #github: GitHub;
  readonly #pull: number;

  constructor(github: GitHub, pull: number) {
    this.#github = github;
    this.#pull = pull;
  }

  /** Oldest first. */
  async own(): Promise<z.infer<typeof comment>[]> {
    const login = await this.#github.login();
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const all = await this.#github.list(route, { issue_number: this.#pull }, comment);
    return all.filter(({ user }) => isBy(login, user)).sort((a, b) => a.id - b.id);
  }

  async create(body: string): Promise<void> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    await this.#github.request(route, { issue_number: this.#pull, body });
  }

  async update(id: number, body: string): Promise<void> {
    await this.#github.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id, body });
  }

  /** One that is gone already is as good. */
  async remove(id: number): Promise<void> {
    const route = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
    await this.#github.request(route, { comment_id: id }).catch((error) => {
      if (statusOf(error) !== 404) throw error;
    });
  }
}

/** The commit, and the last runs as a strip. */
function footOf(runs: Stamp['runs'], repository: string, { GITHUB_SERVER_URL }: NodeJS.ProcessEnv): string {
  const base = `${GITHUB_SERVER_URL ?? 'https://github.com'}/${repository}/actions/runs`;
  const strip = runs.map(({ status, number, id }) => `${STATUS_SIGNS[status]} [${number}](${base}/${id})`);
  return `<sub>${runs.at(-1)!.sha}, ${runs.length === 1 ? 'run' : 'last runs'} ${strip.join(' ')}</sub>`;
}
