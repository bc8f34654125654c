import { type Dispatcher, request } from 'undici';
import { endingIn, wholeBody } from '../../bounded/index.ts';
import { Refusal } from '../../http/index.ts';
import { connectionsTo } from '../connections.ts';
import { type Account, authorizationOf } from '../tracing-environment.ts';
import type { Reply, Request, Route } from './server.ts';

/** What agents have read from their platform through a receiver. */
export interface AgentReads {
  readonly passed: number;
  /** Failed reads, each listed once: `GET /api/public/v2/prompts/support: 404`. */
  readonly refused: readonly string[];
}

const READ_MS = 15_000;
const MAX_BYTES = 16 * 2 ** 20;
/** Agents choose the names of prompts, so their number is unlimited. */
const REMEMBERED = 20;

/**
 * An agent whose tracing host is a receiver also asks it for prompts. What the receiver does not have is read from the
 * platform, with the platform's keys, and passed on unchanged.
 */
export class PassedReads {
  readonly #from: Account | undefined;
  readonly #dispatcher: Dispatcher | undefined;
  readonly #refused = new Set<string>();
  #passed = 0;

  /** @param from undefined if no platform is known */
  constructor(from: Account | undefined) {
    this.#from = from;
    this.#dispatcher = from && connectionsTo(from.host);
  }

  /** Runs after the routes for the receiver's own data. */
  get route(): Route {
    return { method: 'GET', path: /^\/api\/public\/./, handle: (request) => this.#read(request) };
  }

  get stats(): AgentReads {
    return { passed: this.#passed, refused: [...this.#refused] };
  }

  /** Ends pending reads. */
  async close(): Promise<void> {
    await this.#dispatcher?.destroy();
  }

  async #read({ url, sent }: Request): Promise<Reply> {
    const named = `GET ${url.pathname}`;
    if (this.#from === undefined) {
      this.#note(`${named}: no platform is known`);
      throw new Refusal(404, `${named} is not held here, and no platform is known to read it from`);
    }
    const { accept = 'application/json' } = sent.headers;
    try {
      const answer = await request(`${this.#from.host}${url.pathname}${url.search}`, {
        headers: { authorization: authorizationOf(this.#from), accept },
        dispatcher: this.#dispatcher,
        signal: endingIn(READ_MS),
      });
      const bytes = await wholeBody(answer.body, MAX_BYTES, tooLarge);
      if (answer.statusCode >= 400) this.#note(`${named}: ${answer.statusCode}`);
      else this.#passed++;
      return {
        status: answer.statusCode,
        bytes,
        contentType: String(answer.headers['content-type'] ?? 'application/json'),
      };
    } catch (error) {
      this.#note(`${named}: ${explainReadError(error)}`);
      throw new Refusal(502, `${named} could not be read from the platform: ${explainReadError(error)}`);
    }
  }

  #note(refused: string): void {
    if (this.#refused.size < REMEMBERED) this.#refused.add(refused);
  }
}

function tooLarge(): Error {
  return new RangeError(`it is larger than ${MAX_BYTES / 2 ** 20} MiB`);
}

function explainReadError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
