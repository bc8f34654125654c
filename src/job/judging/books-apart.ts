import { AgentReplayError } from '../../errors.ts';
import type { FurtherRuns, ReplayResult } from '../../replay/index.ts';
import { type Report, redactReport } from '../../report/index.ts';
import type { Remark } from '../journal/journal-format.ts';
import { errorOf, scopeInHeader } from '../journal/read-journal.ts';
import type { BooksOptions, Ended, Forbidding, SidedCall, Taken } from './books.ts';
import { type Answered, concludedIn, findingIn, fromText, type Talk, toText } from './books-messages.ts';
import { type Finding, notComparable } from './finding.ts';
import type { Judged, JudgeTexts } from './judge.ts';
import { Ledger } from './ledger.ts';
import type { ReplayAlone } from './replay-alone.ts';
import type { ReplayedSession } from './replayed-session.ts';
import type { Thread } from './thread.ts';

export interface ApartOptions extends Omit<BooksOptions, 'isTold'> {
  /** After one of these is aborted, waiting for the thread ends this many milliseconds later. */
  readonly limits: readonly { readonly signal: AbortSignal; readonly patienceMs: number }[];
  /** Calls the functions of `compare.forbid`, which cannot leave this thread; undefined if there are none. */
  readonly forbidding?: ((finding: Finding) => Forbidding) | undefined;
  /** Called for each output that cannot be written (`OUTPUT_NOT_WRITABLE`). */
  readonly onNotWritten: (error: AgentReplayError) => void;
  /** Removes secrets from what is reported without the thread. */
  readonly redact: (text: string) => string;
}

/**
 * Books in another thread. Redacting, comparing and writing megabytes takes seconds, and meanwhile signals, other replays
 * and time limits must work. If the thread does not finish after the run was given up, it is abandoned, and {@link
 * BooksApart.report} reports what is known without it.
 */
export class BooksApart implements AsyncDisposable {
  readonly #options: ApartOptions;
  readonly #thread: Thread;
  /** The number of these books in the thread. */
  readonly #books: number;
  readonly #closed = new AbortController();
  readonly #failures: { readonly error: AgentReplayError; readonly sessions: readonly string[] }[] = [];
  /** Ids of unfinished sessions, according to the last answers. */
  readonly #open: Set<string>;
  /** Results of finished sessions, by id: these are known without the thread. */
  readonly #concluded = new Map<string, string>();
  /** Whether any session is judged by shift. */
  readonly hasShift: Promise<boolean>;
  #lost: AgentReplayError | undefined;
  #reason: AgentReplayError | undefined;

