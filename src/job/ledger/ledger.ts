import { comparedBy, isAsRecorded, isDoubt } from '../../compare/index.ts';
import { AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { byCodeUnit, present } from '../../json/index.ts';
import { buildReport, type Report, type SessionOutcome } from '../../report/index.ts';
import type { FirstLook, RunShift } from '../../shift/index.ts';
import { Bases } from '../judging/bases.ts';
import { callOf, type Finding } from '../judging/finding.ts';
import { GATES, gateFor, gatesTold, unitsOf } from '../judging/gates.ts';
import { type Judged, type JudgeTexts, type JudgeUsage, sumOfUsage } from '../judging/judge.ts';
import { type RunEvidence, runEvidenceOf } from '../judging/run-evidence.ts';
import { type KeptBehaviour, SessionProgress } from '../judging/session-progress.ts';
import { evidenceOf, type RunAbout } from '../records/about.ts';
import type { Gate, GatePolicy, GateVerdict, JudgedSession, LedgerPart, Look } from '../records/extension-points.ts';
import type { JournalEnd, Remark, TracingSum } from '../records/journal-format.ts';
import { type PlannedSession, type RunScope, withoutRecordings } from '../records/run-scope.ts';
import type { RunSettings } from '../records/run-settings.ts';
import { UsageSum } from '../records/usage-sum.ts';

/** Offline or without its agent no gate judges against the base. */
const NONE_BY_BASE = { blame: null, sessions: 0, drifted: [], driftedSuites: [] };

export interface Ended extends Pick<JournalEnd, 'durationMs' | 'interruptedBy'> {
  readonly about: RunAbout;
  readonly reason?: AgentReplayError;
}

/** The result of a session, without the findings. */
export interface Concluded {
  readonly outcome: SessionOutcome;
  readonly runs: readonly RunEvidence[];
}

/** What a run has found out so far. It grows with the distinct behaviours, and by one short line per replay. */
export class Ledger {
  readonly #settings: RunSettings;
  readonly #requested: number;
  readonly #sessions: Map<string, PlannedSession>;
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

  /** Finished sessions with units: their gates need them, and they may get further looks. */
  readonly #held = new Map<string, SessionProgress>();
  readonly #bases: Bases;
  readonly #judgements = new Judgements();
  /** Looks beside the first, by session. */
  readonly #looks = new Map<string, Look[]>();
  #policy: GatePolicy;

  constructor(settings: RunSettings, scope: RunScope, part: LedgerPart = {}) {
    const { alpha, minShift, base } = settings;
    this.#settings = settings;
    this.#requested = scope.runs.length;
    const planned = scope.sessions.flatMap((session) => unitsOf(session, { ...settings, base: undefined })).length;
    this.#policy = { alpha, minShift, base, ...part, planned: part.planned ?? planned };
    this.#sessions = new Map(scope.sessions.map((session) => [session.pin.session.id, session]));
    this.#problems = [...scope.problems];
    const progress = () =>
      new Map(scope.sessions.map((session) => [session.pin.session.id, this.#progressOf(session)]));
    this.#open = progress();
    this.#bases = new Bases(settings, settings.base === undefined ? new Map() : progress());
  }

  #progressOf(session: PlannedSession): SessionProgress {
    const { id } = session.pin.session;
    const isTested = unitsOf(session, { ...this.#settings, base: undefined }).length > 0;
    const judged = (turn: number) => (recorded: string, replayed: string) =>
      this.#judgements.of({ session: id, turn, recorded, replayed });
    return new SessionProgress(session, this.#settings, {
      isTested,
      ...(this.#settings.judge !== undefined && { judged }),
    });
  }

  /** Questions for the user's judge once all sessions are finished, from sessions judged run by run. */
  questions(): JudgeTexts[] {
    return this.#judgements.open().filter(({ session }) => this.#isByRecordings(session));
  }

  /** Finished sessions must then be compared again: see {@link reopen}. */
  judge(judgements: readonly Judged[]): void {
    this.#judgements.take(judgements);
  }

  take(finding: Finding): void {
    const { session, side, attempts, callMs, usage, replaced = [] } = finding;
    const progress = side === 'base' ? this.#bases.progress.get(session) : this.#open.get(session);
    progress?.take(finding);
    // A replay given up before it was sent took no time and cost nothing.
    if (callMs !== undefined) this.#usage.add(attempts, usage);
    for (const each of replaced) this.#usage.replace(each.attempts, each.usage);
    this.#noteRun(finding);
    if (side !== 'base' && progress?.isOver) this.#conclude(session, progress, neverCame());
  }

  /**
   * Compares a session again after traces of some replays have changed.
   * @param before all findings about it, one per replay; or why they are unknown
   * @param after findings that replace some of them
   */
  reopen(
    session: string,
    before: readonly Finding[] | AgentReplayError,
    after: readonly Finding[],
    side?: 'base',
  ): void {
    const scoped = this.#sessions.get(session);
    if (scoped === undefined) return;
    const known = before instanceof AgentReplayError ? [] : before.filter((finding) => finding.side === side);
    const findings = new Map([...known, ...after].map((finding) => [callOf(finding), finding]));
    const earlier = new Map(known.map((finding) => [callOf(finding), finding]));
    const progress = this.#progressOf(scoped);
    for (const look of this.#looks.get(session) ?? []) expectRuns(progress, look);
    for (const finding of findings.values()) progress.take(finding);
    for (const finding of after) {
      this.#usage.correct(earlier.get(callOf(finding))?.usage, finding.usage);
      this.#noteRun(finding);
    }
    if (side === 'base') {
      this.#bases.progress.set(session, progress);
    } else if (this.#open.has(session)) {
      this.#open.set(session, progress);
      if (progress.isOver) this.#conclude(session, progress, neverCame());
    } else {
      this.#concluded.delete(session);
      const lost = before instanceof AgentReplayError ? before : neverCame();
      this.#conclude(session, progress, this.#missing.get(session) ?? lost);
    }
  }

  /**
   * Further runs that the gates want, asked for once all runs so far are finished. They count as expected from then on.
   * @param sessions of one agent, by id
   */
  nextLooks(sessions: readonly string[]): Look[] {
    const looks = this.wanted(sessions.filter((id) => this.#held.has(id)));
    this.expect(looks);
    return looks;
  }

  /** Further runs that the gates want of finished sessions. */
  wanted(finished: Iterable<string> = this.#held.keys()): Look[] {
    return this.#byGate(finished).flatMap(({ gate, of }) => gate.looks(of, this.#policy));
  }

  #byGate(sessions: Iterable<string>): { readonly gate: Gate; readonly of: readonly JudgedSession[] }[] {
    const ids = Map.groupBy(sessions, (id) => this.#gateOf(id));
    return GATES.map((gate) => ({
      gate,
      of: (ids.get(gate) ?? []).map((id) => ({
        outcome: this.#concluded.get(id) as SessionOutcome,
        head: this.#held.get(id),
        base: this.#bases.of(id),
        looks: this.#looks.get(id) ?? [],
      })),
    }));
  }

  #gateOf(id: string): Gate {
    return this.#gateWith(id, this.#bases.of(id) && this.#settings.base);
  }

  #isByRecordings(id: string): boolean {
    return this.#gateOf(id) === this.#gateWith(id, undefined);
  }

  #gateWith(id: string, base: string | undefined): Gate {
    return gateFor(this.#sessions.get(id) as PlannedSession, { ...this.#settings, base });
  }

  /** The first looks of finished sessions, for the test of all sessions together. */
  firstLooks(): FirstLook[] {
    const tested = [...this.#held.values()].filter(({ isTested }) => isTested);
    return tested.flatMap((progress) => progress.tested().map(({ unit }) => unit.firstLook));
  }

  /** Finished sessions are open again. */
  expect(looks: readonly Look[]): void {
    for (const look of looks) {
      const { session } = look;
      this.#looks.set(session, [...(this.#looks.get(session) ?? []), look]);
      const base = this.#bases.progress.get(session);
      if (base !== undefined) expectRuns(base, look);
      const progress = this.#held.get(session) ?? this.#open.get(session);
      if (progress === undefined) continue;
      expectRuns(progress, look);
      if (!this.#held.delete(session)) continue;
      this.#concluded.delete(session);
      this.#open.set(session, progress);
    }
  }

  looks(): Look[] {
    return [...this.#looks.values()].flat();
  }

  /** Whether a finished session would fail the run now, or is in doubt. */
  isInDoubt(): boolean {
    return [...this.#concluded.values()].some(({ id, turns }) =>
      turns.some(({ comparison: { verdict }, events = [] }) =>
        // Variation is no doubt where it is tested.
        this.#held.get(id)?.isTested ? isDoubt(verdict) || events.length > 0 : !isAsRecorded(verdict),
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
   */
  close(ended?: AgentReplayError): void {
    for (const [id, progress] of [...this.#open]) {
      try {
        this.#conclude(id, progress, this.#missing.get(id) ?? ended ?? neverCame());
      } catch (error) {
        // A session that our own defect loses must leave a doubt.
        this.#problems.push(asAgentReplayError(error));
      }
    }
  }

  /** Called with the distinct behaviours of each session that is finished, again if it is finished anew. */
  protected keep(_session: string, _behaviours: readonly KeptBehaviour[]): void {}

  /** Undefined if it is not finished, or if its result depends on other sessions. */
  concluded(session: string): Concluded | undefined {
    const outcome = this.#held.has(session) ? undefined : this.#concluded.get(session);
    if (outcome === undefined) return undefined;
    const { runs = [] } = this.#sessions.get(session) ?? {};
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

  /**
   * Takes what another ledger found out about other sessions of the same run, whose results it has all concluded. Of their
   * runs only what the gates read is kept. Its problems and remarks stay there.
   */
  absorb(other: Ledger): void {
    for (const [id, session] of other.#sessions) this.#sessions.set(id, withoutRecordings(session));
    this.#policy = { ...this.#policy, planned: this.#policy.planned + other.#policy.planned };
    for (const [id, outcome] of other.#concluded) this.#concluded.set(id, outcome);
    for (const [call, run] of other.#runs) this.#runs.set(call, run);
    for (const [id, looks] of other.#looks) this.#looks.set(id, looks);
    const isByBase = this.#settings.base !== undefined;
    for (const [id, progress] of other.#held) this.#held.set(id, isByBase ? progress : progress.settled());
    this.#bases.absorb(other.#bases);
    this.#judgements.take(other.#judgements.said);
    this.#usage.absorb(other.#usage);
  }

  /** Notes replays of a session that never came, and why. */
  lose(session: string, runs: readonly number[], error: AgentReplayError): void {
    const progress = this.#open.get(session);
    progress?.lose(runs, error);
    if (progress?.isOver) this.#conclude(session, progress, neverCame());
  }

  /** Notes a failure that keeps sessions, by id, from being replayed. It is reported in full once. */
  fail(error: AgentReplayError, sessions: readonly string[] = []): void {
    this.#problems.push(error);
    for (const id of sessions) this.#missing.set(id, referringToRun(error));
  }

  remark(remark: Remark): void {
    switch (remark.type) {
      case 'base':
        this.#bases.commit = remark;
        break;
      case 'no-base':
        this.#bases.without.push(remark);
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

  report({
    about,
    untold,
    ...ended
  }: Omit<Ended, 'reason' | 'interruptedBy'> &
    Pick<Report['evidence'], 'interruptedBy'> &
    Pick<Report['results'], 'untold'>): Report {
    const { compare, traceSource } = this.#settings;
    const evidence: Report['evidence'] = {
      ...evidenceOf(about, this.#settings),
      ...ended,
      ...(Object.keys(this.#tracing).length > 0 ? { tracing: this.#tracing } : {}),
      ...this.#usage.models(),
      usage: { ...this.#usage.sum(), ...present({ judge: this.#judgements.usage() }) },
      agentLog: this.#agentLog,
      runs: [...this.#runs.values()],
      ...(this.#bases.runs.size > 0 && { baseRuns: [...this.#bases.runs.values()] }),
    };
    const { sessions: judged, shift, base } = this.#judged();
    const sessions = judged.map((session) => this.#judgements.addedTo(session));
    const judge = this.#judgements.sum(this.#settings.judge);
    const gates = gatesTold(
      [...this.#sessions.values()].filter(({ pin }) => this.#isByRecordings(pin.session.id)),
      this.#settings,
    );
    return buildReport(
      {
        sessions,
        ...(shift && { shift: { ...shift, ...(this.#settings.failOn.drift && { gatesDrift: true }) } }),
        ...present({ gates, base, judge, untold }),
        problems: [...this.#problems, ...this.#bases.problems((id) => this.#missing.has(id))],
        runs: this.#requested,
        strictness: compare.strictness,
        compared: comparedBy(compare, { hasTraces: traceSource !== 'none' }),
        evidence,
      },
      this.#settings,
    );
  }

  #judged(): Omit<GateVerdict, 'base'> & { readonly base: Report['results']['base'] } {
    const verdicts = this.#byGate(this.#concluded.keys()).map(({ gate, of }) => gate.verdict(of, this.#policy));
    const base = verdicts.find(({ base }) => base !== undefined)?.base;
    const bases = this.#bases.inReport(this.#settings.base ?? '');
    return {
      sessions: verdicts.flatMap(({ sessions }) => sessions),
      shift: verdicts.map(({ shift }) => shift).reduce(bothShifts, undefined),
      base: base || bases.without.length > 0 ? { ...NONE_BY_BASE, ...base, ...bases } : undefined,
    };
  }

  #noteRun(finding: Finding): void {
    const runs = finding.side === 'base' ? this.#bases.runs : this.#runs;
    runs.set(callOf(finding), runEvidenceOf(finding));
  }

  #conclude(id: string, progress: SessionProgress, missing: AgentReplayError): void {
    const { outcome, behaviours } = progress.conclude(missing);
    if (this.#settings.judge !== undefined) this.#judgements.ask(progress.openTexts());
    this.#open.delete(id);
    if (progress.isTested || this.#settings.base !== undefined) this.#held.set(id, progress);
    this.#concluded.set(id, outcome);
    this.keep(id, behaviours);
  }
}

/** The suites of agents with a base, and of others. */
function bothShifts(one: RunShift | undefined, other: RunShift | undefined): RunShift | undefined {
  return one && other ? { ...one, suites: [...one.suites, ...other.suites] } : (one ?? other);
}

function expectRuns(progress: SessionProgress, { turns, from, to }: Look): void {
  const runs = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  for (const turn of turns) progress.expect(turn, runs);
}

/** The same error in short, as the reason of one replay: the run's problems contain it in full. */
export function referringToRun({ code, message }: AgentReplayError): AgentReplayError {
  return new AgentReplayError(code, message, { hint: 'See the problem of the whole run.' });
}

function neverCame(): AgentReplayError {
  return new AgentReplayError('INTERNAL', 'The replay was never made.', {
    hint: 'See the other problems of the run; if there are none, this is a defect in agent-replay.',
  });
}

type Texts = Pick<Judged, 'session' | 'turn' | 'recorded' | 'replayed'>;

function textsKey({ session, turn, recorded, replayed }: Texts): string {
  return JSON.stringify([session, turn, recorded, replayed]);
}

/** An order that does not depend on the arrival of replays. */
function inOrder(a: Texts, b: Texts): number {
  return byCodeUnit(a.session, b.session) || a.turn - b.turn || byCodeUnit(textsKey(a), textsKey(b));
}

/** Reworded answers for the user's judge, and its answers. */
class Judgements {
  readonly #questions = new Map<string, JudgeTexts>();
  readonly #said = new Map<string, Judged>();

  ask(questions: readonly JudgeTexts[]): void {
    for (const each of questions) this.#questions.set(textsKey(each), each);
  }

  open(): JudgeTexts[] {
    const open = [...this.#questions].filter(([key]) => !this.#said.has(key));
    return open.map(([, question]) => question).sort(inOrder);
  }

  get said(): Judged[] {
    return [...this.#said.values()];
  }

  take(judgements: readonly Judged[]): void {
    for (const each of judgements) {
      const runs = [...(this.#said.get(textsKey(each))?.runs ?? []), ...each.runs];
      this.#said.set(textsKey(each), { ...each, runs: [...new Set(runs)].sort((a, b) => a - b) });
    }
  }

  /** Undefined if unknown or unsure. */
  of(texts: Texts): 'same' | 'different' | undefined {
    const said = this.#said.get(textsKey(texts))?.said;
    return said === 'unsure' ? undefined : said;
  }

  addedTo(session: SessionOutcome): SessionOutcome {
    const own = [...this.#said.values()].filter((each) => each.session === session.id).sort(inOrder);
    if (own.length === 0) return session;
    const turns = session.turns.map((turn) => ({
      ...turn,
      judgements: own
        .filter((each) => each.turn === turn.turn)
        .map(({ session: _, turn: __, usage: ___, ...each }) => ({ ...each, runs: [...each.runs] })),
    }));
    return { ...session, turns };
  }

  /** Undefined if it was asked nothing. */
  usage(): JudgeUsage | undefined {
    return sumOfUsage([...this.#said.values()].map(({ usage }) => usage));
  }

  /** @param version of the judge; undefined: there is none */
  sum(version: string | undefined): Report['results']['judge'] {
    if (version === undefined || this.#said.size === 0) return undefined;
    const all = [...this.#said.values()].map(({ said }) => said);
    const count = (said: Judged['said']) => all.filter((each) => each === said).length;
    return { version, same: count('same'), different: count('different'), unsure: count('unsure') };
  }
}
