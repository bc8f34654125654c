import { Worker } from 'node:worker_threads';
import { AgentReplayError } from '../../errors.ts';
import type { Answered, Asked, ThreadNews } from './books-messages.ts';

/** This file runs from source or bundled; the thread's file is beside it in both cases. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? './books-thread.ts' : './books-thread.js', import.meta.url);

/** A caller that waits for an answer. */
interface Waiting extends Omit<PromiseWithResolvers<Answered>, 'promise'> {
  readonly books: number;
}

/** The thread that keeps books, as many sets as are opened in it. It is started before anything is asked. */
export class Thread implements AsyncDisposable {
  readonly #worker: Worker;
  /** In the order of the questions, which is also that of the answers. */
  readonly #waiting: Waiting[] = [];
  readonly #open = new Set<number>();
  #opened = 0;
  #died: AgentReplayError | undefined;

  /** @param secrets removed from everything that is written down or reported */
  constructor(secrets: readonly string[]) {
    this.#worker = new Worker(THREAD, { workerData: secrets });
    this.#worker.unref();
    this.#worker.on('message', (answered: Answered) => this.#answered(answered));
    this.#worker.on('error', (cause) => this.#die(cause));
    this.#worker.on('exit', () => this.#die(undefined));
  }

  /** Nothing will be answered any more. */
  get hasDied(): boolean {
    return this.#died !== undefined;
  }

  addSecret(secret: string): void {
    this.#tell({ secret });
  }

  /** @returns the number of new books */
  open(): number {
    this.#open.add(++this.#opened);
    return this.#opened;
  }

  /** @throws AgentReplayError `INTERNAL` if the thread died */
  async ask(asked: Asked): Promise<Answered> {
    if (this.#died !== undefined) throw this.#died;
    const { promise, ...waiting } = Promise.withResolvers<Answered>();
    this.#waiting.push({ books: asked.books, ...waiting });
    this.#worker.ref();
    this.#worker.postMessage(asked);
    if (asked.to === 'end') this.#open.delete(asked.books);
    return promise;
  }

  /**
   * Stops waiting for these books. If there are no others, the thread need not even finish its work.
   * @param error for callers that still wait
   */
  giveUp(books: number, error: AgentReplayError): void {
    if (!this.#open.delete(books)) return;
    for (const each of this.#waiting) if (each.books === books) each.reject(error);
    if (this.#open.size === 0) this.#die(undefined);
    else this.#tell({ givenUp: books });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  /** While nothing is asked of it, it keeps no process alive. */
  #answered(answered: Answered): void {
    this.#waiting.shift()?.resolve(answered);
    if (this.#waiting.length === 0) this.#worker.unref();
  }

  #tell(news: ThreadNews): void {
    this.#worker.postMessage(news);
  }

  #die(cause: unknown): void {
    this.#died ??= died(cause);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#died);
    void this.#worker.terminate();
  }
}

function died(cause: unknown): AgentReplayError {
  const reason = cause instanceof Error ? cause.message : 'its thread ended without an error';
  return new AgentReplayError('INTERNAL', 'The comparison stopped before it was done.', {
    evidence: [`met: ${reason}`],
    hint: 'If it ran out of memory give Node more (NODE_OPTIONS=--max-old-space-size=8192), then `agent-replay merge FOLDER`, with the output folder, compares what was replayed.',
    cause,
  });
}
