import type { Config } from '../../config/index.ts';
import { type AgentReplayError, asAgentReplayError } from '../../errors.ts';
import { redactRecordingTexts } from '../../redaction/index.ts';
import { divergenceWords, type SessionResult, toProblem } from '../../report/index.ts';
import { replacePin, type Session } from '../../session/index.ts';
import type { AcceptedDivergence, PinUpdate } from '../judging/replayed-session.ts';
import type { KeptBehaviour } from '../judging/session-progress.ts';
import type { PlannedSession } from '../records/run-scope.ts';
import { accept, refusedInCi } from './accept.ts';

/**
 * Makes what a session was just replayed to do its new original, under the rules of {@link accept}, and writes the pin.
 * @returns the session as it is pinned now, unless that was refused
 */
export async function acceptSession(
  pin: PlannedSession['pin'],
  result: SessionResult,
  behaviours: readonly KeptBehaviour[],
  {
    config: { root, tracing },
    redact,
  }: { readonly config: Pick<Config, 'root' | 'tracing'>; readonly redact: (text: string) => string },
): Promise<{ acceptance: PinUpdate; session?: Session }> {
  const refuse = (why: readonly AgentReplayError[]) => ({ acceptance: { accepted: [], refused: why.map(toProblem) } });
  const inCi = refusedInCi(process.env);
  if (inCi !== undefined) return refuse([inCi]);
  const redacted = behaviours.map((each) => ({ ...each, recording: redactRecordingTexts(each.recording, redact) }));
  const { session, accepted, refused } = accept(pin.session, result, redacted, {
    responsesOnly: tracing.source === 'none',
  });
  if (refused.length > 0) return refuse(refused);
  try {
    await replacePin(session, pin.path, root);
  } catch (error) {
    return refuse([asAgentReplayError(error)]);
  }
  return {
    acceptance: { accepted: accepted.map(({ turn }) => acceptedDivergence(turn, result, pin)), refused: [] },
    session,
  };
}

function acceptedDivergence(
  turn: number,
  { turns }: SessionResult,
  { session }: PlannedSession['pin'],
): AcceptedDivergence {
  const comparison = turns.find((each) => each.turn === turn)?.comparison;
  return {
    turn,
    sentence: `turn ${turn}: ${(comparison && divergenceWords(comparison)) || (comparison?.note ?? comparison?.verdict)}`,
    droppedBaselines: session.turns[turn - 1]?.baselines?.length ?? 0,
  };
}
