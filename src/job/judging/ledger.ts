import { comparedBy, isAsRecorded, type StopPolicy, verdict } from '../../compare/index.ts';
import { withOwn } from '../../config/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { byCodeUnit } from '../../json/index.ts';
import type { FurtherRuns } from '../../replay/index.ts';
import {
  type BaseCommit,
  buildReport,
  levelOfVerdict,
  type Report,
  type SessionOutcome,
  type TracingSum,
  type TurnOutcome,
  toProblem,
} from '../../report/index.ts';
import {
  type FirstLook,
  FRESH_RUNS,
  MOST_REPLAYS,
  oddUnits,
  type RunShift,
  type ShiftUnit,
  suitesToConfirm,
} from '../../shift/index.ts';
import type { NoBase } from '../journal/journal-format.ts';
import { evidenceOf, type RunAbout } from '../running/about.ts';
import { UsageSum } from '../running/usage.ts';
import { baseUnavailable, judgeAgainstBase } from './base-verdict.ts';
import { callOf, type Finding } from './finding.ts';
import type { Judged, JudgeTexts } from './judge.ts';
import type { RunScope } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';
import type { ScopedSession } from './scoped-session.ts';
import { gatesTold } from './session-gate.ts';
import { type KeptBehaviour, SessionProgress, type SessionRules } from './session-progress.ts';
import { judgeShift } from './shift-verdict.ts';

