import {
  COMPARED_ASPECTS,
  isAsRecorded,
  isDiverged,
  type Outcome,
  type TurnComparison,
  worstIn,
} from '../../compare/index.ts';
import { recordCommand } from '../../report/index.ts';
import { recordingsMade } from '../../session/index.ts';
import {
  assess,
  LEAST_RECORDINGS,
  plannedReplays,
  type RunShift,
  type TurnShift,
  textOfP,
  wouldSee,
} from '../../shift/index.ts';
import { counted } from '../../text/index.ts';
import type { Gate, GatePolicy, GateSettings, JudgedTurn, TestedTurns } from '../records/extension-points.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import { failing, noteOf, withEvents } from './every-run.ts';
import { looksOf } from './next-looks.ts';
import { unitsIn } from './session-progress.ts';

/** Tests whether all runs of a session behave as its recordings do. */
export const byRecordings: Gate = {
  name: 'shift',
  how: 'by shift',
  why: (isRest) =>
    isRest
      ? ', whose own recordings differ'
      : ` (whether replays differ from ${LEAST_RECORDINGS} or more recordings by more than chance)`,
  note: (sessions) => {
    const chosen = sessions.filter((session) => timesMade(session) === 0);
    if (chosen.length === 0) return '';
    const pins = chosen.map(({ pin }) => ({ pin: pin.path }));
    return ` ${chosen.length} of them ${chosen.length === 1 ? 'has' : 'have'} only the original, which somebody chose: such a session cannot shift by itself, only together with all others. Make recordings: ${recordCommand(pins)}.`;
  },
  units: (session, settings) => {
    if (!isTested(session, settings)) return undefined;
    // Of very many turns with few recordings looks can go further, which is known when all sessions are.
    const { first, usual, most } = plannedReplays(Math.max(1, timesMade(session)), settings.looks);
    const isWatched = session.quarantine === undefined;
    const further = isWatched ? { more: most - first, usual: usual - first } : { more: 0, usual: 0 };
    return unitsIn(session, settings).map((unit) => ({ ...unit, first, ...further }));
  },
  looks: (sessions, policy) =>
    looksOf(
      sessions.flatMap(({ head }) => head?.tested() ?? []),
      policy,
    ),
  verdict: (sessions, policy) => {
    const units = new Map(sessions.map(({ outcome, head }) => [outcome.id, head?.tested() ?? []]));
    const all = [...units.values()].flat();
    // The tests are loaded when there is something to test.
    const tested =
      all.length === 0
        ? undefined
        : assess(
            all.map(({ unit }) => unit),
            policy,
          );
    return {
      sessions: sessions.map(({ outcome, head }) => ({
        ...outcome,
        gate: byRecordings.name,
        recordings: head?.recordings,
        turns: outcome.turns.map((turn): JudgedTurn => {
          const unit = units.get(outcome.id)?.find(({ turns }) => turns.includes(turn.turn));
          const told = unit && tested?.of(unit.unit.id);
          return unit && told ? byShift(turn, told, unit) : withEvents(turn);
        }),
      })),
      ...(tested && { shift: { ...tested.run, ...seenBy(all, tested, policy) } }),
    };
  },
};

/** What green means, where nothing is red and all sessions are here. */
function seenBy(
  tested: readonly TestedTurns[],
  { of, run }: ReturnType<typeof assess>,
  { alpha, isPart, counted, saysSeen }: GatePolicy,
): Partial<Pick<RunShift, 'wouldSee'>> {
  const isGreen = tested.every(({ unit }) => of(unit.id)?.state === 'as-before');
  if (!saysSeen || isPart || counted !== undefined || !isGreen) return {};
  const seen = wouldSee(
    tested.map(({ unit }) => unit),
    alpha / Math.max(1, run.varying),
  );
  return seen === undefined ? {} : { wouldSee: seen };
}

