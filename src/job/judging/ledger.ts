import { comparedBy, isAsRecorded } from '../../compare/index.ts';
import { AgentReplayError } from '../../errors.ts';
import type { FurtherRuns } from '../../replay/index.ts';
import { buildReport, type Report, type SessionOutcome } from '../../report/index.ts';
import { type FirstLook, MOST_REPLAYS, type RunShift } from '../../shift/index.ts';
import type { Remark, TracingSum } from '../journal/journal-format.ts';
import { evidenceOf, type RunAbout } from '../running/about.ts';
import { UsageSum } from '../running/usage-sum.ts';
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

/** What is known about a run if this ledger has only a part of it. */
export interface LedgerPart {
  /** Other sessions are elsewhere, so shifts by p are decided where all sessions are. */
  readonly isPart?: boolean | undefined;
  /** Number of turns judged by shift in the whole run, if only one session is here. */
  readonly turns?: number | undefined;
}

/** The result of a session, without the findings. */
export interface Concluded {
  readonly outcome: SessionOutcome;
  readonly runs: readonly RunEvidence[];
}

/** What a run has found out so far. It grows with the distinct behaviours, and by one short line per replay. */
export class Ledger {
  readonly #settings: RunSettings;
  readonly #scope: RunScope;
  readonly #open: Map<string, SessionProgress>;
  readonly #concluded = new Map<string, SessionOutcome>();
  readonly #problems: AgentReplayError[];
  /** Why the replays of a session never came, if known. */
  readonly #missing = new Map<string, AgentReplayError>();
  /** By session, turn and run. */
  readonly #runs = new Map<string, RunEvidence>();
  readonly #agentLog: string[] = [];
  readonly #usage = new UsageSum();
  #tracing: TracingSum = {};

  /** Finished sessions judged by shift: the tests need them, and they may get second looks. */
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

  /** Questions for the user's judge once all sessions are finished, from sessions judged run by run. */
  questions(): JudgeTexts[] {
    return this.#judgements.open().filter(({ session }) => this.#bases.of(session) === undefined);
  }

  /** Takes a judge's answers. Finished sessions must then be compared again: see {@link reopen}. */
  judge(judgements: readonly Judged[]): void {
    this.#judgements.take(judgements);
  }

  /** Takes one replay. @returns the distinct behaviours of its session if that is finished */
  take(finding: Finding): readonly KeptBehaviour[] | undefined {
    const { session, side, attempts, callMs, usage, replaced = [] } = finding;
    const progress = side === 'base' ? this.#bases.progressOf(session) : this.#open.get(session);
    progress?.take(finding);
    // A replay given up before it was sent took no time and cost nothing.
    if (callMs !== undefined) this.#usage.add(attempts, usage);
    for (const each of replaced) this.#usage.replace(each.attempts, each.usage);
    this.#noteRun(finding);
    if (side === 'base') return undefined;
    return progress?.isOver ? this.#conclude(session, progress, neverCame()) : undefined;
  }

  /**
   * Compares a session again after traces of some replays have changed.
   * @param before all findings about it, one per replay; or why they are unknown
   * @param after findings that replace some of them
   * @returns its distinct behaviours if it is finished
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
    this.#concluded.delete(session);
    const lost = before instanceof AgentReplayError ? before : stoppedTooEarly();
    return this.#conclude(session, progress, this.#missing.get(session) ?? lost);
  }

  /** Whether any session is judged by shift. */
  get hasShift(): boolean {
    if (this.#settings.base !== undefined) return true;
    return [...this.#open.values(), ...this.#held.values()].some(({ gate }) => gate === 'shift');
  }

  /**
   * Further runs of turns whose first runs look odd, asked for once all of those are finished: up to {@link MOST_REPLAYS}
   * per turn. If sessions look shifted together, as many again of all. They count as expected from then on.
   * @param sessions of one agent, by id
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

  /** The units of finished sessions that had no second look. */
  #unlooked(sessions: readonly string[]): TestedTurns[] {
    return sessions.flatMap((id) => {
      const progress = this.#further.has(id) ? undefined : this.#held.get(id);
      if (progress === undefined) return [];
      const base = this.#bases.of(id);
      if (base === undefined && progress.requested >= MOST_REPLAYS) return [];
      return base === undefined ? progress.units() : progress.tested(base);
    });
  }

  /** The first looks of finished sessions, for the test of all sessions together. */
  firstLooks(): FirstLook[] {
    return [...this.#held.values()].flatMap((progress) => progress.units().map(({ unit }) => unit.firstLook));
  }

  /** Adds further runs. Finished sessions are open again. */
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
      this.#concluded.delete(session);
      this.#open.set(session, progress);
    }
  }

