import { otherInput } from '../../compare/index.ts';
import { AgentReplayError } from '../../errors.ts';
import { redactor, redactRecording, SECRET } from '../../redaction/index.ts';
import { isTestedBy, type Problem, type SessionResult } from '../../report/index.ts';
import { askedIn, type PinnedTurn, type RecordingMade, recordingsMade, type Session } from '../../session/index.ts';
import { type Recording, withoutCopies } from '../../trace/index.ts';
import { type KeptBehaviour, MAX_ASKED_CHARS } from '../judging/session-progress.ts';

type TurnResult = SessionResult['turns'][number];

export interface AcceptOptions {
  /** Number of the run whose behaviour is accepted, from 1. */
  readonly run?: number;
  /** The behaviour of each conclusive replay, by turn: these become recordings beside the original. */
  readonly recordings?: ReadonlyMap<number, readonly RecordingMade[]>;
  /** Also of turns that are as recorded, so that the pin holds what their models are asked now. */
  readonly isRenewed?: boolean;
  /** The run compared responses only. */
  readonly responsesOnly?: boolean;
  /**
   * Also accepts never-green events: a call of a tool declared critical that no recording makes, an error that none
   * contains.
   */
  readonly force?: boolean;
}

/** A turn with a new original, or with replays added as recordings. */
export type AcceptedTurn =
  | {
      /** From 1. */
      readonly turn: number;
      readonly as: 'original';
      readonly before: Recording;
      readonly after: Recording;
    }
  | {
      readonly turn: number;
      readonly as: 'recordings';
      readonly added: number;
      /** Number of recordings made by runs, including the added ones. */
      readonly total: number;
      /** Recordings that were removed for them, with the date of the newest. */
      readonly replaced: { readonly count: number; readonly made: string } | undefined;
    };

/** The new pin. If something is refused, nothing changes. */
export interface Acceptance {
  readonly session: Session;
  readonly accepted: readonly AcceptedTurn[];
  readonly refused: readonly AgentReplayError[];
}

/** Why CI may not accept recordings; undefined if it may. */
export function refusedInCi(environment: NodeJS.ProcessEnv): AgentReplayError | undefined {
  if (!environment.CI) return undefined;
  return new AgentReplayError('USAGE', 'Recordings are not accepted in CI, where nobody reviews them.', {
    hint: 'Accept them on your own machine and commit the pins; `npx agent-replay accept --force` accepts them anyway.',
  });
}

/**
 * Makes the behaviour of a session's replays its new original. Pure: writes nothing.
 * @param result the report about it
 * @param behaviours what the run kept of it
 */
export function accept(
  session: Session,
  result: SessionResult,
  behaviours: readonly KeptBehaviour[],
  options: AcceptOptions = {},
): Acceptance {
  const refused: AgentReplayError[] = [];
  const accepted: AcceptedTurn[] = [];
  const turns = [...session.turns];
  if (result.turns.length === 0) refused.push(notVerified(refusal(result, undefined)(NONE_COMPARED), result.problems));
  for (const turnResult of result.turns) {
    const { turn } = turnResult;
    const refuse = refusal(result, turn);
    try {
      const never = turnResult.events?.find(({ fails }) => fails);
      if (never !== undefined && !options.force) {
        throw refuse(never.sentence, 'If that is wanted, accept it with --force.');
      }
      const pinned = turns[turn - 1];
      if (pinned === undefined) throw refuse('the pin no longer has this turn');
      if (asksOther(pinned, turnResult)) throw refuse('it asks something else than the run asked');
      const redacted = <Any extends Recording>(each: Any): Any => {
        check(each, pinned, session, refuse, options);
        return redactRecording(each, session.redacted);
      };
      if (options.recordings !== undefined) {
        const all = options.recordings.get(turn) ?? [];
        const meant = meantRecordings(turnResult, all, refuse, options).map(redacted);
        const before = recordingsMade(pinned);
        const [ours, theirs] = [withoutThese(meant, before), withoutThese(before, meant)];
        // Older recordings of a session that is tested show how the agent was, and it has changed.
        const isReplaced = isTestedBy(result.gate) && options.run === undefined && theirs.length > 0;
        if (ours.length === 0 && !isReplaced) continue;
        const baselines = isReplaced ? meant : withoutCopies([...(pinned.baselines ?? []), ...ours]);
        turns[turn - 1] = { ...pinned, baselines };
        accepted.push({
          turn,
          as: 'recordings',
          added: ours.length,
          total: recordingsMade({ baselines }).length,
          replaced: isReplaced ? { count: theirs.length, made: theirs.at(-1)?.made.at ?? '' } : undefined,
        });
        continue;
      }
      for (const cluster of meantClusters(turnResult, refuse, options)) {
        const kept = behaviours.find(
          (each) => each.session === result.id && each.turn === turn && each.cluster === cluster,
        );
        if (kept === undefined) {
          throw refuse('what its replays did is not in the output folder', 'Run it again with --output-dir.');
        }
        const recorded = withIdsOf(pinned.recorded, redacted(kept.recording));
        // The origin, and further recordings of the old behaviour or prompt, go with the old original.
        const { metadata: _, baselines: __, ...rest } = pinned;
        turns[turn - 1] = { ...rest, recorded };
        accepted.push({ turn, as: 'original', before: pinned.recorded, after: recorded });
      }
    } catch (error) {
      if (!(error instanceof AgentReplayError)) throw error;
      refused.push(error);
    }
  }
  return refused.length > 0
    ? { session, accepted: [], refused }
    : { session: { ...session, turns }, accepted, refused };
}

