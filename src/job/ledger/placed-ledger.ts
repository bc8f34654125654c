import path from 'node:path';
import { isAsRecorded } from '../../compare/index.ts';
import { withOwn } from '../../config/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import type { Redaction } from '../../redaction/index.ts';
import type { ReplayResult } from '../../replay/index.ts';
import { type Report, redactReport } from '../../report/index.ts';
import { acceptSession } from '../accepting/accept-session.ts';
import { linesAbout, scopeInHeader } from '../journal/read-journal.ts';
import { type Finding, notComparable } from '../judging/finding.ts';
import type { Judged } from '../judging/judge.ts';
import type { ReplayedSession } from '../judging/replayed-session.ts';
import { LineFile } from '../records/line-file.ts';
import { type BehaviourFile, removeBehaviours, writeBehaviours } from './behaviours.ts';
import { type Concluded, type Ended, Ledger } from './ledger.ts';
import { type LedgerOutput, RunLedger, type RunLedgerOptions } from './run-ledger.ts';
import type { Thread, Verb } from './thread.ts';

interface PlacedOptions {
  readonly run: RunLedgerOptions;
  /** Undefined: it is kept only during this run. */
  readonly journal?: string;
  /** The journal holds the beginning of this run. */
  readonly goesOn?: boolean;
  /** After one of these is aborted, waiting for the thread ends this many milliseconds later. */
  readonly limits: readonly { readonly signal: AbortSignal; readonly patienceMs: number }[];
  /** A finding with what the functions of `compare.forbid` say. They cannot leave this thread; undefined: there are none. */
  readonly forbidding?: (finding: Finding) => Finding;
  /** Called for each output (`OUTPUT_NOT_WRITABLE`). */
  readonly onNotWritten: (error: AgentReplayError) => void;
  readonly redaction: Redaction;
  /** Starts the thread if there is none. */
  readonly thread: () => Thread;
}

/** Lines of the journal that cross to another thread at once. */
const LINES_AT_ONCE = 1_000;

/**
 * The ledger of a run in its place: in this thread until the first big piece comes, and from then on in another, since
 * redacting and comparing megabytes takes seconds, in which signals, other replays and time limits must work. It never moves
 * back. Files are written here, and nobody waits for the disk. If the other thread does not finish after the run was given
 * up, {@link PlacedLedger.conclude} reports what it has told by then.
 */
export class PlacedLedger implements AsyncDisposable {
  readonly #options: PlacedOptions;
  readonly #file: LineFile;
  readonly #closed = new AbortController();
  readonly #failures: { readonly error: AgentReplayError; readonly sessions: readonly string[] }[] = [];
  /** In this thread. */
  #here: RunLedger | undefined;
  #thread!: Thread;
  /** Its number in the other thread. */
  #there: number | undefined;
  #moved: Promise<void> | undefined;
  /** Results of sessions that are over, by id, wherever the ledger is. */
  readonly #concluded = new Map<string, Concluded>();
  readonly #output: LedgerOutput;
  /** Why nothing is asked of the other thread any more. */
  #lost: AgentReplayError | undefined;
  #files: Promise<void> = Promise.resolve();
  /** Sessions whose behaviours were written. */
  readonly #written = new Set<string>();
  #reason: AgentReplayError | undefined;

  static async open(options: PlacedOptions): Promise<PlacedLedger> {
    const { journal, onNotWritten, goesOn } = options;
    const file =
      journal === undefined ? await LineFile.temporary() : await LineFile.open(journal, onNotWritten, goesOn);
    const ledger = new PlacedLedger(options, file);
    if (goesOn) {
      await ledger.#followed((lines) => ledger.ask('follow', lines));
      await ledger.ask('goOn', {});
    } else ledger.tell('begin');
    return ledger;
  }

  private constructor(options: PlacedOptions, file: LineFile) {
    this.#options = options;
    this.#file = file;
    this.#output = {
      line: (line) => file.add(line),
      files: (session, files) => this.#write(session, files),
      session: (id, concluded) => this.#note(id, concluded),
    };
    for (const { signal, patienceMs } of options.limits) {
      const giveUp = () => setTimeout(() => this.#lose(notCompared(signal.reason)), patienceMs).unref();
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true, signal: this.#closed.signal });
    }
    if (isBig(options.run.scope.sessions.map(({ pin }) => pin.session))) {
      this.#moved = this.#move(undefined);
    } else {
      this.#here = new RunLedger(options.run, options.redaction, this.#output);
    }
  }

