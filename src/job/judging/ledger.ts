import { comparedBy, isAsRecorded } from '../../compare/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { FurtherRuns } from '../../replay/index.ts';
import { buildReport, type Report, type SessionOutcome } from '../../report/index.ts';
import { type FirstLook, MOST_REPLAYS, type RunShift } from '../../shift/index.ts';
import type { BaseCommit, NoBase, TracingSum } from '../journal/journal-format.ts';
import { evidenceOf, type RunAbout } from '../running/about.ts';
import { UsageSum } from '../running/usage.ts';
import { judgeAgainstBase } from './base-verdict.ts';
import { Bases } from './bases.ts';
import { callOf, type Finding } from './finding.ts';
import type { Judged, JudgeTexts } from './judge.ts';
import { Judgements } from './judgements.ts';
import { type RunEvidence, runEvidenceOf } from './run-evidence.ts';
import type { PlannedSession, RunScope } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';
import { looksAgainstBase, looksByRecordings } from './second-looks.ts';
import { gatesTold } from './session-gate.ts';
import { type KeptBehaviour, SessionProgress, type TestedTurns } from './session-progress.ts';
import { judgeShift } from './shift-verdict.ts';

/** What is known of a run of which this ledger keeps a part. */
export interface LedgerPart {
  /** Some sessions are elsewhere: what has shifted by its p is decided where all of them are. */
  readonly isPart?: boolean | undefined;
  /** Turns that are judged by shift in the whole of it, where only one session is here. */
  readonly turns?: number | undefined;
}

/** What a session came to, without what it came from. */
export interface Concluded {
  readonly outcome: SessionOutcome;
  readonly runs: readonly RunEvidence[];
}

/** What a run has found out so far. It grows with the distinct behaviours and with one short line for each replay. */
export class Ledger {
  readonly #settings: RunSettings;
  readonly #scope: RunScope;
  readonly #open: Map<string, SessionProgress>;
  readonly #concluded: SessionOutcome[] = [];
  readonly #problems: AgentReplayError[];
  /** Why the replays of a session never came, where that is known. */
  readonly #missing = new Map<string, AgentReplayError>();
  /** By session, turn and run. */
  readonly #runs = new Map<string, RunEvidence>();
  readonly #agentLog: string[] = [];
  readonly #usage = new UsageSum();
  #tracing: TracingSum = {};

  /** Sessions by shift that are over: the tests need them, and they may be looked at again. */
  readonly #held = new Map<string, SessionProgress>();
  readonly #bases: Bases;
  readonly #judgements = new Judgements();
  /** Second looks, by session. */
  readonly #further = new Map<string, FurtherRuns[]>();
  readonly #part: LedgerPart;

