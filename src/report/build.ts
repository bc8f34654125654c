import {
  COMPARED_ASPECTS,
  isDoubt,
  type Outcome,
  outcomeWord,
  type TurnComparison,
  worstIn,
  worstOf,
} from '../compare/index.ts';
import type { AgentReplayError } from '../errors.ts';
import { byCodeUnit, byName, present } from '../json/index.ts';
import { costTest, type ShiftEvent, type TurnShift } from '../shift/index.ts';
import { cut } from '../text/index.ts';
import { isTestedBy } from './gate-kind.ts';
import type { LaidTurn } from './laid.ts';
import { failingIn, type GatePolicy, gatedAspects, hardest, levelOf } from './policy.ts';
import {
  type Judgement,
  type Level,
  type Problem,
  REPORT_VERSION,
  type Report,
  type RunEvidence,
  type SessionResult,
  type TurnResult,
} from './schema.ts';
import { seenIn, withoutSeen } from './seen.ts';
import { gateOf } from './status.ts';

/** A turn that was replayed, or should have been. */
export interface TurnOutcome {
  /** From 1. */
  readonly turn: number;
  /** What the user wrote in it, cut. */
  readonly asked?: string;
  readonly comparison: TurnComparison;
  /** Where its gate tests the runs: what most of them do otherwise in each aspect. */
  readonly leads?: readonly NonNullable<TurnComparison['divergence']>[];
  readonly laid?: LaidTurn;
  /** Runs that could not be compared, in any order. */
  readonly failures: readonly RunFailure[];
  /** Warnings about runs that were compared, in any order. */
  readonly warnings?: readonly RunFailure[];
  readonly events?: readonly ShiftEvent[];
  readonly judgements?: readonly Judgement[];
  readonly shift?: TurnShift;
}

export interface RunFailure {
  readonly run: number;
  readonly error: AgentReplayError;
}

export interface SessionOutcome
  extends Pick<
    SessionResult,
    'id' | 'pin' | 'title' | 'agentId' | 'gate' | 'quarantine' | 'recordings' | 'copies' | 'spent'
  > {
  readonly own?: OwnOutcome;
  readonly turns: readonly TurnOutcome[];
  /** Why the session could not be replayed at all. */
  readonly problems: readonly AgentReplayError[];
}

/** Settings of one session that differ from those of all. */
type OwnOutcome = Omit<NonNullable<SessionResult['own']>, 'failOn'> & {
  readonly failOn?: GatePolicy['failOn'];
};

type Failure = NonNullable<Report['evidence']['failures']>[number];
type Ids = NonNullable<Report['evidence']['ids']>[number];

/** Everything that a run found out, in any order. */
export interface ReportParts
  extends Pick<
      Report['results'],
      'runs' | 'strictness' | 'compared' | 'gates' | 'shift' | 'base' | 'judge' | 'untold' | 'allowEmpty'
    >,
    Pick<Report, 'evidence'> {
  readonly sessions: readonly SessionOutcome[];
  /** Failures that belong to no session. */
  readonly problems: readonly AgentReplayError[];
}

export function buildReport({ sessions, problems, evidence, ...rest }: ReportParts, general: GatePolicy): Report {
  const failures = sessions.flatMap(({ id, turns }) =>
    turns.flatMap(({ turn, failures, warnings = [] }) =>
      seenIn(id, turn, [...groupFailures(failures), ...groupFailures(warnings)]),
    ),
  );
  const ids = sessions.flatMap(({ id: session, turns }) =>
    turns.flatMap(
      ({ turn, laid }) => laid?.ids.map((each) => ({ session, turn, ...each, named: [...each.named] })) ?? [],
    ),
  );
  return assembleReport({
    sessions: sessions.map((session) =>
      sessionResult(session, { ...general, failOn: session.own?.failOn ?? general.failOn }),
    ),
    problems: problems.map(toProblem),
    gatesCost: general.failOn.cost.includes('changed'),
    ...(general.allowEmpty && { allowEmpty: true }),
    evidence: { ...evidence, ...(failures.length > 0 && { failures }), ...(ids.length > 0 && { ids }) },
    ...rest,
  });
}

/** {@link ReportParts} in which sessions and problems are already in report form. */
interface ReportResults extends Omit<ReportParts, 'sessions' | 'problems'> {
  readonly sessions: readonly SessionResult[];
  readonly problems: readonly Problem[];
  /** Whether a run fails where it costs more. */
  readonly gatesCost?: boolean;
}

