import { type CompareRules, type Difference, plainSteps, RecordedTurn } from '../../compare/index.ts';
import type { Config } from '../../config/index.ts';
import { type Json, present } from '../../json/index.ts';
import { redactTexts } from '../../redaction/index.ts';
import type { Problem, Report, SessionResult } from '../../report/index.ts';
import type { FirstLook } from '../../shift/index.ts';
import { type Recording, responseOnly } from '../../trace/index.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import type { KeptBehaviour } from './session-progress.ts';

type TurnResult = SessionResult['turns'][number];
type Steps = Readonly<ReturnType<typeof plainSteps>>;

/** Either the pin was written, and the report compares the replays with it; or accepting was refused. */
export interface PinUpdate {
  readonly accepted: readonly AcceptedDivergence[];
  readonly refused: readonly Problem[];
}

export interface AcceptedDivergence {
  /** From 1. */
  readonly turn: number;
  /** The divergence that has been accepted. */
  readonly sentence: string;
  /** Recordings that went with the old original. */
  readonly droppedBaselines: number;
}

/** All texts are redacted. */
export interface ReplayedSession {
  /** Of this session alone. */
  readonly report: Report;
  readonly turns: readonly ReplayedTurn[];
  /** For the test of all sessions together; empty if it takes part in none, or was accepted. */
  readonly tested: readonly FirstLook[];
  /** Undefined if that was not asked for, or there was nothing to accept. */
  readonly acceptance?: PinUpdate;
}

export interface ReplayedTurn {
  /** From 1. */
  readonly turn: number;
  /** Most frequent first. */
  readonly behaviours: readonly (TracedTurn & { readonly runs: readonly number[] })[];
  /** The recording beside the replay that parts from it first; undefined if none does. */
  readonly diverged?: StepPair;
  /** The two most frequent behaviours, and how the second differs. */
  readonly disagreed?: StepPair & { readonly differences: readonly Difference[] };
}

/** What an agent did in a turn, in steps, with ids as they were. */
interface TracedTurn {
  readonly output?: Json;
  readonly steps: Steps;
}

/** Two behaviours as the comparison sees them, with generated ids renamed. */
interface StepPair {
  readonly recorded: Steps;
  readonly replayed: Steps;
}

interface TurnsOptions {
  readonly config: Pick<Config, 'compare' | 'tracing'>;
  readonly redact: (text: string) => string;
}

export function replayedTurns(
  { turns }: SessionResult,
  session: PlannedSession,
  behaviours: readonly KeptBehaviour[],
  { config, redact }: TurnsOptions,
): ReplayedTurn[] {
  return turns.map((result) => redactTexts(replayedTurn(result, session, behaviours, config), redact));
}

function replayedTurn(
  { turn, comparison }: TurnResult,
  { pin }: PlannedSession,
  all: readonly KeptBehaviour[],
  { compare, tracing }: TurnsOptions['config'],
): ReplayedTurn {
  const pinned = pin.session.turns[turn - 1]?.recorded ?? { observations: [] };
  const recorded = tracing.source === 'none' ? responseOnly(pinned.output) : pinned;
  const behaviours = all
    .filter((each) => each.turn === turn && each.cluster !== null)
    .sort((a, b) => b.runs.length - a.runs.length);
  const divergent = comparison.clusters.find((cluster) => cluster.divergence !== null && !cluster.recorded);
  const diverged = behaviours.find(({ cluster }) => cluster === divergent?.id);
  const [first, second] = behaviours;
  return {
    turn,
    behaviours: behaviours.map(({ runs, recording }) => ({ runs, ...traced(recording) })),
    ...(diverged && { diverged: sideBySide(recorded, diverged.recording, compare) }),
    ...(first && second && { disagreed: sideBySide(first.recording, second.recording, compare) }),
  };
}

function traced(recording: Recording): TracedTurn {
  return { ...present({ output: recording.output }), steps: plainSteps(recording) };
}

function sideBySide(recorded: Recording, replayed: Recording, rules: CompareRules) {
  // Two sides, also where they would count as one behaviour: a gate can tell runs apart by their words.
  const relation = (one: Recording) => (one === replayed ? 'replayed' : 'recorded');
  const comparison = new RecordedTurn({ recorded }, rules).start(1, { relation });
  comparison.add(1, replayed);
  const steps = (cluster: number) => comparison.behaviour(cluster)?.steps ?? [];
  const { differences = [] } = comparison.result().clusters[1] ?? {};
  return { recorded: steps(0), replayed: steps(1), differences };
}