  /** Asks the ledger, wherever it is. @throws AgentReplayError */
  async ask<V extends Verb>(verb: V, ...given: Parameters<RunLedger[V]>): Promise<ReturnType<RunLedger[V]>> {
    if (this.#here === undefined) await this.#moved;
    if (this.#here !== undefined) return (this.#here[verb] as (...given: unknown[]) => never).apply(this.#here, given);
    if (this.#lost !== undefined) throw this.#lost;
    return this.#askThere(verb, ...given);
  }

  /** Nobody waits for the answer. */
  tell<V extends Verb>(verb: V, ...given: Parameters<RunLedger[V]>): void {
    this.ask(verb, ...given).catch(() => {});
  }

  /** Writes down and compares a replay. @returns whether it finished its session */
  async take(result: ReplayResult): Promise<boolean> {
    this.#moveFor(result);
    if (this.#options.forbidding !== undefined) return this.ask('takeRead', await this.#read(result));
    return this.ask('takeResult', result).catch((error) => {
      if (error instanceof AgentReplayError) throw error;
      // A trace that cannot even be sent costs only its own replay.
      return this.ask('takeRead', notComparable(result, (error as Error).message, error));
    });
  }

  /** Judges a session by its latest traces: these results replace what was reported before. */
  async takeLate(results: readonly ReplayResult[]): Promise<void> {
    const [{ session }] = results as readonly [ReplayResult];
    for (const result of results) this.#moveFor(result);
    const read = await Promise.all(results.map((result) => this.#read(result)));
    await this.ask('takeLate', session, await this.#linesAbout(session), read);
  }

  fail(error: AgentReplayError, sessions: readonly string[]): void {
    this.#failures.push({ error, sessions });
    this.tell('fail', error, sessions);
  }

  async close(reason: AgentReplayError | undefined): Promise<void> {
    this.#reason = reason;
    await this.ask('close', reason).catch(() => {});
    const { journal } = this.#options;
    if (journal) await this.#file.confirm(journal);
  }

  /** Sessions with an answer are compared again. */
  async judge(judgements: readonly Judged[]): Promise<void> {
    await this.ask('judge', judgements);
    const said = new Set(judgements.flatMap(({ session, said }) => (said === 'unsure' ? [] : session)));
    for (const session of said) await this.ask('takeLate', session, await this.#linesAbout(session));
  }

  /** If it was given up, a report that says so, with the finished sessions. */
  async conclude(ended: Ended): Promise<Report> {
    const told = await this.ask('conclude', ended).catch(asAgentReplayError);
    if (!(told instanceof AgentReplayError)) return told;
    const { run, redaction } = this.#options;
    const ledger = new Ledger(run.settings, scopeInHeader(run.header), run.part);
    for (const concluded of this.#concluded.values()) ledger.takeConcluded(concluded);
    for (const { error, sessions } of this.#failures) ledger.fail(error, sessions);
    // The caller that waited for it may have reported it already.
    if (!this.#failures.some(({ error }) => error.message === told.message)) ledger.fail(told);
    ledger.close(this.#reason ?? told);
    const { reason: _, ...about } = ended;
    return redactReport(ledger.report(about), redaction.text);
  }

  /**
   * What the replays of the one session did; if it was given up, only the report.
   * @param report from {@link conclude}
   * @param accepting makes it the new original and writes the pin, under the rules of `accept`
   */
  async replayed(report: Report, accepting: boolean): Promise<ReplayedSession> {
    const replayed = await this.ask('replayed').catch((error) => {
      if (this.#lost === undefined) throw error;
      return { report, turns: [], tested: [] };
    });
    const [[scoped], [result]] = [this.#options.run.scope.sessions, replayed.report.results.sessions];
    const isOther = scoped && result && scoped.turns.length > 0 && !isAsRecorded(result.verdict);
    if (!accepting || !isOther || this.#lost !== undefined) return replayed;
    const { acceptance, session } = await acceptSession(scoped.pin, result, await this.ask('held'), {
      config: withOwn(this.#options.run.config, scoped.own),
      redact: this.#options.redaction.text,
    });
    if (session === undefined) return { ...replayed, acceptance };
    const lines = await this.#linesAbout(session.id);
    if (lines instanceof AgentReplayError) throw lines;
    return {
      report: await this.ask('reportAgainst', session, lines),
      turns: replayed.turns.map(({ diverged: _, ...turn }) => turn),
      // It is still the same session, so it needs no name that tells it from itself.
      tested: [],
      acceptance,
    };
  }

  /** After this everything is on the disk. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#moved;
    if (this.#there !== undefined && this.#lost === undefined) {
      await this.#thread.ask(this.#there, 'end').catch(() => {});
    }
    await this.#files;
    await this.#file[Symbol.asyncDispose]();
  }

  #askThere<V extends Verb>(verb: V, ...given: Parameters<RunLedger[V]>): Promise<ReturnType<RunLedger[V]>> {
    return this.#thread.ask(this.#there as number, verb, given) as Promise<ReturnType<RunLedger[V]>>;
  }

  async #read(result: ReplayResult): Promise<Finding> {
    const finding = await this.ask('read', result);
    return this.#options.forbidding?.(finding) ?? finding;
  }

  #moveFor(result: ReplayResult): void {
    if (this.#here === undefined || this.#moved !== undefined) return;
    if (!isBigReplay(result)) return;
    this.#moved = this.#move(this.#here);
    this.#here = undefined;
  }

  /** Opens a ledger in the other thread, which goes on where this one stops. Never rejects. */
  async #move(from: RunLedger | undefined): Promise<void> {
    if (this.#lost !== undefined) return;
    try {
      this.#thread = this.#options.thread();
      this.#there = this.#thread.open(this.#output);
      await this.#thread.ask(this.#there, 'open', [this.#options.run]);
      if (from === undefined) return;
      await this.#followed((lines) => this.#askThere('follow', lines));
      await this.#askThere('goOn', from.leave());
    } catch (error) {
      // Without a journal it cannot move, and so it stays.
      if (from === undefined || error instanceof AgentReplayError) this.#lost ??= asAgentReplayError(error);
      else this.#here = from;
    }
  }

  async #followed(follow: (lines: string[]) => Promise<unknown>): Promise<void> {
    let lines: string[] = [];
    for await (const line of this.#file.lines()) {
      if (lines.push(line) < LINES_AT_ONCE) continue;
      await follow(lines);
      lines = [];
    }
    await follow(lines);
  }

  #note(id: string, concluded: Concluded | undefined): void {
    if (concluded === undefined) this.#concluded.delete(id);
    else this.#concluded.set(id, concluded);
  }

  async #linesAbout(session: string): Promise<readonly string[] | AgentReplayError> {
    const lines = linesAbout(() => this.#file.lines(), this.#options.redaction.text(session));
    return lines.catch(unknownBefore);
  }

  #write(session: string, files: readonly BehaviourFile[]): void {
    const { run, onNotWritten } = this.#options;
    const dir = path.resolve(run.traces ?? '');
    const isAgain = this.#written.has(session);
    this.#written.add(session);
    this.#files = this.#files
      .then(() => (isAgain ? removeBehaviours(dir, session) : undefined))
      .then(() => writeBehaviours(files, dir))
      .catch(onNotWritten);
  }

  #lose(error: AgentReplayError): void {
    this.#lost ??= error;
    if (this.#there !== undefined) this.#thread.giveUp(this.#there, this.#lost);
  }
}

function unknownBefore(cause: unknown): AgentReplayError {
  return new AgentReplayError('OUTPUT_NOT_WRITABLE', 'Spans came late, and the earlier ones could not be kept.', {
    hint: 'Make room on the disk, or export all spans before the answer is sent (docs/endpoint.md).',
    cause,
  });
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

/** Characters from which redacting and comparing a piece may keep a thread busy for long. */
const BIG = 256 * 1024;
/** What a value of an object or a list counts besides its text: many small ones take long, too. */
const NODE = 64;

/** Whether any of these values is big. Looks at no text, and at few thousand nodes at most of each. */
function isBig(values: readonly unknown[], most: number = BIG): boolean {
  return values.some((value) => {
    let left = most;
    for (const pending = [value]; pending.length > 0 && left >= 0; ) {
      const each = pending.pop();
      left -= NODE + (typeof each === 'string' ? each.length : 0);
      if (typeof each === 'object' && each !== null) for (const part of Object.values(each)) pending.push(part);
    }
    return left < 0;
  });
}

/** Whether an answer or a trace is big. With `AGENT_REPLAY_BIG=0` tests have each one so. */
function isBigReplay({ outcome, replaced = [] }: ReplayResult): boolean {
  const most = process.env.AGENT_REPLAY_BIG;
  return isBig([outcome, ...replaced.map((each) => each.outcome)], most === undefined ? BIG : Number(most));
}
