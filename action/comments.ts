import { z } from 'zod';
import { author, type GitHub, isBy, statusOf, writtenBody } from './github.ts';
import { groupIn, sectionsIn } from './group.ts';
import { parseStamp, type Stamp } from './stamp.ts';

/** Of 100 comments. Of more only as many are read as are needed; GitHub takes 2,500 on one pull request. */
const MAX_WHOLE_PAGES = 10;
/** Before it is looked again whether a comment of ours is listed. */
const PAUSES_MS = [100, 200, 400, 800, 1_600, 3_200];

const comment = z.object({
  id: z.int(),
  /** In GraphQL. */
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
/** Each edit holds the whole text, although it is called `diff`; the newest is the first. */
const EDITS =
  'query ($id: ID!) { node(id: $id) { ... on IssueComment { userContentEdits(first: 100) { nodes { diff } } } } }';

/** A report that stands in a comment, of which it may be a part. */
export interface ToldReport {
  readonly comment: OwnComment;
  readonly stamp: Stamp;
}

/** All reports of ours that stand on a pull request, in the order of their comments. */
export async function reportsOn(github: GitHub, pull: number): Promise<ToldReport[]> {
  const comments = await new Comments(github, pull).own();
  return comments.flatMap((comment) => stampsIn(comment.body).map((stamp) => ({ comment, stamp })));
}

function stampsIn(body: string): Stamp[] {
  const own = parseStamp(body);
  return own === undefined ? sectionsIn(body) : [own];
}

/** Of the step or the group that a comment belongs to. */
function keyIn(body: string): string | undefined {
  return parseStamp(body)?.key ?? groupIn(body);
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
   * Oldest first.
   * @param made one that we made. A list may lag behind, and what others made at the same time is in none that does not
   * show ours, so that ours is waited for.
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

  /** GitHub lists the oldest first. Of very many the first page is read, and then the last ones until one is ours. */
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

  /** As it is now; undefined when it is gone. */
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

  /** All texts of ours that a comment had lately, the newest first; none when nobody says it. */
  async textsOf(nodeId: string): Promise<string[]> {
    const { node } = await this.#github.query(EDITS, { id: nodeId }, edited).catch(() => ({ node: undefined }));
    const texts = (node?.userContentEdits?.nodes ?? []).flatMap(({ diff }) => diff ?? []);
    return texts.filter((text) => this.#isMeant(text));
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
