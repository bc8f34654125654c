import { AgentReplayError } from '../../errors.ts';
import type { SessionOutcome } from '../../report/index.ts';
import { assess, driftOf, FRESH_RUNS, type RunShift, type ShiftUnit, textOfP } from '../../shift/index.ts';
import type {
  BaseResult,
  Gate,
  GatePolicy,
  JudgedSession,
  JudgedTurn,
  RunFailure,
  SessionRuns,
  TestedTurns,
} from '../records/extension-points.ts';
import { failing, noteOf, withEvents } from './every-run.ts';
import { looksOf } from './next-looks.ts';
import { unitsIn } from './session-progress.ts';
import { byRecordings, byShift } from './shift-gate.ts';

type Drift = ReturnType<typeof driftOf>;

/** A session replayed by the agents of both commits; `head` is undefined if it has no results. */
type Pair = JudgedSession & { readonly base: SessionRuns };

/**
 * Tests whether this tree behaves like the base in the same minutes, and says who made the difference to the recordings.
 * The recordings are no gate here; they show whether the world has changed.
 */
export const againstBase: Gate = {
  ...byRecordings,
  units: (session, { gate = byRecordings.name, ...settings }) => {
    if (settings.base === undefined || gate !== byRecordings.name) return undefined;
    const more = session.quarantine === undefined ? Math.max(FRESH_RUNS, session.runs.length) : 0;
    return unitsIn(session, settings).map((unit) => ({ ...unit, more }));
  },
  looks: (sessions, policy) => {
    const held = sessions.flatMap(({ head, base, looks }) =>
      head === undefined || base === undefined || looks.length > 0 ? [] : head.tested(base),
    );
    return looksOf(held, policy);
  },
  verdict: (sessions, policy) =>
    policy.base === undefined ? { sessions: [] } : judgePairs(sessions as readonly Pair[], policy),
};

function judgePairs(pairs: readonly Pair[], policy: GatePolicy): ReturnType<Gate['verdict']> {
  const units = new Map(pairs.map(({ outcome, head, base }) => [outcome.id, head?.tested(base) ?? []]));
  const { run, of } = assess(shiftUnits(units.values()), policy);
  const drift = driftOf(shiftUnits(pairs.map(({ base }) => base.tested())), policy);
  const sessions = pairs.map((pair): SessionOutcome => {
    const own = units.get(pair.outcome.id) ?? [];
    const { head, outcome } = pair;
    return {
      ...outcome,
      gate: byRecordings.name,
      recordings: head?.recordings,
      turns: outcome.turns.map((turn) => judgedTurn(turn, pair, { unit: unitOf(turn, own), of, drift })),
    };
  });
  const isOther = () => isOtherThanRecorded(pairs, sessions, policy);
  return {
    sessions,
    ...(pairs.length > 0 && { shift: run }),
    base: {
      blame:
        pairs.length === 0 || policy.isPart
          ? null
          : blameOf(isChanged(pairs, sessions, run), isDrifted(drift), isOther),
      sessions: pairs.length,
      drifted: pairs.flatMap(({ outcome: { id }, base }) => {
        const [found] = base.tested().flatMap(({ unit }) => drift.turns.get(unit.id) ?? []);
        return found === undefined ? [] : { id, what: found.what };
      }),
      driftedSuites: [...drift.suites],
    },
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
  const judged = byShift(turn, told, unit);
  const p = drift.turns.get(unit.unit.id)?.p;
  const notes = [
    judged.comparison.note,
    p === undefined ? null : `the base no longer behaves as recorded, p = ${textOfP(p)}`,
    failures.length === 0 ? null : `could not tell ${failures.length} replays of the base`,
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
function isOtherThanRecorded(pairs: readonly Pair[], outcomes: readonly SessionOutcome[], policy: GatePolicy): boolean {
  if (isDrifted(driftOf(shiftUnits(pairs.map(({ head }) => head?.tested() ?? [])), policy))) return true;
  return outcomes.some(({ turns }) =>
    turns.some(
      ({ shift, comparison: { figures } }) =>
        shift?.state === 'as-before' && shift.speaks === null && figures.asRecorded === 0,
    ),
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
