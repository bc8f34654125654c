import { RecordedTurn } from '../../compare/index.ts';
import { withOwn } from '../../config/index.ts';
import type { AgentReplayError } from '../../errors.ts';
import { type Json, present } from '../../json/index.ts';
import { type KeptTrace, keptTurn, type SessionOutcome, type SessionResult } from '../../report/index.ts';
import { askedIn, copiesIn, type PinnedTurn, recordingsMade } from '../../session/index.ts';
import { type ShiftEvent, type ShiftRun, ShiftUnit, SOME_REPLAYS, shiftRun, turnEvents } from '../../shift/index.ts';
import type { Recording } from '../../trace/index.ts';
import type { GateSettings, GateUnit, RunFailure, SessionRuns, TestedTurns } from '../records/extension-points.ts';
import { type PlannedSession, withoutRecordings } from '../records/run-scope.ts';
import type { RunSettings } from '../records/run-settings.ts';
import type { Finding } from './finding.ts';
import type { JudgeTexts } from './judge.ts';
import { SessionCost } from './session-cost.ts';
import { TurnRuns } from './turn-runs.ts';

type Comparison = ReturnType<RecordedTurn['start']>;
type JudgedTexts = NonNullable<Parameters<RecordedTurn['start']>[1]>['judged'];

type JudgedOf = (turn: number) => JudgedTexts;
type TestedUnit = Pick<GateUnit, 'id' | 'turns'>;

/** The behaviour of some runs of a turn, or of the recording: enough to read it, to compare with it later, or to pin it. */
export interface KeptBehaviour extends KeptTrace {
  /** Empty for the recording. */
  readonly runs: readonly number[];
}

export type ReplayedBehaviour = KeptBehaviour & { readonly cluster: number };

/** Each replay of the session goes into the comparison of its turn and is not kept. */
export class SessionProgress implements SessionRuns {
  readonly #session: PlannedSession;
  readonly #general: RunSettings;
  readonly #turns: ReadonlyMap<number, TurnProgress>;
  /** Tested against the recordings, by id: their tests are kept from look to look. */
  readonly #tested = new Map<string, ShiftUnit>();
  readonly #cost: SessionCost;
  readonly #looks: RunSettings['looks'];
  readonly #compare: RunSettings['compare'];
  readonly #units: readonly TestedUnit[];
  /** Runs of the first look. */
  readonly requested: number;
  /** Its runs are tested together. */
  readonly isTested: boolean;
  readonly agentId: string | undefined;
  #settled: readonly TestedTurns[] | undefined;

