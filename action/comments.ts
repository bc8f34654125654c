import { z } from 'zod';
import { author, type GitHub, isBy, statusOf, writtenBody } from './github.ts';
import { groupIn, sectionsIn } from './group.ts';
import { parseStamp, type Stamp } from './stamp.ts';

/**
 * Pages of 100 comments that are read whole. A longer list is read only as far as needed; GitHub takes 2,500 comments
 * on one pull request.
 */
const MAX_WHOLE_PAGES = 10;
/** Pauses before the list is read again for a comment that we have just made. */
const PAUSES_MS = [100, 200, 400, 800, 1_600, 3_200];

const comment = z.object({
  id: z.int(),
  /** The id in GraphQL. */
  node_id: z.string(),
  body: writtenBody,
  html_url: z.string(),
  user: author,
});

export type OwnComment = z.infer<typeof comment>;

const edited = z.object({
  node: z.object({
    userContentEdits: z.object({ nodes: z.array(z.object({ diff: z.string().nullable() })) }).nullable(),
  }),
});
/** Each edit holds the whole text, although the field is called `diff`. The newest edit comes first. */
const EDITS =
  'query ($id: ID!) { node(id: $id) { ... on IssueComment { userContentEdits(first: 100) { nodes { diff } } } } }';

/** A report in a comment: the whole comment, or one section of it. */
export interface ToldReport {
  readonly comment: OwnComment;
  readonly stamp: Stamp;
}

/** Reads all of our reports on a pull request, in the order of their comments. */
export async function reportsOn(github: GitHub, pull: number): Promise<ToldReport[]> {
  const comments = await new Comments(github, pull).own();
  return comments.flatMap((comment) => stampsIn(comment.body).map((stamp) => ({ comment, stamp })));
}

function stampsIn(body: string): Stamp[] {
  const own = parseStamp(body);
  return own === undefined ? sectionsIn(body) : [own];
}

/** The key of the step or group that a comment belongs to. */
function keyIn(body: string): string | undefined {
  return parseStamp(body)?.key ?? groupIn(body);
}

const EDITOR =
  'query ($id: ID!) { node(id: $id) { ... on IssueComment { body author { __typename login } editor { __typename login } } } }';
const actor = z.object({ __typename: z.string(), login: z.string() }).nullable();
const touched = z.object({ node: z.object({ body: z.string(), author: actor, editor: actor }) });

/**
 * Whether our comment still has the text that we wrote: everybody who may write to a repository may edit its comments.
 */
export async function isUntouched(github: GitHub, { node_id: id, body: read }: OwnComment): Promise<boolean> {
  const { body, author, editor } = (await github.query(EDITOR, { id }, touched)).node;
  if (body !== read) return false;
  return editor === null || (editor.login === author?.login && editor.__typename === author.__typename);
}

/** Our comments on one pull request; with a key, only those of that key. */
export class Comments {
  readonly #github: GitHub;
  readonly #pull: number;
  readonly #key: string | undefined;

  constructor(github: GitHub, pull: number, key?: string) {
    this.#github = github;
    this.#pull = pull;
    this.#key = key;
  }

  /**
   * Lists them, oldest first.
   * @param made a comment that we have just made. The list may be out of date. As long as it does not show this
   * comment, it may lack those of other jobs too, so we wait until it does.
   */
  async own(made?: OwnComment): Promise<OwnComment[]> {
    let listed = await this.#listed();
    if (made === undefined) return listed;
    for (const pause of PAUSES_MS) {
      if (listed.some(({ id }) => id === made.id)) return listed;
      if ((await this.withId(made.id)) === undefined) return listed;
      await this.#github.wait(pause);
      listed = await this.#listed();
    }
    const others = listed.filter(({ id }) => id !== made.id);
    return [...others, made].sort((a, b) => a.id - b.id);
  }

  /**
   * GitHub lists the oldest first. Of a very long list this reads the first page, and then pages from the end until one
   * holds a comment of ours.
   */
  async #listed(): Promise<OwnComment[]> {
    const login = await this.#github.login();
    const { items, last } = await this.#page(1);
    const found = this.#ownIn(items, login);
    for (let page = last; page > 1 && (last <= MAX_WHOLE_PAGES || found.length === 0); page--) {
      found.push(...this.#ownIn((await this.#page(page)).items, login));
    }
    return found.sort((a, b) => a.id - b.id);
  }

  #page(page: number) {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    return this.#github.page(route, page, { issue_number: this.#pull }, comment);
  }

  #ownIn(items: readonly OwnComment[], login: string): OwnComment[] {
    return items.filter(({ user, body }) => isBy(login, user) && this.#isMeant(body));
  }

  #isMeant(body: string): boolean {
    const key = keyIn(body);
    return key !== undefined && [undefined, key].includes(this.#key);
  }

  /** The comment as it is now; undefined if it is gone. */
  async withId(id: number): Promise<OwnComment | undefined> {
    const route = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
    try {
      return comment.parse(await this.#github.request(route, { comment_id: id }));
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      return undefined;
    }
  }

  async create(body: string): Promise<OwnComment> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    return comment.parse(await this.#github.request(route, { issue_number: this.#pull, body }));
  }

  /** The latest texts that we wrote to a comment, newest first; empty if GitHub keeps no history of it. */
  async textsOf(nodeId: string): Promise<string[]> {
    const { node } = await this.#github.query(EDITS, { id: nodeId }, edited).catch(() => ({ node: undefined }));
    const texts = (node?.userContentEdits?.nodes ?? []).flatMap(({ diff }) => diff ?? []);
    return texts.filter((text) => this.#isMeant(text));
  }

  async update(id: number, body: string): Promise<void> {
    await this.#github.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id, body });
  }

  /** Removes a comment. If it is already gone, that is fine. */
  async remove(id: number): Promise<void> {
    const route = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
    await this.#github.request(route, { comment_id: id }).catch((error) => {
      if (statusOf(error) !== 404) throw error;
    });
  }
}
