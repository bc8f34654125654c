import path from 'node:path';
import { isAsRecorded } from '../../compare/index.ts';
import { type Config, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { Redaction } from '../../redaction/index.ts';
import type { FurtherRuns, ReplayCall, ReplayResult } from '../../replay/index.ts';
import { type Report, redactReport, toProblem } from '../../report/index.ts';
import type { Session } from '../../session/index.ts';
import { removeBehaviours, writeBehaviours } from '../journal/behaviours.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import type { JournalEnd, JournalHeader, Remark } from '../journal/journal-format.ts';
import { acceptSession } from '../pins/accept-session.ts';
import type { RunAbout } from '../running/about.ts';
import { callOf, type Finding, findingOf, replayedOf, superseding } from './finding.ts';
import type { Judged, JudgeTexts } from './judge.ts';
import { type Concluded, Ledger, type LedgerPart } from './ledger.ts';
import { compareAlone, type ReplayAlone } from './replay-alone.ts';
import { type ReplayedSession, replayedTurns } from './replayed-session.ts';
import { type RunScope, redactScope } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';
import type { KeptBehaviour } from './session-progress.ts';

/** What to write down and compare, and where. All of it can be sent as JSON. */
export interface BooksOptions {
  readonly settings: RunSettings;
  /** As it was read: secrets are removed here. */
  readonly scope: RunScope;
  readonly part: LedgerPart;
  readonly header: JournalHeader;
  readonly config: BooksConfig;
  /** Of the journal; undefined: kept only during this run. */
  readonly journal?: string | undefined;
  /** Folder for the distinct behaviours; undefined: none are kept. */
  readonly traces?: string | undefined;
  /** Rules of `compare.forbid` are functions; {@link Books.take} gets what they returned. */
  readonly isTold: boolean;
  /** Somebody follows the run: each replay is compared by itself, too. */
  readonly isFollowed?: boolean | undefined;
  /** They are of one session, and {@link Books.replayed} will be asked, so its behaviours are held. */
  readonly isOnDemand?: boolean | undefined;
}

/** The part of a configuration that findings depend on. */
export type BooksConfig = Pick<
  Config,
  'root' | 'runs' | 'gate' | 'failOn' | 'compare' | 'tracing' | 'prices' | 'language'
>;

/** What the user's functions said about a replay; an outcome if one of them failed. */
export type Forbidding = Partial<Pick<Finding, 'forbidden' | 'outcome'>>;

/** A call, and which agent it was made to. */
export type SidedCall = ReplayCall & Pick<Finding, 'side'>;

interface BooksMeans {
  readonly redaction: Redaction;
  /** Called once if an output cannot be written (`OUTPUT_NOT_WRITABLE`); nothing else fails then. */
  readonly onError: (error: AgentReplayError) => void;
}

/** How a run ended. */
export interface Ended extends Pick<JournalEnd, 'durationMs' | 'interruptedBy'> {
  readonly about: RunAbout;
  readonly reason?: AgentReplayError | undefined;
}

/** The result of taking a replay. */
export interface Taken {
  /** Whether its session is finished. */
  readonly isOver: boolean;
  /** Where somebody follows the run. */
  readonly alone?: ReplayAlone | undefined;
}

/**
 * What a run finds out: writes each replay to the journal, compares it, and keeps distinct behaviours. Everything that
 * takes long for megabytes of text happens here, in a thread of its own: see `BooksApart`.
 */
export class Books implements AsyncDisposable {
  readonly #options: BooksOptions;
  readonly #sessions: ReadonlyMap<string, RunScope['sessions'][number]>;
  readonly #redaction: Redaction;
  readonly #onError: (error: AgentReplayError) => void;
  readonly #ledger: Ledger;
  readonly #journal: Journal;
  /** Findings that were noted and not taken yet. */
  readonly #noted = new Map<string, Finding>();
  /** Sessions with further runs: their kept behaviours are replaced. */
  readonly #again = new Set<string>();
  /** Distinct behaviours, on demand. */
  #held: readonly KeptBehaviour[] = [];
  #judgements: readonly Judged[] = [];
  #ended!: Ended;

  private constructor(options: BooksOptions, journal: Journal, { redaction, onError }: BooksMeans) {
    this.#options = options;
    this.#redaction = redaction;
    this.#onError = onError;
    this.#journal = journal;
    this.#sessions = new Map(options.scope.sessions.map((session) => [session.pin.session.id, session]));
    this.#ledger = new Ledger(options.settings, redactScope(options.scope, redaction.text), options.part);
  }

  static async open(options: BooksOptions, { redaction, onError }: BooksMeans): Promise<Books> {
    const journal = await openJournal(options.journal, options.header, { onError, redact: redaction.text });
    return new Books(options, journal, { redaction, onError });
  }

  get hasShift(): boolean {
    return this.#ledger.hasShift;
  }

  isOver(session: string): boolean {
    return this.#ledger.isOver(session);
  }

  concluded(session: string): Concluded | undefined {
    return this.#ledger.concluded(session);
  }

  get isInDoubt(): boolean {
    return this.#ledger.isInDoubt;
  }

  /**
   * Reads a replay that is to be taken next.
   * @returns what the user's functions must be asked about, if there are any
   */
  note(result: ReplayResult, side: Finding['side']): Finding | undefined {
    const { pin, own } = this.#session(result.session);
    const config = withOwn(this.#options.config, own);
    const read = this.#options.isTold ? replayedOf : findingOf;
    const finding = { ...read(result, pin, this.#redaction.text, config), ...(side && { side }) };
    this.#noted.set(callOf(finding), finding);
    return this.#options.isTold ? finding : undefined;
  }

  /** Writes down and compares a noted replay. */
  async take(call: SidedCall, said?: Forbidding): Promise<Taken> {
    const finding = this.#read(call, said);
    const { session } = finding;
    await this.#journal.write(finding, this.#session(session).pin.session);
    const behaviours = this.#ledger.take(finding);
    const alone = this.#compareAlone(finding);
    if (behaviours === undefined) return { isOver: false, alone };
    if (this.#again.delete(session)) await this.#drop(session);
    await this.#keep(behaviours);
    return { isOver: true, alone };
  }

  /** Judges a session by its latest traces: noted findings replace what was reported before. */
  async reopen(
    calls: readonly SidedCall[],
    said: readonly (Forbidding | undefined)[],
  ): Promise<readonly ReplayAlone[]> {
    const [{ session, side }] = calls as [SidedCall];
    const before = await this.#known(session);
    const all = before instanceof AgentReplayError ? [] : before;
    const known = all.filter((finding) => finding.side === side);
    const after = calls.map((call, index) => superseding(known, this.#read(call, said[index])));
    for (const finding of after) await this.#journal.write(finding, this.#session(session).pin.session);
    const behaviours = this.#ledger.reopen(session, before, after, side);
    if (side !== 'base') await this.#replace(session, behaviours);
    return after.flatMap((finding) => this.#compareAlone(finding) ?? []);
  }

  secondLooks(sessions: readonly string[]): readonly FurtherRuns[] {
    const looks = this.#ledger.secondLooks(sessions);
    for (const { session } of looks) this.#again.add(session);
    return looks;
  }

  fail(error: AgentReplayError, sessions: readonly string[]): void {
    this.#ledger.fail(error, sessions);
    this.#journal.fail(error, sessions);
  }

  remark(remark: Remark): void {
    this.#ledger.remark(remark);
    this.#journal.remark(remark);
  }

  async close(reason: AgentReplayError | undefined): Promise<void> {
    await this.#keep(this.#ledger.close(reason));
  }

  questions(): readonly JudgeTexts[] {
    return this.#ledger.questions();
  }

  async judge(judgements: readonly Judged[]): Promise<void> {
    this.#judgements = judgements;
    this.#ledger.judge(judgements);
    this.#journal.judged(judgements);
    const said = new Set(judgements.flatMap(({ session, said }) => (said === 'unsure' ? [] : session)));
    for (const session of said) {
      await this.#replace(session, this.#ledger.reopen(session, await this.#known(session), []));
    }
  }

  /** The report, without secrets. After this the journal is complete. */
  report(ended: Ended): Report {
    this.#ended = ended;
    const { about: _, reason, ...how } = ended;
    const pinned = this.#options.scope.sessions.flatMap(({ pin, turns }) => (turns.length > 0 ? pin.session : []));
    this.#journal.end({ ...how, ...(reason && { reason: toProblem(reason) }) }, pinned);
    return this.#reportOf(this.#ledger);
  }

  /**
   * What the replays of the one session did; asked after {@link report}.
   * @param accepting makes it the new original and writes the pin, under the rules of `accept`
   */
  async replayed(accepting: boolean): Promise<ReplayedSession> {
    const report = this.#reportOf(this.#ledger);
    const tested = this.#ledger.firstLooks();
    const [[scoped], [result]] = [this.#options.scope.sessions, report.results.sessions];
    if (scoped === undefined || result === undefined) return { report, turns: [], tested };
    const options = { config: withOwn(this.#options.config, scoped.own), redact: this.#redaction.text };
    const turns = replayedTurns(result, scoped, this.#held, options);
    const replayed = { report, turns, tested };
    if (!accepting || scoped.turns.length === 0 || isAsRecorded(result.verdict)) return replayed;
    const { acceptance, session } = await acceptSession(scoped.pin, result, this.#held, options);
    if (session === undefined) return { ...replayed, acceptance };
    return {
      report: await this.#reportAgainst(session),
      turns: turns.map(({ diverged: _, ...turn }) => turn),
      // It is still the same session, so it needs no name that tells it from itself.
      tested: [],
      acceptance,
    };
  }

  /** The result of the same replays compared with what is recorded now. */
  async #reportAgainst(session: Session): Promise<Report> {
    const { settings, scope, part } = this.#options;
    const sessions = scope.sessions.map((each) => ({ ...each, pin: { ...each.pin, session } }));
    const ledger = new Ledger(settings, redactScope({ ...scope, sessions }, this.#redaction.text), part);
    ledger.judge(this.#judgements);
    for (const finding of await this.#journal.findings(session.id)) ledger.take(finding);
    ledger.close(this.#ended.reason);
    return this.#reportOf(ledger);
  }

  /** After this the journal is on the disk. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal[Symbol.asyncDispose]();
  }

  #reportOf(ledger: Ledger): Report {
    const { reason: _, ...ended } = this.#ended;
    return redactReport(ledger.report(ended), this.#redaction.text);
  }

  #read(call: SidedCall, said: Forbidding | undefined): Finding {
    const noted = this.#noted.get(callOf(call)) as Finding;
    this.#noted.delete(callOf(call));
    return { ...noted, ...said };
  }

  #compareAlone(finding: Finding): ReplayAlone | undefined {
    if (!this.#options.isFollowed) return undefined;
    const session = this.#session(finding.session);
    const config = withOwn(this.#options.config, session.own);
    return compareAlone(finding, session, { config, redact: this.#redaction.text });
  }

  #session(id: string) {
    return this.#sessions.get(id) as RunScope['sessions'][number];
  }

  /** All findings about a session, or why they are unknown. */
  #known(session: string): Promise<readonly Finding[] | AgentReplayError> {
    return this.#journal.findings(session).catch(unknownBefore);
  }

  /** Replaces the behaviours that were kept of a session. */
  async #replace(session: string, behaviours: readonly KeptBehaviour[]): Promise<void> {
    await this.#drop(session);
    await this.#keep(behaviours);
  }

  async #drop(session: string): Promise<void> {
    this.#held = [];
    const { traces } = this.#options;
    if (traces !== undefined) await removeBehaviours(traces, session);
  }

  async #keep(behaviours: readonly KeptBehaviour[]): Promise<void> {
    const { traces, isOnDemand } = this.#options;
    if (isOnDemand) this.#held = [...this.#held, ...behaviours];
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
