import type { Replayer, ReplayOptions, Wanted } from './wire.ts';

type Replayed = Awaited<ReturnType<Replayer['replay']>>;

interface ExpectedReplaysOptions {
  /** What the tests of a run are going to ask for. */
  readonly expected: () => Promise<readonly Wanted[]>;
  readonly replay: (wanted: Wanted, options: ReplayOptions) => Promise<Replayed>;
  /** Resolves once a worker has nothing else to do. */
  readonly free: () => Promise<void>;
}

/**
 * The pins of one run of Vitest are replayed at once, so that they wait for the agent and its traces together, while
 * Vitest starts; each test takes its own.
 */
export class ExpectedReplays {
  readonly #options: ExpectedReplaysOptions;
  readonly #open = new Map<string, Asked>();
  #begun: Promise<void> | undefined;
  #isOver = false;

  constructor(options: ExpectedReplaysOptions) {
    this.#options = options;
  }

  /** Resolves once it is known what the tests are going to ask for. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  /** What nobody expected is replayed now. @param signal gives it up */
  async take(wanted: Wanted, signal: AbortSignal): Promise<Replayed> {
    await this.begin();
    const key = JSON.stringify(wanted);
    const asked = this.#open.get(key) ?? new Asked(wanted, this.#options.replay);
    this.#open.delete(key);
    return asked.take(signal);
  }

  /** Gives up what nobody has taken. A test that still asks is answered alone. */
  end(): void {
    this.#isOver = true;
    for (const asked of this.#open.values()) asked.giveUp();
    this.#open.clear();
  }

  async #begin(): Promise<void> {
    // Whatever is wrong with the pins is the answer to each question.
    const expected = await this.#options.expected().catch(() => []);
    if (this.#isOver) return;
    for (const wanted of expected) this.#open.set(JSON.stringify(wanted), new Asked(wanted, this.#options.replay));
    void this.#startAll();
  }

  /** In their order, each as soon as a worker is free for it: the first ones are finished first. */
  async #startAll(): Promise<void> {
    for (const asked of this.#open.values()) {
      asked.start();
      await this.#options.free();
    }
  }
}

class Asked {
  readonly #wanted: Wanted;
  readonly #replay: ExpectedReplaysOptions['replay'];
  readonly #givenUp = new AbortController();
  readonly #taken = Promise.withResolvers<boolean>();
  #replayed: Promise<Replayed> | undefined;

  constructor(wanted: Wanted, replay: ExpectedReplaysOptions['replay']) {
    this.#wanted = wanted;
    this.#replay = replay;
  }

  start(): Promise<Replayed> {
    if (this.#replayed === undefined) {
      const options = { signal: this.#givenUp.signal, keep: true, accepting: this.#taken.promise };
      this.#replayed = this.#replay(this.#wanted, options);
      // A failure is for whoever takes it.
      this.#replayed.catch(() => {});
    }
    return this.#replayed;
  }

  take(signal: AbortSignal): Promise<Replayed> {
    signal.addEventListener('abort', () => this.giveUp(), { once: true });
    this.#taken.resolve(true);
    return this.start();
  }

  giveUp(): void {
    this.#givenUp.abort();
    this.#taken.resolve(false);
  }
}