/** Assembles a report and decides its status. `results` does not depend on the order in which parts arrived. */
export function assembleReport({ gatesCost: gated, evidence, ...given }: ReportResults): Report {
  const sessions = [...given.sessions].sort((a, b) => byName(a.pin, b.pin) || byName(a.id, b.id));
  const problems = sortProblems(given.problems);
  const cost = costTest(
    sessions.flatMap(({ id, agentId, own, spent, quarantine }) =>
      spent && !quarantine ? { id, agentId, spent, gated: own?.failOn?.includes(COSTS_MORE) } : [],
    ),
    { gated },
  );
  const results = { ...given, sessions, problems, ...present({ cost }) };
  const { status, title, message } = gateOf({ results, evidence });
  return {
    version: REPORT_VERSION,
    results: { status, title, message, ...results },
    evidence: {
      ...evidence,
      runs: [...evidence.runs].sort(compareRuns),
      ...present({
        ids: evidence.ids?.toSorted(compareIds),
        baseRuns: evidence.baseRuns?.toSorted(compareRuns),
        failures: evidence.failures?.toSorted(compareFailures),
      }),
    },
  };
}

const NOTHING_LAID: LaidTurn = { steps: [], moreSteps: 0, pairs: [], ids: [] };

function sessionResult({ own, ...session }: SessionOutcome, policy: GatePolicy): SessionResult {
  const turns = session.turns.map((each) => turnResult(each, session, policy)).sort((a, b) => a.turn - b.turn);
  const doubtful = turns.length === 0 || session.problems.length > 0;
  return {
    ...present(session),
    ...present({ own: own && ownResult(own) }),
    verdict: sessionVerdict([
      ...turns.map(({ comparison }) => comparison.verdict),
      ...(doubtful ? (['could-not-tell'] as const) : []),
    ]),
    ...aspectsOf(turns),
    level: hardest([
      ...turns.map(({ level }) => level),
      ...(doubtful ? [session.quarantine ? ('warn' as const) : policy.failOn.couldNotTell] : []),
    ]),
    turns,
    problems: sortProblems(session.problems.map(toProblem)),
  };
}

function turnResult(turn: TurnOutcome, session: SessionOutcome, policy: GatePolicy): TurnResult {
  const comparison = withVerdict(turn, policy, session.gate);
  const { asked, laid = NOTHING_LAID, warnings = [], judgements = [], events = [], shift } = turn;
  return {
    turn: turn.turn,
    ...present({ asked }),
    level: levelOfTurn({ comparison, events, shift }, policy, session),
    comparison,
    steps: [...laid.steps],
    ...(laid.moreSteps > 0 && { moreSteps: laid.moreSteps }),
    pairs: [...laid.pairs],
    problems: withoutSeen(groupFailures(turn.failures)),
    ...(warnings.length > 0 && { warnings: withoutSeen(groupFailures(warnings)) }),
    ...(judgements.length > 0 && { judgements: [...judgements] }),
    ...(events.length > 0 && { events: [...events] }),
    ...(shift && { shift }),
  };
}

/** The verdict of a session: that of its worst turn. Without turns nothing is known. */
export function sessionVerdict(verdicts: readonly Outcome[]): Outcome {
  return worstOf(verdicts) ?? 'could-not-tell';
}

function aspectsOf(turns: readonly TurnResult[]): Pick<SessionResult, 'aspects'> {
  if (turns.length === 0) return {};
  const worst = (aspect: (typeof COMPARED_ASPECTS)[number]) =>
    sessionVerdict(turns.map(({ comparison }) => comparison.aspects[aspect].outcome));
  return { aspects: { did: worst('did'), said: worst('said'), path: worst('path') } };
}

/** A turn's verdict is the worst of the aspects that count. */
function withVerdict(turn: TurnOutcome, policy: GatePolicy, gate: string | undefined): TurnComparison {
  const { comparison, shift, events = [] } = turn;
  if (events.some(({ fails }) => fails) || (isTestedBy(gate) && isDoubt(comparison.verdict))) return comparison;
  // A gate that judged otherwise has the last word.
  if (!isTestedBy(gate) && comparison.verdict !== worstIn(comparison.aspects)) return comparison;
  const { aspects, conclusive, requested } = comparison;
  const gated = gatedAspects(shift, policy, gate);
  const judged = { ...comparison, verdict: worstIn(aspects, gated) };
  if (isTestedBy(gate) || levelOf({ comparison: judged }, policy, gate) === 'error') return judged;
  // What the policy lets pass hides no doubt. A replay that failed is in doubt where no aspect counts, too.
  const isInDoubt = conclusive === 0 || conclusive < requested || gated.some((each) => isDoubt(aspects[each].outcome));
  return isInDoubt ? { ...judged, verdict: 'could-not-tell' } : judged;
}

