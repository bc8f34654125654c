import { Octokit } from '@octokit/core';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { z } from 'zod';
import { endingIn, sealed, sleep } from '../src/rims.ts';

type Parameters = Readonly<Record<string, unknown>>;

export interface Access {
  readonly repository: string;
  readonly token: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** The status is 200, and one word says why. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused';
  /** `STALE_DATA`, `FORBIDDEN`, `NOT_FOUND`, ... */
  readonly type: string;

  constructor(type: string) {
    super('GitHub did not take the change.');
    this.type = type;
  }
}

/** GitHub returns null for an empty one. */
export const writtenBody = z
  .string()
  .nullish()
  .transform((body) => body ?? '');

/** Null when the account is gone. */
export const author = z.object({ login: z.string(), type: z.string() }).nullable();
const answered = z.object({
  data: z.unknown(),
  errors: z.array(z.object({ type: z.string().default('') })).default([]),
});

const PER_PAGE = 100;
/** Of a list whose first entries matter most. */
const MAX_PAGES = 10;
const REQUEST_MS = 10_000;
const DOWNLOAD_MS = 60_000;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 250;
/** If GitHub asks for a longer pause, we give up: the job's time is worth more, and the summary holds everything. */
const MAX_PAUSE_MS = 20_000;

export class GitHub {
  readonly #own: Parameters;
  readonly #graphql: string;
  readonly #octokit: Octokit;
  readonly #signal: AbortSignal;
  #login: Promise<string> | undefined;

  constructor({ repository, token, env = process.env, signal }: Access) {
    const { GITHUB_API_URL: baseUrl = 'https://api.github.com' } = env;
    const [owner, repo] = repository.split('/');
    this.#own = { owner, repo };
    this.#graphql = env.GITHUB_GRAPHQL_URL ?? `${baseUrl}/graphql`;
    this.#signal = signal;
    this.#octokit = octokitAt(baseUrl, token);
  }

  /**
   * Repeats a request whose answer was lost, unless it creates something: then the caller must look whether it had an
   * effect.
   */
  async request(route: string, parameters?: Parameters): Promise<unknown> {
    return (await this.#send(route, { ...this.#own, ...parameters })).data;
  }

  async download(route: string, parameters: Parameters): Promise<Uint8Array> {
    const { data } = await this.#send(route, { ...this.#own, ...parameters }, { ms: DOWNLOAD_MS });
    return new Uint8Array(z.instanceof(ArrayBuffer).parse(data));
  }

  async list<T>(route: string, parameters: Parameters, item: z.ZodType<T>, pages = MAX_PAGES): Promise<T[]> {
    const found: T[] = [];
    for (let page = 1; page <= pages; page++) {
      const { data, headers } = await this.#send(route, { ...this.#own, ...parameters, per_page: PER_PAGE, page });
      found.push(...z.array(item).parse(data));
      // GitHub names the last page on all others.
      if (!/; rel="last"/.test(headers.link ?? '')) break;
    }
    return found;
  }

  /** Asks GraphQL for what REST does not offer. Sends a mutation once. @throws QueryRefused */
  async query<T>(query: string, variables: Parameters, shape: z.ZodType<T>): Promise<T> {
    const isCreate = query.startsWith('mutation');
    const sent = await this.#send(`POST ${this.#graphql}`, { query, variables }, { isCreate });
    const { data, errors } = answered.parse(sent.data);
    if (errors[0] !== undefined) throw new QueryRefused(errors[0].type);
    return shape.parse(data);
  }

  /** REST does not say whose the token of a workflow is. */
  login(): Promise<string> {
    this.#login ??= this.query('query { viewer { login } }', {}, viewer).then(({ viewer }) => viewer.login);
    return this.#login;
  }

  async #send(route: string, parameters: Parameters, how: { isCreate?: boolean; ms?: number } = {}) {
    const { isCreate = route.startsWith('POST /repos'), ms = REQUEST_MS } = how;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#octokit.request(route, { ...parameters, request: { signal: endingIn(ms, this.#signal) } });
      } catch (error) {
        const pause = pauseBefore(error, tries, isCreate);
        this.#signal.throwIfAborted();
        if (pause === undefined) throw error;
        await this.wait(pause);
      }
    }
  }

  wait(ms: number): Promise<void> {
    return sleep(ms, this.#signal);
  }
}

/** The login of an app comes with and without its suffix. */
export function isBy(login: string, user: z.infer<typeof author>): boolean {
  return user?.login === login || (user?.type === 'Bot' && user.login === `${login}[bot]`);
}

/** Undefined if there was no answer. */
export function statusOf(error: unknown): number | undefined {
  const { status, response } = Object(error) as { status?: number; response?: unknown };
  return response === undefined ? undefined : status;
}

/** Undefined if GitHub says that there is no such thing. */
export async function orMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** The thing is gone, somebody else was faster, or the answer was lost. */
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

function octokitAt(baseUrl: string, token: string): Octokit {
  const dispatcher = new EnvHttpProxyAgent();
  const silent = () => {};
  return new Octokit({
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
}

/** Undefined when it must not be repeated. */
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

/** In milliseconds. The headers give seconds from now, or the second in which the limit ends. */
function askedPause(headers: Readonly<Record<string, string>>): number | undefined {
  const { 'retry-after': after, 'x-ratelimit-reset': reset } = headers;
  const pause = after === undefined ? Number(reset) * 1_000 - Date.now() : Number(after) * 1_000;
  return Number.isNaN(pause) ? undefined : Math.max(pause, 0);
}

const viewer = z.object({ viewer: z.object({ login: z.string().min(1) }) });
