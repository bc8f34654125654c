import { certain, RecordedTurn, type TurnComparison } from '../../compare/index.ts';
import { withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import type { Json } from '../../json/index.ts';
import {
  failingVerdicts,
  type KeptTrace,
  keptTurn,
  type SessionOutcome,
  type SessionResult,
} from '../../report/index.ts';
import type { PinnedTurn } from '../../session/index.ts';
import {
  type GateKind,
  isCertain,
  MOST_REPLAYS,
  type ShiftEvent,
  type ShiftRun,
  ShiftUnit,
  shiftRun,
  turnEvents,
} from '../../shift/index.ts';
import type { Recording } from '../../trace/index.ts';
import type { Finding } from './finding.ts';
import type { JudgeTexts } from './judge.ts';
import type { PlannedSession } from './run-scope.ts';
import type { RunSettings } from './run-settings.ts';
import { gateOfSession, recordingsOf } from './session-gate.ts';
import { TurnRuns } from './turn-runs.ts';

export type JudgedTurn = SessionOutcome['turns'][number];
export type RunFailure = JudgedTurn['failures'][number];

type Comparison = ReturnType<RecordedTurn['start']>;
type JudgedTexts = Parameters<RecordedTurn['start']>[1];
type Stopped = NonNullable<TurnComparison['stopped']>;
type StopRule = Parameters<typeof certain>[1];

/** The user's judge about answers of a turn. */
type JudgedOf = (turn: number) => JudgedTexts;

/** The behaviour of some runs of a turn, or of the recording: enough to read it, to compare with it later, or to pin it. */
export interface KeptBehaviour extends KeptTrace {
  /** Empty for the recording. */
  readonly runs: readonly number[];
}

/** The behaviour of some runs, not of the recording. */
export type ReplayedBehaviour = KeptBehaviour & { readonly cluster: number };

/**
 * Collects the replays of one session. Each goes into the comparison of its turn and is not kept. || If a session may be
 * stopped early, its runs are counted in the order of their numbers, whatever order they finish in, and the rule is checked
 * after each: so the result rests on the same runs for any number of workers. Other runs in flight are left out. A
 * never-green event ends it at once; under `shift` nothing else does.
 */
export class SessionProgress {
  readonly #session: PlannedSession;
  readonly #turns: ReadonlyMap<number, TurnProgress>;
  /** Ends the session once its remaining runs cannot change this. */
  readonly #stopEarly: StopRule | undefined;
  /** Its turns build on each other, so they are judged as one. */
  readonly #inSequence: boolean;
  /** Runs of the first look. */
  readonly requested: number;
  readonly gate: GateKind;
  readonly agentId: string | undefined;
  /** By run: runs that finished before a run with a lower number. */
  readonly #early = new Map<number, Finding[]>();

  /** @param general for sessions without settings of their own */
  constructor(session: PlannedSession, general: RunSettings, judged?: JudgedOf) {
    const settings = withOwn(general, session.own);
    this.#session = session;
    this.gate = gateOfSession(session, settings);
    this.agentId = session.pin.session.agentId;
    this.#stopEarly = settings.base === undefined ? stopRule(settings) : undefined;
    this.#inSequence = settings.context === 'sequence';
    this.requested = session.runs.length;
    const isShift = this.gate === 'shift';
    this.#turns = new Map(
      session.turns.map((turn) => [turn, new TurnProgress(session, turn, settings, { isShift, judged })]),
    );
  }

  /** Adds runs of a turn that is judged by shift. */
  expect(turn: number, runs: readonly number[]): void {
    this.#turns.get(turn)?.expect(runs);
  }

  /** Its tested units: its turns, or all of them as one; empty if it is judged run by run. */
  units(): TestedTurns[] {
    return this.gate === 'shift' ? this.tested() : [];
  }

  /**
   * The same, whatever its gate.
   * @param base its runs are tested against this instead of its recordings
   */
  tested(base?: SessionProgress): TestedTurns[] {
    const turns = [...this.#turns];
    if (turns.length === 0 || this.#session.quarantine !== undefined) return [];
    // Its tests need all of its runs, and it is red anyway.
    if (turns.some(([, turn]) => turn.isStopped)) return [];
    const groups = this.#inSequence ? [turns] : turns.map((turn) => [turn]);
    return groups.map((group) => this.#unitOf(group, base));
  }

  /** A run of a unit: what it did in all of its turns, one after another. */
  #unitOf(group: readonly [turn: number, TurnProgress][], against: SessionProgress | undefined): TestedTurns {
    const { id: session, agentId } = this.#session.pin.session;
    const numbers = group.map(([turn]) => turn);
    const turns = group.map(([, progress]) => progress);
    const base = against && numbers.map((turn) => against.#turns.get(turn) as TurnProgress);
    const runs = turns.map((turn) => turn.runs as TurnRuns);
    const [first] = runs as [TurnRuns];
    const passes = runs.map(({ made }) => made.map(({ made: { at, run } }) => `${at} ${run}`));
    const isWhole = passes.every((of) => of.length > 0 && of.join() === passes[0]?.join());
    // If turns were recorded in different runs, only as many recordings are shared as the turn with the fewest has.
    const recordings = Math.min(...runs.map((of) => of.recordings.length));
    const unit = new ShiftUnit({
      id: this.#inSequence ? session : unitName(session, numbers[0] as number),
      suite: agentId,
      requested: this.requested,
      recordings: first.recordings
        .slice(0, recordings)
        .map((_, index) => shiftRun(runs.flatMap((of) => of.recordings[index] ?? []))),
      base: base && new Map(doneInAll(base.map((turn) => turn.runs as TurnRuns))),
      // Both runs of a pair are made in the same minute, so a pass affects both sides alike.
      passes: isWhole && base === undefined ? passes[0] : undefined,
    });
    unit.ask(turns[0]?.asked ?? []);
    for (const [run, did] of doneInAll(runs)) unit.add(run, did);
    const strays =
      base === undefined &&
      !unit.recordingsVary &&
      unit.recordings().length > 1 &&
      turns.some(({ comparison }) => STRAYS.has(comparison.result().verdict));
    const isOdd =
      turns.some((turn, index) => turn.events(base?.[index]).some(({ weight }) => weight === 'alarm')) || strays;
    return { session, unit, turns: numbers, isOdd };
  }

  /** Events that fail a turn or raise an alarm, against a base. */
  eventsAgainst(base: SessionProgress, turn: number): ShiftEvent[] {
    return this.#turns.get(turn)?.events(base.#turns.get(turn)) ?? [];
  }

  /** The user has set this gate. */
  get isRunByRun(): boolean {
    return this.#session.own?.gate === 'every-run';
  }

  /** When its recordings were made, and with which models. */
  get recordings(): SessionResult['recordings'] {
    return recordingsOf(this.#session);
  }

  /** What its runs did that is forbidden, in the words of the rules. */
  forbidden(turn: number): readonly string[] {
    return this.#turns.get(turn)?.forbidden ?? [];
  }

  /** Runs of a turn that could not be compared. */
  failures(turn: number): readonly RunFailure[] {
    return this.#turns.get(turn)?.failures ?? [];
  }

  /** Its reworded answers; none under `shift`, whose tests read the words. */
  openTexts(): JudgeTexts[] {
    const { id, turns } = this.#session.pin.session;
    if (this.gate === 'shift') return [];
    return [...this.#turns].flatMap(([turn, { comparison }]) => {
      const request = (turns[turn - 1]?.request ?? null) as Json;
      return comparison.openTexts().map((texts) => ({ session: id, turn, request, ...texts }));
    });
  }

  get firstFailure(): AgentReplayError | undefined {
    return [...this.#turns.values()].flatMap(({ failures }) => failures)[0]?.error;
  }

  /** Number of replays that could be compared, over all turns. */
  get conclusive(): number {
    return [...this.#turns.values()].reduce((sum, { runs }) => sum + (runs?.replays.size ?? 0), 0);
  }

  take(finding: Finding): void {
    if (this.#stopEarly === undefined) {
      this.#count([finding]);
      return;
    }
    this.#early.set(finding.run, [...(this.#early.get(finding.run) ?? []), finding]);
    for (let run = this.#nextRun; run !== undefined; run = this.#nextRun) {
      const findings = this.#early.get(run) ?? [];
      if (findings.length < this.#turnsOf(run).length) return;
      this.#early.delete(run);
      this.#count(findings);
      this.#stopAfter(run, this.#stopEarly);
    }
  }

  /** Whether every replay that is needed has finished. */
  get isOver(): boolean {
    return [...this.#turns.values()].every(({ pending }) => pending.size === 0);
  }

  /** Runs that make no further replay. Their finished replays count. */
  lose(runs: readonly number[], error: AgentReplayError): void {
    this.#countEarly();
    for (const turn of this.#turns.values()) for (const run of runs) turn.lose(run, error);
  }

  /** Its results. Replays that never came failed for the reason `missing`. */
  conclude(missing: AgentReplayError): { outcome: SessionOutcome; behaviours: readonly KeptBehaviour[] } {
    this.#countEarly();
    const { pin, own, problems } = this.#session;
    const { id, title, agentId } = pin.session;
    const concluded = [...this.#turns].map(([turn, progress]) => ({ turn, ...progress.conclude(missing) }));
    // Recordings can be megabytes, and outcomes are kept until the end of the run.
    const turns = concluded.map(({ behaviours: _, ...turn }) => turn);
    const isShift = this.gate === 'shift';
    return {
      outcome: {
        ...{ id, pin: pin.path, title, agentId, problems, turns },
        ...(own && Object.keys(own).length > 0 && { own }),
        ...(this.#session.quarantine && { quarantine: this.#session.quarantine }),
        ...(isShift && { gate: this.gate, recordings: recordingsOf(this.#session) }),
      },
      behaviours: concluded.flatMap(({ turn, behaviours }) =>
        behaviours.map((each) => ({ session: id, turn, ...each })),
      ),
    };
  }

  /** Counts finished replays in any order, after an early end. */
  #countEarly(): void {
    for (const findings of this.#early.values()) this.#count(findings);
    this.#early.clear();
  }

  #count(findings: readonly Finding[]): void {
    for (const finding of findings) this.#turns.get(finding.turn)?.take(finding);
  }

  /** The lowest run number that has not been counted. */
  get #nextRun(): number | undefined {
    const next = [...this.#turns.values()].flatMap(({ pending }) => pending.values().next().value ?? []);
    return next.length === 0 ? undefined : Math.min(...next);
  }

  /** Turns that make a run: all of them, except in a second look. */
  #turnsOf(run: number): TurnProgress[] {
    return [...this.#turns.values()].filter(({ pending }) => pending.has(run));
  }

  #stopAfter(run: number, rule: StopRule): void {
    if (this.isOver) return;
    const red = new Set([...this.#turns.values()].filter((turn) => turn.isRed));
    if (red.size > 0) {
      for (const turn of this.#turns.values()) turn.stop({ after: run, certain: red.has(turn) ? 'verdict' : 'status' });
    }
    // Nobody can foresee what a test of all runs will say.
    if (red.size > 0 || this.gate === 'shift') return;
    const turns = [...this.#turns.values()].map((turn) => turn.comparison.soFar(turn.failures.length));
    // While learning about tools could still move a run, nothing is certain.
    if (!turns.every((turn) => turn !== null) || certain(turns, rule) === null) return;
    for (const turn of this.#turns.values()) turn.stop({ after: run, certain: rule.mode });
  }
}

function stopRule({ stopEarly: mode, failOn, minAgreement }: RunSettings): StopRule | undefined {
  return mode && { mode, failing: failingVerdicts({ failOn }), minAgreement };
}

/** A turn's name in the tests. */
export function unitName(session: string, turn: number): string {
  return `${session} ${turn}`;
}

/** Turns of a session that are tested as one. */
export interface TestedTurns {
  readonly session: string;
  readonly unit: ShiftUnit;
  readonly turns: readonly number[];
  /**
   * Something raises an alarm, or some replays do what no recording does although the recordings all agree: worth a second
   * look.
   */
  readonly isOdd: boolean;
}

/** What each run did in all of its turns, without runs in which a turn could not be compared. */
function* doneInAll(turns: readonly TurnRuns[]): Generator<[run: number, did: ShiftRun]> {
  for (const run of turns[0]?.replays.keys() ?? []) {
    const steps = turns.map((of) => of.replays.get(run));
    if (steps.every((of) => of !== undefined)) yield [run, shiftRun(steps.flat())];
  }
}

/** Some replays do what was recorded and some do not, or all do something else. */
const STRAYS: ReadonlySet<string> = new Set(['changed', 'unsettled', 'flaky']);

class TurnProgress {
  /** No further run of it counts, although some were planned. */
  isStopped = false;
  /** Runs that have not come yet. */
  readonly pending: Set<number>;
  /** Numbers of all requested runs. */
  readonly asked: Set<number>;
  /** Present if it may be judged by shift. */
  readonly runs: TurnRuns | undefined;
  readonly comparison: Comparison;
  readonly failures: RunFailure[] = [];
  readonly #isShift: boolean;
  readonly #original: Recording;
  readonly #warnings: RunFailure[] = [];
  /** Of the first look. */
  readonly #requested: number;
  readonly #tools: RunSettings['compare']['tools'];
  /** The forbidden behaviour of each conclusive run. */
  readonly #forbidden = new Map<number, NonNullable<Finding['forbidden']>>();

  constructor(
    { pin, runs }: PlannedSession,
    number: number,
    { compare, traceSource, base }: RunSettings,
    { isShift, judged }: { readonly isShift: boolean; readonly judged: JudgedOf | undefined },
  ) {
    this.#isShift = isShift;
    const turn = pin.session.turns[number - 1] as PinnedTurn;
    const recorded = new RecordedTurn(turn, compare, { turn: number, hasTraces: traceSource !== 'none' });
    [this.#original] = recorded.recordings;
    this.comparison = recorded.start(runs.length, judged?.(number));
    this.#requested = runs.length;
    this.#tools = compare.tools;
    this.pending = new Set(runs);
    this.asked = new Set(runs);
    this.runs = isShift || base !== undefined ? new TurnRuns(turn, recorded) : undefined;
  }

  expect(runs: readonly number[]): void {
    for (const run of runs) {
      if (this.asked.has(run)) continue;
      this.asked.add(run);
      this.pending.add(run);
    }
    this.comparison.expect(this.asked.size);
  }

  /** Whether it fails whatever its further runs do. */
  get isRed(): boolean {
    return this.events().some((event) => isCertain(event, this.asked.size));
  }

  /** Events that fail it or raise an alarm. */
  events(base?: TurnProgress | undefined): ShiftEvent[] {
    const asked = this.asked.size;
    const isLast = base === undefined ? asked >= MOST_REPLAYS : asked > this.#requested;
    const sides = this.#isShift || base !== undefined ? this.runs?.sides(base?.runs) : undefined;
    return turnEvents({ ...sides, forbidden: this.#forbidden, tools: this.#tools, asked, isLast });
  }

  get forbidden(): string[] {
    return [...this.#forbidden.values()].flat().map(({ sentence }) => sentence);
  }

  take({ run, outcome, warnings = [], forbidden = [] }: Finding): void {
    if (!this.pending.delete(run)) return;
    for (const error of warnings) this.#warnings.push({ run, error });
    if (outcome.kind === 'inconclusive') this.failures.push({ run, error: outcome.error });
    else {
      this.comparison.add(run, outcome.recording);
      this.#forbidden.set(run, forbidden);
      this.runs?.add(run, outcome.recording);
    }
  }

  stop(stopped: Stopped): void {
    this.isStopped = true;
    this.pending.clear();
    this.comparison.stop(stopped);
  }

  lose(run: number, error: AgentReplayError): void {
    if (this.pending.delete(run)) this.failures.push({ run, error });
  }

  conclude(missing: AgentReplayError): {
    comparison: TurnComparison;
    failures: readonly RunFailure[];
    warnings: readonly RunFailure[];
    events: readonly ShiftEvent[];
  } & ReturnType<typeof keptTurn> {
    for (const run of this.pending) this.failures.push({ run, error: missing });
    this.pending.clear();
    const comparison = this.comparison.result();
    // What was true of some runs need not be true of all.
    const events = this.events().filter((event) => !this.isStopped || isCertain(event, this.asked.size));
    const kept = keptTurn(this.comparison, this.#original);
    return { comparison, ...kept, failures: this.failures, warnings: this.#warnings, events };
  }
}