  constructor(thread: Thread, options: ApartOptions) {
    this.#thread = thread;
    this.#books = thread.open();
    this.#options = options;
    const { limits, forbidding, onNotWritten: _, redact: __, ...books } = options;
    this.#open = new Set(books.scope.sessions.map(({ pin }) => pin.session.id));
    for (const { signal, patienceMs } of limits) {
      const giveUp = () => setTimeout(() => this.#lose(notCompared(signal.reason)), patienceMs).unref();
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true, signal: this.#closed.signal });
    }
    // If the books cannot be opened, every later question fails for the same reason.
    this.hasShift = this.#ask('open', { ...books, isTold: forbidding !== undefined }).catch(() => false);
  }

  isOver(session: string): boolean {
    return !this.#open.has(session);
  }

  isInDoubt(): Promise<boolean> {
    return this.#ask('isInDoubt', null);
  }

  /** Writes down and compares a replay. */
  async take(result: ReplayResult, side: Finding['side']): Promise<Taken> {
    const said = await this.#note(result, side);
    return this.#ask('take', { call: callIn(result, side), said });
  }

  async reopen(results: readonly ReplayResult[], side: Finding['side']): Promise<readonly ReplayAlone[]> {
    const said = await Promise.all(results.map((result) => this.#note(result, side)));
    return this.#ask('reopen', { calls: results.map((result) => callIn(result, side)), said });
  }

  secondLooks(sessions: readonly string[]): Promise<readonly FurtherRuns[]> {
    return this.#ask('secondLooks', sessions);
  }

  fail(error: AgentReplayError, sessions: readonly string[]): void {
    this.#failures.push({ error, sessions });
    this.#tell('fail', { error, sessions });
  }

  remark(remark: Remark): void {
    this.#tell('remark', remark);
  }

  async close(reason: AgentReplayError | undefined): Promise<void> {
    this.#reason = reason;
    await this.#ask('close', { reason }).catch(() => {});
  }

  /** None if the thread was abandoned. */
  questions(): Promise<readonly JudgeTexts[]> {
    return this.#ask('questions', null).catch(() => []);
  }

  judge(judgements: readonly Judged[]): Promise<void> {
    return this.#ask('judge', judgements);
  }

  /** If the thread was abandoned, a report that says so, with the finished sessions. */
  async report(ended: Ended): Promise<Report> {
    const told = await this.#ask('report', ended).catch((error: AgentReplayError) => error);
    if (!(told instanceof AgentReplayError)) return told;
    const { settings, header, part, redact } = this.#options;
    const ledger = new Ledger(settings, scopeInHeader(header), part);
    for (const text of this.#concluded.values()) ledger.takeConcluded(concludedIn(text));
    for (const { error, sessions } of this.#failures) ledger.fail(error, sessions);
    // The caller that waited for it may have reported it already.
    if (!this.#failures.some(({ error }) => error.message === told.message)) ledger.fail(told);
    ledger.close(this.#reason ?? told);
    const { reason: _, ...about } = ended;
    return redactReport(ledger.report(about), redact);
  }

  /**
   * See {@link Books.replayed}. If the thread was abandoned, only the report.
   * @param report from {@link report}
   */
  replayed(report: Report, accepting: boolean): Promise<ReplayedSession> {
    return this.#ask('replayed', { accepting }).catch((error) => {
      if (this.#lost === undefined) throw error;
      return { report, turns: [], tested: [] };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ask('end', null).catch(() => {});
    this.#closed.abort();
  }

  /** @returns what the user's functions say about it, if there are any */
  async #note(result: ReplayResult, side: Finding['side']): Promise<Forbidding | undefined> {
    const noting = this.#ask('note', { result, side });
    const { forbidding } = this.#options;
    if (forbidding === undefined) {
      // A failure also reaches the next question.
      noting.catch(() => {});
      return undefined;
    }
    const finding = await noting;
    return finding && forbidding(findingIn(finding));
  }

  async #ask<To extends keyof Talk>(to: To, given: Talk[To]['given']): Promise<Talk[To]['answer']> {
    if (this.#lost !== undefined) throw this.#lost;
    const asked = this.#thread.ask({ books: this.#books, to, given: textOf(given) });
    const { value, error, ...rest } = await asked.catch((cause) => {
      this.#lost ??= cause;
      throw cause;
    });
    this.#noteStates(rest);
    if (error !== undefined) throw errorOf(error);
    return (value === undefined ? undefined : fromText(value)) as Talk[To]['answer'];
  }

  #tell<To extends keyof Talk>(to: To, given: Talk[To]['given']): void {
    this.#ask(to, given).catch(() => {});
  }

  #noteStates({ notWritten, sessions }: Pick<Answered, 'notWritten' | 'sessions'>): void {
    for (const { id, isOver, concluded } of sessions) {
      if (isOver) this.#open.delete(id);
      else this.#open.add(id);
      if (concluded === undefined) this.#concluded.delete(id);
      else this.#concluded.set(id, concluded);
    }
    if (notWritten !== undefined) this.#options.onNotWritten(notWrittenIn(notWritten));
  }

  #lose(error: AgentReplayError): void {
    this.#lost ??= error;
    this.#thread.giveUp(this.#books, this.#lost);
  }
}

function notWrittenIn({ problem, code }: NonNullable<Answered['notWritten']>): AgentReplayError {
  const { message, evidence, hint, location } = errorOf(problem);
  return new AgentReplayError('OUTPUT_NOT_WRITABLE', message, { evidence, hint, location, cause: { code } });
}

/** A trace that cannot even be serialised costs only its own replay. */
function textOf(given: unknown): string {
  try {
    return toText(given);
  } catch (cause) {
    const { result, side } = Object(given) as Partial<Talk['note']['given']>;
    if (result === undefined) throw cause;
    return toText({ result: notComparable(result, (cause as Error).message, cause), side });
  }
}

function callIn({ session, turn, run }: ReplayResult, side: Finding['side']): SidedCall {
  return { session, turn, run, side };
}

/** Nothing is lost: the journal contains everything that was replayed. */
function notCompared(reason: unknown): AgentReplayError {
  const isLate = reason instanceof AgentReplayError && reason.code === 'TOTAL_TIMEOUT';
  const when = isLate ? 'The time limit of the whole run passed' : 'The run was cancelled';
  return new AgentReplayError(
    isLate ? 'TOTAL_TIMEOUT' : 'INTERRUPTED',
    `${when} while replays were being read and compared.`,
    {
      hint: 'What was replayed is in the journal: `agent-replay merge FOLDER`, with the output folder, compares it.',
    },
  );
}
