import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { AgentReplayError } from '../../errors.ts';
import type { Problem } from '../../report/index.ts';
import { errorOf } from '../journal/read-journal.ts';
import type { LedgerOutput, RunLedger } from './run-ledger.ts';
import { ThreadText } from './thread-text.ts';

/** This file runs from source or bundled; the thread's file is beside it in both cases. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? './ledger-thread.ts' : './ledger-thread.js', import.meta.url);

/** What a ledger can be asked, wherever it is. */
export type Verb = {
  [Name in keyof RunLedger]: RunLedger[Name] extends (...given: never) => unknown ? Name : never;
}[keyof RunLedger];

export interface ThreadData {
  readonly secrets: readonly string[];
  /** Of {@link ThreadText}. */
  readonly mark: string;
}

export type ToThread = Asked | { readonly secret: string };

export interface Asked {
  readonly ledger: number;
  /** `open` takes the ledger's options. */
  readonly verb: Verb | 'open' | 'end';
  /** {@link ThreadText} of a list. */
  readonly given: string;
}

/** What a ledger tells before it answers, or its answer. */
export type FromThread =
  | { readonly ledger: number; readonly tell: keyof LedgerOutput; readonly given: string }
  | { readonly answer: string | undefined }
  | { readonly error: Problem };

interface Waiting extends Omit<PromiseWithResolvers<unknown>, 'promise'>, Omit<Asked, 'given'> {
  readonly given: readonly unknown[];
}

/**
 * A thread with ledgers, as many as are opened in it. Questions are answered one after another; the next one is sent when
 * the last one is answered, so that one that nobody waits for any more is never sent.
 */
export class Thread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #text: ThreadText;
  readonly #waiting: Waiting[] = [];
  /** Being answered. */
  #sent: Waiting | undefined;
  readonly #open = new Map<number, LedgerOutput>();
  #opened = 0;
  #died: AgentReplayError | undefined;

  /** @param secrets removed from everything that is written down or reported */
  constructor(secrets: readonly string[]) {
    const workerData: ThreadData = { secrets, mark: randomUUID() };
    this.#text = new ThreadText(workerData.mark);
    this.#worker = new Worker(THREAD, { workerData });
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.on('error', (cause) => this.#die(cause));
    this.#worker.on('exit', () => this.#die(undefined));
  }

  get hasDied(): boolean {
    return this.#died !== undefined;
  }

  addSecret(secret: string): void {
    this.#post({ secret });
  }

  /** @returns the number of a new ledger */
  open(output: LedgerOutput): number {
    this.#open.set(++this.#opened, output);
    return this.#opened;
  }

  /** @throws AgentReplayError what the ledger threw, or `INTERNAL` if the thread died */
  async ask(ledger: number, verb: Asked['verb'], given: readonly unknown[] = []): Promise<unknown> {
    if (this.#died !== undefined) throw this.#died;
    const { promise, ...waiting } = Promise.withResolvers<unknown>();
    this.#waiting.push({ ledger, verb, given, ...waiting });
    this.#sendNext();
    return promise;
  }

  /**
   * If there are no other ledgers, the thread need not finish its work.
   * @param error for callers that still wait
   */
  giveUp(ledger: number, error: AgentReplayError): void {
    if (!this.#open.delete(ledger)) return;
    if (this.#open.size === 0) {
      this.#die(undefined, error);
      return;
    }
    for (const each of [this.#sent, ...this.#waiting]) if (each?.ledger === ledger) each.reject(error);
    const others = this.#waiting.filter((each) => each.ledger !== ledger);
    this.#waiting.splice(0, this.#waiting.length, ...others);
    this.ask(ledger, 'end').catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  /** While nothing is asked of it, it keeps no process alive. */
  #sendNext(): void {
    if (this.#sent !== undefined) return;
    this.#sent = this.#waiting.shift();
    if (this.#sent === undefined) {
      this.#worker.unref();
      return;
    }
    const { ledger, verb, given, reject } = this.#sent;
    if (verb === 'end') this.#open.delete(ledger);
    try {
      this.#post({ ledger, verb, given: this.#text.of(given) as string });
      this.#worker.ref();
    } catch (error) {
      reject(error);
      this.#sent = undefined;
      this.#sendNext();
    }
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromThread): void {
    if ('ledger' in message) {
      const output = this.#open.get(message.ledger);
      (output?.[message.tell] as ((...given: unknown[]) => void) | undefined)?.(...this.#text.list(message.given));
      return;
    }
    const sent = this.#sent;
    this.#sent = undefined;
    if ('error' in message) sent?.reject(errorOf(message.error));
    else sent?.resolve(message.answer === undefined ? undefined : this.#text.read(message.answer));
    this.#sendNext();
  }

  /** @param reason for callers that still wait */
  #die(cause: unknown, reason?: AgentReplayError): void {
    this.#died ??= reason ?? died(cause);
    for (const each of [this.#sent, ...this.#waiting.splice(0)]) each?.reject(this.#died);
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
