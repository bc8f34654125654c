import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { z } from 'zod';

/** One repository, as the owner of a token sees it. */
export interface GitHub {
  /**
   * Sends a request about the repository: its owner and name go without saying. Tried again when the answer does not
   * come, but for what creates something: whether that had an effect is for the caller to look at.
   */
  request(route: string, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** All pages of a list, up to a bound. */
  list<T>(route: string, parameters: Readonly<Record<string, unknown>>, item: z.ZodType<T>): Promise<T[]>;
  /** Who the owner of the token is. REST does not tell the token of a workflow, so GraphQL is asked, once. */
  login(): Promise<string>;
}

export interface Access {
  /** `owner/name`. */
  readonly repository: string;
  readonly token: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Who wrote something, as GitHub says it; null when the account is gone. */
export const author = z.object({ login: z.string(), type: z.string() }).nullable();

const PER_PAGE = 100;
/** Longer lists have other troubles. */
const MAX_PAGES = 10;
const REQUEST_MS = 10_000;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** A longer pause that GitHub asks for is not worth a job's time: the summary has it all. */
const MAX_PAUSE_MS = 5_000;

export function connect({ repository, token, env, signal }: Access): GitHub {
  const { GITHUB_API_URL: baseUrl = 'https://api.github.com' } = env;
  const { GITHUB_GRAPHQL_URL: graphqlUrl = `${baseUrl}/graphql` } = env;
  const [owner, repo] = repository.split('/');
  const send = sender({ baseUrl, token, signal });
  const request: GitHub['request'] = (route, parameters) => send(route, { owner, repo, ...parameters });
  let login: Promise<string> | undefined;
  return {
    request,
    list: async (route, parameters, item) => {
      const found = [];
      for (let page = 1; page <= MAX_PAGES; page++) {
        const items = z.array(item).parse(await request(route, { ...parameters, per_page: PER_PAGE, page }));
        found.push(...items);
        if (items.length < PER_PAGE) break;
      }
      return found;
    },
    login: () => {
      login ??= ownLogin(send, graphqlUrl);
      return login;
    },
  };
}

/** Whether the owner of the token wrote something. The login of an app comes with and without its suffix. */
export function isBy(login: string, user: z.infer<typeof author>): boolean {
  return user?.login === login || (user?.type === 'Bot' && user.login === `${login}[bot]`);
}

/** The status of the answer that an error stands for; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  const { status, response } = Object(error) as { status?: number; response?: unknown };
  return response === undefined ? undefined : status;
}

/** Gone in the meantime, taken by somebody else, or nobody knows whether it was done. */
export function isWorthAnotherLook(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 404 || status >= 500;
}

/**
 * Why GitHub did not do it, in words of ours: an error of the network can quote a token.
 * @param permission that the job needs for it
 */
export function reasonOf(error: unknown, permission: string): string {
  const status = statusOf(error);
  switch (status) {
    case undefined:
      return 'GitHub could not be reached in time, or gave an answer that is not understood.';
    case 401:
      return 'GitHub does not know the token (401). Check the input "github-token".';
    case 403:
      return `the token may not do it, or the conversation is locked, or the limit is reached (403). The job needs "permissions: ${permission}".`;
    case 404:
      return `the token cannot see it (404). The job needs "permissions: ${permission}".`;
    case 410:
      return 'this is switched off in the repository (410).';
    case 422:
      return 'GitHub did not take it (422): the conversation may be locked.';
    case 429:
      return 'the request limit of the token is reached (429).';
    default:
      return `GitHub answered with status ${status}.`;
  }
}

type Send = (route: string, parameters: Readonly<Record<string, unknown>>) => Promise<unknown>;

function sender({ baseUrl, token, signal }: { baseUrl: string; token: string; signal: AbortSignal }): Send {
  const dispatcher = new EnvHttpProxyAgent();
  const silent = () => {};
  const octokit = new Octokit({
    auth: token,
    baseUrl,
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

const viewer = z.object({ data: z.object({ viewer: z.object({ login: z.string().min(1) }) }) });

async function ownLogin(send: Send, graphqlUrl: string): Promise<string> {
  return viewer.parse(await send(`POST ${graphqlUrl}`, { query: 'query { viewer { login } }' })).data.viewer.login;
}
