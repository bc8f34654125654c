import { z } from 'zod';
import { type Board, parseBoard, wasBoard } from './board.ts';
import { author, type GitHub, isBy, orMissing, statusOf, writtenBody } from './github.ts';

/** GitHub takes 2,500 comments on one pull request. */
const MAX_PAGES = 25;
/** Before a list or a history is read again that does not show yet what we have just written. */
const PAUSES_MS = [100, 200, 400, 800, 1_600, 3_200];
const BLIND_MS = 500;

const comment = z.object({
  id: z.int(),
  /** In GraphQL. */
  node_id: z.string(),
  body: writtenBody,
  html_url: z.string(),
  user: author,
});

type Found = z.infer<typeof comment>;

/** A comment that holds a board of ours. */
export interface OwnComment extends Found {
  readonly board: Board;
}

const edited = z.object({
  node: z
    .object({
      userContentEdits: z.object({ nodes: z.array(z.object({ diff: z.string().nullable() })) }).nullable(),
    })
    .nullable(),
});
/** Each edit holds the whole text, although the field is called `diff`. The newest edit comes first. */
const EDITS =
  'query ($id: ID!) { node(id: $id) { ... on IssueComment { userContentEdits(first: 100) { nodes { diff } } } } }';

const EDITOR =
  'query ($id: ID!) { node(id: $id) { ... on IssueComment { body author { __typename login } editor { __typename login } } } }';
const actor = z.object({ __typename: z.string(), login: z.string() }).nullable();
const touched = z.object({ node: z.object({ body: z.string(), author: actor, editor: actor }) });

/** Everybody who may write to a repository may edit its comments. */
export async function isUntouched(github: GitHub, { node_id: id, body: read }: OwnComment): Promise<boolean> {
  const { body, author, editor } = (await github.query(EDITOR, { id }, touched)).node;
  if (body !== read) return false;
  return editor === null || (editor.login === author?.login && editor.__typename === author.__typename);
}

/** Our comments on one pull request. */
export class Comments {
  readonly #github: GitHub;
  readonly #pull: number;
  /** An edit history could not be read. */
  isBlind = false;
  /** A comment that somebody had edited by hand was removed. */
  isReplaced = false;
  /** GitHub has not refused what was sent: it may stand there even if no answer came. */
  isSent = false;
  /** Of comments that nobody can read any more, for REST and for GraphQL. */
  readonly #broken = new Map<number, string>();

  constructor(github: GitHub, pull: number) {
    this.#github = github;
    this.#pull = pull;
  }

  /**
   * Lists them, oldest first.
   * @param made the id of a comment that we have made. The list may be out of date. As long as it does not show this
   * comment, it may lack those of other jobs too, so we wait until it does.
   */
  async own(made?: number): Promise<OwnComment[]> {
    let listed = await this.#listed();
    if (made === undefined) return listed;
    for (const pause of PAUSES_MS) {
      if (listed.some(({ id }) => id === made)) return listed;
      if ((await this.#withId(made)) === undefined) return listed;
      await this.#github.wait(pause);
      listed = await this.#listed();
    }
    const others = listed.filter(({ id }) => id !== made);
    const now = await this.#withId(made);
    return now === undefined ? others : [...others, now].sort((a, b) => a.id - b.id);
  }

  async #listed(): Promise<OwnComment[]> {
    const login = await this.#github.login();
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const all = await this.#github.list(route, { issue_number: this.#pull }, comment, MAX_PAGES);
    const own = all.filter(({ user }) => isBy(login, user));
    for (const { id, node_id, body } of own) if (wasBoard(body)) this.#broken.set(id, node_id);
    return own.flatMap(withBoard).sort((a, b) => a.id - b.id);
  }

  /** Undefined if it is gone. */
  async #withId(id: number): Promise<OwnComment | undefined> {
    const route = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
    return orMissing(
      this.#github.request(route, { comment_id: id }).then((found) => withBoard(comment.parse(found))[0]),
    );
  }

  async create(body: string): Promise<{ readonly id: number }> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    return comment.parse(await this.#send(route, { issue_number: this.#pull, body }));
  }

  /**
   * The boards that the comment ever held. GitHub's edit history may lag behind, so this waits until it shows our own
   * text: it then shows all that was written before. If it cannot be read, what stands there now has to do.
   * @param isNew whether we have just written this body
   */
  async boardsOf({ id, node_id, body }: Pick<OwnComment, 'id' | 'node_id' | 'body'>, isNew: boolean): Promise<Board[]> {
    for (const pause of PAUSES_MS) {
      const texts = await this.#textsOf(node_id);
      if (texts === undefined) break;
      // A comment that was never edited has no history.
      const isWhole = texts.some((text) => isSame(text, body)) || (texts.length === 0 && !isNew);
      if (isWhole) return texts.flatMap((text) => parseBoard(text) ?? []);
      await this.#github.wait(pause);
    }
    this.isBlind = true;
    await this.#github.wait(BLIND_MS);
    const now = await this.#withId(id);
    return now === undefined ? [] : [now.board];
  }

  /** The latest texts, newest first; undefined if GitHub does not give them. */
  async #textsOf(nodeId: string): Promise<string[] | undefined> {
    const { node } = await this.#github.query(EDITS, { id: nodeId }, edited).catch(() => ({ node: null }));
    return node?.userContentEdits?.nodes.flatMap(({ diff }) => diff ?? []);
  }

  async update(id: number, body: string): Promise<void> {
    await this.#send('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id: id, body });
  }

  async #send(route: string, parameters: Record<string, unknown>): Promise<unknown> {
    const before = this.isSent;
    this.isSent = true;
    return this.#github.request(route, parameters).catch((error) => {
      if ((statusOf(error) ?? 500) < 500) this.isSent = before;
      throw error;
    });
  }

  /**
   * Removes a board that a person has edited so that no run can read it, and which would show an old result for ever. One
   * that nobody has edited only quotes ours.
   */
  async removeBroken(): Promise<void> {
    for (const [id, node] of this.#broken) {
      const { editor } = (await this.#github.query(EDITOR, { id: node }, touched)).node;
      if (editor?.__typename !== 'User') continue;
      await this.remove(id);
      this.isReplaced = true;
    }
  }

  /** Removes a comment. If it is already gone, that is fine. */
  async remove(id: number): Promise<void> {
    const route = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
    await orMissing(this.#github.request(route, { comment_id: id }));
  }
}

/** GitHub may change how lines end. */
export function isSame(one: string, other: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(one) === plain(other);
}

function withBoard(found: Found): OwnComment[] {
  const board = parseBoard(found.body);
  return board === undefined ? [] : [{ ...found, board }];
}