  /**
   * @param general for sessions without settings of their own
   * @param isTested without a base
   */
  constructor(
    session: PlannedSession,
    general: RunSettings,
    { isTested, judged }: { readonly isTested: boolean; readonly judged?: JudgedOf },
  ) {
    const settings = withOwn(general, session.own);
    this.#session = session;
    this.#general = general;
    this.isTested = isTested;
    this.agentId = session.pin.session.agentId;
    this.#units = unitsIn(session, settings);
    this.#cost = new SessionCost(session, general.prices);
    this.#looks = settings.looks;
    this.#compare = settings.compare;
    this.requested = session.runs.length;
    this.#turns = new Map(
      session.turns.map((turn) => [turn, new TurnProgress(session, turn, settings, { isTested, judged })]),
    );
  }

  expect(turn: number, runs: readonly number[]): void {
    this.#turns.get(turn)?.expect(runs);
  }

  /** What tests by the recordings read of it, once it is over; not what it did. */
  settled(): SessionProgress {
    const { isTested } = this;
    const settled = new SessionProgress(withoutRecordings(this.#session), this.#general, { isTested });
    settled.#settled = this.tested();
    return settled;
  }

  tested(base?: SessionProgress): readonly TestedTurns[] {
    if (this.#settled !== undefined) return this.#settled;
    if (this.#session.quarantine !== undefined) return [];
    return this.#units.map((unit) => this.#runsOf(unit, base));
  }

  /** A run of a unit: what it did in all of its turns, one after another. */
  #runsOf({ id, turns: numbers }: TestedUnit, against: SessionProgress | undefined): TestedTurns {
    const { id: session, agentId } = this.#session.pin.session;
    const turns = numbers.map((turn) => this.#turns.get(turn) as TurnProgress);
    const base = against && numbers.map((turn) => against.#turns.get(turn) as TurnProgress);
    const runs = turns.map((turn) => turn.runs as TurnRuns);
    const [first] = runs as [TurnRuns];
    const passes = runs.map(({ made }) => made.map(({ made: { at, run } }) => `${at} ${run}`));
    const isWhole = passes.every((of) => of.length > 0 && of.join() === passes[0]?.join());
    // If turns were recorded in different runs, only as many recordings are shared as the turn with the fewest has.
    const recordings = Math.min(...runs.map((of) => of.recordings.length));
    const known = base === undefined ? this.#tested.get(id) : undefined;
    const unit =
      known ??
      new ShiftUnit({
        id,
        suite: agentId,
        requested: this.requested,
        recordings: first.recordings
          .slice(0, recordings)
          .map((_, index) => shiftRun(runs.flatMap((of) => of.recordings[index] ?? []))),
        base: base && new Map(doneInAll(base.map((turn) => turn.runs as TurnRuns))),
        // Both runs of a pair are made in the same minute, so a pass affects both sides alike.
        passes: isWhole && base === undefined ? passes[0] : undefined,
        looks: this.#looks,
      });
    if (base === undefined) this.#tested.set(id, unit);
    unit.ask(turns[0]?.asked ?? []);
    for (const [run, did] of doneInAll(runs)) unit.add(run, did);
    const ways = runs.map((of) => of.ways());
    const alarms = turns.flatMap((turn, index) =>
      turn.events(base?.[index]).filter(({ weight }) => weight === 'alarm'),
    );
    const strays =
      (!unit.recordingsVary && runs.some((of, index) => (ways[index]?.asRecorded ?? 0) < of.replays.size)) ||
      turns.some((turn) => turn.differsInDid());
    const isAlways = alarms.some((event) => event.runs.length === event.of);
    unit.least = isAlways ? this.#looks.most : alarms.length > 0 || strays || this.#isGuarded(runs) ? SOME_REPLAYS : 0;
    const isOdd = alarms.length > 0;
    return { session, unit, turns: numbers, ways, isOdd };
  }

  /** Something that must not happen could, also in few of its runs. */
  #isGuarded(runs: readonly TurnRuns[]): boolean {
    const { forbid, tools } = this.#compare;
    const isDeclared = (tool = '') => Object.hasOwn(tools, tool) && (tools[tool]?.critical || tools[tool]?.mutating);
    return (
      forbid.length > 0 ||
      runs.some((of) => of.recordings.flat().some(({ kind, name }) => kind === 'call' && isDeclared(name)))
    );
  }

  eventsAgainst(base: SessionProgress, turn: number): ShiftEvent[] {
    return this.#turns.get(turn)?.events(base.#turns.get(turn)) ?? [];
  }

  get recordings(): SessionResult['recordings'] {
    return recordingsOf(this.#session);
  }

  forbidden(turn: number): readonly string[] {
    return this.#turns.get(turn)?.forbidden ?? [];
  }

  failures(turn: number): readonly RunFailure[] {
    return this.#turns.get(turn)?.failures ?? [];
  }

  /** Its reworded answers; none if it is tested, because tests read the words. */
  openTexts(): JudgeTexts[] {
    const { id, turns } = this.#session.pin.session;
    if (this.isTested) return [];
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
    this.#turns.get(finding.turn)?.take(finding);
    const { turn, run, outcome } = finding;
    if (outcome.kind === 'replayed') this.#cost.add(turn, run, outcome.recording);
  }

  /** Whether every replay that is needed has finished. */
  get isOver(): boolean {
    return [...this.#turns.values()].every(({ pending }) => pending.size === 0);
  }

  /** Runs that make no further replay. Their finished replays count. */
  lose(runs: readonly number[], error: AgentReplayError): void {
    for (const turn of this.#turns.values()) for (const run of runs) turn.lose(run, error);
  }

  /** @param missing why replays never came */
  conclude(missing: AgentReplayError): { outcome: SessionOutcome; behaviours: readonly KeptBehaviour[] } {
    const { pin, own, gate, problems } = this.#session;
    const { id, title, agentId } = pin.session;
    const concluded = [...this.#turns].map(([turn, progress]) => ({ turn, ...progress.conclude(missing) }));
    // Recordings can be megabytes, and outcomes are kept until the end of the run.
    const turns = concluded.map(({ behaviours: _, ...turn }) => turn);
    const spent = this.#cost.spent((turn) => this.#turns.get(turn)?.asked.size ?? 0);
    return {
      outcome: {
        id,
        pin: pin.path,
        title,
        agentId,
        problems,
        turns,
        copies: copiesIn(pin.session) || undefined,
        ...(own && Object.keys(own).length > 0 && { own }),
        ...present({ spent, gate, quarantine: this.#session.quarantine }),
      },
      behaviours: concluded.flatMap(({ turn, behaviours }) =>
        behaviours.map((each) => ({ session: id, turn, ...each })),
      ),
    };
  }
}

/** What is tested as one: each turn, or all of them if they build on each other. */
export function unitsIn({ pin, turns }: PlannedSession, { context }: GateSettings): TestedUnit[] {
  const { id } = pin.session;
  if (context === 'sequence') return turns.length === 0 ? [] : [{ id, turns }];
  return turns.map((turn) => ({ id: `${id} ${turn}`, turns: [turn] }));
}

/** Undefined if no run made any. */
function recordingsOf({ pin, turns }: PlannedSession): SessionResult['recordings'] {
  const made = turns.flatMap((turn) => recordingsMade(pin.session.turns[turn - 1] ?? {}).map((each) => each.made));
  const times = made.map(({ at }) => at).sort((a, b) => Date.parse(a) - Date.parse(b));
  const [oldest, newest] = [times[0], times.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  return { oldest, newest, models: [...new Set(made.flatMap(({ models = [] }) => models))].sort() };
}

/** Leaves out runs in which a turn could not be compared. */
function* doneInAll(turns: readonly TurnRuns[]): Generator<[run: number, did: ShiftRun]> {
  for (const run of turns[0]?.replays.keys() ?? []) {
    const steps = turns.map((of) => of.replays.get(run));
    if (steps.every((of) => of !== undefined)) yield [run, shiftRun(steps.flat())];
  }
}

/** Enough to know a turn by. */
export const MAX_ASKED_CHARS = 300;

class TurnProgress {
  readonly pending: Set<number>;
  readonly asked: Set<number>;
  /** Present if it may be judged by shift. */
  readonly runs: TurnRuns | undefined;
  readonly comparison: Comparison;
  readonly failures: RunFailure[] = [];
  readonly #isTested: boolean;
  readonly #original: Recording;
  readonly #asked: string | undefined;
  readonly #warnings: RunFailure[] = [];
  /** Of the first look. */
  readonly #requested: number;
  readonly #tools: RunSettings['compare']['tools'];
  readonly #most: number;
  /** The forbidden behaviour of each conclusive run. */
  readonly #forbidden = new Map<number, NonNullable<Finding['forbidden']>>();

  constructor(
    { pin, runs }: PlannedSession,
    number: number,
    { compare, traceSource, base, looks }: RunSettings,
    { isTested, judged }: { readonly isTested: boolean; readonly judged: JudgedOf | undefined },
  ) {
    this.#isTested = isTested;
    const turn = pin.session.turns[number - 1] as PinnedTurn;
    const recorded = new RecordedTurn(turn, compare, { hasTraces: traceSource !== 'none' });
    [this.#original] = recorded.recordings;
    this.#asked = askedIn(turn.request, MAX_ASKED_CHARS);
    this.#requested = runs.length;
    this.#tools = compare.tools;
    this.#most = looks.most;
    this.pending = new Set(runs);
    this.asked = new Set(runs);
    this.runs = isTested || base !== undefined ? new TurnRuns(turn, recorded) : undefined;
    const relation = isTested ? (recording: Recording) => this.runs?.relationOf(recording) ?? '' : undefined;
    this.comparison = recorded.start(runs.length, { judged: judged?.(number), relation });
  }

  expect(runs: readonly number[]): void {
    for (const run of runs) {
      if (this.asked.has(run)) continue;
      this.asked.add(run);
      this.pending.add(run);
    }
    this.comparison.expect(this.asked.size);
  }

  /** Events that fail it or raise an alarm. */
  events(base?: TurnProgress): ShiftEvent[] {
    const asked = this.asked.size;
    const isLast = base === undefined ? asked >= this.#most : asked > this.#requested;
    const sides = this.#isTested || base !== undefined ? this.runs?.sides(base?.runs) : undefined;
    return turnEvents({ ...sides, forbidden: this.#forbidden, tools: this.#tools, asked, isLast });
  }

  differsInDid(): boolean {
    return this.comparison.result().aspects.did.runs > 0;
  }

  get forbidden(): string[] {
    return [...this.#forbidden.values()].flat().map(({ sentence }) => sentence);
  }

  take({ run, outcome, warnings = [], forbidden = [] }: Finding): void {
    if (!this.pending.delete(run)) return;
    for (const error of warnings) this.#warnings.push({ run, error });
    if (outcome.kind === 'unverified') this.failures.push({ run, error: outcome.error });
    else {
      this.comparison.add(run, outcome.recording);
      this.#forbidden.set(run, forbidden);
      this.runs?.add(run, outcome.recording);
    }
  }

  lose(run: number, error: AgentReplayError): void {
    if (this.pending.delete(run)) this.failures.push({ run, error });
  }

  conclude(missing: AgentReplayError) {
    for (const run of this.pending) this.failures.push({ run, error: missing });
    this.pending.clear();
    const comparison = this.comparison.result();
    const events = this.events();
    const leads = this.#isTested ? this.comparison.leads() : [];
    const kept = keptTurn(this.comparison, this.#original);
    return {
      asked: this.#asked,
      comparison,
      leads,
      ...kept,
      failures: this.failures,
      warnings: this.#warnings,
      events,
    };
  }
}
