import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Answer, type BranchCommit, GitStore } from './git-store.ts';
import { type CalledOperation, calledOperation } from './openapi/check.ts';
import { askedGraphql } from './openapi/graphql.ts';

export const TOKEN = 'ghs_canaryTokenOfTheWorkflow1234567890';
const BOT = { login: 'github-actions[bot]', type: 'Bot' };
/** The most edits of a comment that one request can ask for. */
const MAX_EDITS = 100;
/** GitHub takes no more comments on one issue. */
const MAX_COMMENTS = 2_500;
/** GitHub refuses a longer text. */
const MAX_BODY_CHARS = 65_536;
/** The pull request of the example event. */
const PULL = 2;

type User = { readonly login: string; readonly type: string } | null;

export interface StoredComment {
  readonly id: number;
  readonly issue: number;
  body: string;
  readonly user: User;
  /** Each text that it ever had, newest first, and when it was written; empty if it was never edited. */
  readonly edits: { readonly text: string; readonly at: number }[];
  /** Who edited it last; null if it was never edited. */
  editor: User;
  /** How many more lists will not show it yet. */
  lag: number;
}

export interface StoredIssue {
  readonly number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  state_reason: string | null;
  labels: readonly string[];
  readonly user: User;
}

export interface StoredPull {
  readonly state: 'open' | 'closed';
  readonly head: { readonly ref?: string; readonly sha: string; readonly repo: { readonly full_name: string } | null };
}

export interface StoredRun {
  readonly id: number;
  readonly workflow_id: number;
  readonly event: string;
  readonly head_sha: string;
  readonly head_repository: { readonly full_name: string } | null;
  /** Null while it runs. */
  readonly conclusion?: string | null;
}

export interface StoredArtifact {
  readonly id: number;
  readonly run: number;
  readonly name: string;
  readonly zip: Uint8Array;
  readonly expired?: boolean;
  /** The size that GitHub reports; by default that of the archive. */
  readonly size?: number;
}

/** A check that was started by request. */
export interface Dispatched {
  readonly workflow: number;
  readonly ref: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** A fault that a request meets instead of its answer, or before it. */
export type Fault =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** GitHub's message; by default that the token lacks a permission. */
      readonly message?: string;
      readonly takesEffect?: boolean;
    }
  | { readonly hangs: true };

export interface SeenRequest {
  readonly route: Route;
  readonly page: number;
}

const ROUTES = {
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': 'list',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': 'create',
  'GET /repos/{owner}/{repo}/issues/comments/{comment_id}': 'comment',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': 'update',
  'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}': 'delete',
  'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions': 'react',
  'GET /repos/{owner}/{repo}/issues': 'issues',
  'POST /repos/{owner}/{repo}/issues': 'open',
  'PATCH /repos/{owner}/{repo}/issues/{issue_number}': 'edit',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}': 'pull',
  'GET /repos/{owner}/{repo}/pulls': 'pulls',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files': 'files',
  'GET /repos/{owner}/{repo}/compare/{basehead}': 'compare',
  'GET /repos/{owner}/{repo}/contents/{path}': 'file',
  'GET /repos/{owner}/{repo}/git/ref/{ref}': 'ref',
  'POST /repos/{owner}/{repo}/git/refs': 'new-ref',
  'PATCH /repos/{owner}/{repo}/git/refs/{ref}': 'move-ref',
  'POST /repos/{owner}/{repo}/git/trees': 'tree',
  'POST /repos/{owner}/{repo}/git/commits': 'commit',
  'GET /repos/{owner}/{repo}/git/commits/{commit_sha}': 'read-commit',
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': 'read-tree',
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': 'blob',
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission': 'permission',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}': 'run',
  'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs': 'runs',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts': 'artifacts',
  'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}': 'download',
  'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches': 'dispatch',
} as const;

const GRAPHQL = ['viewer', 'edits', 'editor', 'commit-on-branch'] as const;

type Route = (typeof GRAPHQL)[number] | (typeof ROUTES)[keyof typeof ROUTES];

/**
 * Stands for the part of GitHub's API that the action uses, with its state, on loopback, for the repository of the
 * example events. Checks each request against GitHub's own description; a wrong one fails the test.
 */
