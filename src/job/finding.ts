import { inputDiffers } from '../compare/index.ts';
import type { Json, Recording, TurnRequest } from '../contract/index.ts';
import { AgentReplayError } from '../errors.ts';
import type { ReplayCall, ReplayResult } from '../replay/index.ts';
import { type Pin, recordingOf, redactRecording } from '../session/index.ts';
import { type TraceUsage, usageOf } from './usage.ts';

/** What one replay came to: all that is compared, kept and told of it. */
export interface Finding extends ReplayCall {
  /** What it did, redacted as its pin is; or why that could not be told. */
  readonly outcome:
    | { readonly kind: 'replayed'; readonly recording: Recording }
    | { readonly kind: 'inconclusive'; readonly error: AgentReplayError };
  readonly replayRunId: string;
  readonly traceId?: string | undefined;
  readonly attempts: number;
  /** Undefined when nothing was sent. */
  readonly callMs?: number | undefined;
  readonly traceMs?: number | undefined;
  readonly usage?: TraceUsage | undefined;
}

/** @param pin of the session that was replayed */
export function findingOf({ outcome, ...result }: ReplayResult, { session }: Pin): Finding {
  if (outcome.kind === 'inconclusive') return { ...result, outcome };
  const { trace, response } = outcome;
  if (trace === null) {
    return { ...result, outcome: { kind: 'replayed', recording: responseOnly(response?.output) } };
  }
  const recording = recordingOf(trace);
  const error = otherInput(recording, session.turns[result.turn - 1]?.request);
  // Both sides alike: the pin was redacted when it was made.
  const kept = session.redacted === undefined ? recording : redactRecording(recording, session.redacted);
  return {
    ...result,
    traceId: trace.id,
    usage: usageOf(trace),
    outcome: error === undefined ? { kind: 'replayed', recording: kept } : { kind: 'inconclusive', error },
  };
}

/** A turn as it is compared without traces. */
export function responseOnly(output: Json | undefined): Recording {
  return output === undefined ? { observations: [] } : { output, observations: [] };
}

function otherInput(recording: Recording, request: TurnRequest | undefined): AgentReplayError | undefined {
  const difference = request && inputDiffers(request, recording);
  if (difference === undefined) return undefined;
  return new AgentReplayError('TRACE_INPUT_DIFFERS', 'The agent did not work on the messages that were sent.', {
    evidence: [difference],
    hint: 'The endpoint must pass the recorded messages on unchanged; `messages` win over `input`.',
  });
}
