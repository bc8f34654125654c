import { AgentReplayError } from '../../errors.ts';
import type { Report, SessionOutcome } from '../../report/index.ts';
import { assess, driftOf, type RunShift, type ShiftUnit, textOfP } from '../../shift/index.ts';
import type { JudgedTurn, RunFailure, SessionProgress, TestedTurns } from './session-progress.ts';
import { byShift, failing, noteOf, withEvents } from './shift-verdict.ts';

type AssessOptions = Parameters<typeof assess>[1];
type Drift = ReturnType<typeof driftOf>;
type BaseResult = NonNullable<Report['results']['base']>;

/** A session replayed by the agents of both commits. */
interface Pair {
  readonly outcome: SessionOutcome;
  /** The results of this tree; undefined if there are none. */
  readonly head: SessionProgress | undefined;
  readonly base: SessionProgress;
}

interface Judged extends Pick<BaseResult, 'blame' | 'sessions' | 'drifted' | 'driftedSuites'> {
  readonly outcomes: SessionOutcome[];
  readonly shift: RunShift | undefined;
}

/**
 * Gives each turn a verdict by whether this tree behaves like the base in the same minutes, and says who made the
 * difference to the recordings. The recordings are no gate here; they show whether the world has changed. Pure.
 */
export function judgeAgainstBase(pairs: readonly Pair[], options: AssessOptions): Judged {
  const units = new Map(pairs.map(({ outcome, head, base }) => [outcome.id, head?.tested(base) ?? []]));
  const { run, of } = assess(shiftUnits(units.values()), options);
  const drift = driftOf(shiftUnits(pairs.map(({ base }) => base.tested())), options);
  const outcomes = pairs.map((pair): SessionOutcome => {
    const own = units.get(pair.outcome.id) ?? [];
    const { head, outcome } = pair;
    return {
      ...outcome,
      gate: 'shift',
      recordings: head?.recordings,
      turns: outcome.turns.map((turn) => judgedTurn(turn, pair, { unit: unitOf(turn, own), of, drift })),
    };
  });
  const isOther = () => isOtherThanRecorded(pairs, outcomes, options);
  return {
    outcomes,
    shift: pairs.length === 0 ? undefined : run,
    blame:
      pairs.length === 0 || options.isPart ? null : blameOf(isChanged(pairs, outcomes, run), isDrifted(drift), isOther),
    sessions: pairs.length,
    drifted: pairs.flatMap(({ outcome, base }) =>
      base.tested().some(({ unit }) => drift.turns.has(unit.id)) ? outcome.id : [],
    ),
    driftedSuites: [...drift.suites],
  };
}

export function baseUnavailable(reason: string): AgentReplayError {
  return new AgentReplayError('BASE_UNAVAILABLE', 'The base that baseRequired asks for could not be replayed.', {
    evidence: [reason],
    hint: 'Make its agent start and answer at that commit. Without baseRequired, sessions are judged by their recordings instead.',
  });
}

function judgedTurn(
  given: JudgedTurn,
  { head, base }: Pair,
  { unit, of, drift }: { unit: TestedTurns | undefined; of: ReturnType<typeof assess>['of']; drift: Drift },
): JudgedTurn {
  const failures = base.failures(given.turn);
  const turn = {
    ...given,
    events: head?.eventsAgainst(base, given.turn) ?? [],
    warnings: [...(given.warnings ?? []), ...failures.map(ofTheBase)],
  };
  const told = unit && of(unit.unit.id);
  if (unit === undefined || told === undefined) return withEvents(turn);
  const ofSession = unit.turns.length > 1 && { ofSession: true };
  const judged = byShift(turn, { ...told, everyRun: turn.comparison.verdict, ...ofSession });
  const p = drift.turns.get(unit.unit.id);
  const notes = [
    judged.comparison.note,
    p === undefined ? null : `the base no longer behaves as recorded, p = ${textOfP(p)}`,
    failures.length === 0 ? null : `${failures.length} replays of the base not verified`,
  ];
  return { ...judged, comparison: { ...judged.comparison, note: noteOf(notes) } };
}

function ofTheBase({ run, error }: RunFailure): RunFailure {
  const { code, message, evidence, hint, location, cause } = error;
  const details = { evidence, hint, location, cause } as ConstructorParameters<typeof AgentReplayError>[2];
  return { run, error: new AgentReplayError(code, `At the base: ${message}`, details) };
}

function isChanged(pairs: readonly Pair[], outcomes: readonly SessionOutcome[], run: RunShift): boolean {
  if (run.suites.some(({ state }) => state === 'shifted')) return true;
  return outcomes.some(({ turns }, index) =>
    turns.some((turn) => {
      // This tree did not introduce what the base does too.
      const known = pairs[index]?.base.forbidden(turn.turn) ?? [];
      return turn.shift?.state === 'shifted' || failing(turn).some(({ sentence }) => !known.includes(sentence));
    }),
  );
}

/** Judged by the tests, or if all runs of both sides are alike and different from the recordings. */
function isOtherThanRecorded(
  pairs: readonly Pair[],
  outcomes: readonly SessionOutcome[],
  options: AssessOptions,
): boolean {
  if (isDrifted(driftOf(shiftUnits(pairs.map(({ head }) => head?.tested() ?? [])), options))) return true;
  return outcomes.some(({ turns }) =>
    turns.some(({ shift }) => shift?.state === 'as-before' && shift.speaks === null && shift.everyRun === 'changed'),
  );
}

/** If this tree differs from the recordings and the base does not seem to, that is open, not the world. */
function blameOf(change: boolean, world: boolean, isOther: () => boolean): BaseResult['blame'] {
  if (change) return world ? 'both' : 'change';
  if (world) return 'world';
  return isOther() ? 'open' : 'neither';
}

function isDrifted({ turns, suites }: Drift): boolean {
  return turns.size > 0 || suites.length > 0;
}

function unitOf({ turn }: JudgedTurn, units: readonly TestedTurns[]): TestedTurns | undefined {
  return units.find(({ turns }) => turns.includes(turn));
}

function shiftUnits(of: Iterable<readonly TestedTurns[]>): ShiftUnit[] {
  return [...of].flat().map(({ unit }) => unit);
}
