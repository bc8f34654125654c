import { randomInt } from 'node:crypto';
import type { FurtherRuns, ReplayCall } from '../../replay/index.ts';

type Side = 'head' | 'base';
const SIDES: readonly Side[] = ['head', 'base'];

/**
 * Keeps two replays of the same calls in step: of each pair of calls one goes first, by chance, and the other right after
 * it, so that events of that minute affect both. Further runs are decided once, when both are over.
 */
export class Pairs {
  readonly #first = new Map<string, { readonly side: Side; readonly gone: PromiseWithResolvers<void> }>();
  readonly #ended = new Set<Side>();
  readonly #waiting = new Map<Side, (looks: readonly FurtherRuns[] | Promise<readonly FurtherRuns[]>) => void>();
  readonly #decide: () => Promise<readonly FurtherRuns[]>;

  /** @param decide the further runs of both, asked once both are over */
  constructor(decide: () => Promise<readonly FurtherRuns[]>) {
    this.#decide = decide;
  }

  /** Resolves when a call may go. */
  async inTurn(side: Side, { session, turn, run }: ReplayCall, signal: AbortSignal): Promise<void> {
    const key = `${turn} ${run} ${session}`;
    let pair = this.#first.get(key);
    if (pair === undefined) {
      pair = { side: SIDES[randomInt(SIDES.length)] as Side, gone: Promise.withResolvers() };
      this.#first.set(key, pair);
    } else this.#first.delete(key);
    if (pair.side === side || this.#ended.size > 0) return pair.gone.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await Promise.race([pair.gone.promise, promise]);
  }

  /** The further runs of both. Resolves when the other side asks too, or has ended. */
  further(side: Side): Promise<readonly FurtherRuns[]> {
    const { promise, resolve } = Promise.withResolvers<readonly FurtherRuns[]>();
    this.#waiting.set(side, resolve);
    this.#release();
    return promise;
  }

  /** This side makes no more calls, so the other one waits for nothing. */
  end(side: Side): void {
    this.#ended.add(side);
    for (const { gone } of this.#first.values()) gone.resolve();
    this.#release();
  }

  #release(): void {
    if (!SIDES.every((side) => this.#waiting.has(side) || this.#ended.has(side))) return;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    if (waiting.length === 0) return;
    // A side alone has nothing to be compared with.
    const looks = this.#ended.size > 0 ? [] : this.#decide();
    for (const resolve of waiting) resolve(looks);
  }
}