  /** Whether a finished session would fail the run now, or is in doubt. */
  get isInDoubt(): boolean {
    return [...this.#concluded.values()].some(({ gate, turns }) =>
      turns.some(({ comparison: { verdict }, events = [] }) =>
        // Variation is no doubt where it is tested.
        gate === 'shift' ? verdict === 'inconclusive' || events.length > 0 : !isAsRecorded(verdict),
      ),
    );
  }

  /** Whether no further replay of a session is needed. */
  isOver(session: string): boolean {
    return !this.#open.has(session);
  }

  /**
   * Concludes unfinished sessions as they are.
   * @param ended why the run ended before them
   * @returns their distinct behaviours
   */
  close(ended?: AgentReplayError | undefined): readonly KeptBehaviour[] {
    return [...this.#open].flatMap(([id, progress]) =>
      this.#conclude(id, progress, this.#missing.get(id) ?? ended ?? neverCame()),
    );
  }

  /** A finished session; undefined if it is not, or if its result depends on other sessions too. */
  concluded(session: string): Concluded | undefined {
    const outcome = this.#held.has(session) ? undefined : this.#concluded.get(session);
    if (outcome === undefined) return undefined;
    const { runs = [] } = this.#scope.sessions.find(({ pin }) => pin.session.id === session) ?? {};
    const made = outcome.turns.flatMap(({ turn }) => runs.map((run) => this.#runs.get(callOf({ session, turn, run }))));
    return { outcome, runs: made.filter((run) => run !== undefined) };
  }

  /** Takes a session that another ledger concluded. Only that one knows the cost of its replays. */
  takeConcluded({ outcome, runs }: Concluded): void {
    this.#open.delete(outcome.id);
    this.#concluded.set(outcome.id, outcome);
    for (const run of runs) {
      this.#runs.set(callOf(run), run);
      if (run.callMs !== undefined) this.#usage.add(run.attempts);
      for (const { attempts } of run.replaced ?? []) this.#usage.replace(attempts);
    }
  }

  /** Notes replays of a session that never came, and why. @returns its distinct behaviours if this finishes it */
  lose(session: string, runs: readonly number[], error: AgentReplayError): readonly KeptBehaviour[] {
    const progress = this.#open.get(session);
    progress?.lose(runs, error);
    return progress?.isOver ? this.#conclude(session, progress, neverCame()) : [];
  }

  /** Notes a failure that keeps sessions, by id, from being replayed. It is reported in full once. */
  fail(error: AgentReplayError, sessions: readonly string[] = []): void {
    this.#problems.push(error);
    for (const id of sessions) this.#missing.set(id, referringToRun(error));
  }

  remark(remark: Remark): void {
    switch (remark.type) {
      case 'base':
        this.#bases.against(remark);
        break;
      case 'no-base':
        this.#bases.lack(remark);
        break;
      case 'tracing':
        this.#traced(remark.sum);
        break;
      case 'log':
        this.#agentLog.push(...remark.lines);
    }
  }

  /** Adds what reading one agent's traces took. */
  #traced(sum: TracingSum): void {
    for (const [name, amount] of Object.entries(sum) as [keyof TracingSum, number | undefined][]) {
      if (amount !== undefined) this.#tracing[name] = (this.#tracing[name] ?? 0) + amount;
    }
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
    const concluded = [...this.#concluded.values()];
    const byRecordings = judgeShift(
      concluded.filter((session) => !isAgainst(session)),
      new Map([...this.#held].filter(([id]) => !this.#bases.of(id)).map(([id, progress]) => [id, progress.units()])),
      options,
    );
    if (this.#settings.base === undefined) return { ...byRecordings, base: undefined };
    const pairs = concluded.filter(isAgainst).map((outcome) => {
      const { id } = outcome;
      return { outcome, head: this.#held.get(id), base: this.#bases.of(id) as SessionProgress };
    });
    const { outcomes, shift, ...told } = judgeAgainstBase(pairs, options);
    const { without, ...ofBase } = this.#bases.inReport(this.#settings.base);
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
    if (this.#settings.judge !== undefined) this.#judgements.ask(progress.openTexts());
    this.#open.delete(id);
    if (progress.gate === 'shift' || this.#settings.base !== undefined) this.#held.set(id, progress);
    this.#concluded.set(id, outcome);
    return behaviours;
  }
}

/** The suites of agents with a base, and of others. */
function bothShifts(one: RunShift | undefined, other: RunShift | undefined): RunShift | undefined {
  return one && other ? { ...one, suites: [...one.suites, ...other.suites] } : (one ?? other);
}

function expectFurther(progress: SessionProgress, { turns, from, to }: FurtherRuns): void {
  const runs = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  for (const turn of turns) progress.expect(turn, runs);
}

/** The same error in short, as the reason of one replay: the run's problems contain it in full. */
export function referringToRun({ code, message }: AgentReplayError): AgentReplayError {
  return new AgentReplayError(code, message, { hint: 'See the problem of the whole run.' });
}

/** For a session that was stopped early, before all spans of its traces arrived. */
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
