import { Octokit } from '@octokit/core';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { z } from 'zod';
import { endingIn, sealed, sleep } from '../src/rims.ts';

/** Access to one repository, with the rights of a token. */
export interface GitHub {
  /**
   * Sends a request about the repository, and fills in its owner and name. Repeats a request whose answer was lost,
   * unless it creates something: then the caller must look whether it had an effect.
   */
  request(route: string, parameters?: Parameters): Promise<unknown>;
  /** Fetches a file, with a longer time limit. */
  download(route: string, parameters: Parameters): Promise<Uint8Array>;
  /** One page of a list. */
  page<T>(route: string, page: number, parameters: Parameters, item: z.ZodType<T>): Promise<Page<T>>;
  /** The first pages of a list, up to a bound. */
  list<T>(route: string, parameters: Parameters, item: z.ZodType<T>): Promise<T[]>;
  /** Asks GraphQL for what REST does not offer. */
  query<T>(query: string, variables: Parameters, data: z.ZodType<T>): Promise<T>;
  /**
   * Changes something through GraphQL. Sends the request once.
   * @throws MutationRefused
   */
  mutate<T>(mutation: string, variables: Parameters, data: z.ZodType<T>): Promise<T>;
  /** The login of the token's owner. REST does not say whose the token of a workflow is, so this asks GraphQL, once. */
  login(): Promise<string>;
  /** Pauses, in milliseconds. Throws at once when the work is aborted. */
  wait(ms: number): Promise<void>;
}

type Parameters = Readonly<Record<string, unknown>>;

/** A mutation that GraphQL refused: the status is 200, and one word says why. */
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

/** The body of a comment or an issue; GitHub returns null for an empty one. */
export const writtenBody = z
  .string()
  .nullish()
  .transform((body) => body ?? '');

/** The author, as GitHub gives it; null when the account is gone. */
export const author = z.object({ login: z.string(), type: z.string() }).nullable();

const PER_PAGE = 100;
/** The most pages to read of a list whose first entries matter most. */
const MAX_PAGES = 10;
const REQUEST_MS = 10_000;
const DOWNLOAD_MS = 60_000;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** If GitHub asks for a longer pause, we give up: the job's time is worth more, and the summary holds everything. */
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
    wait: (ms) => sleep(ms, signal),
  };
}

/**
 * Reads the last page's number from a header: `<https://...?page=2>; rel="next", <https://...?page=9>; rel="last"` is
 * 9. @returns undefined on the last page itself
 */
function lastPageIn(link: string | undefined): number | undefined {
  const last = link?.split(',').find((each) => each.endsWith('; rel="last"'));
  const [, page] = /[?&]page=(\d+)/.exec(last ?? '') ?? [];
  return page === undefined ? undefined : Number(page);
}

/** Whether the owner of the token is the author. The login of an app comes with and without its suffix. */
export function isBy(login: string, user: z.infer<typeof author>): boolean {
  return user?.login === login || (user?.type === 'Bot' && user.login === `${login}[bot]`);
}

/** The HTTP status in an error; undefined if there was no answer. */
export function statusOf(error: unknown): number | undefined {
  const { status, response } = Object(error) as { status?: number; response?: unknown };
  return response === undefined ? undefined : status;
}

/** Whether to read again and retry: the thing is gone, somebody else was faster, or the answer was lost. */
export function isWorthAnotherLook(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 404 || status >= 500;
}

/**
 * Says in our own words why GitHub refused. The error itself is not shown, because a network error can quote a token.
 * @param permission the permission that the job needs for it
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

/** The answer inside an error. */
function answerOf(error: unknown): { headers: Readonly<Record<string, string>>; message: string } {
  const { headers = {}, data } = (Object(error).response ?? {}) as { headers?: Record<string, string>; data?: unknown };
  const { message } = Object(data) as { message?: unknown };
  return { headers, message: typeof message === 'string' ? message : '' };
}

/** Whether a rate limit was hit: GitHub answers 429, or 403 with one of two headers, or only says so in the text. */
function isLimit(error: unknown): boolean {
  const { headers, message } = answerOf(error);
  if (statusOf(error) === 429 || headers['retry-after'] !== undefined) return true;
  return statusOf(error) === 403 && (headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(message));
}

const refused = z.object({ type: z.string().default('') });

type Send = (route: string, parameters: Parameters, how?: How) => Promise<Answer>;

interface How {
  /** The request creates something, so it may have had an effect although its answer was lost. */
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
    request: {
      fetch: (url: string, { body, ...init }: { body?: unknown }) =>
        fetch(url, {
          ...init,
          ...(body == null ? {} : { body: typeof body === 'string' ? sealed('GitHub', body) : body }),
          dispatcher,
        } as object),
    },
  });
  return async (route, parameters, { isCreate = route.startsWith('POST /repos'), ms = REQUEST_MS } = {}) => {
    for (let tries = 1; ; tries++) {
      try {
        const limited = { signal: endingIn(ms, signal) };
        return await octokit.request(route, { ...parameters, request: limited });
      } catch (error) {
        const pause = pauseBefore(error, tries, isCreate);
        signal.throwIfAborted();
        if (pause === undefined) throw error;
        await sleep(pause, signal);
      }
    }
  };
}

/** How long to wait before the request is repeated; undefined when it must not be. */
function pauseBefore(error: unknown, tries: number, isCreate: boolean): number | undefined {
  if (tries >= MAX_TRIES) return undefined;
  if (isLimit(error)) {
    const pause = askedPause(answerOf(error).headers);
    return pause !== undefined && pause <= MAX_PAUSE_MS ? pause : undefined;
  }
  const status = statusOf(error);
  // A request that creates something may have succeeded, so it is not repeated.
  const isLost = status === undefined || status >= 500;
  return isLost && !isCreate ? FIRST_PAUSE_MS * 2 ** (tries - 1) : undefined;
}

/**
 * The pause that the headers ask for, in milliseconds. They give seconds from now, or the second in which the limit
 * ends.
 */
function askedPause(headers: Readonly<Record<string, string>>): number | undefined {
  const { 'retry-after': after, 'x-ratelimit-reset': reset } = headers;
  const pause = after === undefined ? Number(reset) * 1_000 - Date.now() : Number(after) * 1_000;
  return Number.isNaN(pause) ? undefined : Math.max(pause, 0);
}

const viewer = z.object({ viewer: z.object({ login: z.string().min(1) }) });
