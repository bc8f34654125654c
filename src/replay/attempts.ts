import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, isHopeless } from './call.ts';
import type { ReplayOptions } from './options.ts';
import type { ReplayOutcome } from './result.ts';

export type RetryRules = Pick<ReplayOptions, 'retries' | 'idempotent'> & {
  /** A server that wants more patience than this, in milliseconds, gets none. */
  readonly maxDelayMs: number;
};

const FIRST_DELAY_MS = 200;
/** Calls that failed together are tried again spread over so much more time, and never before Retry-After. */
const JITTER = 0.5;

/** How long to wait before a call is tried again, in milliseconds; undefined when it is not. `attempt` counts from 1. */
export function retryDelay(exchange: Exchange, attempt: number, rules: RetryRules): number | undefined {
  if (attempt > rules.retries || !mayTryAgain(exchange, rules)) return undefined;
  const least = retryAfterMs(exchange) ?? FIRST_DELAY_MS * 2 ** (attempt - 1);
  return least > rules.maxDelayMs ? undefined : least * (1 + JITTER * Math.random());
}

/** Waits; false when it was stopped meanwhile. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}

const FIRST_REPLACEMENT_MS = 1_000;
const LAST_REPLACEMENT_MS = 30_000;
/** So many replays without a model, and none with one: it is down, and asking again does not help. */
const ENOUGH_FAILURES = 5;

/** How often replays of each session were made anew because the model's provider had a hiccup. */
export class Replacements {
  readonly #most: number;
  readonly #made = new Map<string, number>();
  #failures = 0;
  #isUp = false;

  /** @param most of each session */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes in how a replay ended. */
  saw(outcome: ReplayOutcome): void {
    if (outcome.kind === 'replayed') this.#isUp = true;
    else if (outcome.provider !== undefined) this.#failures++;
  }

  /**
   * Counts one more, and says how long to wait before it, in milliseconds: longer each time, and never the same for two,
   * so that replays that failed together are not sent together. Undefined when there were enough.
   */
  delay(session: string): number | undefined {
    const made = this.#made.get(session) ?? 0;
    if (made >= this.#most || (!this.#isUp && this.#failures >= ENOUGH_FAILURES)) return undefined;
    this.#made.set(session, made + 1);
    return Math.min(FIRST_REPLACEMENT_MS * 4 ** made, LAST_REPLACEMENT_MS) * (0.5 + Math.random());
  }
}

/** Only what the agent cannot have worked on, unless it says that working on it twice does no harm. */
function mayTryAgain({ status, error, wasSent }: Exchange, { idempotent }: RetryRules): boolean {
  if (error !== undefined) {
    if (!wasSent) return error.code === 'TARGET_UNREACHABLE' && !isHopeless(error);
    return idempotent && (error.code === 'CALL_FAILED' || error.code === 'CALL_TIMEOUT');
  }
  return status === 429 || status === 503 || (idempotent && (status === 502 || status === 504));
}

/** The date of HTTP (RFC 9110), in its form of today and its two old ones. `Date.parse` takes `-1` for one, too. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w -]+\d\d:\d\d:\d\d( GMT| \d{4})$/;

/** Retry-After: seconds, or a date. Anything else says nothing. */
function retryAfterMs({ headers }: Exchange): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
