import path from 'node:path';
import { type Config, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { Redaction } from '../../redaction/index.ts';
import type { FurtherRuns, ReplayCall, ReplayResult } from '../../replay/index.ts';
import { type BaseCommit, type Report, redactReport, type TracingSum, toProblem } from '../../report/index.ts';
import { removeBehaviours, writeBehaviours } from '../journal/behaviours.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { JournalEnd, JournalHeader, NoBase } from '../journal/journal-format.ts';
import type { RunAbout } from '../running/about.ts';
import { callOf, type Finding, findingOf, replayedOf, superseding } from './finding.ts';
import type { Judged, JudgeTexts } from './judge.ts';
import { type Concluded, Ledger, type LedgerPart } from './ledger.ts';
import { type RunScope, redactScope } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';
import type { KeptBehaviour } from './session-progress.ts';

/** What is written down and compared, and where. All of it can be sent as JSON. */
export interface BooksOptions {
  readonly settings: RunSettings;
  /** As it was read: secrets are taken out of it here. */
  readonly scope: RunScope;
  readonly part: LedgerPart;
  readonly header: JournalHeader;
  readonly config: BooksConfig;
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
  /** Of the journal; undefined: it is kept for this run alone. */
  readonly journal?: string | undefined;
  /** Folder of the distinct behaviours; undefined: none is kept. */
  readonly traces?: string | undefined;
  /** Rules of `compare.forbid` are functions: {@link Books.take} is given what they returned. */
  readonly isTold: boolean;
}

/** The part of a configuration that findings are made by. */
export type BooksConfig = Pick<Config, 'runs' | 'gate' | 'failOn' | 'compare' | 'tracing' | 'prices'>;

/** What the user's functions have said of a replay; an outcome where one of them failed. */
export type Forbidding = Partial<Pick<Finding, 'forbidden' | 'outcome'>>;

/** A call, and by which agent it was made. */
export type SidedCall = ReplayCall & Pick<Finding, 'side'>;

interface BooksMeans {
  readonly redaction: Redaction;
  readonly onError: (error: AgentReplayError) => void;
}

/** How a run ended. */
export interface Ended extends Pick<JournalEnd, 'durationMs' | 'interruptedBy'> {
  readonly about: RunAbout;
  readonly reason?: AgentReplayError | undefined;
}

/** What a run finds out. Its conductor reaches it in a thread of its own (`BooksApart`), or in this one (`SessionBooks`). */
export interface RunBooks {
  /** Compares a replay. @returns whether its session is over with it */
  take(result: ReplayResult, side: Finding['side']): Promise<boolean>;
  /** Judges a session by its latest traces: late spans replace what was reported before. */
  reopen(results: readonly ReplayResult[], side: Finding['side']): Promise<void>;
  /** See {@link Ledger.close}. */
  close(reason: AgentReplayError | undefined): Promise<void>;
  /** See {@link Ledger.questions}. */
  questions(): Promise<readonly JudgeTexts[]>;
  /** Takes what the user's judge has said, and compares the sessions anew of which it was said. */
  judge(judgements: readonly Judged[]): Promise<void>;
  /** The report, without secrets. */
  report(ended: Ended): Promise<Report>;
}

/**
 * What a run finds out: each replay is written to the journal, compared, and kept where it behaved in a way of its own.
 * All that takes long for megabytes of text is done here, so that it can be done in a thread of its own: see `BooksApart`.
 */
export class Books implements AsyncDisposable {
  readonly #options: BooksOptions;
  readonly #sessions: ReadonlyMap<string, RunScope['sessions'][number]>;
  readonly #redaction: Redaction;
  readonly #onError: (error: AgentReplayError) => void;
  readonly #ledger: Ledger;
  readonly #journal: Journal;
  /** What was noted, and is not taken yet. */
  readonly #noted = new Map<string, Finding>();
  /** Sessions of which further runs are made: what was kept of them is replaced. */
  readonly #again = new Set<string>();

  private constructor(options: BooksOptions, journal: Journal, { redaction, onError }: BooksMeans) {
    this.#options = options;
    this.#redaction = redaction;
    this.#onError = onError;
    this.#journal = journal;
    this.#sessions = new Map(options.scope.sessions.map((session) => [session.pin.session.id, session]));
    this.#ledger = new Ledger(options.settings, redactScope(options.scope, redaction.text), options.part);
  }

  /** @param onError called once when an output cannot be written (`OUTPUT_NOT_WRITABLE`); nothing else fails then */
  static async open(options: BooksOptions, onError: (error: AgentReplayError) => void): Promise<Books> {
    const redaction = new Redaction(options.secrets);
    const journal = await openJournal(options.journal, options.header, { onError, redact: redaction.text });
    return new Books(options, journal, { redaction, onError });
  }

  addSecret(secret: string): void {
    this.#redaction.add(secret);
  }

  get hasShift(): boolean {
    return this.#ledger.hasShift;
  }

  isOver(session: string): boolean {
    return this.#ledger.isOver(session);
  }

  /** See {@link Ledger.concluded}. */
  concluded(session: string): Concluded | undefined {
    return this.#ledger.concluded(session);
  }

  /** See {@link Ledger.isInDoubt}. */
  get isInDoubt(): boolean {
    return this.#ledger.isInDoubt;
  }

  /**
   * Reads a replay, to be taken next.
   * @returns what the user's functions have to be asked about, where there are any
   */
  note(result: ReplayResult, side: Finding['side']): Finding | undefined {
    const { pin, own } = this.#session(result.session);
    const config = withOwn(this.#options.config, own);
    const read = this.#options.isTold ? replayedOf : findingOf;
    const finding = { ...read(result, pin, this.#redaction.text, config), ...(side && { side }) };
    this.#noted.set(callOf(finding), finding);
    return this.#options.isTold ? finding : undefined;
  }

  /** Writes down and compares what was noted. @returns whether its session is over with it */
  async take(call: SidedCall, said?: Forbidding): Promise<boolean> {
    const finding = this.#read(call, said);
    const { session } = finding;
    await this.#journal.write(finding, this.#session(session).pin.session);
    const behaviours = this.#ledger.take(finding);
    if (behaviours === undefined) return false;
    if (this.#again.delete(session)) await this.#drop(session);
    await this.#keep(behaviours);
    return true;
  }

  /** Judges a session by its latest traces: noted findings replace what was reported before. */
  async reopen(calls: readonly SidedCall[], said: readonly (Forbidding | undefined)[]): Promise<void> {
    const [{ session, side }] = calls as [SidedCall];
    const before = await this.#known(session);
    const all = before instanceof AgentReplayError ? [] : before;
    const known = all.filter((finding) => finding.side === side);
    const after = calls.map((call, index) => superseding(known, this.#read(call, said[index])));
    for (const finding of after) await this.#journal.write(finding, this.#session(session).pin.session);
    const behaviours = this.#ledger.reopen(session, before, after, side);
    if (side !== 'base') await this.#replace(session, behaviours);
  }

  /** See {@link Ledger.secondLooks}. */
  secondLooks(sessions: readonly string[]): readonly FurtherRuns[] {
    const looks = this.#ledger.secondLooks(sessions);
    for (const { session } of looks) this.#again.add(session);
    return looks;
  }

  /** See {@link Ledger.fail}. */
  fail(error: AgentReplayError, sessions: readonly string[]): void {
    this.#ledger.fail(error, sessions);
    this.#journal.fail(error, sessions);
  }

  /** See {@link Ledger.against}. */
  against(base: BaseCommit): void {
    this.#ledger.against(base);
    this.#journal.base(base);
  }

  /** See {@link Ledger.withoutBase}. */
  withoutBase(why: NoBase): void {
    this.#ledger.withoutBase(why);
    this.#journal.noBase(why);
  }

  traced(sum: TracingSum): void {
    this.#ledger.traced(sum);
    this.#journal.traced(sum);
  }

  log(lines: readonly string[]): void {
    this.#ledger.log(lines);
    this.#journal.log(lines);
  }

  /** See {@link Ledger.close}. */
  async close(reason: AgentReplayError | undefined): Promise<void> {
    await this.#keep(this.#ledger.close(reason));
  }

  /** See {@link Ledger.questions}. */
  questions(): readonly JudgeTexts[] {
    return this.#ledger.questions();
  }

  /** Takes what the user's judge has said, and compares the sessions anew of which it was said. */
  async judge(judgements: readonly Judged[]): Promise<void> {
    this.#ledger.judge(judgements);
    this.#journal.judged(judgements);
    const said = new Set(judgements.flatMap(({ session, said }) => (said === 'unsure' ? [] : session)));
    for (const session of said) {
      await this.#replace(session, this.#ledger.reopen(session, await this.#known(session), []));
    }
  }

  /** The report, without secrets; the journal is whole then. */
  report({ about, reason, ...ended }: Ended): Report {
    const pinned = this.#options.scope.sessions.flatMap(({ pin, turns }) => (turns.length > 0 ? pin.session : []));
    this.#journal.end({ ...ended, ...(reason && { reason: toProblem(reason) }) }, pinned);
    return redactReport(this.#ledger.report({ about, ...ended }), this.#redaction.text);
  }

  /** The journal is on the disk then. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal[Symbol.asyncDispose]();
  }

  #read(call: SidedCall, said: Forbidding | undefined): Finding {
    const noted = this.#noted.get(callOf(call)) as Finding;
    this.#noted.delete(callOf(call));
    return { ...noted, ...said };
  }

  #session(id: string) {
    return this.#sessions.get(id) as RunScope['sessions'][number];
  }

  /** All that was found out about a session; or why that is not known any more. */
  #known(session: string): Promise<readonly Finding[] | AgentReplayError> {
    return this.#journal.findings(session).catch(unknownBefore);
  }

  /** Behaviours that were kept of a session are others now. */
  async #replace(session: string, behaviours: readonly KeptBehaviour[]): Promise<void> {
    await this.#drop(session);
    await this.#keep(behaviours);
  }

  async #drop(session: string): Promise<void> {
    const { traces } = this.#options;
    if (traces !== undefined) await removeBehaviours(traces, session);
  }

  async #keep(behaviours: readonly KeptBehaviour[]): Promise<void> {
    const { traces } = this.#options;
    if (traces === undefined) return;
    await writeBehaviours(behaviours, { dir: path.resolve(traces), redact: this.#redaction.text }).catch(this.#onError);
  }
}

function unknownBefore(cause: unknown): AgentReplayError {
  return new AgentReplayError('OUTPUT_NOT_WRITABLE', 'Spans came late, and the earlier ones could not be kept.', {
    hint: 'Make room on the disk, or export all spans before the answer is sent (docs/endpoint.md).',
    cause,
  });
}
