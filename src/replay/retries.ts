import { sleep } from '../bounded/index.ts';
import { retryAfterMs } from '../http/index.ts';
import { type Exchange, isHopeless } from './call.ts';
import type { ReplayOptions } from './replay-options.ts';
import type { ReplayOutcome } from './replay-result.ts';

type RetryRules = Pick<ReplayOptions, 'retries' | 'idempotent'> & {
  /** If a server asks for a longer wait than this, in milliseconds, the call is not tried again. */
  readonly maxDelayMs: number;
};

const FIRST_DELAY_MS = 200;
/** Calls that failed together are spread over this share of extra time, and never come before Retry-After. */
const JITTER = 0.5;

/** How long to wait before another attempt, in milliseconds; undefined if there is none. `attempt` counts from 1. */
export function retryDelay(exchange: Exchange, attempt: number, rules: RetryRules): number | undefined {
  if (attempt > rules.retries || !mayTryAgain(exchange, rules)) return undefined;
  const least = retryAfterMs(exchange.headers) ?? FIRST_DELAY_MS * 2 ** (attempt - 1);
  return least > rules.maxDelayMs ? undefined : least * (1 + JITTER * Math.random());
}

/** Resolves to false if it was stopped meanwhile. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

const FIRST_REPLACEMENT_MS = 1_000;
const LAST_REPLACEMENT_MS = 30_000;
/** If this many replays failed without a model and none had one, the provider is down: asking again does not help. */
const ENOUGH_FAILURES = 5;

/** Counts how often replays of each session were made again because the model's provider had a hiccup. */
export class Replacements {
  readonly #most: number;
  readonly #made = new Map<string, number>();
  #failures = 0;
  #isUp = false;

  /** @param most per session */
  constructor(most: number) {
    this.#most = most;
  }

  saw(outcome: ReplayOutcome): void {
    if (outcome.kind === 'replayed') this.#isUp = true;
    else if (outcome.provider !== undefined) this.#failures++;
  }

  /**
   * Counts one more replacement and returns how long to wait before it, in milliseconds. Waits grow, and include chance, so
   * that replays that failed together are not sent together again. Undefined if there were enough.
   */
  delay(session: string): number | undefined {
    const made = this.#made.get(session) ?? 0;
    if (made >= this.#most || (!this.#isUp && this.#failures >= ENOUGH_FAILURES)) return undefined;
    this.#made.set(session, made + 1);
    return Math.min(FIRST_REPLACEMENT_MS * 4 ** made, LAST_REPLACEMENT_MS) * (0.5 + Math.random());
  }
}

/** Only a call that the agent cannot have worked on, unless the agent declares that working on it twice does no harm. */
function mayTryAgain({ status, error, wasSent }: Exchange, { idempotent }: RetryRules): boolean {
  if (error !== undefined) {
    if (!wasSent) return error.code === 'TARGET_UNREACHABLE' && !isHopeless(error);
    return idempotent && (error.code === 'CALL_FAILED' || error.code === 'CALL_TIMEOUT');
  }
  return status === 429 || status === 503 || (idempotent && (status === 502 || status === 504));
}
