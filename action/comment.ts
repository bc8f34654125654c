import { z } from 'zod';
import { type Report, renderMarkdown, STATUS_SIGNS } from '../src/rims.ts';
import type { PullRequest } from './event.ts';
import { author, connect, type GitHub, isBy, isWorthAnotherLook, reasonOf, statusOf } from './github.ts';
import type { Identity } from './identity.ts';
import { isNewer, laterOf, parseStamp, type Run, renderStamp, type Stamp, withRun } from './stamp.ts';
import { inAction } from './words.ts';

/** GitHub takes 65,536. */
const MAX_CHARS = 60_000;
/** What is above and below the report: the stamp, and the last runs with their addresses. */
const FRAME_CHARS = 2_500;
/** For everything: the verdict is there already, and nobody should wait for its comment. */
const BUDGET_MS = 45_000;
/** Between two of them it is read again what is there. */
const MAX_LOOKS = 6;
/** Of 100 comments: each costs a request. */
const MAX_PAGES = 10;

export interface CommentOptions {
  readonly token: string;
  /** Which job the comment belongs to: 12 hexadecimal digits. */
  readonly key: string;
  /** The run that the report is of. */
  readonly run: Run;
  /** Of its files. */
  readonly seal?: string | undefined;
  readonly baseline: Report | undefined;
  readonly identity: Identity;
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
  { token, key, run, seal, baseline, identity, env, signal }: CommentOptions,
): Promise<Shown> {
  const markdown = renderMarkdown(report, {
    maxChars: MAX_CHARS - FRAME_CHARS,
    baseline,
    head: identity.head,
    linkTo: identity.linkTo,
    say: inAction,
  });
  const bodyAfter = (before: Stamp | undefined) => {
    const runs = withRun(before, run);
    return [renderStamp({ key, runs, seal }), markdown, footOf(runs, pull, identity, env), ''].join('\n');
  };
  const within = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
  try {
    const comments = new Comments(
      connect({ repository: pull.repository, token, env, signal: within }),
      pull.number,
      key,
    );
    return { url: await settle(comments, { run, bodyAfter }) };
  } catch (error) {
    const reason = reasonOf(error, 'pull-requests: write');
    return signal.aborted ? {} : { trouble: `No comment was written: ${reason} See the job summary.` };
  }
}

interface Wanted {
  readonly run: Run;
  /** The whole text, which remembers the runs that the comment told of before. */
  readonly bodyAfter: (before: Stamp | undefined) => string;
}

/**
 * Leaves one comment: the oldest one, which tells of the latest run. Other jobs do the same at the same time, a failed
 * call may have had an effect, and a list may lag behind, so that after each change it is looked at again what is there.
 */
async function settle(comments: Comments, { run, bodyAfter }: Wanted): Promise<string> {
  let made: OwnComment | undefined;
  let failure: unknown;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const present = await comments.own(made);
    try {
      const [oldest, ...extras] = present;
      const newer = present.find(({ stamp }) => isNewer(stamp, run));
      if (newer !== undefined) {
        // Who wrote it clears away what is older; what came after it, that run may never see.
        const late = present.filter(({ id, stamp }) => id > newer.id && !isNewer(stamp, run));
        for (const { id } of late) await comments.remove(id);
        return newer.html_url;
      }
      if (oldest === undefined) {
        made = await comments.create(bodyAfter(undefined));
        continue;
      }
      const body = bodyAfter(oldest.stamp);
      if (oldest.body !== body) await write(comments, oldest, body);
      for (const { id } of extras) await comments.remove(id);
      return oldest.html_url;
    } catch (error) {
      if (!isWorthAnotherLook(error)) throw error;
      failure = error;
    }
  }
  throw failure ?? new Error('The comments change faster than they can be read.');
}

/**
 * Writes a text, and puts back that of a later run, if there was one in between: GitHub takes whatever comes last, but
 * keeps what stood there. So whoever writes last of all has seen the texts of all others.
 */
async function write(comments: Comments, { id, node_id }: OwnComment, body: string): Promise<void> {
  let text = body;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    await comments.update(id, text);
    const latest = await comments.latestText(node_id);
    if (latest === undefined || latest === text) return;
    text = latest;
  }
}

const comment = z.object({
  id: z.int(),
  /** In GraphQL. */
  node_id: z.string(),
  body: z
    .string()
    .nullish()
    .transform((body) => body ?? ''),
  html_url: z.string(),
  user: author,
});

export type OwnComment = z.infer<typeof comment> & { readonly stamp: Stamp };

const edited = z.object({
  node: z.object({
    userContentEdits: z.object({ nodes: z.array(z.object({ diff: z.string().nullable() })) }).nullable(),
  }),
});
/** Each edit holds the whole text, although it is called `diff`; the newest is the first. */
const EDITS =
  'query ($id: ID!) { node(id: $id) { ... on IssueComment { userContentEdits(first: 20) { nodes { diff } } } } }';

