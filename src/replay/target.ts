import { AgentReplayError } from '../errors.ts';

export interface Target {
  readonly origin: string;
  /** Tried in this order; only one if the URL names the endpoint. With the query. */
  readonly paths: readonly string[];
  /** For messages: without credentials and without the query, which can hold a key. */
  readonly shown: string;
  /** From credentials in the URL. */
  readonly authorization: string | undefined;
  /** Never to be shown, even if an answer echoes them. */
  readonly secrets: readonly string[];
}

/**
 * Parses a target URL: one that ends in `/replay`, or a base URL, for which `/replay` is tried before the URL itself.
 * @throws AgentReplayError `TARGET_INVALID`
 */
export function parseTarget(text: string): Target {
  const url = URL.parse(text);
  if (url === null) {
    // The text is not shown: in a text that is no URL, nobody can tell where a credential begins.
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
    secrets: [...(hasCredentials ? [credentials, password, url.password] : []), ...url.searchParams.values()].filter(
      (secret) => secret !== '',
    ),
  };
}

/** Remembers which of a target's paths is the endpoint, once a call has found it. */
export class Route {
  readonly #paths: readonly string[];
  #known: string | undefined;
  #discovery: Promise<unknown> | undefined;

  constructor({ paths }: Target) {
    this.#paths = paths;
    if (paths.length === 1) this.#known = paths[0];
  }

  /**
   * Sends one call, also to the next path if the first one has no endpoint. Only one call searches at a time; the others
   * wait for it.
   * @param send resolves to the status, or to undefined without an answer: then the endpoint stays unknown
   */
  async send<T extends { readonly status: number | undefined }>(send: (path: string) => Promise<T>): Promise<T> {
    while (this.#known === undefined && this.#discovery !== undefined) await this.#discovery;
    if (this.#known !== undefined) return send(this.#known);
    const discovery = this.#discover(send);
    this.#discovery = discovery.catch(() => {});
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