export class FakeGitHub implements AsyncDisposable {
  readonly comments: StoredComment[] = [];
  readonly issues: StoredIssue[] = [];
  readonly pulls = new Map<number, StoredPull>();
  /** What the pull request of the example event changes. */
  files: readonly { filename: string; status: string; patch?: string }[] = [];
  /** The commits of the one branch that can be compared, oldest first. */
  readonly commits: string[] = [];
  readonly git = new GitStore();
  readonly tokens = new Set([TOKEN]);
  /** The permission of each person, by login. Nobody else is known. */
  readonly permissions = new Map<string, string>();
  readonly runs: StoredRun[] = [];
  readonly artifacts: StoredArtifact[] = [];
  /** Workflows that can be dispatched, by their ids. */
  readonly dispatchable = new Set<number>();
  readonly dispatched: Dispatched[] = [];
  /** Reactions to comments. */
  readonly reactions: string[] = [];
  readonly requests: SeenRequest[] = [];
  /** Faults by route. Each request of the route takes the next one. */
  readonly faults: Partial<Record<Route, Fault[]>> = {};
  /** Called before each answer, to do what other jobs do at the same time. */
  before: ((route: Route) => void | Promise<void>) | undefined;
  /** How many lists do not show a new comment yet. */
  lag = 0;
  /** What GitHub gives of the edit history of a comment. */
  history: 'whole' | 'refused' | 'absent' = 'whole';
  /** How long the history does not show a new edit, in milliseconds. */
  historyLag = 0;
  readonly #mistakes: string[] = [];
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error) => {
      this.#mistakes.push(String(error));
      answer(response, [500, { message: 'Server Error' }]);
    });
  });
  #nextId = 1_000;

  static async start(): Promise<FakeGitHub> {
    const fake = new FakeGitHub();
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get env(): Record<string, string> {
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return { GITHUB_API_URL: `${url}/api/v3`, GITHUB_GRAPHQL_URL: `${url}/api/graphql` };
  }

  add(body: string, user: User = BOT, issue = PULL): StoredComment {
    const comment = { id: this.#nextId++, issue, body, user, edits: [], editor: null, lag: 0 };
    this.comments.push(comment);
    return comment;
  }

  addIssue(issue: Partial<StoredIssue> & Pick<StoredIssue, 'body'>): StoredIssue {
    const number = this.issues.length + 10;
    const stored = { number, title: 'x', state: 'open', state_reason: null, labels: [], user: BOT, ...issue } as const;
    this.issues.push({ ...stored });
    return this.issues.at(-1)!;
  }

  count(route: Route): number {
    return this.requests.filter((request) => request.route === route).length;
  }

  /** @throws when a request did not match GitHub's description */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    if (this.#mistakes.length > 0) throw new Error(`GitHub does not know this request:\n${this.#mistakes.join('\n')}`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const url = new URL((request.url ?? '').replace(/^\/api\/v3/, ''), 'http://fake');
    const sent = method === 'GET' || method === 'DELETE' ? undefined : await json(request).catch(() => undefined);
    // The download address of an archive leads here, on another host.
    if (url.pathname.startsWith('/storage/'))
      return this.#handOut(request, response, Number(url.pathname.split('/')[2]));
    const called = url.pathname === '/api/graphql' ? graphql(sent) : calledOperation(method, url, sent);
    const route = called === undefined ? undefined : routeOf(called);
    if (called === undefined || route === undefined) {
      this.#mistakes.push(`${method} ${url.pathname}`);
      return answer(response, [404, { message: 'Not Found' }]);
    }
    this.#mistakes.push(...called.mistakes.map((mistake) => `${called.name}: ${mistake}`));
    if (!this.tokens.has(request.headers.authorization?.replace('token ', '') ?? ''))
      return answer(response, [401, { message: 'Bad credentials' }]);
    this.requests.push({ route, page: Number(called.parameters.page ?? 1) });
    await this.before?.(route);
    const fault = this.faults[route]?.shift();
    if (fault !== undefined && 'hangs' in fault) return;
    if (fault !== undefined && !fault.takesEffect) {
      return answer(response, [fault.status, refusal(request, fault.message)], fault.headers);
    }
    const { owner, repo } = called.parameters;
    const isHere = called.name === route || `${owner}/${repo}` === REPOSITORY;
    const result = isHere ? this.#act(route, called.parameters, sent as never) : NOT_FOUND;
    const location = route === 'download' && result[0] === 302 ? { location: this.#storageOf(called) } : {};
    const headers = { ...linksFor(url, called, result), ...location };
    answer(response, fault === undefined ? result : [fault.status, refusal(request)], headers);
  }

  #storageOf({ parameters }: CalledOperation): string {
    const { port } = this.#server.address() as AddressInfo;
    // As on GitHub, another origin, which must not get the token.
    return `http://localhost:${port}/storage/${parameters.artifact_id}`;
  }

  #handOut(request: IncomingMessage, response: ServerResponse, id: number): void {
    if (request.headers.authorization !== undefined) this.#mistakes.push('the token was sent to the storage');
    const found = this.artifacts.find((each) => each.id === id);
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/zip' });
    response.end(found?.zip);
  }

  #act(route: Route, given: CalledOperation['parameters'], sent: Sent): Answer {
    const issue = Number(given.issue_number);
    const at = this.comments.findIndex(({ id }) => id === Number(given.comment_id));
    if (sent?.body !== undefined && (sent.body === '' || sent.body.length > MAX_BODY_CHARS)) {
      return [422, { message: 'Body is too long' }];
    }
    switch (route) {
      case 'viewer':
        return [200, { data: { viewer: { login: BOT.login } } }];
      case 'edits': {
        if (this.history === 'refused') {
          const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }];
          return [200, { data: { node: null }, errors }];
        }
        const found = this.comments.find(({ id }) => `IC_${id}` === given.id);
        const seen = (found?.edits ?? []).filter(({ at }) => Date.now() - at >= this.historyLag);
        const nodes = seen.slice(0, MAX_EDITS).map(({ text }) => ({ diff: text }));
        const userContentEdits = this.history === 'absent' ? null : { nodes };
        return [200, { data: { node: found === undefined ? null : { userContentEdits } } }];
      }
      case 'list': {
        const visible = this.comments.filter((comment) => comment.issue === issue && comment.lag-- <= 0);
        return [200, page(visible, given).map(shown), visible.length];
      }
      case 'comment':
        return at < 0 ? NOT_FOUND : [200, shown(this.comments[at]!)];
      case 'create': {
        if (this.comments.filter((comment) => comment.issue === issue).length >= MAX_COMMENTS) {
          return [403, { message: 'Commenting is disabled on issues with more than 2500 comments' }];
        }
        const comment = this.add(sent.body, BOT, issue);
        comment.lag = this.lag;
        return [201, shown(comment)];
      }
      case 'update': {
        const comment = this.comments[at];
        if (comment === undefined) return NOT_FOUND;
        const when = Date.now();
        if (comment.edits.length === 0) comment.edits.push({ text: comment.body, at: when });
        comment.edits.unshift({ text: sent.body, at: when });
        comment.body = sent.body;
        comment.editor = BOT;
        return [200, shown(comment)];
      }
      case 'delete':
        return this.comments.splice(at, at < 0 ? 0 : 1).length === 0 ? NOT_FOUND : [204];
      case 'react':
        this.reactions.push(sent.content);
        return [201, {}];
      case 'issues': {
        const issues = this.#issuesOf(given);
        return [200, page(issues, given).map(shownIssue), issues.length];
      }
      case 'open':
        return [201, shownIssue(this.addIssue(sent))];
      case 'edit': {
        const stored = this.issues.find(({ number }) => number === issue);
        return stored === undefined ? NOT_FOUND : [200, shownIssue(Object.assign(stored, sent))];
      }
      case 'pull': {
        const number = Number(given.pull_number);
        const pull = this.pulls.get(number);
        return pull === undefined ? NOT_FOUND : [200, shownPull(number, pull)];
      }
      case 'pulls': {
        const [owner] = (given.head ?? '').split(':');
        const found = [...this.pulls].filter(([, { head }]) => head.repo?.full_name.split('/')[0] === owner);
        return [
          200,
          found.filter(([, { state }]) => state === given.state).map(([number, pull]) => shownPull(number, pull)),
        ];
      }
      case 'files':
        return [200, page(this.files, given), this.files.length];
      case 'compare': {
        const [base = -1, head = -1] = (given.basehead ?? '').split('...').map((sha) => this.commits.indexOf(sha));
        if (base < 0 || head < 0) return NOT_FOUND;
        return [200, { status: base === head ? 'identical' : base < head ? 'ahead' : 'behind' }];
      }
      case 'ref':
        return this.git.readRef(given.ref ?? '');
      case 'file':
        return this.git.readFile(given.path ?? '', given.ref ?? '');
      case 'tree':
        return this.git.createTree(sent);
      case 'commit':
        return this.git.createCommit(sent);
      case 'new-ref':
        return this.git.createRef(sent);
      case 'move-ref':
        return this.git.moveRef(given.ref ?? '', sent);
      case 'read-tree':
        return this.git.readTree(given.tree_sha ?? '');
      case 'blob':
        return this.git.readBlob(given.file_sha ?? '');
      case 'read-commit':
        return this.git.readCommit(given.commit_sha ?? '');
      case 'commit-on-branch':
        return this.git.commitOnBranch(given.input as unknown as BranchCommit);
      case 'editor': {
        const found = this.comments.find(({ id }) => `IC_${id}` === given.id);
        const node = found && { body: found.body, author: actorOf(found.user), editor: actorOf(found.editor) };
        return [200, { data: { node: node ?? null } }];
      }
      case 'permission': {
        const may = this.permissions.get(given.username ?? '');
        return may === undefined ? NOT_FOUND : [200, { permission: may, role_name: may }];
      }
      case 'run':
        return orMissing(this.runs.find(({ id }) => id === Number(given.run_id)));
      case 'runs': {
        const found = this.runs.filter(({ conclusion }) => typeof conclusion === 'string').toReversed();
        return [200, { total_count: found.length, workflow_runs: page(found, given) }];
      }
      case 'artifacts': {
        const own = this.artifacts.filter(({ run }) => run === Number(given.run_id));
        return [200, { total_count: own.length, artifacts: own.map(shownArtifact) }];
      }
      case 'download':
        return this.artifacts.some(({ id }) => id === Number(given.artifact_id)) ? [302] : NOT_FOUND;
      case 'dispatch': {
        const workflow = Number(given.workflow_id);
        if (!this.dispatchable.has(workflow)) return [422, { message: 'Workflow does not have a trigger' }];
        this.dispatched.push({ workflow, ref: sent.ref, inputs: sent.inputs });
        return [204];
      }
    }
  }

  #issuesOf({ creator, state = 'open' }: CalledOperation['parameters']): StoredIssue[] {
    const found = this.issues.filter((issue) => creator === undefined || issue.user?.login === creator);
    return found.filter((issue) => state === 'all' || issue.state === state);
  }
}