/** Of a session's own settings: that it costs more fails the run. */
const COSTS_MORE = 'cost changed';

/** Own settings as a report shows them. */
export function ownResult({ failOn, ...own }: OwnOutcome): NonNullable<SessionResult['own']> {
  if (failOn === undefined) return own;
  const failing = COMPARED_ASPECTS.flatMap((aspect) =>
    failingIn(aspect, { failOn }, own.gate).map((each) => `${aspect} ${each}`),
  );
  const doubt = failOn.couldNotTell === 'error' ? [outcomeWord('could-not-tell')] : [];
  const cost = failOn.cost.includes('changed') ? [COSTS_MORE] : [];
  return { ...own, failOn: [...failing, ...cost, ...doubt] };
}

/** A never-green event fails under every policy, and a suspicion is always at least a warning. */
function levelOfTurn(
  { comparison, events, shift }: Pick<TurnOutcome, 'comparison' | 'shift'> & { events: readonly ShiftEvent[] },
  policy: GatePolicy,
  { gate, quarantine }: SessionOutcome,
): Level {
  const failing = events.filter(({ fails }) => fails);
  if (failing.some(({ kind, isCritical }) => isCritical === true || kind === 'forbidden')) return 'error';
  const level = failing.length > 0 ? 'error' : levelOf({ comparison, shift }, policy, gate);
  if (quarantine !== undefined) return level === 'error' ? 'warn' : level;
  const isSuspicious = shift?.state === 'may-have-shifted' || events.length > 0;
  return isSuspicious && level === 'off' ? 'warn' : level;
}

/** One entry per failure, as seen in its first run. Another status is another failure. */
function groupFailures(failures: readonly RunFailure[]): TurnResult['problems'] {
  const alike = Map.groupBy(
    [...failures].sort((a, b) => a.run - b.run),
    ({ error }) => JSON.stringify([error.code, error.message]),
  );
  return [...alike.values()]
    .map((group) => ({ ...toProblem(group[0]!.error), runs: group.map(({ run }) => run) }))
    .sort((a, b) => byCodeUnit(a.code, b.code) || byCodeUnit(a.message, b.message));
}

/** A failure in report form, with bounded texts. */
export function toProblem({ code, message, evidence, hint, location }: AgentReplayError): Problem {
  return {
    code,
    message: cut(message, MAX_MESSAGE_CHARS),
    evidence: evidence.slice(0, MAX_EVIDENCE_LINES).map((line) => cut(line, MAX_LINE_CHARS)),
    ...present({ hint: hint && cut(hint, MAX_MESSAGE_CHARS), location: location && { ...location } }),
  };
}

/** A message is a sentence. One that quotes an agent's whole answer is cut. */
const MAX_MESSAGE_CHARS = 2_000;
/** The tail of a log shows the reason; the whole log is kept elsewhere. */
const MAX_EVIDENCE_LINES = 50;
const MAX_LINE_CHARS = 1_000;

function sortProblems(problems: readonly Problem[]): Problem[] {
  const place = ({ location }: Problem) => location?.file ?? '';
  return [...problems].sort(
    (a, b) =>
      byName(place(a), place(b)) ||
      byCodeUnit(a.code, b.code) ||
      byCodeUnit(a.location?.pointer ?? '', b.location?.pointer ?? '') ||
      byCodeUnit(a.message, b.message),
  );
}

function byTurn(a: { session: string; turn: number }, b: typeof a): number {
  return byCodeUnit(a.session, b.session) || a.turn - b.turn;
}

function compareRuns(a: RunEvidence, b: RunEvidence): number {
  return byTurn(a, b) || a.run - b.run;
}

function compareIds(a: Ids, b: Ids): number {
  return byTurn(a, b) || (a.cluster ?? -1) - (b.cluster ?? -1);
}

function compareFailures(a: Failure, b: Failure): number {
  return byTurn(a, b) || byCodeUnit(a.code, b.code) || byCodeUnit(a.message, b.message);
}
