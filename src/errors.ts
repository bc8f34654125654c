/**
 * Every failure that a user can meet, by its stable code. A code is never reused or renamed:
 * people grep logs and write runbooks by it.
 */
export type ErrorCode =
  // a secret on its way out
  | 'LEAK_PREVENTED'
  // wrong use, configuration
  | 'USAGE'
  | 'CONFIG_INVALID'
  | 'CONFIG_NOT_FOUND'
  | 'CONFIG_NOT_TRUSTED'
  // pinned sessions
  | 'PATTERN_UNSUPPORTED'
  | 'PIN_INVALID'
  | 'PIN_NEWER_VERSION'
  | 'PIN_DUPLICATE'
  | 'PIN_EMPTY'
  | 'PIN_TOO_LARGE'
  | 'PIN_OUTSIDE_ROOT'
  | 'PIN_NOT_A_FILE'
  | 'PIN_NOT_REPLAYABLE'
  | 'PIN_EXISTS'
  | 'NO_SESSIONS'
  | 'TOO_MANY_SESSIONS'
  // the gate
  | 'GATE_BLIND'
  | 'JUDGE_BLIND'
  | 'BASE_NOT_FOUND'
  | 'BASE_NOT_INSTALLED'
  | 'BASE_UNAVAILABLE'
  // the model answers as recorded, in all or up to a step
  | 'AGENT_ELSEWHERE'
  | 'MODEL_UNSEEN'
  | 'MODEL_NEEDED'
  // the customer's process
  | 'AGENT_COMMAND_EMPTY'
  | 'AGENT_COMMAND_NOT_FOUND'
  | 'AGENT_EXITED'
  | 'AGENT_NOT_READY'
  | 'AGENT_PORT_IN_USE'
  | 'AGENT_CRASHED'
  // the call
  | 'TARGET_INVALID'
  | 'TARGET_UNREACHABLE'
  | 'CALL_TIMEOUT'
  | 'CALL_FAILED'
  | 'RESPONSE_STATUS'
  | 'RESPONSE_REDIRECT'
  | 'RESPONSE_TOO_LARGE'
  | 'RESPONSE_NOT_JSON'
  | 'RESPONSE_INVALID'
  | 'PROVIDER_FAILED'
  | 'CALLS_EXCEEDED'
  | 'COST_LIMIT'
  | 'TOTAL_TIMEOUT'
  // traces
  | 'RECEIVER_UNREACHABLE'
  | 'TRACE_MISSING'
  | 'TRACE_INCOMPLETE'
  | 'TRACE_UNSTABLE'
  | 'TRACE_INVALID'
  | 'TRACE_TOO_LARGE'
  | 'TRACE_INPUT_DIFFERS'
  | 'TRACE_UNREAD'
  | 'TRACE_SPLIT'
  | 'ANSWER_NOT_TRACED'
  | 'TRACE_ORDER_UNKNOWN'
  | 'TRACES_NOT_FORWARDED'
  // results of tools that come from the recording
  | 'TOOLS_UNREACHABLE'
  | 'TOOLS_UNTRACED'
  | 'TOOL_NOT_WRAPPED'
  | 'TOOL_RESULT_MISSING'
  | 'TOOL_CALL_UNKNOWN'
  // the tracing platform
  | 'PLATFORM_NOT_CONFIGURED'
  | 'PLATFORM_UNREACHABLE'
  | 'PLATFORM_UNAUTHORIZED'
  | 'PLATFORM_REDIRECT'
  | 'PLATFORM_UNEXPECTED_ANSWER'
  | 'PLATFORM_RATE_LIMITED'
  | 'PLATFORM_TOO_MUCH_DATA'
  // a command that is asked for traces
  | 'SOURCE_FAILED'
  | 'SOURCE_TIMEOUT'
  | 'SOURCE_ANSWER_INVALID'
  // what is accepted as an original
  | 'RUN_NOT_VERIFIED'
  // the parts of a run that several jobs share
  | 'SHARD_MISSING'
  | 'SHARD_DUPLICATE'
  | 'SHARDS_DIFFER'
  | 'LOOK_OPEN'
  // the user's own rules
  | 'FORBID_FAILED'
  // anything else
  | 'INPUT_INVALID'
  | 'OUTPUT_NOT_WRITABLE'
  | 'INTERRUPTED'
  | 'INTERNAL';

export interface ErrorDetails {
  /** What was seen, one fact a line: log tail, URL, status, the value that was refused. */
  readonly evidence?: readonly string[];
  /** What the user does next, one sentence. */
  readonly hint?: string;
  /** Where: a file, with line and column (both from 1) where they are known. */
  readonly location?: SourceLocation;
  readonly cause?: unknown;
}

export interface SourceLocation {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** JSON pointer (RFC 6901) into the file. */
  readonly pointer?: string;
}

/** A failure with a stable code, the evidence and the user's next move. The message is one plain sentence. */
export class AgentReplayError extends Error {
  override readonly name = 'AgentReplayError';
  readonly code: ErrorCode;
  readonly evidence: readonly string[];
  readonly hint: string | undefined;
  readonly location: SourceLocation | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.evidence = details.evidence ?? [];
    this.hint = details.hint;
    this.location = details.location;
  }
}

/** Wraps whatever was thrown, so that a report never holds a bare exception. */
export function asAgentReplayError(error: unknown): AgentReplayError {
  if (error instanceof AgentReplayError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new AgentReplayError('INTERNAL', `agent-replay itself failed: ${message.replace(/\.$/, '')}.`, {
    cause: error,
    hint: 'This is a defect in agent-replay. Run again with DEBUG=agent-replay and report the stack.',
  });
}

/** @param sinks where a known secret was about to leave */
export function leakPrevented(sinks: readonly string[]): AgentReplayError {
  return new AgentReplayError('LEAK_PREVENTED', 'A known secret was about to be written. It was masked.', {
    evidence: sinks.map((sink) => `written to: ${sink}`),
    hint: 'Look for code that prints it, such as a configuration that logs its environment.',
  });
}