const REPOSITORY = 'Codertocat/Hello-World';
const NOT_FOUND: Answer = [404, { message: 'Not Found' }];

/** The request, which was checked against the description before it is read. */
type Sent = { body: string; content: string; inputs: Dispatched['inputs'] } & Parameters<GitStore['createTree']>[0] &
  Parameters<GitStore['createCommit']>[0] &
  Parameters<GitStore['createRef']>[0];

/** Checks a GraphQL request, which has a description of its own. */
function graphql(sent: unknown): CalledOperation {
  const { fields, variables, mistakes } = askedGraphql(sent);
  const name = [...NAMES].find(([field]) => fields.has(field))?.[1] ?? 'viewer';
  return { name, parameters: variables as Record<string, string>, mistakes };
}

const NAMES: ReadonlyMap<string, (typeof GRAPHQL)[number]> = new Map([
  ['createCommitOnBranch', 'commit-on-branch'],
  ['userContentEdits', 'edits'],
  ['editor', 'editor'],
]);

function routeOf({ name }: CalledOperation): Route | undefined {
  return GRAPHQL.find((each) => each === name) ?? ROUTES[name as keyof typeof ROUTES];
}

function orMissing(found: object | undefined): Answer {
  return found === undefined ? NOT_FOUND : [200, found];
}

