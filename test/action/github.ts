import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export const TOKEN = 'ghs_canaryTokenOfTheWorkflow1234567890';
const BOT = { login: 'github-actions[bot]', type: 'Bot' };
/** GitHub refuses a longer text. */
const MAX_BODY_CHARS = 65_536;

export interface StoredComment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string; readonly type: string } | null;
}

/** What happens to a request instead of, or before, its answer. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly takesEffect?: boolean }
  | { readonly hangs: true };

export interface SeenRequest {
  readonly route: Route;
  readonly page: number;
}

type Route = 'viewer' | 'list' | 'create' | 'update' | 'delete';

/** The part of GitHub's API that comments on one pull request need, with its state, on loopback. */
export class FakeGitHub implements AsyncDisposable {
  readonly comments: StoredComment[] = [];
  readonly requests: SeenRequest[] = [];
  /** Taken one by one by the requests of their route. */
  readonly faults: Partial<Record<Route, Fault[]>> = {};
  /** Called before each request is answered: for what others do at the same time. */
  before: ((route: Route) => void) | undefined;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
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

  add(body: string, user: StoredComment['user'] = BOT): StoredComment {
    const comment = { id: this.#nextId++, body, user };
    this.comments.push(comment);
    return comment;
  }

  count(route: Route): number {
    return this.requests.filter((request) => request.route === route).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
    const [route, id] = routeOf(request.method ?? '', pathname);
    const sent = request.method === 'GET' ? {} : ((await json(request).catch(() => ({}))) as { body?: unknown });
    if (route === undefined) return answer(response, 404, { message: 'Not Found' });
    if (request.headers.authorization !== `token ${TOKEN}`)
      return answer(response, 401, { message: 'Bad credentials' });
    const page = Number(searchParams.get('page') ?? 1);
    this.requests.push({ route, page });
    this.before?.(route);
    const fault = this.faults[route]?.shift();
    if (fault !== undefined && 'hangs' in fault) return;
    if (fault !== undefined && !fault.takesEffect)
      return answer(response, fault.status, refusal(request), fault.headers);
    const [status, result] = this.#act(route, id, sent, page, Number(searchParams.get('per_page') ?? 30));
    answer(response, fault?.status ?? status, fault === undefined ? result : refusal(request));
  }

  #act(route: Route, id: number, { body }: { body?: unknown }, page: number, perPage: number): [number, unknown?] {
    const at = this.comments.findIndex((comment) => comment.id === id);
    const invalid = typeof body !== 'string' || body === '' || body.length > MAX_BODY_CHARS;
    switch (route) {
      case 'viewer':
        return [200, { data: { viewer: { login: BOT.login } } }];
      case 'list':
        return [200, this.comments.slice((page - 1) * perPage, page * perPage).map(shown)];
      case 'create':
        return invalid ? [422, { message: 'Body is too long' }] : [201, shown(this.add(body))];
      case 'update':
        if (at < 0) return [404, { message: 'Not Found' }];
        if (invalid) return [422, { message: 'Body is too long' }];
        this.comments[at]!.body = body;
        return [200, shown(this.comments[at]!)];
      case 'delete':
        if (at < 0) return [404, { message: 'Not Found' }];
        this.comments.splice(at, 1);
        return [204];
    }
  }
}

function routeOf(method: string, pathname: string): [Route | undefined, number] {
  if (method === 'POST' && pathname === '/api/graphql') return ['viewer', 0];
  const list = /^\/api\/v3\/repos\/Codertocat\/Hello-World\/issues\/2\/comments$/.test(pathname);
  if (list) return [method === 'GET' ? 'list' : method === 'POST' ? 'create' : undefined, 0];
  const [, id] = /^\/api\/v3\/repos\/Codertocat\/Hello-World\/issues\/comments\/(\d+)$/.exec(pathname) ?? [];
  return [
    id === undefined ? undefined : method === 'PATCH' ? 'update' : method === 'DELETE' ? 'delete' : undefined,
    Number(id),
  ];
}

function shown(comment: StoredComment): object {
  return { ...comment, html_url: `https://github.com/Codertocat/Hello-World/pull/2#issuecomment-${comment.id}` };
}

/** GitHub's own, with what must never reach a log. */
function refusal(request: IncomingMessage): object {
  return { message: `Resource not accessible by integration\n::error::${request.headers.authorization}` };
}

function answer(response: ServerResponse, status: number, body?: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