  constructor(settings: RunSettings, scope: RunScope, part: LedgerPart = {}) {
    this.#part = part;
    this.#settings = settings;
    this.#scope = scope;
    this.#problems = [...scope.problems];
    const progress = () =>
      new Map(scope.sessions.map((session) => [session.pin.session.id, this.#progressOf(session)]));
    this.#open = progress();
    this.#bases = new Bases(settings, settings.base === undefined ? new Map() : progress());
  }

  #progressOf(session: PlannedSession): SessionProgress {
    if (this.#settings.judge === undefined) return new SessionProgress(session, this.#settings);
    const { id } = session.pin.session;
    return new SessionProgress(
      session,
      this.#settings,
      (turn) => (recorded, replayed) => this.#judgements.of({ session: id, turn, recorded, replayed }),
    );
  }

  /** What the user's judge can be asked once all sessions are over: of those that are judged run by run. */
  questions(): JudgeTexts[] {
    return this.#judgements.open().filter(({ session }) => this.#bases.of(session) === undefined);
  }

  /** Takes what a judge has said. Sessions that are over are to be compared anew: see {@link reopen}. */
  judge(judgements: readonly Judged[]): void {
    this.#judgements.take(judgements);
  }

  /** Sessions are judged against this commit. */
  against(base: BaseCommit): void {
    this.#bases.against(base);
  }

  /** Some sessions are not, but by their recordings. */
  withoutBase(why: NoBase): void {
    this.#bases.lack(why);
  }

  /** Takes one replay. @returns the distinct behaviours of its session when that is over */
  take(finding: Finding): readonly KeptBehaviour[] | undefined {
    const { session, side, attempts, callMs, usage, replaced = [] } = finding;
    const progress = side === 'base' ? this.#bases.progressOf(session) : this.#open.get(session);
    progress?.take(finding);
    // What was given up before it was sent took no time, and costs nothing.
    if (callMs !== undefined) this.#usage.add(attempts, usage);
    for (const each of replaced) this.#usage.replace(each.attempts, each.usage);
    this.#noteRun(finding);
    if (side === 'base') return undefined;
    return progress?.isOver ? this.#conclude(session, progress, neverCame()) : undefined;
  }

  /**
   * Compares a session anew, of whose replays some traces have changed.
   * @param before all that was found out about it, each replay once; or why that is not known any more
   * @param after what takes the place of some of it
   * @returns its distinct behaviours when it is over
   */
  reopen(
    session: string,
    before: readonly Finding[] | AgentReplayError,
    after: readonly Finding[],
    side?: 'base' | undefined,
  ): readonly KeptBehaviour[] {
    const scoped = this.#scope.sessions.find(({ pin }) => pin.session.id === session);
    if (scoped === undefined) return [];
    const known = before instanceof AgentReplayError ? [] : before.filter((finding) => finding.side === side);
    const findings = new Map([...known, ...after].map((finding) => [callOf(finding), finding]));
    const earlier = new Map(known.map((finding) => [callOf(finding), finding]));
    const progress = this.#progressOf(scoped);
    for (const further of this.#further.get(session) ?? []) expectFurther(progress, further);
    for (const finding of findings.values()) progress.take(finding);
    for (const finding of after) {
      this.#usage.correct(earlier.get(callOf(finding))?.usage, finding.usage);
      this.#noteRun(finding);
    }
    if (side === 'base') {
      this.#bases.replace(session, progress);
      return [];
    }
    if (this.#open.has(session)) {
      this.#open.set(session, progress);
      return progress.isOver ? this.#conclude(session, progress, neverCame()) : [];
    }
    this.#concluded.splice(
      this.#concluded.findIndex(({ id }) => id === session),
      1,
    );
    const lost = before instanceof AgentReplayError ? before : stoppedTooEarly();
    return this.#conclude(session, progress, this.#missing.get(session) ?? lost);
  }

  /** Whether any session is judged by shift. */
  get hasShift(): boolean {
    if (this.#settings.base !== undefined) return true;
    return [...this.#open.values(), ...this.#held.values()].some(({ gate }) => gate === 'shift');
  }

  /**
   * Further runs of what looks odd in its first runs, asked for once all of them are over: of each turn up to
   * {@link MOST_REPLAYS}; of sessions that look shifted together as many again. They are expected from then on.
   * @param sessions by id: those of one agent
   */
  secondLooks(sessions: readonly string[]): FurtherRuns[] {
    const isAgainst = (id: string) => this.#bases.of(id) !== undefined;
    const { isPart = false, turns } = this.#part;
    const looks = [
      ...looksAgainstBase(this.#unlooked(sessions.filter(isAgainst)), this.#settings, { isWhole: !isPart }),
      ...looksByRecordings(this.#unlooked(sessions.filter((id) => !isAgainst(id))), this.#settings, {
        isWhole: !isPart && turns === undefined,
      }),
    ];
    this.expect(looks);
    return looks;
  }

  /** What is tested of those of some sessions that are over, and of which no second look was taken. */
  #unlooked(sessions: readonly string[]): TestedTurns[] {
    return sessions.flatMap((id) => {
      const progress = this.#further.has(id) ? undefined : this.#held.get(id);
      if (progress === undefined) return [];
      const base = this.#bases.of(id);
      if (base === undefined && progress.requested >= MOST_REPLAYS) return [];
      return base === undefined ? progress.units() : progress.tested(base);
    });
  }

  /** What the test of all sessions together needs of those that are here and over. */
  firstLooks(): FirstLook[] {
    return [...this.#held.values()].flatMap((progress) => progress.units().map(({ unit }) => unit.firstLook));
  }

  /** Further runs are made. Sessions that are over are open again. */
  expect(looks: readonly FurtherRuns[]): void {
    for (const look of looks) {
      const { session } = look;
      this.#further.set(session, [...(this.#further.get(session) ?? []), look]);
      const base = this.#bases.progressOf(session);
      if (base !== undefined) expectFurther(base, look);
      const progress = this.#held.get(session) ?? this.#open.get(session);
      if (progress === undefined) continue;
      expectFurther(progress, look);
      if (!this.#held.delete(session)) continue;
      this.#concluded.splice(
        this.#concluded.findIndex(({ id }) => id === session),
        1,
      );
      this.#open.set(session, progress);
    }
  }

  /** Whether a finished session fails the run at this point, or is in doubt. */
  get isInDoubt(): boolean {
    return this.#concluded.some(({ gate, turns }) =>
      turns.some(({ comparison: { verdict }, events = [] }) =>
        // How runs vary is no doubt where it is tested.
        gate === 'shift' ? verdict === 'inconclusive' || events.length > 0 : !isAsRecorded(verdict),
      ),
    );
  }

  /** Whether no further replay of a session is needed. */
  isOver(session: string): boolean {
    return !this.#open.has(session);
  }

  /**
   * Concludes the sessions that are not over, as they are.
   * @param ended why the whole run came to its end before they did
   * @returns their distinct behaviours
   */
  close(ended?: AgentReplayError | undefined): readonly KeptBehaviour[] {
    return [...this.#open].flatMap(([id, progress]) =>
      this.#conclude(id, progress, this.#missing.get(id) ?? ended ?? neverCame()),
    );
  }

  /** A session that is over; undefined where it is not, or where more than its own runs decides what it came to. */
  concluded(session: string): Concluded | undefined {
    const outcome = this.#held.has(session) ? undefined : this.#concluded.find(({ id }) => id === session);
    if (outcome === undefined) return undefined;
    const { runs = [] } = this.#scope.sessions.find(({ pin }) => pin.session.id === session) ?? {};
    const made = outcome.turns.flatMap(({ turn }) => runs.map((run) => this.#runs.get(callOf({ session, turn, run }))));
    return { outcome, runs: made.filter((run) => run !== undefined) };
  }

  /** Takes a session that another ledger has concluded. What its replays have cost is known there alone. */
  takeConcluded({ outcome, runs }: Concluded): void {
    this.#open.delete(outcome.id);
    this.#concluded.push(outcome);
    for (const run of runs) {
      this.#runs.set(callOf(run), run);
      if (run.callMs !== undefined) this.#usage.add(run.attempts);
      for (const { attempts } of run.replaced ?? []) this.#usage.replace(attempts);
    }
  }

  /** Replays of a session that never came, and why. @returns its distinct behaviours when it is over with them */
  lose(session: string, runs: readonly number[], error: AgentReplayError): readonly KeptBehaviour[] {
    const progress = this.#open.get(session);
    progress?.lose(runs, error);
    return progress?.isOver ? this.#conclude(session, progress, neverCame()) : [];
  }

  /** Notes a failure that keeps some sessions, by id, from being replayed. It is reported in full once. */
  fail(error: AgentReplayError, sessions: readonly string[] = []): void {
    this.#problems.push(error);
    for (const id of sessions) this.#missing.set(id, toldOnce(error));
  }

  /** Notes what reading the traces of one agent took. */
  traced(sum: TracingSum): void {
    for (const [name, amount] of Object.entries(sum) as [keyof TracingSum, number | undefined][]) {
      if (amount !== undefined) this.#tracing[name] = (this.#tracing[name] ?? 0) + amount;
    }
  }

  log(lines: readonly string[]): void {
    this.#agentLog.push(...lines);
  }

  report({ about, ...ended }: { about: RunAbout } & Pick<Report['evidence'], 'durationMs' | 'interruptedBy'>): Report {
    const { compare, traceSource } = this.#settings;
    const evidence: Report['evidence'] = {
      ...evidenceOf(about, this.#settings),
      ...ended,
      ...(Object.keys(this.#tracing).length > 0 ? { tracing: this.#tracing } : {}),
      ...this.#usage.models(),
      usage: this.#usage.sum(),
      agentLog: this.#agentLog,
      runs: [...this.#runs.values()],
      ...(this.#bases.runs.length > 0 && { baseRuns: [...this.#bases.runs] }),
    };
    const { sessions: judged, shift, base } = this.#judged();
    const sessions = judged.map((session) => this.#judgements.addedTo(session));
    const judge = this.#judgements.sum(this.#settings.judge);
    const gates = gatesTold(
      this.#scope.sessions.filter(({ pin }) => this.#bases.of(pin.session.id) === undefined),
      this.#settings,
    );
    return buildReport(
      {
        sessions,
        ...(gates !== undefined && { gates }),
        ...(shift && { shift }),
        ...(base && { base }),
        ...(judge && { judge }),
        problems: [...this.#problems, ...this.#bases.problems()],
        runs: this.#scope.runs.length,
        strictness: compare.strictness,
        compared: comparedBy(compare, { hasTraces: traceSource !== 'none' }),
        evidence,
      },
      this.#settings,
    );
  }

  #judged(): { sessions: SessionOutcome[]; shift: RunShift | undefined; base: Report['results']['base'] } {
    const options = { ...this.#settings, isPart: this.#part.isPart, counted: this.#part.turns };
    const isAgainst = ({ id }: SessionOutcome) => this.#bases.of(id) !== undefined;
    const byRecordings = judgeShift(
      this.#concluded.filter((session) => !isAgainst(session)),
      new Map([...this.#held].filter(([id]) => !this.#bases.of(id)).map(([id, progress]) => [id, progress.units()])),
      options,
    );
    if (this.#settings.base === undefined) return { ...byRecordings, base: undefined };
    const pairs = this.#concluded.filter(isAgainst).map((outcome) => {
      const { id } = outcome;
      return { outcome, head: this.#held.get(id), base: this.#bases.of(id) as SessionProgress };
    });
    const { outcomes, shift, ...told } = judgeAgainstBase(pairs, options);
    const { without, ...ofBase } = this.#bases.told(this.#settings.base);
    return {
      sessions: [...byRecordings.sessions, ...outcomes],
      shift: bothShifts(shift, byRecordings.shift),
      base: { ...ofBase, ...told, without },
    };
  }

  #noteRun(finding: Finding): void {
    if (finding.side === 'base') this.#bases.note(finding);
    else this.#runs.set(callOf(finding), runEvidenceOf(finding));
  }

  #conclude(id: string, progress: SessionProgress, missing: AgentReplayError): readonly KeptBehaviour[] {
    const { outcome, behaviours } = progress.conclude(missing);
    if (this.#settings.judge !== undefined) {
      this.#judgements.ask(progress.openTexts());
    }
    this.#open.delete(id);
    if (progress.gate === 'shift' || this.#settings.base !== undefined) this.#held.set(id, progress);
    this.#concluded.push(outcome);
    return behaviours;
  }
}

/** Suites of agents that have a base, and of others. */
function bothShifts(one: RunShift | undefined, other: RunShift | undefined): RunShift | undefined {
  return one && other ? { ...one, suites: [...one.suites, ...other.suites] } : (one ?? other);
}

function expectFurther(progress: SessionProgress, { turns, from, to }: FurtherRuns): void {
  const runs = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  for (const turn of turns) progress.expect(turn, runs);
}

/** The same error as the reason of one replay: its story is a problem of the whole run. */
export function toldOnce({ code, message }: AgentReplayError): AgentReplayError {
  return new AgentReplayError(code, message, { hint: 'See the problem of the whole run.' });
}

/** For a session that was stopped early, before all spans of its traces had arrived. */
function stoppedTooEarly(): AgentReplayError {
  return new AgentReplayError('TRACE_INCOMPLETE', 'Spans arrived after the session had been stopped early.', {
    hint: 'Export all spans before the answer is sent (docs/endpoint.md), or replay without stopEarly.',
  });
}

function neverCame(): AgentReplayError {
  return new AgentReplayError('INTERNAL', 'The replay was never made.', {
    hint: 'See the other problems of the run; if there are none, this is a defect in agent-replay.',
  });
}