function isTested(session: PlannedSession, { gate }: GateSettings): boolean {
  if (session.turns.length === 0) return false;
  return gate === undefined ? timesMade(session) >= LEAST_RECORDINGS : gate === byRecordings.name;
}

/** How often runs recorded the turn that they recorded least often. */
export function timesMade({ pin, turns }: Pick<PlannedSession, 'pin' | 'turns'>): number {
  const counts = turns.map((turn) => recordingsMade(pin.session.turns[turn - 1] ?? {}).length);
  return counts.length === 0 ? 0 : Math.min(...counts);
}

export function byShift(given: JudgedTurn, told: TurnShift, { turns, ways }: TestedTurns): JudgedTurn {
  const shift = { ...told, ...(turns.length > 1 && { ofSession: true }) };
  const figures = { ...given.comparison.figures, ...ways[turns.indexOf(given.turn)], minor: 0, inOtherWords: 0 };
  const comparison = { ...given.comparison, figures };
  const turn = { ...given, comparison };
  const outcome = outcomeOf(turn, shift);
  return {
    ...turn,
    shift,
    comparison: {
      ...comparison,
      ...outcome,
      note: noteOf(notesOf(turn, shift, outcome.verdict)),
      // Runs that vary as the recordings do have no divergence.
      divergence: isDiverged(outcome.verdict) ? divergenceIn(turn, outcome) : null,
    },
  };
}

type Aspects = TurnComparison['aspects'];

/**
 * What its replays are in each aspect, and the worst of those that decide: what it did, and the aspect in which it has
 * shifted.
 */
function outcomeOf(turn: JudgedTurn, shift: TurnShift): Pick<TurnComparison, 'verdict' | 'aspects'> {
  const { comparison } = turn;
  const { state, against } = shift;
  const isRed = failing(turn).length > 0;
  const isLost =
    comparison.conclusive === 0 || state === 'open' || (state === 'untested' && !isUntestable(turn, shift));
  if (isLost && !isRed) return { verdict: 'could-not-tell', aspects: withOutcomes(comparison, () => 'could-not-tell') };
  const shifted = state === 'shifted' ? aspectIn(shift, comparison.aspects) : undefined;
  // Nothing tests so few recordings, and no replay does or says what they do.
  const isUntold = (aspect: keyof Aspects) =>
    state === 'untested' && aspect !== 'did' && comparison.aspects[aspect].runs === comparison.conclusive;
  const aspects = withOutcomes(comparison, (aspect) => {
    if (aspect === shifted || (aspect === 'did' && isRed)) return 'changed';
    // Runs of both sides that differ alike from the recordings say nothing about this change.
    if (against === 'base') return 'as-recorded';
    if (isUntold(aspect)) return 'could-not-tell';
    return aspect === 'did' ? didAlone(comparison, shift) : untested(comparison.aspects[aspect]);
  });
  const decides = COMPARED_ASPECTS.filter((aspect) => aspect === 'did' || aspect === shifted || isUntold(aspect));
  return { verdict: worstIn(aspects, decides), aspects };
}

/** Of the aspect that decides: runs also differ, as recordings do, where nothing has shifted. */
function divergenceIn(
  { comparison: { divergence }, leads = [] }: JudgedTurn,
  { aspects, verdict }: ReturnType<typeof outcomeOf>,
): TurnComparison['divergence'] {
  const aspect = COMPARED_ASPECTS.find((each) => aspects[each].outcome === verdict);
  const lead = leads.find((each) => each.aspect === aspect);
  const isLess = divergence === null || divergence.aspect !== aspect || divergence.runs < (lead?.runs ?? 0);
  return isLess && lead !== undefined ? lead : divergence;
}

function withOutcomes({ aspects }: TurnComparison, outcome: (aspect: keyof Aspects) => Outcome): Aspects {
  const of = (aspect: keyof Aspects) => ({ ...aspects[aspect], outcome: outcome(aspect) });
  return { did: of('did'), said: of('said'), path: of('path') };
}