type RunEvidence = Report['evidence']['runs'][number];

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
  /** What the agent of the base did, by session. */
  readonly #bases: Map<string, SessionProgress>;
  readonly #baseRuns = new Map<string, RunEvidence>();
  #base: BaseCommit | undefined;
  readonly #noBase: NoBase[] = [];
  /** Answers in other words, of which the user's judge can be asked, and what it has said. */
  readonly #questions = new Map<string, JudgeTexts>();
  readonly #judgements = new Map<string, Judged>();
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
    this.#bases = settings.base === undefined ? new Map() : progress();
  }

  #progressOf(session: ScopedSession): SessionProgress {
    const rules = rulesOf(session, this.#settings);
    if (this.#settings.judge === undefined) return new SessionProgress(session, rules);
    const { id } = session.pin.session;
    return new SessionProgress(session, {
      ...rules,
      judged: (turn) => (recorded, replayed) => {
        const said = this.#judgements.get(textsKey({ session: id, turn, recorded, replayed }))?.said;
        return said === 'unsure' ? undefined : said;
      },
    });
  }

  /** What the user's judge can be asked once all sessions are over: of those that are judged run by run. */
  questions(): JudgeTexts[] {
    const open = [...this.#questions].filter(([key, { session }]) => {
      return !this.#judgements.has(key) && this.#baseOf(session) === undefined;
    });
    return open.map(([, question]) => question).sort(inOrder);
  }

  /** Takes what a judge has said. Sessions that are over are to be compared anew: see {@link reopen}. */
  judge(judgements: readonly Judged[]): void {
    for (const each of judgements) {
      const runs = [...(this.#judgements.get(textsKey(each))?.runs ?? []), ...each.runs];
      this.#judgements.set(textsKey(each), { ...each, runs: [...new Set(runs)].sort((a, b) => a - b) });
    }
  }

  /** Sessions are judged against this commit. */
  against(base: BaseCommit): void {
    this.#base = base;
  }

  /** Some sessions are not, but by their recordings. */
  withoutBase(why: NoBase): void {
    this.#noBase.push(why);
  }

  /** Takes one replay. @returns the distinct behaviours of its session when that is over */
  take(finding: Finding): readonly KeptBehaviour[] | undefined {
    const { session, side, attempts, callMs, usage, replaced = [] } = finding;
    const progress = side === 'base' ? this.#bases.get(session) : this.#open.get(session);
    progress?.take(finding);
    // What was given up before it was sent took no time, and costs nothing.
    if (callMs !== undefined) this.#usage.add(attempts, usage);
    for (const each of replaced) this.#usage.replace(each.attempts, each.usage);
    (side === 'base' ? this.#baseRuns : this.#runs).set(callOf(finding), runEvidenceOf(finding));
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
      (side === 'base' ? this.#baseRuns : this.#runs).set(callOf(finding), runEvidenceOf(finding));
    }
    if (side === 'base') {
      this.#bases.set(session, progress);
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
    const isAgainst = (id: string) => this.#baseOf(id) !== undefined;
    const looks = [
      ...this.#looksAgainstBase(sessions.filter(isAgainst)),
      ...this.#looksByRecordings(sessions.filter((id) => !isAgainst(id))),
    ];
    this.expect(looks);
    return looks;
  }

  /** Fresh runs on both sides of what looks odd; where sessions look shifted together, as many again of all of them. */
  #looksAgainstBase(sessions: readonly string[]): FurtherRuns[] {
    const held = sessions.flatMap((id) => {
      const progress = this.#further.has(id) ? undefined : this.#held.get(id);
      return progress === undefined ? [] : progress.tested(this.#baseOf(id)).map((each) => ({ id, ...each }));
    });
    const units = held.map(({ unit }) => unit);
    const odd = new Set(oddUnits(units));
    const confirmed = new Set(this.#part.isPart ? [] : suitesToConfirm(units, this.#settings));
    const wanted = held.map(({ id, unit, turns, isOdd }) => {
      const fresh = isOdd || odd.has(unit) ? FRESH_RUNS : 0;
      const again = confirmed.has(unit) ? unit.requested : 0;
      return { session: id, turns, from: unit.requested + 1, to: unit.requested + Math.max(fresh, again) };
    });
    // By rounds, so that the calls of all sessions are mixed in time.
    const most = Math.max(0, ...wanted.map(({ to }) => to));
    const rounds = Array.from({ length: most }, (_, index) => index + 1);
    return rounds.flatMap((run) =>
      wanted.flatMap(({ session, turns, from, to }) =>
        run >= from && run <= to ? [{ session, turns, from: run, to: run }] : [],
      ),
    );
  }

  #looksByRecordings(sessions: readonly string[]): FurtherRuns[] {
    const held = sessions.flatMap((id) => {
      const progress = this.#further.has(id) ? undefined : this.#held.get(id);
      if (progress === undefined || progress.requested >= MOST_REPLAYS) return [];
      return progress.units().map((each) => ({ id, ...each }));
    });
    if (held.length === 0) return [];
    const units = held.map(({ unit }) => unit);
    const odd = new Set(oddUnits(units));
    const confirmed = new Set(this.#part.isPart || this.#part.turns ? [] : suitesToConfirm(units, this.#settings));
    const again = ({ requested }: ShiftUnit) => Math.min(2 * requested, MOST_REPLAYS);
    const looks: FurtherRuns[] = [];
    // By rounds, so that a pass over all sessions stays one.
    for (let run = 1; run <= MOST_REPLAYS; run++) {
      for (const { id, unit, turns } of held) {
        if (!confirmed.has(unit) || run <= unit.requested || run > again(unit)) continue;
        looks.push({ session: id, turns, from: run, to: run });
      }
    }
    for (const { id, unit, turns, isOdd } of held) {
      const from = confirmed.has(unit) ? again(unit) + 1 : unit.requested + 1;
      if ((isOdd || odd.has(unit)) && from <= MOST_REPLAYS) looks.push({ session: id, turns, from, to: MOST_REPLAYS });
    }
    return looks;
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
      const base = this.#bases.get(session);
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

  /** Whether a session that is over would fail the run as it stands, or could not be told. */
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
    return { outcome: { ...outcome, turns: outcome.turns.map(toldOf) }, runs: made.filter((run) => run !== undefined) };
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

  /** Notes a failure that keeps some sessions, by id, from being replayed. It is told in full once. */
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
      ...(this.#baseRuns.size > 0 && { baseRuns: [...this.#baseRuns.values()] }),
    };
    const { sessions: judged, shift, base } = this.#judged();
    const sessions = judged.map((session) => this.#withJudgements(session));
    const judge = this.#judgeSum();
    const gates = gatesTold(
      this.#scope.sessions.filter(({ pin }) => this.#baseOf(pin.session.id) === undefined),
      this.#settings,
    );
    return buildReport(
      {
        sessions,
        ...(gates !== undefined && { gates }),
        ...(shift && { shift }),
        ...(base && { base }),
        ...(judge && { judge }),
        problems: [...this.#problems, ...this.#missedBases()],
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
    const isAgainst = ({ id }: SessionOutcome) => this.#baseOf(id) !== undefined;
    const byRecordings = judgeShift(
      this.#concluded.filter((session) => !isAgainst(session)),
      new Map([...this.#held].filter(([id]) => !this.#baseOf(id)).map(([id, progress]) => [id, progress.units()])),
      options,
    );
    if (this.#settings.base === undefined) return { ...byRecordings, base: undefined };
    const pairs = this.#concluded.filter(isAgainst).map((outcome) => {
      const { id } = outcome;
      return { outcome, head: this.#held.get(id), base: this.#baseOf(id) as SessionProgress };
    });
    const { outcomes, shift, ...told } = judgeAgainstBase(pairs, options);
    return {
      sessions: [...byRecordings.sessions, ...outcomes],
      shift: bothShifts(shift, byRecordings.shift),
      base: {
        ref: this.#settings.base,
        ...(this.#base && { commit: this.#base.commit }),
        ...told,
        without: distinct(
          [...this.#noBase, ...this.#silentBases()].map(({ agentId, reason }) => ({ agentId, reason })),
        ),
      },
    };
  }

  /** What the agent of the base did in a session; undefined where there is none to judge it against. */
  #baseOf(id: string): SessionProgress | undefined {
    if (this.#base === undefined || this.#noBase.some(({ sessions }) => sessions.includes(id))) return undefined;
    const base = this.#bases.get(id);
    if (base?.isRunByRun) return undefined;
    return base !== undefined && this.#hasSpoken(base.agentId) ? base : undefined;
  }

  /** An agent of which no replay could be compared has no endpoint yet. */
  #hasSpoken(agentId: string | undefined): boolean {
    return [...this.#bases.values()].some((base) => base.agentId === agentId && base.conclusive > 0);
  }

  #withJudgements(session: SessionOutcome): SessionOutcome {
    const own = [...this.#judgements.values()].filter((each) => each.session === session.id).sort(inOrder);
    if (own.length === 0) return session;
    const turns = session.turns.map((turn) => ({
      ...turn,
      judgements: own
        .filter((each) => each.turn === turn.turn)
        .map(({ session: _, turn: __, ...each }) => ({ ...each, runs: [...each.runs] })),
    }));
    return { ...session, turns };
  }

  #judgeSum(): Report['results']['judge'] {
    const { judge: version } = this.#settings;
    if (version === undefined || this.#judgements.size === 0) return undefined;
    const all = [...this.#judgements.values()].map(({ said }) => said);
    const count = (said: Judged['said']) => all.filter((each) => each === said).length;
    return { version, same: count('same'), different: count('different'), unsure: count('unsure') };
  }

  #missedBases(): AgentReplayError[] {
    return this.#settings.baseRequired ? this.#silentBases().map(({ reason }) => baseUnavailable(reason)) : [];
  }

  #silentBases(): NoBase[] {
    const bases = [...this.#bases].filter(([id]) => !this.#noBase.some(({ sessions }) => sessions.includes(id)));
    const silent = this.#base === undefined ? [] : bases.filter(([, { agentId }]) => !this.#hasSpoken(agentId));
    return [...Map.groupBy(silent, ([, { agentId }]) => agentId)].map(([agentId, of]) => {
      const failure = of.flatMap(([, progress]) => progress.firstFailure ?? [])[0];
      const why = failure === undefined ? '' : `: ${failure.message} (${failure.code})`;
      return { agentId, sessions: of.map(([id]) => id), reason: `none of its replays could be compared${why}` };
    });
  }

  #conclude(id: string, progress: SessionProgress, missing: AgentReplayError): readonly KeptBehaviour[] {
    const { outcome, behaviours } = progress.conclude(missing);
    if (this.#settings.judge !== undefined) {
      for (const each of progress.openTexts()) this.#questions.set(textsKey(each), each);
    }
    this.#open.delete(id);
    if (progress.gate === 'shift' || this.#settings.base !== undefined) this.#held.set(id, progress);
    this.#concluded.push(outcome);
    return behaviours;
  }
}

/** Without what a turn was compared by: that can be megabytes. */
function toldOf({ turn, comparison, laid, failures, warnings = [], events = [] }: TurnOutcome): TurnOutcome {
  return { turn, comparison, ...(laid && { laid }), failures, warnings, events };
}

type Texts = Pick<Judged, 'session' | 'turn' | 'recorded' | 'replayed'>;

function textsKey({ session, turn, recorded, replayed }: Texts): string {
  return JSON.stringify([session, turn, recorded, replayed]);
}

/** The same for any order in which replays came. */
function inOrder(a: Texts, b: Texts): number {
  return byCodeUnit(a.session, b.session) || a.turn - b.turn || byCodeUnit(textsKey(a), textsKey(b));
}

/** Suites of agents that have a base, and of others. */
function bothShifts(one: RunShift | undefined, other: RunShift | undefined): RunShift | undefined {
  return one && other ? { ...one, suites: [...one.suites, ...other.suites] } : (one ?? other);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function expectFurther(progress: SessionProgress, { turns, from, to }: FurtherRuns): void {
  const runs = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  for (const turn of turns) progress.expect(turn, runs);
}

function runEvidenceOf(finding: Finding): RunEvidence {
  const {
    session,
    turn,
    run,
    outcome,
    replayRunId,
    traceId,
    attempts,
    status,
    callMs,
    traceMs,
    late,
    replaced,
    tools,
  } = finding;
  const failure = outcome.kind === 'inconclusive' ? outcome.error : finding.callError;
  const error = failure && toProblem(failure);
  return {
    session,
    turn,
    run,
    replayRunId,
    ...(traceId === undefined ? {} : { traceId }),
    attempts,
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
    ...(callMs === undefined ? {} : { callMs }),
    ...(traceMs === undefined ? {} : { traceMs }),
    outcome: outcome.kind,
    ...(tools && { tools }),
    ...(late && { late }),
    ...(replaced && { replaced: replaced.map(({ usage: _, ...each }) => each) }),
  };
}

function rulesOf({ own }: ScopedSession, settings: RunSettings): SessionRules {
  const { compare, gate, base, traceSource, context, stopEarly, ...policy } = withOwn(settings, own);
  return {
    compare,
    gate,
    hasTraces: traceSource !== 'none',
    hasBase: base !== undefined,
    inSequence: context === 'sequence',
    stopEarly: stopEarly && { mode: stopEarly, policy: stopPolicy(policy) },
  };
}

function stopPolicy({ failOn, minAgreement }: Pick<RunSettings, 'failOn' | 'minAgreement'>): StopPolicy {
  const failing = verdict
    .exclude(['reproduced'])
    .options.filter((each) => levelOfVerdict(each, { failOn }) === 'error');
  return { failing, minAgreement };
}

/** The same error as the reason of one replay: its story is a problem of the whole run. */
export function toldOnce({ code, message }: AgentReplayError): AgentReplayError {
  return new AgentReplayError(code, message, { hint: 'See the problem of the whole run.' });
}

/** Of a session that was stopped early on what had come of its traces by then. */
function stoppedTooEarly(): AgentReplayError {
  return new AgentReplayError('TRACE_INCOMPLETE', 'The session was stopped early, and spans came after that.', {
    hint: 'Export all spans before the answer is sent (docs/endpoint.md), or replay without stopEarly.',
  });
}

function neverCame(): AgentReplayError {
  return new AgentReplayError('INTERNAL', 'The replay was never made.', {
    hint: 'See the other problems of the run; if there are none, this is a defect in agent-replay.',
  });
}
