import { inputDiffers } from '../compare/index.ts';
import type { Recording } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import type { Problem, SessionResult, TurnResult } from '../report/index.ts';
import { type PinnedTurn, redactRecording, type Session } from '../session/index.ts';
import type { Behaviour } from './session-progress.ts';

export interface AcceptOptions {
  /** What this run did is meant, from 1. */
  readonly run?: number | undefined;
  /** It becomes one more recording beside the original, instead of the original. */
  readonly asRecordings?: boolean | undefined;
  /** The run compared responses only. */
  readonly responsesOnly?: boolean | undefined;
}

/** A turn that is recorded anew. */
export interface AcceptedTurn {
  /** From 1. */
  readonly turn: number;
  readonly as: 'original' | 'baseline';
  readonly before: Recording;
  readonly after: Recording;
}

/** What a pin becomes. With a refusal nothing of it is taken over. */
export interface Acceptance {
  readonly session: Session;
  readonly accepted: readonly AcceptedTurn[];
  readonly refused: readonly AgentReplayError[];
}

/** Why recordings are not accepted here; undefined where they are. */
export function refusedInCi(environment: NodeJS.ProcessEnv): AgentReplayError | undefined {
  if (!environment.CI) return undefined;
  return new AgentReplayError('USAGE', 'Recordings are not accepted in CI, where nobody looks at them.', {
    hint: 'Accept them on your own machine and commit the pins; agent-replay accept --force does it all the same.',
  });
}

/**
 * Makes what the replays of a session did its new original. Pure: nothing is written.
 * @param result what the report says of it
 * @param behaviours what the run has kept of it
 */
export function accept(
  session: Session,
  result: SessionResult,
  behaviours: readonly Behaviour[],
  options: AcceptOptions = {},
): Acceptance {
  const refused: AgentReplayError[] = [];
  const accepted: AcceptedTurn[] = [];
  const turns = [...session.turns];
  if (result.turns.length === 0) {
    refused.push(
      notVerified(result, {
        turn: undefined,
        what: 'none of its replays could be compared',
        problems: result.problems,
      }),
    );
  }
  for (const turnResult of result.turns) {
    const { turn } = turnResult;
    try {
      const pinned = turns[turn - 1];
      if (pinned === undefined) throw refusal(result, turn, 'the pin has no such turn any more');
      const recordings = meantClusters(turnResult, result, options).map((cluster) =>
        recordingOf(behaviours, result, { turn, cluster }),
      );
      for (const recording of recordings) check(recording, pinned, result, turn, options);
      const redacted = recordings.map((each) =>
        session.redacted === undefined ? each : redactRecording(each, session.redacted),
      );
      turns[turn - 1] = options.asRecordings ? withBaselines(pinned, redacted) : withOriginal(pinned, redacted);
      const as = options.asRecordings ? 'baseline' : 'original';
      accepted.push(...redacted.map((after): AcceptedTurn => ({ turn, as, before: pinned.recorded, after })));
    } catch (error) {
      if (!(error instanceof AgentReplayError)) throw error;
      refused.push(error);
    }
  }
  return refused.length > 0
    ? { session, accepted: [], refused }
    : { session: { ...session, turns }, accepted, refused };
}

/** Clusters whose behaviour is taken over; none when all of it is recorded already. */
function meantClusters(turnResult: TurnResult, result: SessionResult, options: AcceptOptions): number[] {
  const { turn, comparison, problems } = turnResult;
  const { run, asRecordings } = options;
  const ways = comparison.clusters.filter(({ runs }) => runs.length > 0);
  if (ways.length === 0) throw notVerified(result, { turn, what: 'none of its replays could be compared', problems });
  const meant = run === undefined ? ways : ways.filter(({ runs }) => runs.includes(run));
  if (run !== undefined && meant.length === 0) {
    const own = problems.filter(({ runs }) => runs.includes(run));
    if (own.length === 0) throw refusal(result, turn, `run ${run} was not made`);
    throw notVerified(result, { turn, what: `run ${run} could not be compared`, problems: own });
  }
  if (meant.length > 1 && !asRecordings) {
    throw refusal(
      result,
      turn,
      `its replays do not agree: ${ways.length} behaviours in ${comparison.conclusive} runs`,
      'Choose one with --run K, or take all of them as recorded with --as-recordings.',
    );
  }
  return meant.filter(({ recorded }) => !recorded).map(({ id }) => id);
}

function recordingOf(
  behaviours: readonly Behaviour[],
  result: SessionResult,
  { turn, cluster }: { turn: number; cluster: number },
): Recording {
  const own = behaviours.find((each) => each.session === result.id && each.turn === turn && each.cluster === cluster);
  if (own !== undefined) return own.recording;
  throw refusal(result, turn, 'what its replays did is not in the output folder', 'Run it again with --output-dir.');
}

function check(
  recording: Recording,
  { request, recorded }: PinnedTurn,
  result: SessionResult,
  turn: number,
  { responsesOnly }: AcceptOptions,
): void {
  if (responsesOnly && recorded.observations.length > 0) {
    throw refusal(
      result,
      turn,
      'the run had no traces, and the pin would lose its steps',
      'Run it again with tracing: embedded.',
    );
  }
  const difference = request && inputDiffers(request, recording, recorded);
  if (difference !== undefined) {
    throw refusal(result, turn, `the replay was given another request than the pin now holds: ${difference}`);
  }
}

/** Where it came from, and further recordings of what it no longer does, go with the old original. */
function withOriginal(turn: PinnedTurn, [recorded]: readonly Recording[]): PinnedTurn {
  if (recorded === undefined) return turn;
  const { metadata: _, baselines: __, ...rest } = turn;
  return { ...rest, recorded };
}

function withBaselines(turn: PinnedTurn, added: readonly Recording[]): PinnedTurn {
  return added.length === 0 ? turn : { ...turn, baselines: [...(turn.baselines ?? []), ...added] };
}

/** What failed, or could not be told, is nobody's original. */
function notVerified(
  result: SessionResult,
  about: { turn: number | undefined; what: string; problems: readonly Problem[] },
): AgentReplayError {
  const { turn, what, problems } = about;
  const { message, hint, location } = refusal(result, turn, what);
  return new AgentReplayError('RUN_NOT_VERIFIED', message, {
    ...{ hint, location },
    evidence: problems.map(({ code, message }) => `${code}: ${message}`),
  });
}

function refusal(
  { pin }: SessionResult,
  turn: number | undefined,
  reason: string,
  hint = 'Run the session again, then accept that run.',
): AgentReplayError {
  const place = turn === undefined ? pin : `${pin}, turn ${turn}`;
  return new AgentReplayError('USAGE', `${place} is left as it is: ${reason}.`, { location: { file: pin }, hint });
}
