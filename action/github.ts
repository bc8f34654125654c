import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { z } from 'zod';
import type { PullRequest } from './event.ts';

/** Comments of one pull request, as far as they are ours. */
export interface OwnComments {
  /** Oldest first. */
  list(): Promise<Comment[]>;
  /** Never tried twice: whether a failed call had an effect is for the caller to look at. */
  create(body: string): Promise<void>;
  update(id: number, body: string): Promise<void>;
  /** One that is gone already is as good. */
  remove(id: number): Promise<void>;
}

export type Comment = z.infer<typeof comment>;

const comment = z.object({
  id: z.int(),
  body: z
    .string()
    .nullish()
    .transform((body) => body ?? ''),
  html_url: z.string(),
  user: z.object({ login: z.string(), type: z.string() }).nullable(),
});

export interface Access {
  readonly token: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly signal: AbortSignal;
}

const PER_PAGE = 100;
/** A pull request with more comments than this has other troubles. */
const MAX_PAGES = 10;
const REQUEST_MS = 10_000;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** A longer pause that GitHub asks for is not worth a job's time: the summary has it all. */
const MAX_PAUSE_MS = 5_000;

/** Opens the comments of a pull request that the owner of the token wrote. */
export async function openOwnComments({ owner, repo, number }: PullRequest, access: Access): Promise<OwnComments> {
  const request = requester(access);
  const login = await ownLogin(request, access.graphqlUrl);
  const isOwn = ({ user }: Comment) =>
    user?.login === login || (user?.type === 'Bot' && user.login === `${login}[bot]`);
  const ofIssue = { owner, repo, issue_number: number };
  return {
    list: async () => {
      const found: Comment[] = [];
      for (let page = 1; page <= MAX_PAGES; page++) {
        const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
        const comments = z.array(comment).parse(await request(route, { ...ofIssue, per_page: PER_PAGE, page }));
        found.push(...comments.filter(isOwn));
        if (comments.length < PER_PAGE) break;
      }
      return found.sort((a, b) => a.id - b.id);
    },
    create: async (body) => {
      await request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', { ...ofIssue, body });
    },
    update: async (id, body) => {
      await request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { owner, repo, comment_id: id, body });
    },
    remove: async (id) => {
      const route = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
      await request(route, { owner, repo, comment_id: id }).catch((error) => {
        if (statusOf(error) !== 404) throw error;
      });
    },
  };
}

/** The status of the answer that an error stands for; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  const { status, response } = Object(error) as { status?: number; response?: unknown };
  return response === undefined ? undefined : status;
}

type Request = (route: string, parameters: Record<string, unknown>) => Promise<unknown>;

function requester({ token, apiUrl, signal }: Access): Request {
  const dispatcher = new EnvHttpProxyAgent();
  const silent = () => {};
  const octokit = new Octokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'agent-replay',
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: (url: string, init: object) => fetch(url, { ...init, dispatcher }) },
  });
  return async (route, parameters) => {
    for (let tries = 1; ; tries++) {
      try {
        const limited = { signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]) };
        return (await octokit.request(route, { ...parameters, request: limited })).data;
      } catch (error) {
        const pause = pauseBefore(error, tries, route.startsWith('POST /repos'));
        signal.throwIfAborted();
        if (pause === undefined) throw error;
        await sleep(pause, undefined, { signal });
      }
    }
  };
}

/** How long to wait before the same request may be sent again; undefined when it must not be. */
function pauseBefore(error: unknown, tries: number, isCreate: boolean): number | undefined {
  if (tries >= MAX_TRIES || isCreate) return undefined;
  const status = statusOf(error);
  if (status === undefined || status >= 500) return FIRST_PAUSE_MS * 2 ** (tries - 1);
  const { headers = {} } = (error as { response: { headers?: Record<string, string> } }).response;
  const asked = Number(headers['retry-after']) * 1_000;
  return (status === 403 || status === 429) && asked <= MAX_PAUSE_MS ? asked : undefined;
}

/** Asked of GraphQL: REST does not tell the token of a workflow who it is. */
async function ownLogin(request: Request, graphqlUrl: string): Promise<string> {
  const answer = await request(`POST ${graphqlUrl}`, { query: 'query { viewer { login } }' });
  return z.object({ data: z.object({ viewer: z.object({ login: z.string().min(1) }) }) }).parse(answer).data.viewer
    .login;
}