/** The aspect of the channel in which a turn has shifted. */
function aspectIn({ speaks }: TurnShift, { did }: Aspects): keyof Aspects {
  if (speaks === 'answer' || speaks === 'words') return 'said';
  return did.runs > 0 ? 'did' : 'path';
}

/** The fewest replays that must do the same other thing for one or a few recordings to be enough. */
const LEAST_ALIKE = 5;

/**
 * What it did, without a test: changed if few recordings agree and all replays do the same other thing; in doubt if no
 * replay does what few recordings did, and each does something else.
 */
function didAlone({ aspects: { did }, conclusive }: TurnComparison, { recordings }: TurnShift): Outcome {
  if (!isDiverged(did.outcome)) return did.outcome;
  const areFew = recordings < LEAST_RECORDINGS;
  if (did.outcome === 'changed' && areFew && conclusive >= LEAST_ALIKE && did.recordingsVary !== true) return 'changed';
  return areFew && did.outcome === 'varies' && did.runs === conclusive ? 'could-not-tell' : 'varies';
}

/** Other words are a matter of the tests. */
function untested({ outcome }: Aspects[keyof Aspects]): Outcome {
  return outcome === 'could-not-tell' ? 'varies' : outcome;
}

function notesOf(turn: JudgedTurn, shift: TurnShift, verdict: Outcome): (string | null)[] {
  const { conclusive, requested, figures } = turn.comparison;
  const { state, adjusted, separation } = shift;
  const p = shift.p ?? 1;
  const lost = conclusive < requested ? `${requested - conclusive} of ${requested} could not tell` : null;
  const what = separation.length === 0 ? '' : `: ${separation.join('; ')}`;
  const of = shift.ofSession ? 'the session ' : '';
  const { tested = conclusive } = shift;
  const by = tested < conclusive ? `, by the first ${tested} replays` : '';
  switch (state) {
    case 'shifted':
      return [`${of}has shifted, p = ${textOfP(p)} (${textOfP(adjusted)} among all turns)${by}${what}`, lost];
    case 'may-have-shifted':
      return [`${of}may have shifted, p = ${textOfP(p)}${by}${what}`, lost];
    case 'untested':
      if (isAsRecorded(verdict) && figures.asRecorded === conclusive) return [];
      if (isUntestable(turn, shift)) {
        const made = `${counted(shift.recordings, 'recording')} and ${counted(conclusive, 'replay')}`;
        return [
          verdict === 'could-not-tell'
            ? `nothing was tested: ${made} tell no shift from chance, and no replay is as recorded. Record five`
            : `what it did was compared, and nothing was tested: ${made} tell no shift from chance`,
        ];
      }
      return [lost ?? 'too few replays could be compared'];
    case 'open':
      return [`p = ${textOfP(p)} asks for more replays, and there were none`, lost];
    case 'as-before': {
      if (figures.asRecorded === conclusive && figures.behaviours <= 1) return [lost];
      const ways = `${figures.behaviours === 1 ? 'one way' : `${figures.behaviours} ways`} in ${conclusive} runs`;
      if (!shift.recordingsVary && shift.speaks !== null) {
        const agree = shift.recordings === 1 ? 'its recording is one' : `${reference(shift)} all agree`;
        return [`${ways}, and ${agree}`, lost];
      }
      return [`${ways}, as in ${reference(shift)} (p = ${textOfP(p)})`, lost];
    }
  }
}

/** All its replays could be compared, but they and the recordings are too few for any shift to be seen. */
function isUntestable({ comparison: { conclusive, requested } }: JudgedTurn, { state, p }: TurnShift): boolean {
  return state === 'untested' && p !== null && conclusive === requested;
}

function reference({ against, recordings }: TurnShift): string {
  return against === 'base' ? `${recordings} runs of the base` : `its ${recordings} recordings`;
}
