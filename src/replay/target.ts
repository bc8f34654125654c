import { AgentReplayError } from '../errors.ts';

/** Where calls go. */
export interface Target {
  readonly origin: string;
  /** To be tried in this order; one when the URL names the endpoint. With the query. */
  readonly paths: readonly string[];
  /** For messages: without credentials, and without the query, that can hold a key. */
  readonly shown: string;
  /** From credentials in the URL. */
  readonly authorization: string | undefined;
  /** What must never be shown, should an answer echo it. */
  readonly secrets: readonly string[];
}

/**
 * Reads a target URL: one that ends in `/replay`, or a base URL, whose `/replay` is tried before the URL itself.
 * @throws AgentReplayError `TARGET_INVALID`
 */
export function parseTarget(text: string): Target {
  const url = URL.parse(text);
  if (url === null) {
    // It is not shown: where a credential begins in something that is no URL, nobody knows.
    throw new AgentReplayError('TARGET_INVALID', 'The target URL is not a URL.', {
      hint: 'Give a full one, such as http://127.0.0.1:3000/replay.',
    });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AgentReplayError('TARGET_INVALID', `The target URL has the scheme ${url.protocol.slice(0, -1)}.`, {
      hint: 'Give an http or https URL, such as http://127.0.0.1:3000/replay.',
    });
  }
  const { origin, pathname, search } = url;
  const isEndpoint = /\/replay\/?$/.test(pathname);
  const base = pathname.replace(/\/$/, '');
  const username = decoded(url.username);
  const password = decoded(url.password);
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const hasCredentials = username !== '' || password !== '';
  return {
    origin,
    paths: isEndpoint ? [pathname + search] : [`${base}/replay${search}`, pathname + search],
    shown: origin + pathname,
    authorization: hasCredentials ? `Basic ${credentials}` : undefined,
    secrets: [
      ...(hasCredentials ? [credentials, password, url.password] : []),
      ...[...url.searchParams.values()],
    ].filter((secret) => secret !== ''),
  };
}

/** Remembers which of a target's paths is the endpoint, once a call has found out. */
export class Route {
  readonly #paths: readonly string[];
  #known: string | undefined;
  #discovery: Promise<unknown> | undefined;

  constructor({ paths }: Target) {
    this.#paths = paths;
    if (paths.length === 1) this.#known = paths[0];
  }

  /**
   * Sends one call, to the next path as well when there is nothing at the first. Only one call finds out at a time;
   * the others wait for it.
   * @param send resolves with the status, or undefined when there was no answer: then nothing is known yet
   */
  async send<T extends { readonly status: number | undefined }>(send: (path: string) => Promise<T>): Promise<T> {
    while (this.#known === undefined && this.#discovery !== undefined) await this.#discovery;
    if (this.#known !== undefined) return send(this.#known);
    const discovery = this.#discover(send);
    this.#discovery = discovery.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await discovery;
    } finally {
      this.#discovery = undefined;
    }
  }

  async #discover<T extends { readonly status: number | undefined }>(send: (path: string) => Promise<T>): Promise<T> {
    const [first, second] = this.#paths as [string, string];
    const met = await send(first);
    if (met.status === undefined) return met;
    if (!isNothingThere(met.status)) {
      this.#known = first;
      return met;
    }
    const other = await send(second);
    if (other.status === undefined) return other;
    const isElsewhere = !isNothingThere(other.status);
    this.#known = isElsewhere ? second : first;
    return isElsewhere ? other : met;
  }
}

function isNothingThere(status: number): boolean {
  return status === 404 || status === 405;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