/** All comments of a pull request that hold a report of ours, oldest first. */
export function reportsOn(github: GitHub, pull: number): Promise<OwnComment[]> {
  return new Comments(github, pull).own();
}

const EDITOR =
  'query ($id: ID!) { node(id: $id) { ... on IssueComment { body author { __typename login } editor { __typename login } } } }';
const actor = z.object({ __typename: z.string(), login: z.string() }).nullable();
const touched = z.object({ node: z.object({ body: z.string(), author: actor, editor: actor }) });

/** Whether a comment of ours still says what we wrote: whoever may write to a repository may edit each comment in it. */
export async function isUntouched(github: GitHub, { node_id: id, body: read }: OwnComment): Promise<boolean> {
  const { body, author, editor } = (await github.query(EDITOR, { id }, touched)).node;
  if (body !== read) return false;
  return editor === null || (editor.login === author?.login && editor.__typename === author.__typename);
}

/** The comments of one pull request that are ours, and of one key where one is given. */
class Comments {
  readonly #github: GitHub;
  readonly #pull: number;
  readonly #key: string | undefined;

  constructor(github: GitHub, pull: number, key?: string) {
    this.#github = github;
    this.#pull = pull;
    this.#key = key;
  }

  /**
   * Oldest first.
   * @param made one that we made, and that a list need not show yet
   */
  async own(made?: OwnComment): Promise<OwnComment[]> {
    const listed = await this.#listed();
    if (made === undefined || listed.some(({ id }) => id === made.id)) return listed;
    return (await this.#isThere(made.id)) ? [...listed, made].sort((a, b) => a.id - b.id) : listed;
  }

  /** GitHub lists the oldest first. Of very many the first page is read, and then the last ones until one is ours. */
  async #listed(): Promise<OwnComment[]> {
    const login = await this.#github.login();
    const { items, last } = await this.#page(1);
    const found = this.#ownIn(items, login);
    const isWhole = last <= MAX_PAGES;
    for (let at = 0; at < Math.min(last - 1, MAX_PAGES) && (isWhole || found.length === 0); at++) {
      found.push(...this.#ownIn((await this.#page(last - at)).items, login));
    }
    return found.sort((a, b) => a.id - b.id);
  }

  #page(page: number) {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    return this.#github.page(route, page, { issue_number: this.#pull }, comment);
  }

  #ownIn(items: readonly z.infer<typeof comment>[], login: string): OwnComment[] {
    return items.flatMap((item) => {
      const stamp = isBy(login, item.user) ? parseStamp(item.body) : undefined;
      const isMeant = stamp !== undefined && [undefined, stamp.key].includes(this.#key);
      return isMeant ? [{ ...item, stamp }] : [];
    });
  }

  async #isThere(id: number): Promise<boolean> {
    try {
      await this.#github.request('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id });
      return true;
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      return false;
    }
  }

  async create(body: string): Promise<OwnComment> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const made = comment.parse(await this.#github.request(route, { issue_number: this.#pull, body }));
    return { ...made, stamp: parseStamp(body)! };
  }

  /** Of all texts that the comment ever had the one that tells of the latest run; undefined when nobody says it. */
  async latestText(nodeId: string): Promise<string | undefined> {
    const { node } = await this.#github.query(EDITS, { id: nodeId }, edited).catch(() => ({ node: undefined }));
    const texts = (node?.userContentEdits?.nodes ?? []).flatMap(({ diff: text }) => {
      const stamp = parseStamp(text ?? '');
      const isOwn = stamp !== undefined && stamp.key === this.#key;
      return text !== null && isOwn ? [{ text, run: stamp.runs.at(-1)! }] : [];
    });
    return texts.sort((a, b) => laterOf(a.run, b.run))[0]?.text;
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

/** Commit, run and report, and the last runs as a strip. */
function footOf(
  runs: Stamp['runs'],
  { repository, headSha }: PullRequest,
  { reportUrl }: Identity,
  { GITHUB_SERVER_URL = 'https://github.com' }: NodeJS.ProcessEnv,
): string {
  const base = `${GITHUB_SERVER_URL}/${repository}`;
  const { number, attempt, id, sha } = runs.at(-1)!;
  const again = attempt > 1 ? `, [attempt ${attempt}](${base}/actions/runs/${id}/attempts/${attempt})` : '';
  const run = `[run ${number}](${base}/actions/runs/${id})${again}`;
  const strip = runs.map((each) => `${STATUS_SIGNS[each.status]} [${each.number}](${base}/actions/runs/${each.id})`);
  const last = runs.length === 1 ? '' : `<br>Last runs: ${strip.join(' ')}`;
  return `<sub>Commit [${sha}](${base}/commit/${headSha}), ${run}, [report](${reportUrl})${last}</sub>`;
}