/** Generated ids say nothing, so they stay as they are pinned, and a reviewer reads what changed. */
function withIdsOf(before: Recording, after: Recording): Recording {
  const others = new Set(after.observations.map(({ id }) => id));
  const ids = new Map(
    after.observations.flatMap(({ id, type, name }, at) => {
      const kept = before.observations[at];
      return kept?.type === type && kept.name === name && !others.has(kept.id) ? [[id, kept.id] as const] : [];
    }),
  );
  const idOf = (id: string) => ids.get(id) ?? id;
  const observations = after.observations.map((each) => ({
    ...each,
    id: idOf(each.id),
    parentId: each.parentId && idOf(each.parentId),
  }));
  return { ...after, observations };
}

const NONE_COMPARED = 'none of its replays could be compared';

/** Recordings that are no copies of others. */
function withoutThese(recordings: readonly RecordingMade[], others: readonly RecordingMade[]): RecordingMade[] {
  return withoutCopies([...others, ...recordings]).slice(others.length);
}

/** Of the runs that do as the original. */
const HOME = 0;

/** The cluster to accept; none if it is already recorded, unless the original is renewed. */
function meantClusters(turnResult: TurnResult, refuse: Refuse, { run, isRenewed }: AcceptOptions): number[] {
  const { comparison, problems } = turnResult;
  const ways = comparison.clusters.filter(({ runs }) => runs.length > 0);
  if (ways.length === 0) throw notVerified(refuse(NONE_COMPARED), problems);
  if (isRenewed && ways.every(({ recorded }) => recorded)) return ways.some(({ id }) => id === HOME) ? [HOME] : [];
  const meant = run === undefined ? ways : ways.filter(({ runs }) => runs.includes(run));
  if (run !== undefined && meant.length === 0) throw noSuchRun(turnResult, refuse, run);
  if (meant.length > 1) {
    throw refuse(
      `its replays do not agree: ${ways.length} behaviours in ${comparison.conclusive} runs`,
      'Choose one with --run K, or keep all of them as recordings with --as-recordings.',
    );
  }
  // The output folder contains the whole trace, including everything after that call.
  if (meant.some(({ differences }) => differences.some(({ missed }) => missed))) throw endedEarly(refuse);
  return meant.filter(({ recorded }) => !recorded).map(({ id }) => id);
}

function endedEarly(refuse: Refuse): AgentReplayError {
  return refuse(
    'its replay ended at a call that the recording does not hold',
    'Run it again with --tools live, where the tools may run, and accept that run.',
  );
}

/** A single replay says nothing of how an agent varies. */
const LEAST_REPLAYS = 2;
const TELLS_NOTHING = 'one does not show how the agent varies';
const MORE_RUNS = 'Run it again with --runs 5 or more.';

/** @throws AgentReplayError `USAGE` if so many replays cannot become recordings */
export function checkRuns(runs: number): void {
  if (runs >= LEAST_REPLAYS) return;
  throw new AgentReplayError('USAGE', `With --runs 1 there is one more recording, and ${TELLS_NOTHING}.`, {
    hint: MORE_RUNS,
  });
}

/** All conclusive replays, however alike: each behaviour must be recorded as often as it was seen. */
function meantRecordings(
  turnResult: TurnResult,
  all: readonly RecordingMade[],
  refuse: Refuse,
  { run }: AcceptOptions,
): readonly RecordingMade[] {
  if (all.length < LEAST_REPLAYS) {
    const what = all.length === 0 ? NONE_COMPARED : `only one of its replays could be compared, and ${TELLS_NOTHING}`;
    throw notVerified(refuse(what, MORE_RUNS), turnResult.problems);
  }
  if (run === undefined) return all;
  const meant = all.filter(({ made }) => made.run === run);
  if (meant.length === 0) throw noSuchRun(turnResult, refuse, run);
  return meant;
}

function noSuchRun({ problems }: TurnResult, refuse: Refuse, run: number): AgentReplayError {
  const own = problems.filter(({ runs }) => runs.includes(run));
  if (own.length === 0) return refuse(`run ${run} was not made`);
  return notVerified(refuse(`run ${run} could not be compared`), own);
}

function check(
  recording: Recording,
  { request, recorded }: PinnedTurn,
  session: Pick<Session, 'redacted'>,
  refuse: Refuse,
  { responsesOnly }: AcceptOptions,
): void {
  if (responsesOnly && recorded.observations.length > 0) {
    throw refuse('the run had no traces, and the pin would lose its steps', 'Run it again with tracing: embedded.');
  }
  if (recording.missed !== undefined) throw endedEarly(refuse);
  // A pin holds what the agent needs, also where an output masks it.
  const masks = { ...session.redacted, personal: true };
  const sent = request && (redactor(masks)(request) as typeof request);
  const other = otherInput({ recorded, request: sent }, redactRecording(recording, masks));
  if (other !== undefined) {
    throw refuse(`the replay was given another request than the pin now holds: ${other.difference}`);
  }
}

/** The report masks what the pin may hold. */
function asksOther({ request }: PinnedTurn, { asked = SECRET }: TurnResult): boolean {
  return !asked.includes(SECRET) && asked !== askedIn(request, MAX_ASKED_CHARS);
}

/** A failed replay, or one that could not be compared, never becomes an original. */
function notVerified({ message, hint, location }: AgentReplayError, problems: readonly Problem[]): AgentReplayError {
  return new AgentReplayError('RUN_NOT_VERIFIED', message, {
    hint,
    location,
    evidence: problems.map(({ code, message }) => `${code}: ${message}`),
  });
}

type Refuse = ReturnType<typeof refusal>;

function refusal({ pin }: SessionResult, turn: number | undefined) {
  const place = turn === undefined ? pin : `${pin}, turn ${turn}`;
  return (reason: string, hint = 'Run the session again, then accept that run.') =>
    new AgentReplayError('USAGE', `${place} is left as it is: ${reason}.`, { location: { file: pin }, hint });
}
