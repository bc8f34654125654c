import { type Sent, sentTo } from '../../compare/index.ts';
import { type Config, withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { Redaction } from '../../redaction/index.ts';
import type { ReplayResult } from '../../replay/index.ts';
import { type Report, redactReport, toProblem } from '../../report/index.ts';
import type { Session } from '../../session/index.ts';
import { Journal } from '../journal/journal.ts';
import { findingsIn, JournalledRun } from '../journal/read-journal.ts';
import { callOf, type Finding, findingOf, replayedOf, superseding } from '../judging/finding.ts';
import type { Judged } from '../judging/judge.ts';
import { type ReplayedSession, replayedTurns } from '../judging/replayed-session.ts';
import type { KeptBehaviour } from '../judging/session-progress.ts';
import type { LedgerPart, Look } from '../records/extension-points.ts';
import type { JournalHeader, Remark } from '../records/journal-format.ts';
import { type RunScope, redactScope } from '../records/run-scope.ts';
import type { RunSettings } from '../records/run-settings.ts';
import { type BehaviourFile, behaviourFiles } from './behaviours.ts';
import { enterJournal, wholeLooks, wholeRuns } from './enter-journal.ts';
import { type Concluded, type Ended, Ledger } from './ledger.ts';

/** All of it can be sent as JSON. */
export interface RunLedgerOptions {
  readonly settings: RunSettings;
  /** As it was read: secrets are removed here. */
  readonly scope: RunScope;
  readonly part: LedgerPart;
  readonly header: JournalHeader;
  readonly config: LedgerConfig;
  /** Folder for the files of the distinct behaviours; undefined: none are written. */
  readonly traces?: string;
  /** It is of one session, and {@link RunLedger.replayed} will be asked, so its behaviours are held. */
  readonly isOnDemand?: boolean;
}

type LedgerConfig = Pick<
  Config,
  'root' | 'runs' | 'looks' | 'gate' | 'failOn' | 'compare' | 'tracing' | 'prices' | 'language' | 'offline'
>;

/** Takes what a ledger tells beside its answers. */
export interface LedgerOutput {
  line(text: string): void;
  /** The files of a session's distinct behaviours. They replace those that were written before. */
  files(session: string, files: readonly BehaviourFile[]): void;
  /** A session is over, or open again. @param concluded its result; undefined if it is open or depends on other sessions */
  session(id: string, concluded: Concluded | undefined): void;
}

/**
 * The ledger of a run that is under way: it reads replays, removes secrets, and tells the lines of the journal. It touches
 * no disk, and waits for nothing. Everything that takes long for megabytes of text happens here: see `PlacedLedger`.
 */
export class RunLedger extends Ledger {
  readonly #options: RunLedgerOptions;
  readonly #redaction: Redaction;
  readonly #output: LedgerOutput;
  readonly #journal: Journal;
  readonly #sessions: ReadonlyMap<string, RunScope['sessions'][number]>;
  /** The journal of its predecessor, while it is read. */
  #before: JournalledRun | undefined;
  /** The predecessor's process was killed. */
  #isAgain = false;
  /** Distinct behaviours, on demand. */
  #held: readonly KeptBehaviour[] = [];
  #judgements: readonly Judged[] = [];
  #sent: Sent | undefined;
  #ended!: Ended;

  constructor(options: RunLedgerOptions, redaction: Redaction, output: LedgerOutput) {
    super(options.settings, redactScope(options.scope, redaction.text), options.part);
    this.#options = options;
    this.#redaction = redaction;
    this.#output = output;
    this.#sessions = new Map(options.scope.sessions.map((session) => [session.pin.session.id, session]));
    const add = (line: string) => this.#before === undefined && output.line(line);
    this.#journal = new Journal({ add, redact: redaction.text });
  }

  begin(): void {
    this.#journal.begin(this.#options.header);
  }

  /** What its successor must know beside the journal. */
  leave(): { looks: readonly Look[]; elapsedMs: number } {
    return { looks: this.looks(), elapsedMs: this.#journal.elapsedMs };
  }

  /** Reads lines of the journal of the ledger that went before. */
  follow(lines: readonly string[]): void {
    this.#before ??= new JournalledRun();
    for (const line of lines) this.#before.add(line);
  }

  /** Goes on where the predecessor stopped; where its process was killed, with the runs that were made as a whole. */
  goOn({ looks, elapsedMs }: Partial<ReturnType<RunLedger['leave']>>): void {
    const run = this.#before as JournalledRun;
    this.#isAgain = looks === undefined;
    const written = (id: string) => this.#redaction.text(id);
    const ids = new Map([...this.#sessions.keys()].map((id) => [written(id), id]));
    const { settings } = this.#options;
    const all = (id: string) => [...run.findings(written(id))].map((finding) => ({ ...finding, session: id }));
    const findings = (id: string) => {
      if (looks !== undefined) return all(id);
      const session = this.#session(id);
      const whole = wholeRuns(all(id), session, settings);
      const { calls } = wholeLooks(all(id), session, settings);
      return all(id).filter((each) => (each.run > session.runs.length ? calls.has(callOf(each)) : whole.has(each.run)));
    };
    enterJournal(this, { judgements: run.judgements, findings }, [...this.#sessions.values()], {
      looksAt: (session) => {
        const { id } = session.pin.session;
        return looks?.filter((look) => look.session === id) ?? wholeLooks(all(id), session, settings).looks;
      },
    });
    const named = (sessions: readonly string[]) => sessions.map((id) => ids.get(id) ?? id);
    for (const { error, sessions } of run.failures) this.fail(error, named(sessions));
    for (const remark of run.remarks) this.remark(remark);
    this.remark({ type: 'log', lines: run.agentLog });
    this.#journal.goOn(run, elapsedMs ?? run.lastMs);
    this.#before = undefined;
  }

  /** Leaves out what the user's functions forbid. */
  read(result: ReplayResult): Finding {
    const { pin, config } = this.#session(result.session);
    return replayedOf(result, this.#sentTo(pin), this.#redaction.text, config);
  }

  /** Reads, writes down and compares a replay. @returns whether it finished its session */
  takeResult(result: ReplayResult): boolean {
    const { pin, config } = this.#session(result.session);
    return this.takeRead(findingOf(result, this.#sentTo(pin), this.#redaction.text, config));
  }

  #sentTo({ session }: RunScope['sessions'][number]['pin']): Parameters<typeof findingOf>[1] {
    this.#sent ??= sentTo([...this.#sessions.values()].flatMap(({ pin }) => pin.session.turns));
    return { session, sent: this.#sent };
  }

  /** Writes down and compares a replay that was read. @returns whether it finished its session */
  takeRead(finding: Finding): boolean {
    const { session } = finding;
    const wasOver = this.isOver(session);
    this.#write(finding);
    this.take(finding);
    return !wasOver && this.isOver(session);
  }

  /**
   * Judges a session by its latest traces.
   * @param lines of the journal about it, or why they are unknown
   * @param read findings that replace what was reported before
   */
  takeLate(session: string, lines: readonly string[] | AgentReplayError, read: readonly Finding[] = []): void {
    const before =
      lines instanceof AgentReplayError ? lines : findingsIn(lines).map((finding) => ({ ...finding, session }));
    const [{ side } = {}] = read;
    const known = before instanceof AgentReplayError ? [] : before.filter((finding) => finding.side === side);
    const after = read.map((finding) => superseding(known, finding));
    for (const finding of after) this.#write(finding);
    this.reopen(session, before, after, side);
  }

  override expect(looks: readonly Look[]): void {
    super.expect(looks);
    for (const { session } of looks) this.#tellState(session);
  }

  override fail(error: AgentReplayError, sessions: readonly string[] = []): void {
    super.fail(error, sessions);
    this.#journal.fail(error, sessions);
  }

  override remark(remark: Remark): void {
    super.remark(remark);
    this.#journal.remark(remark);
  }

  override judge(judgements: readonly Judged[]): void {
    this.#judgements = judgements;
    super.judge(judgements);
    this.#journal.judged(judgements);
  }

  /** The report, without secrets. After this the journal is complete. */
  conclude(ended: Ended): Report {
    this.#ended = ended;
    const { about: _, reason, ...how } = ended;
    const pinned = this.#options.scope.sessions.flatMap(({ pin, turns }) => (turns.length > 0 ? pin.session : []));
    this.#journal.end({ ...how, ...(reason && { reason: toProblem(reason) }) }, pinned);
    return this.#reportOf(this);
  }

  /** Asked after {@link conclude}. */
  replayed(): ReplayedSession {
    const report = this.#reportOf(this);
    const [[scoped], [result]] = [this.#options.scope.sessions, report.results.sessions];
    const turns =
      scoped === undefined || result === undefined
        ? []
        : replayedTurns(result, scoped, this.#held, { ...this.#session(result.id), redact: this.#redaction.text });
    return { report, turns, tested: this.firstLooks() };
  }

  /** The distinct behaviours of the one session. */
  held(): readonly KeptBehaviour[] {
    return this.#held;
  }

  /**
   * The result of the same replays compared with what is pinned now.
   * @param lines of the journal about the session
   */
  reportAgainst(session: Session, lines: readonly string[]): Report {
    const { settings, scope, part } = this.#options;
    const sessions = scope.sessions.map((each) => ({ ...each, pin: { ...each.pin, session } }));
    const ledger = new Ledger(settings, redactScope({ ...scope, sessions }, this.#redaction.text), part);
    ledger.judge(this.#judgements);
    for (const finding of findingsIn(lines)) ledger.take({ ...finding, session: session.id });
    ledger.close(this.#ended.reason);
    return this.#reportOf(ledger);
  }

  protected override keep(session: string, behaviours: readonly KeptBehaviour[]): void {
    const { isOnDemand, traces } = this.#options;
    if (isOnDemand) this.#held = behaviours;
    this.#tellState(session);
    if ((this.#before !== undefined && !this.#isAgain) || traces === undefined) return;
    this.#output.files(session, behaviourFiles(behaviours, this.#redaction.text));
  }

  #tellState(session: string): void {
    this.#output.session(session, this.concluded(session));
  }

  #write(finding: Finding): void {
    this.#journal.write(finding, this.#session(finding.session).pin.session);
  }

  #reportOf(ledger: Ledger): Report {
    const { reason: _, ...ended } = this.#ended;
    return redactReport(ledger.report(ended), this.#redaction.text);
  }

  #session(id: string): RunScope['sessions'][number] & { readonly config: LedgerConfig } {
    const session = this.#sessions.get(id) as RunScope['sessions'][number];
    return { ...session, config: withOwn(this.#options.config, session.own) };
  }
}
