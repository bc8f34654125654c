import { createHash, randomUUID } from 'node:crypto';
import { lastUserText, requestMessages } from '../chat/index.ts';
import type { ReplayRequest, SentMessage, WireNames } from '../contract/index.ts';

/** One turn to take again, with the function that takes a normal turn. */
export interface ReplayTurn {
  /** The recorded conversation, usually ending with the user's message. For a request with only `input`: that one message. */
  readonly messages: readonly SentMessage[];
  /** The user's text in this turn. Empty if the recorded messages contain none. */
  readonly input: string;
  /** The recorded model. Usually ignored, because the agent under test has its own. */
  readonly model: string | undefined;
  /** Whether `messages` include the session's earlier turns; undefined if the request does not say. */
  readonly includePriorContext: boolean | undefined;
  readonly replayRunId: string | undefined;
  readonly originalSessionId: string | undefined;
  /** The same for every replay of a recorded session, and never that of a real session. */
  readonly sessionId: string;
  /** Unique per call. */
  readonly runId: string;
  /** For the replay's trace, at trace level: strings of at most 200 characters, which every SDK accepts. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Langfuse's SDKs drop longer values, with only a warning in the log. */
export const MAX_METADATA_LENGTH = 200;

export function createTurn(
  request: ReplayRequest,
  options: { names: WireNames; agentId: string | undefined; signal: AbortSignal },
): ReplayTurn {
  const { keys } = options.names;
  const { replayRunId, originalSessionId, turnTraceId, includePriorContext } = request;
  const messages = request.messages?.length ? request.messages : [{ role: 'user', content: request.input ?? '' }];
  const sessionId = short(`replay-${originalSessionId ?? 'session'}`);
  const runId = randomUUID();
  const metadata: Record<string, string | undefined> = {
    [keys.isReplay]: 'true',
    [keys.replayRunId]: replayRunId,
    [keys.originalSessionId]: originalSessionId,
    [keys.turnTraceId]: turnTraceId,
    [keys.includePriorContext]: includePriorContext?.toString(),
    agent_id: options.agentId,
    session_id: sessionId,
    run_id: runId,
  };
  return {
    messages,
    input: lastUserText(requestMessages(messages)) ?? request.input ?? '',
    model: request.model,
    includePriorContext,
    replayRunId,
    originalSessionId,
    sessionId,
    runId,
    metadata: withoutGaps(metadata),
    signal: options.signal,
  };
}

/** Long values keep their start, plus a digest that keeps different ones apart. */
function short(value: string): string {
  if (value.length <= MAX_METADATA_LENGTH) return value;
  const digest = createHash('sha256').update(value).digest('hex').slice(0, 16);
  return `${value.slice(0, MAX_METADATA_LENGTH - digest.length - 1)}-${digest}`;
}

function withoutGaps(metadata: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) => (value === undefined ? [] : [[key, short(value)]])),
  );
}
