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
  request(route: string, parameters?: Parameters): Promise<unknown>;
  /** Fetches a file, for which it waits longer. */
  download(route: string, parameters: Parameters): Promise<Uint8Array>;
  /** One page of a list. */
  page<T>(route: string, page: number, parameters: Parameters, item: z.ZodType<T>): Promise<Page<T>>;
  /** The first pages of a list, up to a bound. */
  list<T>(route: string, parameters: Parameters, item: z.ZodType<T>): Promise<T[]>;
  /** Asks GraphQL, for what REST does not tell. */
  query<T>(query: string, variables: Parameters, data: z.ZodType<T>): Promise<T>;
  /**
   * Changes something through GraphQL. Sent once.
   * @throws MutationRefused
   */
  mutate<T>(mutation: string, variables: Parameters, data: z.ZodType<T>): Promise<T>;
  /** Who the owner of the token is. REST does not tell the token of a workflow, so GraphQL is asked, once. */
  login(): Promise<string>;
  /** Pauses, in milliseconds; ends early, and throws, when nothing is wanted any more. */
  wait(ms: number): Promise<void>;
}

type Parameters = Readonly<Record<string, unknown>>;

/** GraphQL answers with status 200, and says in a word why it did nothing. */
export class MutationRefused extends Error {
  override readonly name = 'MutationRefused';
  /** `STALE_DATA`, `FORBIDDEN`, `NOT_FOUND`, ... */
  readonly type: string;

  constructor(type: string) {
    super('GitHub did not take the change.');
    this.type = type;
  }
}

interface Page<T> {
  readonly items: readonly T[];
  /** Number of the last page, from 1. */
  readonly last: number;
}

export interface Access {
  /** `owner/name`. */
  readonly repository: string;
  readonly token: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Of a comment or an issue; GitHub tells of an empty one as null. */
export const writtenBody = z
  .string()
  .nullish()
  .transform((body) => body ?? '');

/** Who wrote something, as GitHub says it; null when the account is gone. */
export const author = z.object({ login: z.string(), type: z.string() }).nullable();

const PER_PAGE = 100;
/** Of a list whose first entries are those that matter. */
const MAX_PAGES = 10;
const REQUEST_MS = 10_000;
const DOWNLOAD_MS = 60_000;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** A longer pause that GitHub asks for is not worth a job's time: the summary has it all. */
const MAX_PAUSE_MS = 20_000;

export function connect({ repository, token, env, signal }: Access): GitHub {
  const { GITHUB_API_URL: baseUrl = 'https://api.github.com' } = env;
  const { GITHUB_GRAPHQL_URL: graphqlUrl = `${baseUrl}/graphql` } = env;
  const [owner, repo] = repository.split('/');
  const send = sender({ baseUrl, token, signal });
  const request: GitHub['request'] = async (route, parameters) =>
    (await send(route, { owner, repo, ...parameters })).data;
  const page: GitHub['page'] = async (route, page, parameters, item) => {
    const answer = await send(route, { owner, repo, ...parameters, per_page: PER_PAGE, page });
    return { items: z.array(item).parse(answer.data), last: lastPageIn(answer.headers.link) ?? page };
  };
  const query: GitHub['query'] = async (query, variables, data) =>
    z.object({ data }).parse((await send(`POST ${graphqlUrl}`, { query, variables })).data).data;
  const mutate: GitHub['mutate'] = async (query, variables, data) => {
    const sent = await send(`POST ${graphqlUrl}`, { query, variables }, { isCreate: true });
    const { errors: [refusal] = [] } = z.object({ errors: z.array(refused).optional() }).parse(sent.data);
    if (refusal !== undefined) throw new MutationRefused(refusal.type);
    return z.object({ data }).parse(sent.data).data;
  };
  let login: Promise<string> | undefined;
  return {
    request,
    download: async (route, parameters) => {
      const { data } = await send(route, { owner, repo, ...parameters }, { ms: DOWNLOAD_MS });
      return new Uint8Array(z.instanceof(ArrayBuffer).parse(data));
    },
    mutate,
    page,
    list: async (route, parameters, item) => {
      const found = [];
      for (let at = 1; at <= MAX_PAGES; at++) {
        const { items, last } = await page(route, at, parameters, item);
        found.push(...items);
        if (at >= last) break;
      }
      return found;
    },
    query,
    login: () => {
      login ??= query('query { viewer { login } }', {}, viewer).then(({ viewer }) => viewer.login);
      return login;
    },
    wait: (ms) => sleep(ms, undefined, { signal }),
  };
}

/** `<https://...?page=2>; rel="next", <https://...?page=9>; rel="last"` is 9; undefined on the last page itself. */
function lastPageIn(link: string | undefined): number | undefined {
  const last = link?.split(',').find((each) => each.endsWith('; rel="last"'));
  const [, page] = /[?&]page=(\d+)/.exec(last ?? '') ?? [];
  return page === undefined ? undefined : Number(page);
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
      return 'GitHub did not answer in time, or its answer could not be read.';
    case 401:
      return 'GitHub does not know the token (401). Check the input "github-token".';
    case 403:
    case 429:
      return refusalIn(error, status, permission);
    case 404:
      return `the token cannot see it (404). The job needs "permissions: ${permission}".`;
    case 410:
      return 'this is switched off in the repository (410).';
    case 422:
      return 'GitHub did not take it (422).';
    default:
      return `GitHub answered with status ${status}.`;
  }
}