/** GraphQL gives the login of an app without its suffix. */
function actorOf(user: User): object | null {
  return user && { __typename: user.type, login: user.login.replace('[bot]', '') };
}

function shownArtifact({ id, name, zip, expired = false, size = zip.length }: StoredArtifact): object {
  return { id, name, expired, size_in_bytes: size };
}

/** The link header of a list, which names the last page, except on that page itself. */
function linksFor(url: URL, { parameters }: CalledOperation, [, , total]: Answer): object {
  const last = Math.ceil((total ?? 0) / Number(parameters.per_page ?? 30));
  if (Number(parameters.page ?? 1) >= last) return {};
  const address = new URL(url);
  address.searchParams.set('page', String(last));
  return { link: `<${address}>; rel="last"` };
}

function page<T>(items: readonly T[], { page = '1', per_page: size = '30' }: CalledOperation['parameters']): T[] {
  return items.slice((Number(page) - 1) * Number(size), Number(page) * Number(size));
}

function shown(comment: StoredComment): object {
  const html_url = `https://github.com/${REPOSITORY}/pull/${comment.issue}#issuecomment-${comment.id}`;
  return { ...comment, html_url, node_id: `IC_${comment.id}` };
}

function shownPull(number: number, pull: StoredPull): object {
  const base = { ref: 'main', repo: { full_name: REPOSITORY } };
  return { number, ...pull, head: { ref: 'changes', ...pull.head }, base };
}

function shownIssue({ labels, ...issue }: StoredIssue): object {
  const html_url = `https://github.com/${REPOSITORY}/issues/${issue.number}`;
  return { ...issue, labels: labels.map((name) => ({ name })), html_url };
}

/** A refusal as GitHub words it, with values that must never reach a log. */
function refusal(request: IncomingMessage, message = 'Resource not accessible by integration'): object {
  return { message: `${message}\n::error::${request.headers.authorization}` };
}

function answer(response: ServerResponse, [status, body]: Answer, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