function refusalIn(error: unknown, status: number, permission: string): string {
  if (isLimit(error)) return `the request limit of the token is reached (${status}). A later run tries again.`;
  const { message } = answerOf(error);
  if (/\blocked\b/i.test(message)) return `the conversation is locked (${status}).`;
  if (/commenting is disabled/i.test(message)) return `GitHub takes no more comments on this pull request (${status}).`;
  return `the token may not do it (${status}). The job needs "permissions: ${permission}".`;
}

/** What GitHub answered instead of doing it. */
function answerOf(error: unknown): { headers: Readonly<Record<string, string>>; message: string } {
  const { headers = {}, data } = (Object(error).response ?? {}) as { headers?: Record<string, string>; data?: unknown };
  const { message } = Object(data) as { message?: unknown };
  return { headers, message: typeof message === 'string' ? message : '' };
}

/** GitHub says so by 429, or by 403 and one of two headers, or in words alone. */
function isLimit(error: unknown): boolean {
  const { headers, message } = answerOf(error);
  if (statusOf(error) === 429 || headers['retry-after'] !== undefined) return true;
  return statusOf(error) === 403 && (headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(message));
}

const refused = z.object({ type: z.string().default('') });

type Send = (route: string, parameters: Parameters, how?: How) => Promise<Answer>;

interface How {
  /** What creates something may have done so when its answer does not come. */
  readonly isCreate?: boolean;
  readonly ms?: number;
}

interface Answer {
  readonly data: unknown;
  readonly headers: { readonly link?: string | undefined };
}

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
  return async (route, parameters, { isCreate = route.startsWith('POST /repos'), ms = REQUEST_MS } = {}) => {
    for (let tries = 1; ; tries++) {
      try {
        const limited = { signal: AbortSignal.any([signal, AbortSignal.timeout(ms)]) };
        return await octokit.request(route, { ...parameters, request: limited });
      } catch (error) {
        const pause = pauseBefore(error, tries, isCreate);
        signal.throwIfAborted();
        if (pause === undefined) throw error;
        await sleep(pause, undefined, { signal });
      }
    }
  };
}

/** How long to wait before the same request may be sent again; undefined when it must not be. */
function pauseBefore(error: unknown, tries: number, isCreate: boolean): number | undefined {
  if (tries >= MAX_TRIES) return undefined;
  if (isLimit(error)) {
    const pause = askedPause(answerOf(error).headers);
    return pause !== undefined && pause <= MAX_PAUSE_MS ? pause : undefined;
  }
  const status = statusOf(error);
  // What creates something may have done so.
  const isLost = status === undefined || status >= 500;
  return isLost && !isCreate ? FIRST_PAUSE_MS * 2 ** (tries - 1) : undefined;
}

/** In milliseconds, as the headers ask for it: in seconds from now, or as the second in which the limit ends. */
function askedPause(headers: Readonly<Record<string, string>>): number | undefined {
  const { 'retry-after': after, 'x-ratelimit-reset': reset } = headers;
  const pause = after === undefined ? Number(reset) * 1_000 - Date.now() : Number(after) * 1_000;
  return Number.isNaN(pause) ? undefined : Math.max(pause, 0);
}

const viewer = z.object({ viewer: z.object({ login: z.string().min(1) }) });
